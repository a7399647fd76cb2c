//! A tracker for unit tests of code that refers to objects.

use std::collections::BTreeSet;

use kubewright_core::tracker::{
    InvalidReference, ReferenceRegistration, Settlement, SubjectReference, TrackedReference, TrackerIndex,
};
use kubewright_machinery::object::{Key, ObjectExt as _};
use kubewright_machinery::selector::Labels;
use serde_json::Value;

/// The references that observers have registered, and the observers that changes concern: for unit tests of code that refers to objects. It decides
/// as the tracker of a controller does, but only records the observers instead of notifying them.
#[derive(Debug, Default)]
pub struct RecordingTracker {
    index: TrackerIndex<Key>,
    notified: Vec<Key>,
}

impl RecordingTracker {
    /// Returns a tracker without references.
    pub fn new() -> Self {
        Self::default()
    }

    /// Registers a further reference of an observer. Returns true if it is new.
    ///
    /// # Errors
    ///
    /// Returns `InvalidReference` if no object can match the reference.
    pub fn track(&mut self, observer: &Key, reference: &SubjectReference) -> Result<bool, InvalidReference> {
        let reference = TrackedReference::parse(reference)?;
        let pass = self.index.begin(observer.clone());
        let registered = self.index.track(&pass, reference);
        self.index.settle(pass, Settlement::Add);
        Ok(registered == ReferenceRegistration::Added)
    }

    /// Records the observers that a change of an object concerns: those of its name, and those of a selector that its labels match before or after. A
    /// created object has no state before, a deleted one has none after.
    pub fn on_change(&mut self, before: Option<&Value>, after: Option<&Value>) {
        let Some(gvk) = after.or(before).and_then(Value::gvk) else { return };
        let Some(object) = after.or(before) else { return };
        let [before, after] = [before, after].map(|state| state.map(|state| state.labels() as &dyn Labels));
        let concerned = self.index.observers_of_change(&gvk.group_kind(), object.namespace(), object.name(), before, after);
        self.notified.extend(concerned);
    }

    /// Returns the observers that were concerned so far, in the order of the changes.
    pub fn notified(&self) -> &[Key] {
        &self.notified
    }

    /// Returns the references of an observer, in no order.
    pub fn references_of(&self, observer: &Key) -> impl Iterator<Item = &TrackedReference> {
        self.index.references_of(observer)
    }

    /// Returns the observers that have registered exactly this reference. Records nothing.
    pub fn observers_of(&self, reference: &TrackedReference) -> BTreeSet<Key> {
        self.index.observers_of(reference)
    }

    /// Returns the observers that a change of this object would concern. Records nothing.
    pub fn observers_of_object(&self, object: &Value) -> BTreeSet<Key> {
        self.index.observers_of_object(object)
    }

    /// Drops an observer that is gone, with all its references.
    pub fn drop_observer(&mut self, observer: &Key) {
        self.index.drop_observer(observer);
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn reference(name: &str, selector: Option<Value>) -> SubjectReference {
        let [kind, namespace, name, version] = ["Service", "demo", name, "v1"].map(str::to_owned);
        SubjectReference { api_version: version, kind, namespace, name, selector }
    }

    fn service(name: &str, labels: Value) -> Value {
        json!({"apiVersion": "v1", "kind": "Service", "metadata": {"namespace": "demo", "name": name, "labels": labels}})
    }

    // TRK-8
    #[test]
    fn a_recording_tracker_lists_references_and_observers_and_records_the_notified_observers() {
        let [a, b] = ["a", "b"].map(|name| Key::new("demo", name));
        let mut tracker = RecordingTracker::new();
        let (by_name, by_label) = (reference("web", None), reference("", Some(json!({"matchLabels": {"tier": "front"}}))));
        assert!(tracker.track(&a, &by_name).unwrap() && tracker.track(&b, &by_label).unwrap());
        assert!(!tracker.track(&a, &by_name).unwrap(), "it is known");
        assert!(tracker.track(&a, &SubjectReference::default()).is_err());
        assert_eq!(tracker.observers_of(&TrackedReference::parse(&by_name).unwrap()), [a.clone()].into());
        assert_eq!(tracker.references_of(&b).count(), 1);
        let front = service("web", json!({"tier": "front"}));
        assert_eq!(tracker.observers_of_object(&front), [a.clone(), b.clone()].into());
        assert!(tracker.notified().is_empty(), "questions notify nobody");
        tracker.on_change(None, Some(&service("other", json!({}))));
        assert!(tracker.notified().is_empty());
        tracker.on_change(Some(&service("other", json!({"tier": "front"}))), Some(&service("other", json!({}))));
        assert_eq!(tracker.notified(), std::slice::from_ref(&b), "it matched before");
        tracker.drop_observer(&b);
        tracker.on_change(Some(&front), None);
        assert_eq!(tracker.notified(), [b, a]);
    }
}
