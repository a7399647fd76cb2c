use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Debug;

use kube::core::CustomResourceExt;
use kube::core::object::HasStatus;
use kubewright_core::component::ComponentStatus;
use kubewright_core::reference::{ReferenceKind, References, Resolved};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::settings::{Parameters, Settings};

/// A custom resource whose operator installs, waits for, upgrades, repairs and removes a set of dependents.
///
/// `#[derive(Component)]` on the spec implements it; by hand only [`Component::settings`] must be written.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a component",
    label = "not a component",
    note = "put `#[derive(CustomResource, Component, ..)]` on the spec of the resource, with `status = \"ComponentStatus\"` in its `#[kube(..)]` attribute"
)]
pub trait Component:
    kube::Resource<DynamicType = ()>
    + HasStatus<Status: EmbedsStatus>
    + CustomResourceExt
    + DeserializeOwned
    + Serialize
    + Clone
    + Debug
    + Send
    + Sync
    + 'static
{
    /// What the spec says to the framework.
    fn settings(&self) -> Settings;

    /// The framework's part of the status.
    fn component_status(&self) -> Option<&ComponentStatus> {
        self.status().map(EmbedsStatus::component_status)
    }

    /// The framework's part of the status, created where there is none.
    fn component_status_mut(&mut self) -> &mut ComponentStatus {
        self.status_mut().get_or_insert_default().component_status_mut()
    }

    /// What generators see. It may add contents of references. Default: the whole spec; the derive gives the content of a `Values` field
    /// instead.
    fn parameters(&self, references: &Resolved) -> Parameters {
        let _ = references;
        match serde_json::to_value(self) {
            Ok(Value::Object(mut object)) => match object.remove("spec") {
                Some(Value::Object(spec)) => spec,
                _ => Parameters::new(),
            },
            _ => Parameters::new(),
        }
    }

    /// The ConfigMaps and Secrets that the spec names. Default: none; the derive finds them.
    fn references(&self) -> References {
        References::default()
    }

    /// The kinds of objects that a spec of this type can name: the operator needs permission to read and watch them.
    fn reference_kinds() -> BTreeSet<ReferenceKind> {
        BTreeSet::new()
    }

    /// Whom a spec of this type can name to write dependents in their name, as resources of the core group: `serviceaccounts`,
    /// `users`, `groups`. The command `rbac` prints the permission for the names that the
    /// operator declares with `impersonates`; only components that use it need it. Default: none; the derive
    /// finds an embedded `Impersonation`.
    fn impersonates() -> &'static [&'static str] {
        &[]
    }

    /// Annotations for the events on this component. The digest is absent when a pass ended before it was known.
    fn event_annotations(&self, digest: Option<&str>) -> BTreeMap<String, String> {
        let _ = digest;
        BTreeMap::new()
    }
}

/// A status that is, or holds, a [`ComponentStatus`].
///
/// An own status type flattens it:
///
/// ```
/// use kubewright_component::{ComponentStatus, EmbedsStatus};
///
/// #[derive(Clone, Debug, Default, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
/// struct PodinfoStatus {
///     #[serde(flatten)]
///     component: ComponentStatus,
///     url: Option<String>,
/// }
///
/// impl EmbedsStatus for PodinfoStatus {
///     fn component_status(&self) -> &ComponentStatus {
///         &self.component
///     }
///     fn component_status_mut(&mut self) -> &mut ComponentStatus {
///         &mut self.component
///     }
/// }
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be the status of a component",
    note = "use `status = \"ComponentStatus\"`, or flatten a `ComponentStatus` into `{Self}` and implement `EmbedsStatus` for it"
)]
pub trait EmbedsStatus: Serialize + DeserializeOwned + Default + Clone + Debug + Send + Sync + 'static {
    /// The framework's part.
    fn component_status(&self) -> &ComponentStatus;
    /// The framework's part, to be changed.
    fn component_status_mut(&mut self) -> &mut ComponentStatus;
}

impl EmbedsStatus for ComponentStatus {
    fn component_status(&self) -> &ComponentStatus {
        self
    }

    fn component_status_mut(&mut self) -> &mut ComponentStatus {
        self
    }
}

/// Returns whether a component is Ready in its present generation, by the same test as `kubectl wait --for=condition=Ready` and
/// `cluster.expect::<C>(name).ready()` of tests.
pub fn is_ready<C: Component>(component: &C) -> bool {
    component.component_status().is_some_and(|status| status.is_ready(component.meta().generation))
}
