//! Kinds of the reconcilers.

use kubewright::core::condition::{Condition, ConditionManager, ConditionSet, Conditioned, Conditions, ConditionsError};
use kubewright::prelude::*;

/// A kind with a status of one number.
#[derive(CustomResource, Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[kube(group = "test.kubewright.dev", version = "v1", kind = "Counter", namespaced, status = "CounterStatus")]
pub(crate) struct CounterSpec {
    pub(crate) count: u32,
}

/// A status without conditions.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub(crate) struct CounterStatus {
    #[serde(default)]
    pub(crate) doubled: u32,
}

/// A kind with conditions.
#[derive(CustomResource, Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[kube(group = "test.kubewright.dev", version = "v1", kind = "Lamp", namespaced, status = "LampStatus")]
pub(crate) struct LampSpec {
    pub(crate) on: bool,
}

/// A status with conditions.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct LampStatus {
    #[serde(default)]
    pub(crate) conditions: Conditions,
    pub(crate) observed_generation: Option<i64>,
}

impl Conditioned for LampStatus {
    fn condition_set() -> ConditionSet {
        ConditionSet::living(["Lit"])
    }

    fn conditions(&self) -> Vec<Condition> {
        self.conditions.as_slice().to_vec()
    }

    fn set_conditions(&mut self, conditions: Vec<Condition>) -> Result<(), ConditionsError> {
        self.conditions = conditions.into();
        Ok(())
    }

    fn begin_pass(&mut self, manager: ConditionManager) -> Option<ConditionManager> {
        self.conditions.begin(manager);
        None
    }

    fn take_manager(&mut self) -> Option<ConditionManager> {
        self.conditions.take()
    }

    fn set_observed_generation(&mut self, generation: Option<i64>) {
        self.observed_generation = generation;
    }
}

/// Returns the kinds of the definitions of an operator.
pub(crate) fn defined(operator: &Operator) -> Vec<String> {
    let declarations = operator.declarations();
    declarations.crds().filter_map(|crd| Some(crd["spec"]["names"]["kind"].as_str()?.to_owned())).collect()
}
