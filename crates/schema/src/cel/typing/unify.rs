//! Unification of types: assignability, and the inference of unknown types from it.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::types::{CelType, Variable};

/// The inferred types of variables.
#[derive(Clone, Debug, Default)]
pub(super) struct InferredTypes {
    types: BTreeMap<Variable, CelType>,
}

impl InferredTypes {
    pub(super) fn learn(&mut self, variable: Variable, type_: CelType) {
        self.types.insert(variable, type_);
    }

    /// Returns the type with all known variables replaced. With `finally`, unknown variables become dynamic.
    pub(super) fn resolve(&self, type_: &CelType, finally: bool) -> CelType {
        let below = |type_: &Arc<CelType>| Arc::new(self.resolve(type_, finally));
        match type_ {
            CelType::Variable(variable) => match self.types.get(variable) {
                Some(found) => self.resolve(found, finally),
                None if finally => CelType::Dynamic,
                None => type_.clone(),
            },
            CelType::List(element) => CelType::List(below(element)),
            CelType::Map(key, value) => CelType::Map(below(key), below(value)),
            CelType::Optional(content) => CelType::Optional(below(content)),
            CelType::Type(Some(type_)) => CelType::Type(Some(below(type_))),
            other => other.clone(),
        }
    }

    /// Returns true if the types fit together. Types that are inferred on the way are kept only in that case.
    pub(super) fn fit(&mut self, found: &[CelType], wanted: &[CelType]) -> bool {
        let mut trial = self.clone();
        let fits = found.len() == wanted.len() && found.iter().zip(wanted).all(|(found, wanted)| trial.assignable(found, wanted));
        if fits {
            *self = trial;
        }
        fits
    }

    fn assignable(&mut self, a: &CelType, b: &CelType) -> bool {
        if let CelType::Variable(variable) = b {
            let (valid, known) = self.substitute(a, *variable, b);
            if valid || known {
                return valid;
            }
        }
        if let CelType::Variable(variable) = a {
            return self.substitute(b, *variable, a).0;
        }
        match (a, b) {
            _ if a.is_dynamic_or_error() || b.is_dynamic_or_error() => true,
            (CelType::Null, other) | (other, CelType::Null) => matches!(
                other,
                CelType::Null
                    | CelType::Optional(_)
                    | CelType::Opaque(_)
                    | CelType::Object(_)
                    | CelType::Duration
                    | CelType::Timestamp
            ),
            (CelType::Type(_), CelType::Type(_)) => true,
            (CelType::List(a), CelType::List(b)) | (CelType::Optional(a), CelType::Optional(b)) => self.assignable(a, b),
            (CelType::Map(a_key, a_value), CelType::Map(b_key, b_value)) => {
                self.assignable(a_key, b_key) && self.assignable(a_value, b_value)
            }
            _ => a == b,
        }
    }

    /// Tries to substitute `type_` for the variable. The first result is true if that is possible, the second one if a type of the variable was
    /// known.
    fn substitute(&mut self, type_: &CelType, variable: Variable, as_type: &CelType) -> (bool, bool) {
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
    fn is_free_of(&self, variable: &CelType, within: &CelType) -> bool {
        if variable == within {
            return false;
        }
        match within {
            CelType::Variable(other) => self.types.get(other).is_none_or(|known| self.is_free_of(variable, known)),
            CelType::List(inner) | CelType::Optional(inner) | CelType::Type(Some(inner)) => self.is_free_of(variable, inner),
            CelType::Map(key, value) => self.is_free_of(variable, key) && self.is_free_of(variable, value),
            _ => true,
        }
    }
}

pub(super) fn most_general(a: &CelType, b: &CelType) -> CelType {
    if at_most_as_specific(a, b) { a.clone() } else { b.clone() }
}

fn at_most_as_specific(a: &CelType, b: &CelType) -> bool {
    match (a, b) {
        (CelType::Dynamic | CelType::Variable(_), _) => true,
        (_, CelType::Dynamic | CelType::Variable(_)) => false,
        (CelType::List(a), CelType::List(b)) | (CelType::Optional(a), CelType::Optional(b)) => at_most_as_specific(a, b),
        (CelType::Map(a_key, a_value), CelType::Map(b_key, b_value)) => {
            at_most_as_specific(a_key, b_key) && at_most_as_specific(a_value, b_value)
        }
        (CelType::Type(_), CelType::Type(_)) => true,
        _ => a == b,
    }
}
