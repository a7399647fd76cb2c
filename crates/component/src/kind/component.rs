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
/// The derive `#[derive(Component)]` on the spec implements it. A manual implementation needs to define [`Component::settings`] only.
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
    /// Returns the settings that the spec contains for the framework.
    fn settings(&self) -> Settings;

    /// Returns the framework's part of the status.
    fn component_status(&self) -> Option<&ComponentStatus> {
        self.status().map(EmbedsStatus::component_status)
    }

    /// Returns the framework's part of the status. Creates the status if there is none.
    fn component_status_mut(&mut self) -> &mut ComponentStatus {
        self.status_mut().get_or_insert_default().component_status_mut()
    }

    /// Returns the parameters of the component for generators, which may include the contents of references. Default: the whole spec; the derive
    /// returns the content of a `Values` field instead, if there is one.
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

    /// Returns the ConfigMaps and Secrets that the spec refers to. Default: none; the derive finds them.
    fn references(&self) -> References {
        References::default()
    }

    /// Returns the kinds of objects that a spec of this type can refer to. The operator needs permission to read and watch them.
    fn reference_kinds() -> BTreeSet<ReferenceKind> {
        BTreeSet::new()
    }

    /// Returns the kinds of identities that a spec of this type can name for the writes of its dependents, as resources of the core group:
    /// `serviceaccounts`, `users`, `groups`. The command `rbac` prints the permission for the names that the operator declares with
    /// `impersonates`; only components that use it need it. Default: none; the derive finds an embedded `Impersonation`.
    fn impersonates() -> &'static [&'static str] {
        &[]
    }

    /// Returns annotations for the events on this component. The digest is `None` if the pass ended before it was known.
    fn event_annotations(&self, digest: Option<&str>) -> BTreeMap<String, String> {
        let _ = digest;
        BTreeMap::new()
    }
}

/// A status that is, or holds, a [`ComponentStatus`].
///
/// A custom status type flattens it:
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
    /// Returns the framework's part.
    fn component_status(&self) -> &ComponentStatus;
    /// Returns the framework's part for modification.
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

/// Returns true if a component is Ready in its present generation. It is the same test as that of `kubectl wait --for=condition=Ready` and of
/// `cluster.expect::<C>(name).ready()` in tests.
pub fn is_ready<C: Component>(component: &C) -> bool {
    component.component_status().is_some_and(|status| status.is_ready(component.meta().generation))
}
