//! Unification of types: assignability, and the inference of unknown types from it.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::types::{Type, Variable};

/// The inferred types of variables.
#[derive(Clone, Debug, Default)]
pub(super) struct Known {
    types: BTreeMap<Variable, Type>,
}

impl Known {
    pub(super) fn learn(&mut self, variable: Variable, type_: Type) {
        self.types.insert(variable, type_);
    }

    /// Returns the type with all known variables replaced. With `finally`, unknown variables become dynamic.
    pub(super) fn resolve(&self, type_: &Type, finally: bool) -> Type {
        let below = |type_: &Arc<Type>| Arc::new(self.resolve(type_, finally));
        match type_ {
            Type::Variable(variable) => match self.types.get(variable) {
                Some(found) => self.resolve(found, finally),
                None if finally => Type::Dynamic,
                None => type_.clone(),
            },
            Type::List(element) => Type::List(below(element)),
            Type::Map(key, value) => Type::Map(below(key), below(value)),
            Type::Optional(content) => Type::Optional(below(content)),
            Type::Type(Some(type_)) => Type::Type(Some(below(type_))),
            other => other.clone(),
        }
    }

    /// Returns true if the types fit together. Types that are inferred on the way are kept only in that case.
    pub(super) fn fit(&mut self, found: &[Type], wanted: &[Type]) -> bool {
        let mut trial = self.clone();
        let fits = found.len() == wanted.len() && found.iter().zip(wanted).all(|(found, wanted)| trial.assignable(found, wanted));
        if fits {
            *self = trial;
        }
        fits
    }

    fn assignable(&mut self, a: &Type, b: &Type) -> bool {
        if let Type::Variable(variable) = b {
            let (valid, known) = self.substitute(a, *variable, b);
            if valid || known {
                return valid;
            }
        }
        if let Type::Variable(variable) = a {
            return self.substitute(b, *variable, a).0;
        }
        match (a, b) {
            _ if a.is_dynamic_or_error() || b.is_dynamic_or_error() => true,
            (Type::Null, other) | (other, Type::Null) => matches!(
                other,
                Type::Null | Type::Optional(_) | Type::Opaque(_) | Type::Object(_) | Type::Duration | Type::Timestamp
            ),
            (Type::Type(_), Type::Type(_)) => true,
            (Type::List(a), Type::List(b)) | (Type::Optional(a), Type::Optional(b)) => self.assignable(a, b),
            (Type::Map(a_key, a_value), Type::Map(b_key, b_value)) => {
                self.assignable(a_key, b_key) && self.assignable(a_value, b_value)
            }
            _ => a == b,
        }
    }

    /// Tries to substitute `type_` for the variable. The first result is true if that is possible, the second one if a type of the variable was
    /// known.
    fn substitute(&mut self, type_: &Type, variable: Variable, as_type: &Type) -> (bool, bool) {
        if type_ == as_type {
            return (true, true);
        }
        if let Some(known) = self.types.get(&variable).cloned() {
            if *type_ == known {
                return (true, true);
            }
            if !self.assignable(type_, &known) {
                return (false, true);
            }
            let general = most_general(type_, &known);
            if self.is_free_of(as_type, &general) {
                self.learn(variable, general);
            }
            return (true, true);
        }
        let free = self.is_free_of(as_type, type_);
        if free {
            self.learn(variable, type_.clone());
        }
        (free, false)
    }

    /// Returns true if a variable does not occur in a type. A type that contains itself would be infinite.
    fn is_free_of(&self, variable: &Type, within: &Type) -> bool {
        if variable == within {
            return false;
        }
        match within {
            Type::Variable(other) => self.types.get(other).is_none_or(|known| self.is_free_of(variable, known)),
            Type::List(inner) | Type::Optional(inner) | Type::Type(Some(inner)) => self.is_free_of(variable, inner),
            Type::Map(key, value) => self.is_free_of(variable, key) && self.is_free_of(variable, value),
            _ => true,
        }
    }
}

pub(super) fn most_general(a: &Type, b: &Type) -> Type {
    if at_most_as_specific(a, b) { a.clone() } else { b.clone() }
}

fn at_most_as_specific(a: &Type, b: &Type) -> bool {
    match (a, b) {
        (Type::Dynamic | Type::Variable(_), _) => true,
        (_, Type::Dynamic | Type::Variable(_)) => false,
        (Type::List(a), Type::List(b)) | (Type::Optional(a), Type::Optional(b)) => at_most_as_specific(a, b),
        (Type::Map(a_key, a_value), Type::Map(b_key, b_value)) => {
            at_most_as_specific(a_key, b_key) && at_most_as_specific(a_value, b_value)
        }
        (Type::Type(_), Type::Type(_)) => true,
        _ => a == b,
    }
}
