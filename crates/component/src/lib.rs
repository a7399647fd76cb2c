//! The component reconciler: installs, upgrades, repairs and removes the dependents of a component.
//!
//! A [`Component`] is a custom resource. Its [`Settings`] control how the framework treats it, and a generator (`kubewright-render`) returns its
//! dependents. [`ComponentExt::component`] adds it to an operator.
//!
//! One pass observes the cluster through shared watches, computes a plan with `kubewright-core`, executes the plan, and records the outcome in
//! the component's status.
//!
//! Modules, from low to high: `defaults`, `common`, `events`, `metrics`, `observe`, `execute`, `record`, `settings`, `kind`, `hooks`, `erased`,
//! `references`, `targets`, `lookups`, `reconciler`, `operator`, `rendered`.

// The code of these chapters of the book is compiled and run as doc tests.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/src/components.md")]
mod components_chapter {}
#[cfg(doctest)]
#[doc = include_str!("../../../docs/src/hooks.md")]
mod hooks_chapter {}
#[cfg(doctest)]
#[doc = include_str!("../../../docs/src/testing.md")]
mod testing_chapter {}

/// The derive rejects specs that would compile but not behave as they look.
///
/// ```
/// use kubewright::prelude::*;
///
/// #[derive(CustomResource, Component, Clone, Debug, Serialize, Deserialize, JsonSchema)]
/// #[kube(group = "example.com", version = "v1", kind = "Web", namespaced, status = "ComponentStatus")]
/// struct WebSpec { #[serde(flatten)] placement: Placement, #[serde(default)] secrets: Vec<SecretRef> }
/// ```
///
/// A setting that is not flattened:
///
/// ```compile_fail
/// use kubewright::prelude::*;
///
/// #[derive(CustomResource, Component, Clone, Debug, Serialize, Deserialize, JsonSchema)]
/// #[kube(group = "example.com", version = "v1", kind = "Web", namespaced, status = "ComponentStatus")]
/// struct WebSpec { placement: Placement, #[serde(default)] secrets: Vec<SecretRef> }
/// ```
///
/// A reference in a collection that is not searched for references:
///
/// ```compile_fail
/// use kubewright::prelude::*;
///
/// #[derive(CustomResource, Component, Clone, Debug, Serialize, Deserialize, JsonSchema)]
/// #[kube(group = "example.com", version = "v1", kind = "Web", namespaced, status = "ComponentStatus")]
/// struct WebSpec {
///     #[serde(flatten)] placement: Placement,
///     #[serde(default)] secrets: std::collections::VecDeque<SecretRef>,
/// }
/// ```
#[cfg(doctest)]
mod refused {}

mod common;
mod defaults;
mod erased;
mod events;
mod execute;
mod hooks;
mod kind;
mod lookups;
mod metrics;
mod observe;
mod operator;
mod reconciler;
mod record;
mod references;
mod rendered;
mod settings;
mod targets;

pub use common::{
    ExternalTrafficPolicy, ImagePullPolicy, ImageSpec, IngressProperties, KubernetesContainerProperties, KubernetesPodProperties,
    KubernetesProperties, ServiceProperties, ServiceType,
};
pub use hooks::{HookContext, HookFn, ReadContext, ReadHookFn};
pub use kind::{Component, EmbedsStatus, custom_resource_definition, is_ready};
pub use kubewright_core::component::{ComponentState, ComponentStatus};
pub use kubewright_core::health::Readiness;
pub use kubewright_core::reference::{
    ConfigMapKeyRef, ConfigMapRef, HoldsReferences, Loads, ReferenceKind, ReferenceRules, References, Resolved, SecretKeyRef,
    SecretRef,
};
pub use kubewright_machinery::object::Key;
pub use kubewright_runtime::events::Occurrence;
pub use operator::{ComponentBuilder, ComponentExt, DependentEvents, Trigger};
pub use references::{LoadContext, Loaded, Reference};
pub use rendered::{RenderedDeletion, RenderedSet, RenderedSetBuilder, RenderedSetExt, Subject};
pub use settings::{
    ComponentDeletePolicy, Impersonation, Interval, InvalidInterval, InvalidSetting, KubeConfig, ManagedType, ManagedTypes,
    Parameters, Placement, Policies, Reapply, Requeue, Retry, Setting, Settings, Suspend, Target, Timeout, TypedValues, Values,
    parameters_of,
};

/// Traits by which `#[derive(Component)]` distinguishes settings and references from other fields of a spec. Not to be used directly.
pub mod derive {
    pub use crate::references::loading::refer_loaded;
    pub use crate::references::probe::{
        HasNoReferenceKinds, HasNoReferences, HasReferenceKinds, HasReferences, HolderProbe, Holds, HoldsNone,
    };
    pub use crate::settings::derive::{IsNoSetting, IsSetting, Probe};
    pub use crate::settings::kinds::{
        Embedded, EmbedsNothing, SettingKind, contains, is_first, may_be_plain, may_flatten, stands_before_values,
    };
}
