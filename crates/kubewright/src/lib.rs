//! A framework for Kubernetes operators.
//!
//! A component operator is a custom resource and a generator of manifests; the framework installs, waits for, upgrades,
//! repairs and removes what the generator gives, and reports on it in the resource's status.
//!
//! ```no_run
//! use kubewright::prelude::*;
//!
//! /// Keeps a ConfigMap with a greeting.
//! #[derive(CustomResource, Component, Clone, Debug, Serialize, Deserialize, JsonSchema)]
//! #[kube(group = "demo.kubewright.dev", version = "v1alpha1", kind = "Greeting", namespaced, status = "ComponentStatus")]
//! pub struct GreetingSpec {
//!     #[serde(flatten)]
//!     pub placement: Placement,
//!     #[serde(default)]
//!     pub suspend: Suspend,
//!     pub text: String,
//! }
//!
//! async fn manifests(cx: &RenderContext<Greeting>) -> Result<Vec<Manifest>, RenderError> {
//!     Ok(vec![Manifest::from_json(json!({
//!         "apiVersion": "v1",
//!         "kind": "ConfigMap",
//!         "metadata": { "name": cx.name() },
//!         "data": { "text": cx.component().spec.text },
//!     }))?])
//! }
//!
//! #[tokio::main]
//! async fn main() -> ExitCode {
//!     Operator::new("greeting-operator.demo.kubewright.dev")
//!         .component::<Greeting>(manifests)
//!         .dependent_types([("", "configmaps")]) // what `rbac` prints permissions for
//!         .main()
//!         .await
//! }
//! ```
//!
//! # What an operator's `Cargo.toml` lists
//!
//! `kubewright`; the crates whose derives the code above uses, since derives name their own crate: `kube` (feature
//! `derive`), `schemars`, `serde` (feature `derive`), `serde_json`; `k8s-openapi` with the feature of the oldest Kubernetes
//! version that the operator supports, such as `v1_33`; `rustls` with the crypto provider of your choice, such as
//! `ring`; and `tokio`.
//!
//! # Features
//!
//! `dev`: the sub-command `dev` of every operator, which runs it on an embedded API server.

// The chapters of the book are compiled and run.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/src/reconcilers.md")]
mod reconcilers_chapter {}
#[cfg(doctest)]
#[doc = include_str!("../../../docs/src/outcomes.md")]
mod outcomes_chapter {}
#[cfg(doctest)]
#[doc = include_str!("../../../docs/src/steps.md")]
mod steps_chapter {}
#[cfg(doctest)]
#[doc = include_str!("../../../docs/src/injection.md")]
mod injection_chapter {}
#[cfg(doctest)]
#[doc = include_str!("../../../docs/src/tasks.md")]
mod tasks_chapter {}
#[cfg(doctest)]
#[doc = include_str!("../../../docs/src/leadership.md")]
mod leadership_chapter {}
#[cfg(doctest)]
#[doc = include_str!("../../../docs/src/targets.md")]
mod targets_chapter {}
#[cfg(doctest)]
#[doc = include_str!("../../../docs/src/configuration.md")]
mod configuration_chapter {}
#[cfg(doctest)]
#[doc = include_str!("../../../docs/src/coming-from-knative.md")]
mod coming_from_knative_chapter {}

pub mod prelude;

mod main_entry;

pub use kubewright_component as component;
pub use kubewright_contract as contract;
pub use kubewright_core as core;
pub use kubewright_derive::{Component, ConditionSet, FromConfigMap, HoldsReferences, reconciler};
pub use kubewright_machinery as machinery;
pub use kubewright_render as render;
pub use kubewright_runtime as runtime;

pub use k8s_openapi;
pub use kube;
pub use main_entry::Main;
pub use schemars;
pub use serde;
pub use serde_json;
