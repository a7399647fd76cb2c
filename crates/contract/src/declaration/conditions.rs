use kubewright_core::contract::{ConditionProblem, Declared};

/// Compares the condition types of a component with those of the components before it. `contract!` generates a call for each component (CT-2).
///
/// # Panics
///
/// Panics if the types cannot be declared. In a constant, that is a compile error.
#[track_caller]
#[allow(clippy::panic)] // only constants of `contract!` call it, so the panic is a compile error
pub const fn check_conditions(component: Declared, earlier: &[Declared]) {
    if let Some(problem) = ConditionProblem::find(component, earlier) {
        panic!("{}", problem.as_str());
    }
}
