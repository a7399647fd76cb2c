//! Components as observed by a pass of their owner.

use std::sync::Arc;

use kubewright_core::child::{ChildOwner, Ownership};
use kubewright_core::contract::{ComponentType, Format, Observation};
use kubewright_machinery::object::{GroupKind, GroupVersionKind, Key};
use kubewright_runtime::cluster::ApiResource;
use serde_json::Value;

use crate::declaration::{ComponentObjects, Contract, OwnedComponent};

/// A type of components with its store.
pub(super) struct OpenComponent<C> {
    pub(super) owned: Arc<dyn OwnedComponent<C>>,
    pub(super) objects: Box<dyn ComponentObjects>,
    pub(super) resource: ApiResource,
    pub(super) gvk: GroupVersionKind,
}

/// A component that exists.
pub(super) struct ExistingComponent {
    pub(super) object: Value,
    pub(super) observation: Observation,
    pub(super) ownership: Ownership,
}

impl<C: Contract> OpenComponent<C> {
    pub(super) fn type_(&self) -> ComponentType {
        self.owned.type_()
    }

    pub(super) fn kind(&self) -> GroupKind {
        self.gvk.group_kind()
    }

    /// Returns the component of an owner from the store.
    pub(super) fn existing(&self, key: &Key, owner: &ChildOwner, format: &Format) -> Option<ExistingComponent> {
        let object = self.objects.find(key)?;
        let (observation, ownership) = (Observation::of(&object, format), owner.ownership(&object));
        Some(ExistingComponent { object, observation, ownership })
    }
}

impl ExistingComponent {
    /// Returns true if the component belongs to the owner, or has no owner yet.
    pub(super) fn is_ours(&self) -> bool {
        matches!(self.ownership, Ownership::Ours | Ownership::Unowned)
    }
}
