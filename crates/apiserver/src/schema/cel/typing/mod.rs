//! Types of expressions: whether a rule can be meant, and what it may cost at most.
//!
//! The library that evaluates rules knows neither. Both follow the language definition, <https://github.com/google/cel-spec>, with the
//! functions of <https://kubernetes.io/docs/reference/using-api/cel/>.

mod checker;
mod cost;
mod declared;
mod estimate;
mod functions;
mod literals;
mod sizes;
mod types;
mod unify;

pub(in crate::schema) use declared::{Declared, Wanted};

/// Whether there is a function of a name.
pub(super) fn is_function(name: &str) -> bool {
    functions::overloads(name).is_some()
}

/// Whether a name stands for a type.
pub(super) fn is_type_name(name: &str) -> bool {
    types::Type::named(name).is_some()
}
