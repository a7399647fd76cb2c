//! Values that are the same for every template.

use std::hash::{BuildHasher, Hash, Hasher};
use std::mem::discriminant;
use std::rc::Rc;

use foldhash::fast::FixedState;

use super::{GoMap, GoValue};

/// The number of parts of two values that are compared at most.
const MOST_PARTS: usize = 64;

/// Returns true if no template can tell two values apart, without a change of one of them. Values of many parts that are not shared count as different,
/// and so do objects.
pub(crate) fn are_alike(left: &GoValue, right: &GoValue) -> bool {
    is_like(left, right, &mut MOST_PARTS.clone())
}

fn is_like(left: &GoValue, right: &GoValue, parts: &mut usize) -> bool {
    if *parts == 0 {
        return false;
    }
    *parts -= 1;
    match (left, right) {
        (GoValue::Nil, GoValue::Nil) => true,
        (GoValue::Bool(left), GoValue::Bool(right)) => left == right,
        (GoValue::Integer(left, left_type), GoValue::Integer(right, right_type)) => left == right && left_type == right_type,
        (GoValue::Float(left), GoValue::Float(right)) => left.to_bits() == right.to_bits(),
        (GoValue::String(left), GoValue::String(right)) => left == right,
        (GoValue::List(left), GoValue::List(right)) => {
            left.element() == right.element()
                && left.is_nil() == right.is_nil()
                && left.len() == right.len()
                && (left.is_same(right)
                    || left.len() <= *parts && left.iter().zip(&**right).all(|(left, right)| is_like(left, right, parts)))
        }
        (GoValue::Map(left), GoValue::Map(right)) => {
            left.map_type() == right.map_type() && (left.is_same(right) || have_like_entries(left, right, parts))
        }
        (GoValue::Object(left), GoValue::Object(right)) => Rc::ptr_eq(left, right),
        _ => false,
    }
}

fn have_like_entries(left: &GoMap, right: &GoMap, parts: &mut usize) -> bool {
    let (Some(left), Some(right)) = (left.entries_for_all(), right.entries_for_all()) else { return false };
    left.len() == right.len()
        && left.iter().zip(&*right).all(|((key, left), (other, right))| key == other && is_like(left, right, parts))
}

/// Returns a number that is the same for values that are alike. It is made of the value, and of the entries of a map as far as they have no parts.
pub(crate) fn likeness_hash(value: &GoValue) -> u64 {
    let mut hasher = FixedState::default().build_hasher();
    let GoValue::Map(map) = value else {
        hash_part(value, &mut hasher);
        return hasher.finish();
    };
    match map.entries_for_all().filter(|entries| entries.len() <= MOST_PARTS) {
        Some(entries) => entries.values().for_each(|value| hash_part(value, &mut hasher)),
        None => hasher.write_usize(map.identity()),
    }
    hasher.finish()
}

fn hash_part(value: &GoValue, hasher: &mut impl Hasher) {
    discriminant(value).hash(hasher);
    match value {
        GoValue::Nil | GoValue::Object(_) => {}
        GoValue::Bool(value) => value.hash(hasher),
        GoValue::Integer(value, _) => value.hash(hasher),
        GoValue::Float(value) => value.to_bits().hash(hasher),
        GoValue::String(text) => text.as_bytes().hash(hasher),
        GoValue::List(list) => list.len().hash(hasher),
        GoValue::Map(map) => map.len().hash(hasher),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::{ElementType, GoList, GoMap, IntegerType, MapType};

    #[test]
    fn only_values_that_no_template_can_tell_apart_are_alike() {
        let map = |value: f64| GoMap::from_pairs([("a", GoValue::list([value.into(), "b".into()]))]);
        let values = [
            GoValue::Nil,
            true.into(),
            false.into(),
            GoValue::int(1),
            GoValue::Integer(1, IntegerType::Uint8),
            1.0.into(),
            0.0.into(),
            (-0.0).into(),
            "1".into(),
            "".into(),
            GoValue::list([]),
            GoValue::strings([""; 0]),
            GoList::nil(ElementType::Any).into(),
            GoValue::list([GoValue::Nil]),
            map(1.0).into(),
            map(2.0).into(),
            map(1.0).retyped(MapType::Struct).into(),
            GoMap::from_pairs([("b", GoValue::list([1.0.into(), "b".into()]))]).into(),
            GoMap::default().into(),
        ];
        for (index, left) in values.iter().enumerate() {
            for (other, right) in values.iter().enumerate() {
                assert_eq!(are_alike(left, right), index == other, "{left:?} {right:?}");
            }
        }
        assert!(are_alike(&map(1.0).into(), &map(1.0).into()));
        assert_eq!(likeness_hash(&map(1.0).into()), likeness_hash(&map(1.0).into()));
        assert_ne!(
            likeness_hash(&GoMap::from_pairs([("a", 1.0.into())]).into()),
            likeness_hash(&GoMap::from_pairs([("a", 2.0.into())]).into())
        );
    }

    #[test]
    fn values_of_many_parts_are_alike_only_if_they_are_shared() {
        let many = || GoMap::from_pairs([("a", GoValue::list((0..1000).map(GoValue::int)))]);
        let map = many();
        assert!(are_alike(&map.clone().into(), &map.clone().into()));
        assert!(!are_alike(&map.into(), &many().into()));
        let entries = (0..1000).map(|number| (number.to_string(), GoValue::int(number)));
        let wide = GoMap::from_pairs(entries);
        assert!(are_alike(&wide.clone().into(), &wide.clone().into()));
        assert_eq!(likeness_hash(&wide.clone().into()), likeness_hash(&wide.into()));
    }

    #[test]
    fn maps_that_contain_themselves_are_compared_in_the_end() {
        let endless = || {
            let map = GoMap::default();
            map.set("self".into(), map.clone().into());
            map
        };
        let (left, right) = (endless(), endless());
        assert!(!are_alike(&left.clone().into(), &right.clone().into()));
        left.remove(&"self".into());
        right.remove(&"self".into());
    }
}
