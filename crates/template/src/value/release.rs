//! The end of nested values. A template can nest lists a million deep, and a release by recursion would exhaust the stack.

use super::GoValue;

/// Releases values, and the values in them that nothing else holds, in a loop.
pub(super) fn release(values: impl IntoIterator<Item = GoValue>) {
    let mut pending: Vec<GoValue> = values.into_iter().filter(is_nested).collect();
    while let Some(value) = pending.pop() {
        match value {
            GoValue::List(mut list) => pending.extend(list.take_items().into_iter().filter(is_nested)),
            GoValue::Map(map) => pending.extend(map.take_entries().into_values().filter(is_nested)),
            _ => {}
        }
    }
}

/// Returns true for a value that may hold other values.
pub(super) const fn is_nested(value: &GoValue) -> bool {
    matches!(value, GoValue::List(_) | GoValue::Map(_))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::GoMap;

    #[test]
    fn values_of_any_depth_are_released() {
        let mut value = GoValue::Nil;
        for _ in 0..200_000 {
            value = GoValue::list([GoValue::from(GoMap::from_pairs([("a", value)]))]);
        }
        drop(value);
    }

    #[test]
    fn a_value_that_is_held_elsewhere_stays() {
        let inner = GoValue::list([GoValue::list([GoValue::int(1)])]);
        let outer = GoMap::from_pairs([("a", GoValue::list([inner.clone()]))]);
        drop(outer);
        assert!(matches!(inner, GoValue::List(list) if matches!(&list[0], GoValue::List(list) if list.len() == 1)));
    }
}
