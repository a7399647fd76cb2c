//! An operator for static websites whose manifests are a kustomization: a base, a component that is optional, and an overlay with templates, all
//! embedded in the program.

mod api;

pub use api::{Website, WebsiteAutoscaling, WebsiteSpec};
use include_dir::{Dir, include_dir};
use kubewright::prelude::*;

/// The name of the operator, which is used in labels, annotations and the finalizer.
pub const NAME: &str = "kustomize-operator.demo.kubewright.dev";

static KUSTOMIZATION: Dir<'static> = include_dir!("$CARGO_MANIFEST_DIR/kustomization");

/// Returns the operator.
pub fn operator() -> Operator {
    let website = Kustomization::embedded(&KUSTOMIZATION, "website");
    Operator::new(NAME)
        .version(env!("CARGO_PKG_VERSION"))
        .sample(include_str!("../sample.yaml"))
        .component::<Website>(website)
        .dependent_types([
            ("", "configmaps"),
            ("", "services"),
            ("apps", "deployments"),
            ("autoscaling", "horizontalpodautoscalers"),
        ])
        .into()
}
