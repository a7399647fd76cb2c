use kubewright_core::contract::{ConditionProblem, Declared};

/// Compares the condition types of a component with those of the components before it: what `contract!` writes for each component (CT-2).
///
/// # Panics
///
/// With types that cannot be declared; in a constant that is a compile error.
#[track_caller]
#[allow(clippy::panic)] // constants of `contract!` alone call it: what it says is an error of the compiler
pub const fn check_conditions(component: Declared, earlier: &[Declared]) {
    if let Some(problem) = ConditionProblem::find(component, earlier) {
        panic!("{}", problem.as_str());
    }
}
