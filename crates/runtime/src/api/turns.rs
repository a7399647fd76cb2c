use std::collections::HashMap;
use std::sync::Arc;

use kubewright_machinery::object::ObjectExt as _;
use parking_lot::Mutex;
use serde_json::Value;
use tokio::sync::{Mutex as AsyncMutex, OwnedMutexGuard};

/// The newest answer to a change of one object, with which the next writer begins.
type Slot = Arc<AsyncMutex<Option<Value>>>;

/// The turns of the writers of this process that change the same object by patches that test the state they have seen. They run one after the other, and each
/// begins with the state that the previous one has left. Without turns, writers that an event wakes at the same time would fail each other's tests, and would
/// have to read and send again.
#[derive(Clone, Debug, Default)]
pub(crate) struct WriterTurns(Arc<Mutex<HashMap<String, Slot>>>);

/// The turn of one writer, which ends when it is dropped.
#[derive(Debug)]
pub(crate) struct WriterTurn {
    turns: WriterTurns,
    uid: String,
    state: Option<OwnedMutexGuard<Option<Value>>>,
}

impl WriterTurns {
    /// Waits for the turn at the object with this UID.
    pub(crate) async fn take(&self, uid: &str) -> WriterTurn {
        let slot = Arc::clone(self.0.lock().entry(uid.to_owned()).or_default());
        // A turn that is dropped while it waits removes its slot from here on.
        let mut turn = WriterTurn { turns: self.clone(), uid: uid.to_owned(), state: None };
        turn.state = Some(slot.lock_owned().await);
        turn
    }
}

impl WriterTurn {
    /// Returns the object as the previous writer has left it, if that is newer than the state that this writer has seen.
    pub(crate) fn newer_than(&self, seen: &Value) -> Option<Value> {
        let left = self.state.as_ref()?.as_ref()?;
        is_newer(left, seen).then(|| left.clone())
    }

    /// Leaves the object to the next writer, if one waits; later writers find it in a store.
    pub(crate) fn leave(&mut self, object: &Value) {
        // One reference is held by the table, and one by this turn.
        let is_awaited = self.turns.0.lock().get(&self.uid).is_some_and(|slot| Arc::strong_count(slot) > 2);
        if let Some(state) = self.state.as_mut().filter(|_| is_awaited) {
            **state = Some(object.clone());
        }
    }
}

impl Drop for WriterTurn {
    fn drop(&mut self) {
        self.state = None;
        let mut slots = self.turns.0.lock();
        // No other writer waits for the slot or is about to.
        if slots.get(&self.uid).is_some_and(|slot| Arc::strong_count(slot) == 1) {
            slots.remove(&self.uid);
        }
    }
}

/// Returns true if one state of an object is newer than another one. Resource versions of one object are compared as numbers; on a server whose versions are
/// not numbers no state is newer.
fn is_newer(state: &Value, than: &Value) -> bool {
    let version = |object: &Value| object.resource_version().parse::<u64>().ok();
    version(state).zip(version(than)).is_some_and(|(state, than)| state > than)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn object(version: &str) -> Value {
        json!({ "metadata": { "uid": "a", "resourceVersion": version } })
    }

    // FZ-5
    #[tokio::test]
    #[allow(clippy::disallowed_methods)] // the task ends with the test
    async fn a_writer_starts_with_the_object_that_the_previous_writer_left() {
        let turns = WriterTurns::default();
        let mut first = turns.take("a").await;
        assert_eq!(first.newer_than(&object("1")), None);
        let second = tokio::spawn({
            let turns = turns.clone();
            async move {
                let second = turns.take("a").await;
                (second.newer_than(&object("1")), second.newer_than(&object("3")))
            }
        });
        tokio::task::yield_now().await;
        assert!(!second.is_finished());
        drop(turns.take("b").await);
        first.leave(&object("2"));
        drop(first);
        assert_eq!(second.await.unwrap(), (Some(object("2")), None));
        assert!(turns.0.lock().is_empty());
    }
}
