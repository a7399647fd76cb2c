//! The changes of observed maps: those on which the kept outputs of templates depend.
//!
//! An observed map has the number of the observation that reached it first. All maps in it are observed, too, so that a change of a map can only concern
//! observations that are not older than the map's own.

use std::cell::Cell;

use super::GoValue;

thread_local! {
    // The maps belong to the thread, as all counted references do.
    static OBSERVATIONS: MapObservations = const {
        MapObservations { last: Cell::new(0), observer: Cell::new(0), oldest: Cell::new(u64::MAX), looks: Cell::new(0) }
    };
}

struct MapObservations {
    /// The number of the last observation.
    last: Cell<u64>,
    /// The observer that asked for changes last.
    observer: Cell<u64>,
    /// The oldest observation of the maps that have changed since then.
    oldest: Cell<u64>,
    /// The number of looks at values that are not the same for all templates.
    looks: Cell<u64>,
}

/// Returns the number of a new observation, which is greater than those before.
pub(crate) fn next_observation() -> u64 {
    OBSERVATIONS.with(|observations| {
        let next = observations.last.get() + 1;
        observations.last.set(next);
        next
    })
}

/// Observes all maps in a value that are not observed yet. Returns the size in bytes of the values in those, and in lists with them.
pub(crate) fn observe(value: &GoValue, number: u64) -> usize {
    let mut size = 0;
    // A list instead of recursion: values may be nested deeper than any stack.
    let mut pending = vec![value.clone()];
    while let Some(value) = pending.pop() {
        let mut add = |part: &GoValue| {
            size += size_of_part(part);
            if may_hold_maps(part) {
                pending.push(part.clone());
            }
        };
        match &value {
            GoValue::Map(map) if map.begin_observation(number) => map.made().values().for_each(&mut add),
            GoValue::List(list) if list.begin_observation() => list.all_items().iter().for_each(&mut add),
            GoValue::Object(object) => pending.extend(object.maps().into_iter().map(GoValue::Map)),
            _ => {}
        }
    }
    size
}

fn size_of_part(part: &GoValue) -> usize {
    size_of::<GoValue>() + if let GoValue::String(text) = part { text.len() } else { 0 }
}

fn may_hold_maps(value: &GoValue) -> bool {
    matches!(value, GoValue::Map(_) | GoValue::List(_) | GoValue::Object(_))
}

/// Notes a change of a map that is observed since an observation.
pub(super) fn note_change(number: u64) {
    OBSERVATIONS.with(|observations| observations.oldest.set(observations.oldest.get().min(number)));
}

/// Returns the oldest observation of the maps that have changed since an observer asked before, if any have. Another observer that asked meanwhile may
/// have taken changes, so all observations may be concerned then.
pub(crate) fn oldest_change(observer: u64) -> Option<u64> {
    OBSERVATIONS.with(|observations| {
        let oldest = observations.oldest.replace(u64::MAX);
        let is_same = observations.observer.replace(observer) == observer;
        if is_same { Some(oldest).filter(|oldest| *oldest < u64::MAX) } else { Some(0) }
    })
}

/// Notes a look at a value that is not the same for all templates.
pub(super) fn note_look() {
    OBSERVATIONS.with(|observations| observations.looks.set(observations.looks.get() + 1));
}

/// Returns the number of looks at values that are not the same for all templates.
pub(crate) fn looks() -> u64 {
    OBSERVATIONS.with(|observations| observations.looks.get())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::GoMap;

    fn observed(value: &GoValue) -> u64 {
        let number = next_observation();
        observe(value, number);
        number
    }

    #[test]
    fn a_change_concerns_the_observations_from_that_of_the_map_on() {
        let observer = next_observation();
        assert_eq!(oldest_change(observer), Some(0));
        let (inner, unobserved) = (GoMap::default(), GoMap::default());
        let outer = GoMap::from_pairs([("list", GoValue::list([GoValue::list([inner.clone().into()])]))]);
        let first = observed(&outer.clone().into());
        let second = observed(&GoMap::from_pairs([("a", GoValue::Map(outer))]).into());
        assert!(first < second);
        unobserved.set("b".into(), GoValue::Nil);
        assert_eq!(oldest_change(observer), None);
        inner.set("b".into(), GoValue::Nil);
        assert_eq!(oldest_change(observer), Some(first));
        inner.remove(&"b".into());
        assert_eq!(oldest_change(observer), Some(first));
        assert_eq!(oldest_change(observer), None);
    }

    #[test]
    fn maps_that_an_observed_one_takes_up_are_observed() {
        let observer = next_observation();
        let (outer, inner) = (GoMap::default(), GoMap::default());
        let first = observed(&outer.clone().into());
        outer.set("a".into(), inner.clone().into());
        oldest_change(observer);
        let second = observed(&outer.into());
        inner.set("b".into(), GoValue::Nil);
        assert!(oldest_change(observer).is_some_and(|oldest| first <= oldest && oldest <= second));
    }

    #[test]
    fn changes_that_another_observer_may_have_taken_concern_all_observations() {
        let (observer, other) = (next_observation(), next_observation());
        oldest_change(observer);
        oldest_change(other);
        assert_eq!(oldest_change(observer), Some(0));
        assert_eq!(oldest_change(observer), None);
    }

    #[test]
    fn values_that_share_their_parts_or_contain_themselves_are_observed_once() {
        let shared = (0..100).fold(GoValue::from(GoMap::default()), |value, _| GoValue::list([value.clone(), value]));
        assert_eq!(observe(&shared, next_observation()), 200 * size_of::<GoValue>());
        assert_eq!(observe(&shared, next_observation()), 0);
        let endless = GoMap::default();
        endless.set("self".into(), endless.clone().into());
        observed(&endless.clone().into());
        endless.remove(&"self".into());
    }
}
