//! Scenarios as data.

use kubewright::prelude::*;

/// What happens, step by step.
pub(super) struct Scenario {
    pub(super) name: &'static str,
    /// Makes the steps; the group is that of the kinds Foo, Bar and Baz.
    pub(super) steps: fn(&crate::kinds::Kinds) -> Vec<Step>,
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
}

impl Step {
    /// The objects that the step is about, for the comparison at the end.
    pub(super) fn objects(&self) -> Vec<Value> {
        match self {
            Self::Create(object) | Self::Remove(object) | Self::Edit(object, _) | Self::Fight(object, _) | Self::Gone(object) => {
                vec![object.clone()]
            }
            Self::Set(component) | Self::Delete(component) => {
                let mut objects = component["spec"]["objects"].as_array().cloned().unwrap_or_default();
                objects.push(component.clone());
                objects
            }
            Self::Until(..) => Vec::new(),
        }
    }
}
