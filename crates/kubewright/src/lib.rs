//! A framework for Kubernetes operators.
//!
//! A component operator consists of a custom resource and a generator of manifests. The framework installs, waits for, upgrades, repairs and
//! removes the generated objects, and reports on them in the resource's status.
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

// The code of these chapters of the book is compiled and run as doc tests.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/src/charts.md")]
mod charts_chapter {}
#[cfg(doctest)]
#[doc = include_str!("../../../docs/src/kustomizations.md")]
mod kustomizations_chapter {}
#[cfg(doctest)]
#[doc = include_str!("../../../docs/src/values.md")]
mod values_chapter {}
#[cfg(doctest)]
#[doc = include_str!("../../../docs/src/transformers.md")]
mod transformers_chapter {}
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
#[doc = include_str!("../../../docs/src/contracts.md")]
mod contracts_chapter {}
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

pub use k8s_openapi;
pub use kube;
pub use kubewright_component as component;
pub use kubewright_contract as contract;
pub use kubewright_core as core;
/// A complete contract of two components:
///
/// ```
/// use kubewright::contract::{
///     ApplyContext, CleanupContext, ComponentController, Contract, ContractComponent, ContractExt, ContractStatus, Maybe, NoInternal, NoPart,
///     OwnerStatus, Ready,
/// };
/// use kubewright::prelude::*;
///
/// /// What a customer asks for, and sees.
/// #[derive(CustomResource, Clone, Debug, Serialize, Deserialize, JsonSchema)]
/// #[kube(group = "example.com", version = "v1", kind = "Shop", namespaced, status = "OwnerStatus<Published>")]
/// pub struct ShopSpec {
///     pub size: i64,
///     pub search: bool,
/// }
///
/// #[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
/// pub struct Published {
///     #[serde(default, skip_serializing_if = "Option::is_none")]
///     pub address: Option<String>,
/// }
///
/// #[derive(CustomResource, Clone, Debug, Serialize, Deserialize, JsonSchema)]
/// #[kube(group = "example.com", version = "v1", kind = "Storefront", namespaced, status = "ContractStatus<Published, NoPart>")]
/// pub struct StorefrontSpec {
///     pub size: i64,
/// }
///
/// #[derive(CustomResource, Clone, Debug, Serialize, Deserialize, JsonSchema)]
/// #[kube(group = "example.com", version = "v1", kind = "Search", namespaced, status = "ContractStatus")]
/// pub struct SearchSpec {}
///
/// contract! {
///     /// The parts of a shop.
///     pub name = Shops;
///     owner = Shop;
///     Storefront {}
///     Search { needs: [Storefront] }
/// }
///
/// impl ContractComponent for Storefront {
///     type Spec = StorefrontSpec;
///     type External = Published;
///     type Private = NoPart;
///
///     fn configured(_: &Shop) -> bool {
///         true
///     }
///
///     fn convert(shop: &Shop, _: Option<&NoInternal>) -> Result<StorefrontSpec, Failure> {
///         Ok(StorefrontSpec { size: shop.spec.size })
///     }
///
///     fn publish(external: Published, published: &mut Published) {
///         published.address = external.address;
///     }
/// }
///
/// impl ContractComponent for Search {
///     type Spec = SearchSpec;
///     type External = NoPart;
///     type Private = NoPart;
///
///     fn configured(shop: &Shop) -> bool {
///         shop.spec.search
///     }
///
///     fn convert(_: &Shop, _: Option<&NoInternal>) -> Result<SearchSpec, Failure> {
///         Ok(SearchSpec {})
///     }
///
///     fn publish(_: NoPart, _: &mut Published) {}
/// }
///
/// struct Searches;
///
/// impl ComponentController for Searches {
///     type Component = Search;
///
///     async fn apply(&self, cx: &ApplyContext<Search>, deps: Ready<Search>) -> Flow {
///         let storefront = deps.get::<Storefront>();
///         let Some(_address) = storefront.status.as_ref().and_then(|status| status.external.address.clone()) else {
///             return Failure::msg("the storefront has no address").reason("DependencyStatusInvalid").into();
///         };
///         cx.healthy();
///         Ok(())
///     }
///
///     async fn cleanup(&self, _: &CleanupContext<Search>, _: Maybe<Search>) -> Flow {
///         Ok(())
///     }
/// }
///
/// let operator: Operator = Operator::new("search-operator.example.com").component_controller(|| Searches).into();
/// assert!(operator.declarations().problems().is_empty());
/// assert!(Shops::graph()?.to_mermaid().contains("Search -->|needs| Storefront"));
/// # Ok::<(), BoxError>(())
/// ```
pub use kubewright_derive::contract;
pub use kubewright_derive::{Component, ConditionSet, FromConfigMap, HoldsReferences, Values, reconciler};
pub use kubewright_machinery as machinery;
pub use kubewright_render as render;
pub use kubewright_runtime as runtime;
pub use main_entry::Main;
pub use schemars;
pub use serde;
pub use serde_json;
