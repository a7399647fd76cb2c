use kubewright_core::component::ComponentStatus;
use kubewright_core::status::semantically_equal;
use kubewright_machinery::object::ObjectKey;
use kubewright_machinery::patch;
use serde::Deserialize as _;
use serde_json::{Map, Value};

/// Status fields that alone never cause a write.
const TIMES: [&str; 2] = [OBSERVED, APPLIED];
const OBSERVED: &str = "lastObservedAt";
const APPLIED: &str = "lastAppliedAt";
/// The fields that the framework itself writes at the top level of the status.
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

/// The status that a pass is about to record: the framework's part, typed, over all other fields of the status.
#[derive(Clone, Debug, Default)]
pub(crate) struct Draft {
    rest: Map<String, Value>,
    /// The framework's part.
    pub(crate) component: ComponentStatus,
}

/// A status whose framework part cannot be read, because a newer version or another program wrote it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("read status.{field}: {problem} (run the version of the operator that wrote it, or correct the field)")]
pub(crate) struct UnreadableStatus {
    field: String,
    problem: String,
}

impl Draft {
    /// Creates a draft from the status as it was read. Also returns the keys of dependents that the status lists more than once.
    ///
    /// A framework part that cannot be read is an error and never counts as lost, because deletion relies on the inventory (DEL-9).
    pub(crate) fn read(status: &Map<String, Value>) -> Result<(Self, Vec<ObjectKey>), UnreadableStatus> {
        let mut component = ComponentStatus::deserialize(status)
            .map_err(|error| unreadable(status).unwrap_or_else(|| UnreadableStatus::of("", &error)))?;
        let (inventory, merged) = std::mem::take(&mut component.inventory).merged();
        component.inventory = inventory;
        let others = status.iter().filter(|(field, _)| !OURS.contains(&field.as_str()));
        let rest = others.map(|(field, value)| (field.clone(), value.clone())).collect();
        Ok((Self { rest, component }, merged))
    }

    /// Returns the status as hooks see and change it.
    pub(crate) fn to_map(&self) -> Map<String, Value> {
        let mut status = self.rest.clone();
        if let Ok(Value::Object(component)) = serde_json::to_value(&self.component) {
            status.extend(component);
        }
        status
    }

    /// Adopts the changes of hooks: all fields that are not the framework's, and conditions of their own.
    pub(crate) fn adopt(&mut self, status: Map<String, Value>) {
        if let Ok(changed) = serde_json::from_value::<ComponentStatus>(Value::Object(status.clone())) {
            self.component.conditions = changed.conditions;
        }
        self.rest = status;
        self.rest.retain(|field, _| !OURS.contains(&field.as_str()));
    }
}

impl UnreadableStatus {
    fn of(field: &str, problem: &serde_json::Error) -> Self {
        Self { field: field.to_owned(), problem: problem.to_string() }
    }
}

/// Returns the first field, and the first item of the inventory, that cannot be read.
fn unreadable(status: &Map<String, Value>) -> Option<UnreadableStatus> {
    let problem = |field: &str, value: Value| {
        let alone = Value::Object(Map::from_iter([(field.to_owned(), value)]));
        serde_json::from_value::<ComponentStatus>(alone).err()
    };
    let items = status.get("inventory").and_then(Value::as_array).into_iter().flatten().enumerate();
    let bad_item = |(index, item): (usize, &Value)| {
        problem("inventory", Value::Array(vec![item.clone()]))
            .map(|error| UnreadableStatus::of(&format!("inventory[{index}]"), &error))
    };
    let bad_field =
        |(field, value): (&String, &Value)| problem(field, value.clone()).map(|error| UnreadableStatus::of(field, &error));
    items.into_iter().find_map(bad_item).or_else(|| status.iter().find_map(bad_field))
}

/// Returns the merge patch from the persisted status to the new one, as text, with the start of the pass as `lastObservedAt`. `None` if they are
/// equal; a difference in times alone is no change (STA-5).
pub(crate) fn change(persisted: Map<String, Value>, mut status: Map<String, Value>, started: &str) -> Option<String> {
    let applied = status.get(APPLIED).cloned();
    for time in TIMES {
        match persisted.get(time) {
            Some(before) => _ = status.insert(time.to_owned(), before.clone()),
            None => _ = status.remove(time),
        }
    }
    let (persisted, mut status) = (Value::Object(persisted), Value::Object(status));
    if semantically_equal(&persisted, &status) {
        return None;
    }
    status[OBSERVED] = started.into();
    status[APPLIED] = applied.unwrap_or_default();
    // Empty lists are not removed from the patch, because a custom status may need them.
    patch::diff(&persisted, &status).map(|change| change.to_string())
}

/// Returns true if two statuses differ in messages only: of conditions, and of items of the inventory.
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
    use serde_json::json;

    use super::*;

    fn map(value: Value) -> Map<String, Value> {
        value.as_object().unwrap().clone()
    }

    const STARTED: &str = "2026-01-03T00:00:00Z";

    // STA-5
    #[test]
    fn statuses_that_differ_only_in_times_count_as_unchanged() {
        let old = map(json!({"state": "Ready", "lastObservedAt": "2026-01-01T00:00:00Z"}));
        let new = map(json!({"state": "Ready", "lastObservedAt": "2026-01-02T00:00:00Z"}));
        assert_eq!(change(old, new, STARTED), None);
    }

    // STA-5
    #[test]
    fn a_difference_names_changed_and_removed_fields_only_and_lists_whole() {
        let old = map(json!({"state": "Ready", "revision": 1, "processingSince": "x", "inventory": [{"name": "a"}]}));
        let new = map(json!({"state": "Ready", "revision": 2, "inventory": [{"name": "a"}, {"name": "b"}]}));
        let change: Value = serde_json::from_str(&change(old, new, STARTED).unwrap()).unwrap();
        assert_eq!(
            change,
            json!({"revision": 2, "processingSince": null, "inventory": [{"name": "a"}, {"name": "b"}], "lastObservedAt": STARTED})
        );
    }

    // HOOK-2
    #[test]
    fn a_list_of_an_own_status_that_becomes_empty_stays_a_list() {
        let old = map(json!({"state": "Ready", "pool": {"name": "a", "nodes": ["n"]}}));
        let new = map(json!({"state": "Ready", "pool": {"name": "a", "nodes": []}}));
        let change: Value = serde_json::from_str(&change(old, new, STARTED).unwrap()).unwrap();
        assert_eq!(change["pool"], json!({"nodes": []}));
    }

    // STA-9
    #[test]
    fn changes_of_messages_alone_are_distinguished_from_other_status_changes() {
        let old = map(json!({"state": "Processing", "conditions": [{"type": "Ready", "message": "1 of 3"}]}));
        let new = map(json!({"state": "Processing", "conditions": [{"type": "Ready", "message": "2 of 3"}]}));
        let other = map(json!({"state": "Ready", "conditions": [{"type": "Ready", "message": "2 of 3"}]}));
        assert!(only_messages_differ(&old, &new));
        assert!(!only_messages_differ(&old, &other));
    }

    // HOOK-2
    #[test]
    fn hooks_keep_their_own_fields_and_never_change_ours() {
        let status = map(json!({"state": "Ready", "revision": 3, "observedGeneration": 1, "url": "a"}));
        let (mut draft, _) = Draft::read(&status).unwrap();
        let mut status = draft.to_map();
        status.insert("url".to_owned(), json!("b"));
        status.insert("revision".to_owned(), json!(9));
        draft.adopt(status);
        assert_eq!(draft.component.revision, 3);
        assert_eq!(draft.to_map()["url"], json!("b"));
    }

    fn item(name: &str) -> Value {
        json!({
            "group": "", "version": "v1", "kind": "ConfigMap", "namespace": "demo", "name": name, "adoptionPolicy": "IfUnowned",
            "reconcilePolicy": "OnObjectChange", "updatePolicy": "Replace", "deletePolicy": "Delete", "applyOrder": 0,
            "deleteOrder": 0, "digest": "d", "phase": "Ready",
        })
    }

    // DEL-9
    #[test]
    fn a_status_that_cannot_be_read_is_an_error_that_names_the_field() {
        let mut strange = item("b");
        strange["phase"] = json!("Hibernating");
        let error = Draft::read(&map(json!({"state": "Ready", "inventory": [item("a"), strange]}))).unwrap_err().to_string();
        assert!(error.starts_with("read status.inventory[1]: unknown variant `Hibernating`"), "{error}");
        let error = Draft::read(&map(json!({"state": "Paused", "inventory": [item("a")]}))).unwrap_err().to_string();
        assert!(error.starts_with("read status.state: unknown variant `Paused`"), "{error}");
    }

    // INV-2
    #[test]
    fn items_that_are_listed_twice_are_merged_when_a_status_is_read() {
        let mut newer = item("a");
        newer["lastAppliedAt"] = json!("2026-01-01T00:00:00Z");
        let (draft, merged) = Draft::read(&map(json!({"inventory": [item("a"), item("b"), newer]}))).unwrap();
        assert_eq!(draft.component.inventory.len(), 2);
        assert!(draft.component.inventory.items()[0].last_applied_at.is_some());
        assert_eq!(merged.len(), 1);
    }
}
