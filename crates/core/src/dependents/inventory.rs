//! The inventory: the list of a component's dependents in its status.

use std::collections::{HashMap, HashSet};

use kubewright_machinery::object::{GroupVersionKind, ObjectKey};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::ManagedTypePattern;
use crate::health::Health;
use crate::manifest::{AdoptionPolicy, DeletePolicy, Lifecycle, ReconcilePolicy, UpdatePolicy};
use crate::seconds::Seconds;

/// The longest message of an item, in bytes.
const MESSAGE: usize = 256;

/// How far a dependent has come (component.md, 10.3).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
pub enum Phase {
    /// Wanted; new, or changed since it was last written.
    #[default]
    ScheduledForApplication,
    /// Created, not ready yet.
    Creating,
    /// Updated, not ready yet.
    Updating,
    /// Was ready after it was last written.
    Ready,
    /// To be purged.
    ScheduledForCompletion,
    /// Being purged.
    Completing,
    /// Purged.
    Completed,
    /// No longer wanted.
    ScheduledForDeletion,
    /// Being deleted.
    Deleting,
}

/// One dependent in the inventory. The field order is that of its JSON (INV-1).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Item {
    /// API group; empty for the core group.
    pub group: String,
    /// Version in which it was last wanted.
    pub version: String,
    /// Kind.
    pub kind: String,
    /// Namespace; empty for an object of the cluster.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub namespace: String,
    /// Name.
    pub name: String,
    /// What happens if it exists and is not ours.
    pub adoption_policy: AdoptionPolicy,
    /// What makes it differ from what was applied.
    pub reconcile_policy: ReconcilePolicy,
    /// How it is written.
    pub update_policy: UpdatePolicy,
    /// What happens when it is no longer wanted.
    pub delete_policy: DeletePolicy,
    /// Wave in which it is applied.
    pub apply_order: i16,
    /// Wave in which it is deleted.
    pub delete_order: i16,
    /// Types that it brings.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub managed_types: Vec<ManagedTypePattern>,
    /// Digest of the wanted object; empty when it is no longer wanted.
    #[serde(default)]
    pub digest: String,
    /// How far it has come.
    #[serde(default)]
    pub phase: Phase,
    /// Its health; absent when completed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<Health>,
    /// When it was last written.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_applied_at: Option<Seconds>,
    /// Why it is not Current, at most 256 bytes.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub message: String,
    /// Fingerprint of our fields after our last write.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub fingerprint: String,
    /// Leaf paths of ours that were sent as empty maps.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub empty_paths: Vec<Vec<String>>,
    /// The digest annotation on the live object, where another program wrote it.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub live_digest: String,
    /// The stage of the component's deletion to which it belongs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lifecycle: Option<Lifecycle>,
    /// Whether it is an APIService that was ready before it got into its present phase, so that it may be in use (GATE-4a).
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub was_ready: bool,
}

impl Item {
    /// Returns the identity of the object (INV-2). The version is not part of it.
    pub fn key(&self) -> ObjectKey {
        ObjectKey::new(&self.group, &self.kind, &self.namespace, &self.name)
    }

    /// Returns the kind in the version in which the object was last wanted.
    pub fn gvk(&self) -> GroupVersionKind {
        GroupVersionKind::new(&self.group, &self.version, &self.kind)
    }

    /// Returns true if the object left the manifests.
    pub fn is_redundant(&self) -> bool {
        self.digest.is_empty()
    }

    /// Returns true if the item is in phase Creating, Updating or Ready and its object has been written.
    pub(super) fn is_applied(&self) -> bool {
        matches!(self.phase, Phase::Creating | Phase::Updating | Phase::Ready) && self.last_applied_at.is_some()
    }

    /// Returns the number of bytes by which the JSON of the item grows until it is applied and ready, apart from values of unknown length.
    fn growth(&self) -> usize {
        let missing = [
            (self.last_applied_at.is_none(), r#","lastAppliedAt":"2026-01-01T00:00:00Z""#),
            (self.fingerprint.is_empty(), r#","fingerprint":"0123456789abcdef""#),
            (self.status.is_none(), r#","status":"InProgress""#),
        ];
        missing.iter().filter(|(missing, _)| *missing).map(|(_, text)| text.len()).sum()
    }

    /// Sets the health and the message.
    pub(super) fn report(&mut self, status: Health, message: &str) {
        self.status = Some(status);
        self.message = if status == Health::Current { String::new() } else { cut(message).to_owned() };
    }
}

/// Cuts a message to the length that an item may hold (INV-1).
fn cut(message: &str) -> &str {
    let end = (0..=message.len().min(MESSAGE)).rev().find(|end| message.is_char_boundary(*end)).unwrap_or(0);
    &message[..end]
}

/// All dependents of a component, in the order in which they are deleted (INV-5).
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct Inventory {
    items: Vec<Item>,
}

impl Inventory {
    /// Creates an inventory from stored items. Of items with the same identity the one that was written last is kept (INV-2); the keys of the dropped
    /// ones are returned, so that the caller can warn.
    pub fn new(items: Vec<Item>) -> (Self, Vec<ObjectKey>) {
        let mut kept: Vec<Item> = Vec::with_capacity(items.len());
        let mut indices: HashMap<ObjectKey, usize> = HashMap::with_capacity(items.len());
        let mut dropped = Vec::new();
        for item in items {
            let key = item.key();
            match indices.get(&key) {
                None => {
                    indices.insert(key, kept.len());
                    kept.push(item);
                }
                Some(&index) => {
                    if item.last_applied_at > kept[index].last_applied_at {
                        kept[index] = item;
                    }
                    dropped.push(key);
                }
            }
        }
        (Self { items: kept }, dropped)
    }

    /// Merges duplicates like [`Inventory::new`], without a copy if there are none.
    pub fn merged(self) -> (Self, Vec<ObjectKey>) {
        let mut seen = HashSet::with_capacity(self.items.len());
        let unique = self.items.iter().all(|item| seen.insert((&item.kind, &item.namespace, &item.name, &item.group)));
        if unique { (self, Vec::new()) } else { Self::new(self.items) }
    }

    /// Creates an inventory from items with unique identities in the order of deletion.
    pub(super) fn sorted(items: Vec<Item>) -> Self {
        Self { items }
    }

    /// Returns the items.
    pub fn items(&self) -> &[Item] {
        &self.items
    }

    /// Returns the item of an object.
    pub fn get(&self, key: &ObjectKey) -> Option<&Item> {
        self.items.iter().find(|item| {
            item.name == key.name && item.namespace == key.namespace && item.kind == key.kind && item.group == key.group
        })
    }

    /// Returns the number of bytes by which the JSON of the inventory grows until all items are applied and ready (STA-8).
    pub fn growth(&self) -> usize {
        self.items.iter().map(Item::growth).sum()
    }

    /// Removes the messages of all items, which are only informative.
    pub fn drop_messages(&mut self) {
        self.items.iter_mut().for_each(|item| item.message.clear());
    }

    /// Returns the number of items.
    pub fn len(&self) -> usize {
        self.items.len()
    }

    /// Returns true if there are no items.
    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    // INV-1
    #[test]
    fn a_message_is_cut_between_letters() {
        assert_eq!(cut(&"é".repeat(200)), "é".repeat(128));
        assert_eq!(cut(&format!("a{}", "é".repeat(200))).len(), 255);
        assert_eq!(cut("short"), "short");
    }

    // STA-8
    #[test]
    fn the_growth_of_an_inventory_item_is_the_size_that_its_json_gains_when_applied() {
        let wanted = json!({
            "group": "", "version": "v1", "kind": "ConfigMap", "namespace": "demo", "name": "a", "adoptionPolicy": "IfUnowned",
            "reconcilePolicy": "OnObjectChange", "updatePolicy": "Replace", "deletePolicy": "Delete", "applyOrder": 0,
            "deleteOrder": 0, "digest": "d", "phase": "Updating",
        });
        let mut applied = wanted.clone();
        applied["lastAppliedAt"] = "2026-11-21T16:00:00Z".into();
        applied["fingerprint"] = "198acd1048baacbe".into();
        applied["status"] = "InProgress".into();
        let of = |item: &serde_json::Value| serde_json::from_value::<Inventory>(json!([item])).unwrap();
        assert_eq!(of(&wanted).growth(), applied.to_string().len() - wanted.to_string().len());
        assert_eq!(of(&applied).growth(), 0);
    }
}
