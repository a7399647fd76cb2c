//! Generation of components from their owner.

use kubewright_core::child::ChildOwner;
use kubewright_core::contract::{Architecture, Format, OperationChange, Provenance};
use kubewright_core::flow::{Blocked, Flow};
use kubewright_core::reason;
use kubewright_machinery::object::{Key, ObjectExt as _, label_value};
use serde_json::{Value, json};

use super::component::OpenComponent;
use super::namespace::PropagatedLabels;
use crate::declaration::Contract;

/// The inputs of the generation of components besides the owner itself and its internal configuration.
pub(super) struct GenerationInputs<'a> {
    pub(super) key: &'a Key,
    pub(super) owner: &'a Value,
    pub(super) child_owner: &'a ChildOwner,
    pub(super) provenance: Provenance,
    pub(super) propagated: &'a PropagatedLabels,
    pub(super) controller: &'a str,
    pub(super) format: &'a Format,
}

impl GenerationInputs<'_> {
    /// Returns a component that does not exist yet, without its spec.
    pub(super) fn blank<C: Contract>(&self, component: &OpenComponent<C>) -> Value {
        json!({
            "apiVersion": component.gvk.api_version(), "kind": component.gvk.kind,
            "metadata": { "name": self.key.name(), "namespace": self.key.namespace() },
        })
    }

    /// Sets all labels, the controller reference and an operation on a component. Fields of other writers stay.
    pub(super) fn mark<C: Contract>(
        &self,
        object: &mut Value,
        component: &OpenComponent<C>,
        architecture: Architecture,
        change: OperationChange,
    ) -> Flow {
        let type_ = component.type_();
        for (key, value) in self.propagated.of_format.iter().chain(&self.propagated.of_author) {
            object.set_label(key, value);
        }
        self.child_owner.mark(object);
        if let Some(label) = self.format.component() {
            object.set_label(label, type_.as_str());
        }
        if let Some(label) = self.format.managed_by() {
            object.set_label(label, label_value(self.controller));
        }
        self.provenance.set(object, self.format);
        if let Err(error) = architecture.put(object, self.owner, type_, self.format) {
            return Blocked::new(reason!("InvalidSpec"), error.to_string()).into();
        }
        change.put(object, self.format);
        Ok(())
    }
}
