//! An operator for bundles: the objects of a few manifests, installed, upgraded, repaired and removed as a unit.
//!
//! A [`Bundle`] contains manifests in its own spec, refers to ConfigMaps of its namespace that contain them, or both:
//!
//! ```yaml
//! apiVersion: demo.kubewright.dev/v1alpha1
//! kind: Bundle
//! metadata: {name: cert-manager, namespace: default}
//! spec:
//!   configMaps:
//!   - name: cert-manager        # all its keys, in the order of their names
//!   - name: extras
//!     key: issuers.yaml         # only this one
//!   manifests: |
//!     apiVersion: v1
//!     kind: ConfigMap
//!     metadata: {name: settings}
//! ```
//!
//! It also installs Helm charts, packed in a Secret or in the `binaryData` of a ConfigMap, or as files in a ConfigMap, and kustomizations in
//! ConfigMaps:
//!
//! ```yaml
//! spec:
//!   charts:
//!   - archive: {name: podinfo}      # the key chart.tgz of a Secret, or another one: {name: .., key: ..}
//!     values: {replicaCount: 2}
//!   - configMapArchive: {name: grafana}   # the same in a ConfigMap
//!   kustomizations:
//!   - files:
//!       name: site                  # a ConfigMap, with kustomization.yaml among its keys
//!       items:
//!       - {key: web, path: base/deployment.yaml}
//!     values: {zone: eu}            # for templates in its files
//! ```
//!
//! # Try it
//!
//! * `cargo run -p bundle-operator -- dev` starts an API server and the operator in one process and installs a sample: a
//!   definition of a type, an object of it, and a small application.
//! * With the kubeconfig that it prints, any set of manifests becomes a bundle:
//!   `kubectl create configmap cert-manager --from-file=cert-manager.yaml`, then the Bundle above.
//! * `kubectl edit configmap cert-manager`: the change is rolled out at once. Objects that are no longer in the text are removed,
//!   new ones are created, and the others are updated.
//! * `kubectl create secret generic podinfo --from-file=chart.tgz=podinfo-6.5.0.tgz` makes a chart of `helm pull` a source, and so does
//!   `kubectl create configmap`.
//! * `kubectl delete bundle cert-manager` removes all objects in order: objects of the types that the bundle defines first, the
//!   types last. It waits as long as foreign instances of these types exist.
//!
//! A chart or kustomization is compiled once for each content, and shared by all Bundles that have it ([`BundlePackages`]).
//!
//! # Security
//!
//! A user who may create a Bundle can have any ConfigMap of that namespace applied with the rights of the operator, which are
//! those of an administrator (`bundle-operator rbac` prints them). Templates of charts and kustomizations read with these rights, too.

mod api;
mod packages;
mod render;

pub use api::{Bundle, BundleChart, BundleFile, BundleFiles, BundleKustomization, BundleSpec, Source};
use kubewright::component::ComponentBuilder;
use kubewright::prelude::*;
pub use packages::BundlePackages;
pub use render::BundleGenerator;

/// The name of the operator, which is used in labels, annotations and the finalizer.
pub const NAME: &str = "bundle-operator.demo.kubewright.dev";

/// Returns the operator.
pub fn operator() -> ComponentBuilder<Bundle> {
    operator_with(&BundlePackages::default())
}

/// Returns the operator with packages that the caller sees, too.
pub fn operator_with(packages: &BundlePackages) -> ComponentBuilder<Bundle> {
    Operator::new(NAME)
        .version(env!("CARGO_PKG_VERSION"))
        .sample(include_str!("../sample.yaml"))
        .component::<Bundle>(BundleGenerator::new(packages.clone()))
        .dependent_types([("*", "*")])
}
