use kubewright_core::component::ComponentStatus;
use kubewright_machinery::patch;
use serde_json::{Map, Value};

/// Status fields that alone never cause a write.
const TIMES: [&str; 2] = ["lastObservedAt", "lastAppliedAt"];
/// What the framework itself writes at the top level of the status.
const OURS: [&str; 13] = [
    "observedGeneration",
    "appliedGeneration",
    "lastObservedAt",
    "lastAppliedAt",
    "processingDigest",
    "processingSince",
    "lastProcessingDigest",
    "revision",
    "conditions",
    "state",
    "inventory",
    "createdNamespaces",
    "deletionHooks",
];

/// The status that a pass is about to record: the framework's part, typed, over whatever else the status holds.
#[derive(Clone, Debug)]
pub(crate) struct Draft {
    rest: Map<String, Value>,
    /// The framework's part.
    pub(crate) component: ComponentStatus,
}

impl Draft {
    /// Starts from the status as it was read. A framework part that cannot be read counts as lost: the inventory
    /// heals from the marks on the dependents.
    pub(crate) fn read(status: &Map<String, Value>) -> Self {
        let component = serde_json::from_value(Value::Object(status.clone())).unwrap_or_default();
        let mut rest = status.clone();
        rest.retain(|field, _| !OURS.contains(&field.as_str()));
        Self { rest, component }
    }

    /// The status as hooks see and change it.
    pub(crate) fn to_map(&self) -> Map<String, Value> {
        let mut status = self.rest.clone();
        if let Ok(Value::Object(component)) = serde_json::to_value(&self.component) {
            status.extend(component);
        }
        status
    }

    /// Takes over what hooks changed: all fields that are not the framework's, and conditions of their own.
    pub(crate) fn adopt(&mut self, status: Map<String, Value>) {
        if let Ok(changed) = serde_json::from_value::<ComponentStatus>(Value::Object(status.clone())) {
            self.component.conditions = changed.conditions;
        }
        self.rest = status;
        self.rest.retain(|field, _| !OURS.contains(&field.as_str()));
    }
}

/// The merge patch between two statuses, or `None` when they say the same. Times alone are no difference.
pub(crate) fn difference(old: &Map<String, Value>, new: &Map<String, Value>) -> Option<Value> {
    let timeless = |status: &Map<String, Value>| {
        let mut status = status.clone();
        status.retain(|field, _| !TIMES.contains(&field.as_str()));
        status
    };
    if timeless(old) == timeless(new) {
        return None;
    }
    patch::diff(&Value::Object(old.clone()), &Value::Object(new.clone()))
}

/// Whether two statuses differ in messages alone: of conditions, and of items of the inventory.
pub(crate) fn only_messages_differ(old: &Map<String, Value>, new: &Map<String, Value>) -> bool {
    let silent = |status: &Map<String, Value>| {
        let mut status = status.clone();
        status.retain(|field, _| !TIMES.contains(&field.as_str()));
        for list in ["conditions", "inventory"] {
            let entries = status.get_mut(list).and_then(Value::as_array_mut);
            for entry in entries.into_iter().flatten().filter_map(Value::as_object_mut) {
                entry.remove("message");
            }
        }
        status
    };
    silent(old) == silent(new)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn map(value: Value) -> Map<String, Value> {
        value.as_object().unwrap().clone()
    }

    // STA-5
    #[test]
    fn times_alone_are_no_difference() {
        let old = map(json!({"state": "Ready", "lastObservedAt": "2026-01-01T00:00:00Z"}));
        let new = map(json!({"state": "Ready", "lastObservedAt": "2026-01-02T00:00:00Z"}));
        assert_eq!(difference(&old, &new), None);
    }

    // STA-5
    #[test]
    fn a_difference_names_changed_and_removed_fields_only_and_lists_whole() {
        let old = map(json!({"state": "Ready", "revision": 1, "processingSince": "x", "inventory": [{"name": "a"}]}));
        let new = map(json!({"state": "Ready", "revision": 2, "inventory": [{"name": "a"}, {"name": "b"}]}));
        assert_eq!(
            difference(&old, &new).unwrap(),
            json!({"revision": 2, "processingSince": null, "inventory": [{"name": "a"}, {"name": "b"}]})
        );
    }

    // STA-9
    #[test]
    fn messages_are_told_from_other_changes() {
        let old = map(json!({"state": "Processing", "conditions": [{"type": "Ready", "message": "1 of 3"}]}));
        let new = map(json!({"state": "Processing", "conditions": [{"type": "Ready", "message": "2 of 3"}]}));
        let other = map(json!({"state": "Ready", "conditions": [{"type": "Ready", "message": "2 of 3"}]}));
        assert!(only_messages_differ(&old, &new));
        assert!(!only_messages_differ(&old, &other));
    }

    // HOOK-2
    #[test]
    fn hooks_keep_their_own_fields_and_never_change_ours() {
        let mut draft = Draft::read(&map(json!({"state": "Ready", "revision": 3, "observedGeneration": 1, "url": "a"})));
        let mut status = draft.to_map();
        status.insert("url".to_owned(), json!("b"));
        status.insert("revision".to_owned(), json!(9));
        draft.adopt(status);
        assert_eq!(draft.component.revision, 3);
        assert_eq!(draft.to_map()["url"], json!("b"));
    }
}
