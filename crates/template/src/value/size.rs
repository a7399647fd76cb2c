//! The memory of values.

use super::release::is_nested;
use super::{GoString, GoValue};

/// Returns the size in bytes of a value and of all values in it that nothing else holds: for the result of a function, of those that it has made.
pub(crate) fn own_size(value: &GoValue) -> usize {
    let mut pending = Vec::new();
    let mut size = size_of_text(value);
    if is_nested(value) {
        pending.push(value.clone());
    }
    while let Some(value) = pending.pop() {
        let mut add = |part: &GoValue| {
            size += size_of::<GoValue>() + size_of_text(part);
            if is_nested(part) {
                pending.push(part.clone());
            }
        };
        // One holder is the pending value itself.
        match &value {
            GoValue::List(list) if list.holders() == 2 => {
                list.all_items().iter().for_each(&mut add);
                // A template may look at the bytes at any time.
                size += list.unmade() * size_of::<GoValue>();
            }
            GoValue::Map(map) if map.holders() == 2 => {
                let entries = map.made();
                entries.values().for_each(&mut add);
                size += entries.keys().map(|key| size_of::<GoString>() + key.own_len()).sum::<usize>();
                // A template may look at the entries at any time.
                size += map.source().map_or(0, |source| source.size_of_copy());
            }
            _ => {}
        }
    }
    size
}

/// Returns the number of bytes of a string that nothing else holds.
fn size_of_text(value: &GoValue) -> usize {
    if let GoValue::String(text) = value { text.own_len() } else { 0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::{GoList, GoMap, IntegerType};

    const PART: usize = size_of::<GoValue>();

    #[test]
    fn the_size_is_that_of_all_parts() {
        assert_eq!(own_size(&GoValue::int(1)), 0);
        assert_eq!(own_size(&"text".into()), 4);
        assert_eq!(own_size(&GoValue::list([GoValue::Nil, "text".into()])), 2 * PART + 4);
        let map = GoMap::from_pairs([("key", GoValue::list([GoValue::list([GoValue::Nil])]))]);
        assert_eq!(own_size(&map.into()), 3 * PART + size_of::<GoString>() + 3);
    }

    #[test]
    fn bytes_have_the_size_of_their_elements_before_these_are_made() {
        let bytes = GoValue::List(GoList::of_bytes(*b"text"));
        let size = own_size(&bytes);
        let GoValue::List(list) = &bytes else { panic!("{bytes:?} is no list") };
        assert!(matches!(list.first(), Some(GoValue::Integer(116, IntegerType::Uint8))));
        assert_eq!(size, 4 * PART);
        assert_eq!(own_size(&bytes), size);
    }

    #[test]
    fn parts_that_something_else_holds_do_not_count() {
        let (text, list) = (GoValue::from("text"), GoValue::list([GoValue::Nil]));
        let holder = GoValue::list([text.clone(), list.clone()]);
        assert_eq!([own_size(&text), own_size(&list), own_size(&holder)], [0, 0, 2 * PART]);
        let endless = GoMap::default();
        endless.set("self".into(), endless.clone().into());
        assert_eq!(own_size(&endless.clone().into()), 0);
        endless.remove(&"self".into());
    }
}
