//! Scenarios as data.

use kubewright::prelude::*;
use kubewright_machinery::object::ObjectExt as _;

use crate::kinds::Kinds;

/// What happens, step by step.
pub(super) struct Scenario {
    pub(super) name: &'static str,
    /// Whether it only combines what other scenarios show, so that a sample does.
    pub(super) is_combined: bool,
    /// Leads to where the disturbances begin; undisturbed.
    pub(super) before: fn(&Kinds) -> Vec<Step>,
    pub(super) steps: fn(&Kinds) -> Vec<Step>,
}

/// One thing that somebody does, or that must come true.
pub(super) enum Step {
    /// Somebody creates an object.
    Create(Value),
    /// The user creates or changes a component.
    Set(Value),
    /// The user deletes a component.
    Delete(Value),
    /// Somebody deletes an object.
    Remove(Value),
    /// Somebody patches an object.
    Edit(Value, Value),
    /// Somebody sets the value of a ConfigMap again as often as it is corrected, up to so many times.
    Fight(Value, usize),
    /// The component comes to this state and reason.
    Until(&'static str, &'static str, &'static str),
    /// The object goes away.
    Gone(Value),
    /// The operator is not there.
    Stop,
    /// The operator is there again.
    Start,
}

/// What somebody else created, and no component of the scenario wants.
pub(super) fn strangers(steps: &[Step]) -> Vec<Value> {
    let created = steps.iter().filter_map(|step| match step {
        Step::Create(object) => Some(object),
        _ => None,
    });
    created.filter(|object| !is_wanted(steps, object)).cloned().collect()
}

fn is_wanted(steps: &[Step], object: &Value) -> bool {
    let wanted = |component: &Value| {
        let objects = component["spec"]["objects"].as_array();
        objects.is_some_and(|all| all.iter().any(|one| one.kind() == object.kind() && one.name() == object.name()))
    };
    steps.iter().any(|step| matches!(step, Step::Set(component) if wanted(component)))
}
