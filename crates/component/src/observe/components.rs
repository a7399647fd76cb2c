use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use kubewright_core::why::{Causes, ChangedPaths, changed_paths};
use kubewright_machinery::object::{GroupVersionKind, Key, ObjectExt as _};
use kubewright_runtime::cluster::Cluster;
use kubewright_runtime::trigger::Describe;
use kubewright_runtime::watch::{Cause, Change, ProjectedStore, WatchSpec, WatchState, project_with};
use serde::{Serialize, Serializer};
use serde_json::{Map, Value};

use super::own_writes::{OwnWrites, Underway};
use super::{Notify, title};

/// The components of one type, in the whole cluster or in the namespaces that the operator is confined to. Fields that no decision needs are
/// dropped.
#[derive(Clone, Debug)]
pub(crate) struct ComponentCache {
    store: ProjectedStore<Compact>,
    own_writes: OwnWrites,
}

/// A component between passes, stored as text. A tree would take five times the memory, most of it for the inventory.
#[derive(Debug)]
pub(crate) struct Compact {
    text: Box<[u8]>,
    others: u64,
    shared: u64,
}

/// The fields of a component that only other programs change. The fields in `OURS_TOO` are changed by this process, too.
const OF_OTHERS: [&str; 4] = ["/metadata/uid", "/metadata/generation", "/metadata/annotations", "/metadata/deletionTimestamp"];
const OURS_TOO: [&str; 2] = ["/metadata/finalizers", "/status"];

impl Compact {
    pub(crate) fn of(object: &Value) -> Self {
        // A JSON value can always be serialized.
        let text = serde_json::to_vec(&Bare(object)).unwrap_or_default().into_boxed_slice();
        Self { text, others: digest(object, &OF_OTHERS), shared: shared_state(object) }
    }

    /// Returns true if a later state shows a change that queues a pass (TRG-1). Changes of labels and own writes of this process (`own`) do not.
    /// The answer to an own write may include an earlier change by another program; the event about that change then shows nothing new.
    fn is_news(&self, later: &Self, own: bool) -> bool {
        self.others != later.others || (!own && self.shared != later.shared)
    }

    /// Returns true if a write of this process may lead to a later state.
    fn may_become(&self, later: &Self) -> bool {
        self.others == later.others
    }

    fn read(&self) -> Value {
        // The text was serialized by this process, so it can be parsed.
        serde_json::from_slice(&self.text).unwrap_or_default()
    }
}

/// The differences are paths without values. The field manager is not kept.
impl Describe for Compact {
    fn differences(old: &Self, new: &Self) -> ChangedPaths {
        match (std::str::from_utf8(&old.text), std::str::from_utf8(&new.text)) {
            (Ok(old), Ok(new)) => changed_paths(old, new, Causes::PATHS),
            _ => ChangedPaths::default(),
        }
    }
}

/// Returns the digest of the fields of a component that this process changes.
pub(super) fn shared_state(object: &Value) -> u64 {
    digest(object, &OURS_TOO)
}

/// An object that is serialized without its managed fields.
struct Bare<'a>(&'a Value);

impl Serialize for Bare<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Some(object) = self.0.as_object() else {
            return self.0.serialize(serializer);
        };
        serializer.collect_map(object.iter().map(|(field, value)| {
            let metadata = (field == "metadata").then(|| value.as_object()).flatten();
            (field, metadata.map_or(CompactField::Whole(value), CompactField::Metadata))
        }))
    }
}

enum CompactField<'a> {
    Whole(&'a Value),
    Metadata(&'a Map<String, Value>),
}

impl Serialize for CompactField<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Whole(value) => value.serialize(serializer),
            Self::Metadata(metadata) => serializer.collect_map(metadata.iter().filter(|(field, _)| *field != "managedFields")),
        }
    }
}

/// Returns a digest that distinguishes states. Two of 2^64 states collide; the periodic pass then catches the missed change.
fn digest(object: &Value, pointers: &[&str]) -> u64 {
    let mut hasher = DefaultHasher::new();
    for pointer in pointers {
        object.pointer(pointer).hash(&mut hasher);
    }
    hasher.finish()
}

impl ComponentCache {
    /// Watches the components in these namespaces, or in all namespaces if the list is empty. `notify` queues a pass.
    pub(crate) fn watch(cluster: &Cluster, gvk: &GroupVersionKind, namespaces: &[String], notify: Notify) -> Self {
        let store = cluster.watches().subscribe_within(namespaces, WatchSpec::of_version(gvk), project_with(Compact::of));
        Self { store, own_writes: OwnWrites::new(gvk.group_kind(), notify) }
    }

    /// Notes that a write on a component is about to be sent, so that its event queues no pass, even if it comes before the answer.
    pub(crate) fn begin_write(&self, key: &Key) -> Underway {
        self.own_writes.begin(key)
    }

    /// Returns true if a change queues a pass (TRG-1).
    pub(crate) fn triggers(&self, change: &Change<Compact>) -> bool {
        let key = &change.key;
        let own = change.cause == Cause::OwnWrite;
        match (&change.old, &change.new) {
            (Some(old), Some(new)) => old.is_news(new, own) && !(old.may_become(new) && self.own_writes.explain(key, new.shared)),
            (_, new) => {
                if new.is_none() {
                    self.own_writes.forget(key);
                }
                !own
            }
        }
    }

    /// Waits until all components are known.
    pub(crate) async fn synced(&self) {
        self.store.synced().await;
    }

    /// Returns the reason why the components cannot be observed: their watch is forbidden, or their type is not served.
    pub(crate) fn problem(&self) -> Option<String> {
        let (status, kind) = (self.store.status(), title(self.store.kind()));
        let error = status.error.unwrap_or_default();
        match status.state {
            WatchState::Forbidden => Some(format!("{kind} may not be watched: {error}")),
            WatchState::NotServed => Some(format!("{kind} is not served (install the CRD of this operator)")),
            _ => None,
        }
    }

    /// Returns the component as last observed.
    pub(crate) fn find(&self, key: &Key) -> Option<Value> {
        self.store.find(key.namespace(), key.name()).map(|compact| compact.read())
    }

    /// Returns the keys of all known components.
    pub(crate) fn keys(&self) -> Vec<Key> {
        self.store.list().into_iter().map(|(key, _)| key).collect()
    }

    /// Records the answer to an own write, so that it is visible at once.
    pub(crate) fn record_write(&self, object: &Value) {
        self.store.record_write(object);
    }

    /// Records a deletion that the server confirmed, so that it is visible at once.
    pub(crate) fn record_delete(&self, object: &Value) {
        self.store.record_delete(&Key::new(object.namespace(), object.name()), object.uid());
    }

    /// Returns the store of the components.
    pub(crate) fn store(&self) -> &ProjectedStore<Compact> {
        &self.store
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    // TRG-1
    #[test]
    fn an_own_write_queues_a_pass_only_if_its_answer_contains_changes_of_other_writers() {
        let of = |object: Value| Compact::of(&object);
        let before = of(json!({ "metadata": { "generation": 1, "finalizers": [] } }));
        let own = of(json!({ "metadata": { "generation": 1, "finalizers": ["a"], "labels": {} }, "status": { "revision": 1 } }));
        let edited = of(json!({ "metadata": { "generation": 2, "finalizers": ["a"] } }));
        let deleted = of(json!({ "metadata": { "generation": 1, "deletionTimestamp": "2026-01-01T00:00:00Z" } }));
        assert!(!before.is_news(&own, true));
        assert!(before.is_news(&own, false));
        assert!(before.is_news(&edited, true));
        assert!(before.is_news(&deleted, true));
    }

    #[test]
    fn a_component_is_read_as_it_was_seen_without_managed_fields() {
        let mut object = json!({ "metadata": { "name": "a", "managedFields": [{}] }, "status": { "revision": 1 } });
        let read = Compact::of(&object).read();
        object.metadata_mut().remove("managedFields");
        assert_eq!(read, object);
    }
}
