//! Types of expressions: the check that a rule is well typed, and the estimate of its maximal cost.
//!
//! The library that parses rules provides neither. Both follow the language definition, <https://github.com/google/cel-spec>, with the functions
//! of <https://kubernetes.io/docs/reference/using-api/cel/>.

mod checker;
mod cost;
mod declared;
mod estimate;
mod functions;
mod literals;
mod sizes;
mod types;
mod unify;

pub(crate) use declared::{DeclaredType, WantedType};

/// Returns true if there is a function of this name.
pub(super) fn is_function(name: &str) -> bool {
    functions::overloads(name).is_some()
}

/// Returns true if a name stands for a type.
pub(super) fn is_type_name(name: &str) -> bool {
    types::CelType::named(name).is_some()
}
