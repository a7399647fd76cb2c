use std::collections::VecDeque;
use std::sync::Arc;

use parking_lot::Mutex;

/// The number of objects that a store keeps decoded.
const OBJECTS: usize = 256;

/// The objects that last came into a store, as they were decoded on arrival, so that the first read of such an object need not decode it again. Each is given
/// away once, since every reader gets an object of its own (TTBL-8).
pub(super) struct Lately<T>(Mutex<RecentObjects<T>>);

struct RecentObjects<T> {
    /// The number of the next object.
    next: u64,
    /// The objects with the preceding numbers.
    objects: VecDeque<Option<Arc<T>>>,
}

impl<T> Lately<T> {
    /// Adds an object, and returns its number.
    pub(super) fn add(&self, object: T) -> u64 {
        let object = Arc::new(object);
        let mut state = self.0.lock();
        let oldest = if state.objects.len() < OBJECTS { None } else { state.objects.pop_front() };
        state.objects.push_back(Some(object));
        let number = state.next;
        state.next += 1;
        drop(state);
        // The oldest object is freed outside of the lock, because that takes time.
        drop(oldest);
        number
    }

    /// Takes the object with this number, if it is still kept.
    pub(super) fn take(&self, number: u64) -> Option<Arc<T>> {
        let mut state = self.0.lock();
        let back = usize::try_from(state.next.checked_sub(number)?).ok()?;
        let at = state.objects.len().checked_sub(back)?;
        state.objects.get_mut(at)?.take()
    }
}

impl<T> Default for Lately<T> {
    fn default() -> Self {
        Self(Mutex::new(RecentObjects { next: 0, objects: VecDeque::new() }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_of_the_last_objects_is_here_once() {
        let lately = Lately::default();
        let numbers: Vec<u64> = (0..1_000).map(|object| lately.add(object)).collect();
        for (object, number) in numbers.into_iter().enumerate() {
            let expected = (object >= 1_000 - OBJECTS).then_some(object);
            assert_eq!(lately.take(number).as_deref().copied(), expected, "object {object}");
            assert_eq!(lately.take(number), None, "object {object}");
        }
        assert_eq!(lately.take(1_000), None);
    }
}
