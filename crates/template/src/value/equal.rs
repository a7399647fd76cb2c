//! Equality of values with their types.

use std::cmp::Ordering;
use std::collections::HashMap;
use std::rc::Rc;

use super::{GoList, GoMap, GoObject, GoValue};
use crate::error::FunctionError;

/// The number of pairs of values that one function compares at most.
const MOST_PAIRS: usize = 10_000_000;
/// The number of bytes of two strings that count as a pair.
const BYTES_OF_PAIR: usize = 64;

/// The comparisons of one call of a function, as Go's `reflect.DeepEqual` defines them: values are equal if they are of equal types, and have equal
/// elements. The integer 1 is not the float 1, and a nil slice is no empty one. Maps may contain themselves.
pub(crate) struct DeepComparison {
    /// The number of pairs that may still be compared.
    pairs: usize,
}

impl DeepComparison {
    pub(crate) const fn new() -> Self {
        Self { pairs: MOST_PAIRS }
    }

    /// Returns true if two values are equal. The error is that of values with too many parts.
    pub(crate) fn is_equal(&mut self, left: &GoValue, right: &GoValue) -> Result<bool, FunctionError> {
        // A list instead of recursion: values may be nested deeper than any stack.
        let mut pairs = vec![(left.clone(), right.clone())];
        // The pairs of lists and maps that have been compared, which may be shared by many others. They are held so that no other ones get their identity.
        let mut seen: HashMap<[usize; 4], (GoValue, GoValue)> = HashMap::new();
        while let Some((left, right)) = pairs.pop() {
            self.count(&left, &right)?;
            let is_equal = match (&left, &right) {
                (GoValue::Nil, GoValue::Nil) => true,
                (GoValue::Bool(left), GoValue::Bool(right)) => left == right,
                (GoValue::Integer(left, left_type), GoValue::Integer(right, right_type)) => {
                    left == right && left_type == right_type
                }
                (GoValue::Float(left), GoValue::Float(right)) => left.partial_cmp(right) == Some(Ordering::Equal),
                (GoValue::String(left), GoValue::String(right)) => left == right,
                (GoValue::List(list), GoValue::List(other)) => {
                    let pair = [list.as_ptr() as usize, list.len(), other.as_ptr() as usize, other.len()];
                    let is_new = list.is_empty() || seen.insert(pair, (left.clone(), right.clone())).is_none();
                    !is_new || lists(list, other, &mut pairs)
                }
                (GoValue::Map(map), GoValue::Map(other)) => {
                    let pair = [map.identity(), usize::MAX, other.identity(), usize::MAX];
                    map.type_name() == other.type_name()
                        && (seen.insert(pair, (left.clone(), right.clone())).is_some() || maps(map, other, &mut pairs))
                }
                (GoValue::Object(left), GoValue::Object(right)) => {
                    Rc::ptr_eq(left, right) || objects(left.as_ref(), right.as_ref(), &mut pairs)
                }
                _ => false,
            };
            if !is_equal {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Returns true if a value is equal to one of the others.
    pub(crate) fn is_in<'v>(
        &mut self,
        value: &GoValue,
        others: impl IntoIterator<Item = &'v GoValue>,
    ) -> Result<bool, FunctionError> {
        for other in others {
            if self.is_equal(value, other)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn count(&mut self, left: &GoValue, right: &GoValue) -> Result<(), FunctionError> {
        let cost = match (left, right) {
            (GoValue::String(left), GoValue::String(right)) if left.len() == right.len() => 1 + left.len() / BYTES_OF_PAIR,
            _ => 1,
        };
        let rest = self.pairs.checked_sub(cost);
        self.pairs =
            rest.ok_or_else(|| FunctionError::new(format!("the values have more than {MOST_PAIRS} parts to compare")))?;
        Ok(())
    }
}

/// Compares two lists but for their elements, which are added to the pairs.
fn lists(left: &GoList, right: &GoList, pairs: &mut Vec<(GoValue, GoValue)>) -> bool {
    let is_alike = left.element() == right.element() && left.is_nil() == right.is_nil() && left.len() == right.len();
    if is_alike && !left.is_same(right) {
        pairs.extend(left.iter().cloned().zip(right.iter().cloned()));
    }
    is_alike
}

/// Compares two maps of one type but for their values, which are added to the pairs.
fn maps(left: &GoMap, right: &GoMap, pairs: &mut Vec<(GoValue, GoValue)>) -> bool {
    if left.is_same(right) {
        return true;
    }
    let (left, right) = (left.borrow(), right.borrow());
    let has_equal_keys = left.keys().eq(right.keys());
    if has_equal_keys {
        pairs.extend(left.values().cloned().zip(right.values().cloned()));
    }
    has_equal_keys
}

/// Compares two objects but for their fields and elements, which are added to the pairs. An object without these is compared by its text.
fn objects(left: &dyn GoObject, right: &dyn GoObject, pairs: &mut Vec<(GoValue, GoValue)>) -> bool {
    if left.type_name() != right.type_name() {
        return false;
    }
    match (left.elements(), right.elements()) {
        (Some(left), Some(right)) => pairs.push((left, right)),
        (None, None) if left.field_names().is_empty() => return left.text() == right.text(),
        (None, None) => {
            let field = |object: &dyn GoObject, name| object.field(name).unwrap_or_default();
            pairs.extend(left.field_names().iter().map(|name| (field(left, name), field(right, name))));
        }
        _ => return false,
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::{ElementType, IntegerType, MapType, NamedType};

    fn deep_equal(left: &GoValue, right: &GoValue) -> bool {
        DeepComparison::new().is_equal(left, right).unwrap()
    }

    fn nested(depth: usize) -> GoValue {
        (0..depth).fold(GoValue::int(1), |value, _| GoValue::list([value]))
    }

    #[test]
    fn values_of_different_types_differ() {
        assert!(deep_equal(&GoValue::Nil, &GoValue::Nil));
        assert!(deep_equal(&GoValue::int(1), &GoValue::int(1)));
        assert!(!deep_equal(&GoValue::int(1), &GoValue::int64(1)));
        assert!(!deep_equal(&GoValue::int(1), &GoValue::Float(1.0)));
        assert!(!deep_equal(&GoValue::Integer(1, IntegerType::Uint8), &GoValue::int(1)));
        assert!(!deep_equal(&GoValue::list(["a".into()]), &GoValue::strings(["a"])));
        assert!(!deep_equal(&GoValue::list([]), &GoList::nil(ElementType::Any).into()));
    }

    #[test]
    fn lists_and_maps_are_compared_by_their_elements() {
        let map = |value| GoMap::from_pairs([("a", GoValue::list([GoValue::int(value)]))]);
        assert!(deep_equal(&map(1).into(), &map(1).into()));
        assert!(!deep_equal(&map(1).into(), &map(2).into()));
        assert!(!deep_equal(&map(1).into(), &map(1).retyped(MapType::Named(&NamedType { name: "Values" })).into()));
        assert!(!deep_equal(&map(1).into(), &GoMap::from_pairs([("b", GoValue::int(1))]).into()));
        assert!(deep_equal(&nested(100), &nested(100)));
        assert!(!deep_equal(&nested(100), &nested(101)));
    }

    #[test]
    fn maps_that_contain_themselves_are_compared() {
        let cyclic = || {
            let map = GoMap::from_pairs([("a", GoValue::int(1))]);
            map.set("self".into(), map.clone().into());
            map
        };
        let (left, right) = (cyclic(), cyclic());
        assert!(deep_equal(&left.clone().into(), &right.clone().into()));
        right.set("a".into(), GoValue::int(2));
        assert!(!deep_equal(&left.into(), &right.into()));
    }

    #[test]
    fn a_value_that_is_no_number_equals_itself_only_inside_of_the_same_list() {
        assert!(!deep_equal(&f64::NAN.into(), &f64::NAN.into()));
        let list = GoValue::list([f64::NAN.into()]);
        assert!(deep_equal(&list, &list.clone()));
    }

    #[test]
    fn values_that_share_their_parts_are_compared_once() {
        let shared = || (0..100).fold(GoValue::int(1), |value, _| GoValue::list([value.clone(), value]));
        assert!(deep_equal(&shared(), &shared()));
    }

    #[test]
    fn comparisons_of_too_many_parts_are_errors() {
        let mut comparison = DeepComparison { pairs: 10 };
        let list = |count: usize| GoValue::list((0..count).map(|_| GoValue::Nil));
        assert!(comparison.is_equal(&list(5), &list(5)).unwrap());
        assert!(comparison.is_equal(&list(5), &list(5)).is_err());
        let text = || GoValue::string("a".repeat(1000));
        assert!(DeepComparison { pairs: 10 }.is_equal(&text(), &text()).is_err());
    }
}
