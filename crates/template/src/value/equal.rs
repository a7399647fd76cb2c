//! Equality of values with their types.

use std::cmp::Ordering;
use std::collections::HashSet;
use std::rc::Rc;

use super::{GoList, GoMap, GoObject, GoValue};

/// Returns true if two values are equal as Go's `reflect.DeepEqual` defines it: of equal types, and with equal elements. The integer 1 is not the float 1,
/// and a nil slice is no empty one. Maps may contain themselves.
pub fn deep_equal(left: &GoValue, right: &GoValue) -> bool {
    // A list instead of recursion: values may be nested deeper than any stack.
    let mut pairs = vec![(left.clone(), right.clone())];
    let mut seen = HashSet::new();
    while let Some((left, right)) = pairs.pop() {
        let is_equal = match (&left, &right) {
            (GoValue::Nil, GoValue::Nil) => true,
            (GoValue::Bool(left), GoValue::Bool(right)) => left == right,
            (GoValue::Integer(left, left_type), GoValue::Integer(right, right_type)) => left == right && left_type == right_type,
            (GoValue::Float(left), GoValue::Float(right)) => left.partial_cmp(right) == Some(Ordering::Equal),
            (GoValue::String(left), GoValue::String(right)) => left == right,
            (GoValue::List(left), GoValue::List(right)) => lists(left, right, &mut pairs),
            (GoValue::Map(left), GoValue::Map(right)) => {
                !seen.insert((left.identity(), right.identity())) || maps(left, right, &mut pairs)
            }
            (GoValue::Object(left), GoValue::Object(right)) => {
                Rc::ptr_eq(left, right) || objects(left.as_ref(), right.as_ref(), &mut pairs)
            }
            _ => false,
        };
        if !is_equal {
            return false;
        }
    }
    true
}

/// Compares two lists but for their elements, which are added to the pairs.
fn lists(left: &GoList, right: &GoList, pairs: &mut Vec<(GoValue, GoValue)>) -> bool {
    let is_alike = left.element() == right.element() && left.is_nil() == right.is_nil() && left.len() == right.len();
    if is_alike && !left.is_same(right) {
        pairs.extend(left.iter().cloned().zip(right.iter().cloned()));
    }
    is_alike
}

/// Compares two maps but for their values, which are added to the pairs.
fn maps(left: &GoMap, right: &GoMap, pairs: &mut Vec<(GoValue, GoValue)>) -> bool {
    if left.map_type() != right.map_type() || left.len() != right.len() {
        return false;
    }
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
    use crate::value::{ElementType, IntegerType, MapType};

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
        assert!(!deep_equal(&map(1).into(), &map(1).retyped(MapType::Named("Values")).into()));
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
}
