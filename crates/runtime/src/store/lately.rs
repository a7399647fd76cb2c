use std::collections::VecDeque;
use std::sync::Arc;

use parking_lot::Mutex;

/// How many objects a store keeps decoded.
const OBJECTS: usize = 256;

/// The objects of a store that came last, as they were decoded when they came: their first passes need not decode them again.
pub(super) struct Lately<T>(Mutex<State<T>>);

struct State<T> {
    /// The number of the next object.
    next: u64,
    /// The objects with the numbers before it.
    objects: VecDeque<Arc<T>>,
}

impl<T> Lately<T> {
    /// Adds an object, and returns its number.
    pub(super) fn add(&self, object: T) -> u64 {
        let object = Arc::new(object);
        let mut state = self.0.lock();
        let oldest = if state.objects.len() < OBJECTS { None } else { state.objects.pop_front() };
        state.objects.push_back(object);
        let number = state.next;
        state.next += 1;
        drop(state);
        // Freeing an object takes time.
        drop(oldest);
        number
    }

    /// The object with this number, if it is still here.
    pub(super) fn get(&self, number: u64) -> Option<Arc<T>> {
        let state = self.0.lock();
        let back = usize::try_from(state.next.checked_sub(number)?).ok()?;
        state.objects.get(state.objects.len().checked_sub(back)?).cloned()
    }
}

impl<T> Default for Lately<T> {
    fn default() -> Self {
        Self(Mutex::new(State { next: 0, objects: VecDeque::new() }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_objects_are_here_and_no_others() {
        let lately = Lately::default();
        let numbers: Vec<u64> = (0..1_000).map(|object| lately.add(object)).collect();
        for (object, number) in numbers.into_iter().enumerate() {
            let expected = (object >= 1_000 - OBJECTS).then_some(object);
            assert_eq!(lately.get(number).as_deref().copied(), expected, "object {object}");
        }
        assert_eq!(lately.get(1_000), None);
    }
}
