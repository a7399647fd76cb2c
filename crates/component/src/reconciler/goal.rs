//! The goal of a pass: the rendered set, or the deletion of all dependents.

use std::sync::OnceLock;

use kubewright_core::dependents::{Desired, DesiredObject, Inventory, Item};
use kubewright_machinery::object::ObjectKey;

use super::component_memory::ComponentMemory;
use crate::observe::Residences;

/// The goal of the engine's run.
#[derive(Clone, Debug)]
pub(super) enum Goal {
    /// Apply the rendered set.
    Apply,
    /// Delete all dependents.
    Delete {
        /// The foreign finalizers of the component.
        foreign: Vec<String>,
        /// True if the rendered set has objects of deletion stages that are to be applied.
        hooks: bool,
    },
}

impl Goal {
    /// Returns the part of the rendered set that is relevant to the goal.
    pub(super) fn wanted<'m>(&self, memory: &'m ComponentMemory) -> &'m Desired {
        static NOTHING: OnceLock<Desired> = OnceLock::new();
        match &memory.rendered {
            Some(rendered) if !matches!(self, Self::Delete { hooks: false, .. }) => &rendered.desired,
            _ => NOTHING.get_or_init(Desired::default),
        }
    }

    /// Returns the objects of the rendered set that the goal applies to.
    pub(super) fn objects<'m>(&self, memory: &'m ComponentMemory) -> &'m [DesiredObject] {
        match self {
            Self::Apply => self.wanted(memory).objects(),
            Self::Delete { .. } => self.wanted(memory).deletion_stage(),
        }
    }

    /// Returns the objects that a pass must observe.
    pub(super) fn keys<'m>(
        &self,
        memory: &'m ComponentMemory,
        inventory: &'m Inventory,
    ) -> impl Iterator<Item = ObjectKey> + use<'m> {
        let wanted = self.objects(memory).iter().map(|object| object.key.clone());
        inventory.items().iter().map(Item::key).chain(wanted)
    }

    /// Returns the kinds and namespaces whose objects a pass must observe.
    pub(super) fn residences(&self, memory: &ComponentMemory, inventory: &Inventory) -> Residences {
        let mut residences = Residences::new();
        let mut add = |key: &ObjectKey| {
            let namespaces = residences.entry(key.group_kind()).or_default();
            if !namespaces.contains(&key.namespace) {
                namespaces.insert(key.namespace.clone());
            }
        };
        self.keys(memory, inventory).for_each(|key| add(&key));
        residences
    }
}
