//! The waits of objects, for the page `/debug/state`.

use std::collections::{BTreeMap, HashMap};
use std::fmt;
use std::sync::Arc;

use kubewright_machinery::object::Key;
use parking_lot::Mutex;
use serde_json::{Value, json};

/// The things that the objects of all controllers wait for, as their passes report them. Cheap to clone.
#[derive(Clone, Default)]
pub struct WaitCensus(Arc<Mutex<BTreeMap<String, WaitingObjects>>>);

/// The waits of the objects of one controller.
#[derive(Clone)]
pub struct ControllerWaits {
    waits: WaitCensus,
    controller: String,
}

struct WaitingObjects {
    objects: HashMap<Key, Vec<String>>,
    exists: Box<dyn Fn(&Key) -> bool + Send + Sync>,
}

impl WaitCensus {
    /// Registers a controller and returns the handle for its waits. `exists` tells which objects still exist; the waits of all others are dropped.
    pub fn of(&self, controller: &str, exists: impl Fn(&Key) -> bool + Send + Sync + 'static) -> ControllerWaits {
        let waiting = WaitingObjects { objects: HashMap::new(), exists: Box::new(exists) };
        self.0.lock().insert(controller.to_owned(), waiting);
        ControllerWaits { waits: self.clone(), controller: controller.to_owned() }
    }

    /// Returns true if no controller reports waits.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.lock().is_empty()
    }

    /// Returns the number of waiting objects by controller and by the thing that they wait for, without the names of the objects.
    pub(crate) fn to_json(&self) -> Value {
        let mut told = Vec::new();
        for (controller, waiting) in &mut *self.0.lock() {
            waiting.objects.retain(|key, _| (waiting.exists)(key));
            let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
            for thing in waiting.objects.values().flatten() {
                *counts.entry(thing).or_default() += 1;
            }
            told.extend(
                counts.iter().map(|(thing, objects)| json!({ "controller": controller, "for": thing, "objects": objects })),
            );
        }
        told.into()
    }
}

impl ControllerWaits {
    /// Sets the things that an object waits for now. They must be names of kinds or the like, never of objects, because pages show them.
    pub fn set(&self, key: &Key, things: Vec<String>) {
        if let Some(waiting) = self.waits.0.lock().get_mut(&self.controller) {
            if things.is_empty() {
                waiting.objects.remove(key);
            } else {
                waiting.objects.insert(key.clone(), things);
            }
        }
    }
}

impl fmt::Debug for WaitCensus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.0.lock().keys()).finish()
    }
}

impl fmt::Debug for ControllerWaits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("ControllerWaits").field(&self.controller).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // flow-and-contract.md, 13.5; reconciler.md, 2.5
    #[test]
    fn waiting_objects_are_counted_by_awaited_dependency_until_deleted_or_no_longer_waiting() {
        let waits = WaitCensus::default();
        assert!(waits.is_empty());
        let of = waits.of("shops", |key| key.name() != "gone");
        let key = |name| Key::new("demo", name);
        of.set(&key("a"), vec!["Database".to_owned(), "Mail".to_owned()]);
        of.set(&key("b"), vec!["Database".to_owned()]);
        of.set(&key("gone"), vec!["Database".to_owned()]);
        let told = |thing: &str, objects: u32| json!({ "controller": "shops", "for": thing, "objects": objects });
        assert_eq!(waits.to_json(), json!([told("Database", 2), told("Mail", 1)]));
        of.set(&key("a"), Vec::new());
        assert_eq!(waits.to_json(), json!([told("Database", 1)]));
    }
}
