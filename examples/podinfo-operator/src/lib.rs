//! An operator for podinfo, a small web application: its kind, its manifests, and the operator that consists of both.

mod api;
mod render;

pub use api::{Autoscaling, Ingress, Podinfo, PodinfoSpec};
use kubewright::component::ComponentBuilder;
use kubewright::prelude::*;
pub use render::render;

/// The name of the operator, which is used in labels, annotations and the finalizer.
pub const NAME: &str = "podinfo-operator.demo.kubewright.dev";

/// Returns the operator.
pub fn operator() -> ComponentBuilder<Podinfo> {
    Operator::new(NAME)
        .version(env!("CARGO_PKG_VERSION"))
        .sample(include_str!("../sample.yaml"))
        .component::<Podinfo>(render)
        .dependent_types([
            ("", "configmaps"),
            ("", "serviceaccounts"),
            ("", "services"),
            ("apps", "deployments"),
            ("autoscaling", "horizontalpodautoscalers"),
            ("networking.k8s.io", "ingresses"),
            ("policy", "poddisruptionbudgets"),
        ])
}
