//! The release of maps that contain themselves, which reference counts alone would keep forever.
//!
//! A template makes such a map with `set $map "key" $map`. Only a change of a map can close a circle, since lists never change. So the maps that take up a
//! nested value while templates are executed are noted, and at the end of the executions of one usage those of them are emptied that only hold each other.

use std::cell::RefCell;
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::marker::PhantomData;

use super::GoValue;
use super::map::WeakMap;
use super::release::is_nested;

/// The number of noted maps above which those that were released already are forgotten.
const NOTED_AT_FIRST: usize = 1024;

thread_local! {
    // The maps belong to the thread, as all counted references do.
    static NOTED: RefCell<NotedMaps> = const { RefCell::new(NotedMaps { executions: 0, maps: Vec::new(), room: NOTED_AT_FIRST }) };
}

/// The maps of a thread that may contain themselves.
struct NotedMaps {
    /// The number of executions that run on the thread, inside each other.
    executions: usize,
    maps: Vec<WeakMap>,
    /// The number of maps at which those are forgotten that were released.
    room: usize,
}

/// Notes maps that may contain themselves for as long as it lives, and releases them at its end. Maps that something else holds at that time, such as the
/// data of the caller, are looked at again at the end of the next execution on the same thread.
#[derive(Debug)]
pub(crate) struct CycleGuard {
    /// The guard belongs to its thread.
    _thread: PhantomData<*const ()>,
}

impl CycleGuard {
    /// Starts to note maps.
    pub(crate) fn new() -> Self {
        NOTED.with_borrow_mut(|noted| noted.executions += 1);
        Self { _thread: PhantomData }
    }
}

impl Drop for CycleGuard {
    fn drop(&mut self) {
        let maps = NOTED.with_borrow_mut(|noted| {
            noted.executions -= 1;
            if noted.executions == 0 { std::mem::take(&mut noted.maps) } else { Vec::new() }
        });
        if maps.is_empty() {
            return;
        }
        let mut maps = alive_once(maps);
        release_cycles(&maps);
        maps.retain(|map| map.upgrade().is_some());
        NOTED.with_borrow_mut(|noted| {
            noted.room = NOTED_AT_FIRST.max(2 * maps.len());
            noted.maps.append(&mut maps);
        });
    }
}

/// Notes a map that takes up a nested value.
pub(super) fn note(map: impl FnOnce() -> WeakMap) {
    NOTED.with_borrow_mut(|noted| {
        if noted.executions == 0 {
            return;
        }
        if noted.maps.len() >= noted.room {
            noted.maps = alive_once(std::mem::take(&mut noted.maps));
            noted.room = NOTED_AT_FIRST.max(2 * noted.maps.len());
        }
        noted.maps.push(map());
    });
}

/// Returns the maps that still live, each once.
fn alive_once(mut maps: Vec<WeakMap>) -> Vec<WeakMap> {
    maps.retain(|map| map.upgrade().is_some());
    maps.sort_by_key(WeakMap::identity);
    maps.dedup_by_key(|map| map.identity());
    maps
}

/// A map or list that can be reached from a noted map.
struct ReachedValue {
    value: GoValue,
    /// The number of its holders among the reached values.
    inside: usize,
}

/// Empties the maps that only hold each other.
fn release_cycles(maps: &[WeakMap]) {
    let mut reached = reach(maps);
    // One holder of each value is the table itself.
    let is_held = |value: &ReachedValue| holders(&value.value) > value.inside + 1;
    let mut held: Vec<GoValue> = reached.values().filter(|value| is_held(value)).map(|value| value.value.clone()).collect();
    while let Some(value) = held.pop() {
        // Whatever a held value reaches is held, too.
        if identity_of(&value).and_then(|identity| reached.remove(&identity)).is_some() {
            held.extend(nested_in(&value));
        }
    }
    for value in reached.values() {
        if let GoValue::Map(map) = &value.value {
            drop(map.empty());
        }
    }
}

/// Returns the maps and lists that can be reached from maps, these included.
fn reach(maps: &[WeakMap]) -> HashMap<usize, ReachedValue> {
    let mut reached: HashMap<usize, ReachedValue> = HashMap::new();
    let mut pending: Vec<(GoValue, usize)> = maps.iter().filter_map(WeakMap::upgrade).map(|map| (map.into(), 0)).collect();
    while let Some((value, inside)) = pending.pop() {
        let Some(identity) = identity_of(&value) else { continue };
        match reached.entry(identity) {
            Entry::Occupied(mut known) => known.get_mut().inside += inside,
            Entry::Vacant(unknown) => {
                pending.extend(nested_in(&value).into_iter().map(|child| (child, 1)));
                unknown.insert(ReachedValue { value, inside });
            }
        }
    }
    reached
}

/// Returns the maps and lists that a value holds itself. Entries that are not made yet hold nothing of a template.
fn nested_in(value: &GoValue) -> Vec<GoValue> {
    match value {
        GoValue::Map(map) => map.made().values().filter(|value| is_nested(value)).cloned().collect(),
        GoValue::List(list) => list.all_items().iter().filter(|value| is_nested(value)).cloned().collect(),
        _ => Vec::new(),
    }
}

/// Returns the number that a map or list has alone while it lives; None for another value.
fn identity_of(value: &GoValue) -> Option<usize> {
    match value {
        GoValue::Map(map) => Some(map.identity()),
        GoValue::List(list) => Some(list.identity()),
        _ => None,
    }
}

/// Returns the number of references to the content of a map or list.
fn holders(value: &GoValue) -> usize {
    match value {
        GoValue::Map(map) => map.holders(),
        GoValue::List(list) => list.holders(),
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::GoMap;

    #[test]
    fn a_map_that_contains_itself_is_released_at_the_end_of_the_execution() {
        let guard = CycleGuard::new();
        let map = GoMap::default();
        let inner = GoValue::list([GoMap::from_pairs([("list", GoValue::list([map.clone().into()]))]).into()]);
        map.set("inner".into(), inner);
        let weak = map.downgrade();
        drop(map);
        assert!(weak.upgrade().is_some());
        drop(guard);
        assert!(weak.upgrade().is_none());
    }

    #[test]
    fn what_is_held_elsewhere_stays_until_the_end_of_a_later_execution() {
        let (data, shared) = (GoMap::default(), GoMap::from_pairs([("a", GoValue::int(1))]));
        let weak = data.downgrade();
        let guard = CycleGuard::new();
        data.set("self".into(), data.clone().into());
        data.set("shared".into(), shared.clone().into());
        drop(guard);
        assert_eq!(data.len(), 2);
        drop(data);
        drop(CycleGuard::new());
        assert!(weak.upgrade().is_none());
        assert_eq!(shared.len(), 1);
    }

    #[test]
    fn an_execution_inside_another_one_releases_nothing_of_it() {
        let outer = CycleGuard::new();
        let map = GoMap::default();
        map.set("self".into(), map.clone().into());
        drop(CycleGuard::new());
        assert_eq!(map.len(), 1);
        let weak = map.downgrade();
        drop((map, outer));
        assert!(weak.upgrade().is_none());
    }

    #[test]
    fn maps_that_were_released_are_forgotten() {
        let _guard = CycleGuard::new();
        for _ in 0..5 * NOTED_AT_FIRST {
            let map = GoMap::default();
            map.set("a".into(), GoValue::list([]));
        }
        assert!(NOTED.with_borrow(|noted| noted.maps.len()) <= NOTED_AT_FIRST);
    }
}
