//! The index of dependents by owner.

use std::collections::BTreeSet;
use std::sync::Arc;

use kubewright_machinery::object::ObjectExt as _;
use rpds::RedBlackTreeMapSync;
use serde_json::Value;

use super::{ObjectName, ObjectRef, Resource, Stored};

/// Objects by the uid of an owner. It is cheap to clone.
#[derive(Clone, Debug)]
pub(super) struct Dependents(RedBlackTreeMapSync<(Arc<str>, ObjectRef), ()>);

impl Dependents {
    pub(super) fn new() -> Self {
        Self(RedBlackTreeMapSync::new_sync())
    }

    /// Returns the objects that name the uid as an owner.
    pub(super) fn of(&self, uid: &str) -> Vec<ObjectRef> {
        let first = ObjectRef { resource: Resource::new("", ""), name: ObjectName::new("", "") };
        let from = (Arc::<str>::from(uid), first);
        self.0
            .range(from..)
            .map(|(key, ())| key)
            .take_while(|(owner, _)| **owner == *uid)
            .map(|(_, object)| object.clone())
            .collect()
    }

    /// Updates the index after a change of an object.
    pub(super) fn update(&mut self, object: &ObjectRef, previous: Option<&Stored>, current: Option<&Stored>) {
        let (before, after) = (references(previous), references(current));
        if before.is_empty() && after.is_empty() {
            return;
        }
        let (before, after) = (uids(before), uids(after));
        for uid in before.difference(&after) {
            self.0.remove_mut(&(Arc::from(*uid), object.clone()));
        }
        for uid in after.difference(&before) {
            self.0.insert_mut((Arc::from(*uid), object.clone()), ());
        }
    }
}

fn references(stored: Option<&Stored>) -> &[Value] {
    let references = stored.and_then(|stored| stored.value().metadata().get("ownerReferences"));
    references.and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default()
}

fn uids(references: &[Value]) -> BTreeSet<&str> {
    references.iter().filter_map(|reference| reference.get("uid")?.as_str()).collect()
}
