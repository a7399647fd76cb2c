use kubewright_component::{ComponentStatus, EmbedsStatus};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::status::{ContractStatus, StatusForm, StatusPart};

/// The private part of the status of a rendered component: what the engine knows of the dependents, in the field `rendered`. A component with a private part
/// of its own has a field of type [`ComponentStatus`] in it and implements [`EmbedsStatus`] for it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct RenderedPart {
    /// State, conditions and inventory of the dependents.
    #[serde(default, skip_serializing_if = "is_new")]
    pub rendered: ComponentStatus,
}

fn is_new(status: &ComponentStatus) -> bool {
    *status == ComponentStatus::default()
}

impl EmbedsStatus for RenderedPart {
    fn component_status(&self) -> &ComponentStatus {
        &self.rendered
    }

    fn component_status_mut(&mut self) -> &mut ComponentStatus {
        &mut self.rendered
    }
}

impl<E: StatusPart, P: StatusPart + EmbedsStatus, F: StatusForm> EmbedsStatus for ContractStatus<E, P, F> {
    fn component_status(&self) -> &ComponentStatus {
        self.private.component_status()
    }

    fn component_status_mut(&mut self) -> &mut ComponentStatus {
        self.private.component_status_mut()
    }
}
