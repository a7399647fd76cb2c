//! Objects without what differs from run to run.

use kubewright::prelude::*;
use kubewright_machinery::object::ObjectExt as _;
use kubewright_testing::TestCluster;

use crate::world::reason_of;

/// Stands for the namespace of a run. On a shared server each run has its own, and a group named after it.
pub(super) const ANY: &str = "namespace";

pub(super) struct Normal<'c> {
    cluster: &'c TestCluster,
}

impl<'c> Normal<'c> {
    pub(super) fn of(cluster: &'c TestCluster) -> Self {
        Self { cluster }
    }

    /// An object, by its title, as it can be compared with that of another run.
    pub(super) fn object(&self, live: &Value) -> (String, Value) {
        let object = shortened(live);
        let title = live.title();
        if self.cluster.is_embedded() {
            return (title, object);
        }
        // What is computed from the namespace differs, too: digests and the hash of the owner.
        let mut hashes: Vec<&str> = Vec::new();
        for marks in [&live["metadata"]["annotations"], &live["metadata"]["labels"]] {
            let marks = marks.as_object().into_iter().flatten();
            let computed = marks.filter(|(key, _)| key.ends_with("/digest") || key.ends_with("/owner-id"));
            hashes.extend(computed.filter_map(|(_, value)| value.as_str()).filter(|value| !value.contains('/')));
        }
        let items = live["status"]["inventory"].as_array().into_iter().flatten();
        hashes.extend(items.filter_map(|item| item["digest"].as_str()).filter(|digest| !digest.is_empty()));
        let text = object.to_string().replace(self.cluster.namespace(), ANY);
        let text = hashes.into_iter().fold(text, |text, hash| text.replace(hash, "hash"));
        (title.replace(self.cluster.namespace(), ANY), serde_json::from_str(&text).unwrap_or(object))
    }
}

fn shortened(live: &Value) -> Value {
    let mut object = live.clone();
    let managers = managers(live);
    let metadata = object.metadata_mut();
    for field in ["uid", "resourceVersion", "creationTimestamp", "managedFields", "generation", "selfLink"] {
        metadata.remove(field);
    }
    metadata.insert("managers".to_owned(), managers);
    if object.kind() != "Bundle" {
        if let Some(map) = object.as_object_mut() {
            map.remove("status");
        }
        return object;
    }
    let status = &live["status"];
    let items = status["inventory"].as_array().cloned().unwrap_or_default();
    let items: Vec<Value> = items
        .iter()
        .map(|item| json!([item["kind"], item["name"], item["digest"], item["phase"], item["status"], item["updatePolicy"]]))
        .collect();
    let conditions = status["conditions"].as_array().into_iter().flatten();
    // A condition about a fight depends on how many corrections it took, and goes later.
    let lasting = conditions.filter(|condition| ["Ready", "Stalled", "Polling"].iter().any(|name| condition["type"] == *name));
    let conditions: Vec<Value> = lasting.map(|condition| json!([condition["type"], condition["status"]])).collect();
    object["status"] = json!({
        "state": status["state"], "reason": reason_of(live), "conditions": conditions, "inventory": items,
        "revision": status["revision"], "observedGeneration": status["observedGeneration"],
        "appliedGeneration": status["appliedGeneration"],
    });
    object
}

/// Who manages an object, and how.
fn managers(live: &Value) -> Value {
    let entries = live["metadata"]["managedFields"].as_array().into_iter().flatten();
    let mut managers: Vec<String> = entries
        .filter(|entry| entry["subresource"].is_null())
        .map(|entry| format!("{} {}", entry["manager"], entry["operation"]))
        .collect();
    managers.sort_unstable();
    managers.into()
}
