//! The contract of the store (EVD-2), stated against its public methods alone (STO-6). Each case runs on a new store, on a fork of a used one, and
//! on one that was restored to an earlier content: the three must behave alike.

mod commits;
mod compaction;
mod deliveries;
mod interleavings;
mod lists;
mod versions;

use std::sync::Arc;

use serde_json::{Value, json};

use super::*;

/// The number of events that the stores under test remember per resource.
const WINDOW: usize = 64;

/// Returns the stores under test.
fn stores() -> Vec<(&'static str, Arc<ObjectStore>)> {
    let used = |store: &ObjectStore| {
        let others = Resource::new("used.io", "things");
        for n in 0..5 {
            let name = ObjectName::new("before", &format!("t{n}"));
            store.commit(vec![StoreChange::create(others.clone(), name, json!({"metadata": {}}))]).unwrap();
        }
    };
    let origin = ObjectStore::new(WINDOW);
    used(&origin);
    let restored = ObjectStore::new(WINDOW);
    used(&restored);
    let saved = restored.save();
    let lost = StoreChange::create(maps(), name("n", "lost"), json!({"metadata": {}}));
    restored.commit(vec![lost]).unwrap();
    restored.restore(&saved);
    vec![("new", Arc::new(ObjectStore::new(WINDOW))), ("fork", Arc::new(origin.fork())), ("restored", Arc::new(restored))]
}

/// Runs a case on all stores.
fn on_all(case: impl Fn(Bench)) {
    for (title, store) in stores() {
        eprintln!("on a {title} store");
        case(Bench { start: store.revision(), store });
    }
}

/// A store under test with helper methods.
struct Bench {
    store: Arc<ObjectStore>,
    /// The revision of the store at the start of the case.
    start: u64,
}

fn maps() -> Resource {
    Resource::new("", "configmaps")
}

fn secrets() -> Resource {
    Resource::new("", "secrets")
}

fn name(namespace: &str, name: &str) -> ObjectName {
    ObjectName::new(namespace, name)
}

fn content(data: u64) -> Value {
    json!({"metadata": {"labels": {"data": data.to_string()}}, "data": data})
}

fn data(stored: &Stored) -> u64 {
    stored.value()["data"].as_u64().unwrap()
}

impl Bench {
    fn create(&self, at: &str, data: u64) -> Result<Arc<StoreEvent>, CommitError> {
        self.one(StoreChange::create(maps(), name_at(at), content(data)))
    }

    /// Creates or replaces an object.
    fn put(&self, at: &str, data: u64) -> Arc<StoreEvent> {
        let change = StoreChange::create(maps(), name_at(at), content(data));
        self.one(StoreChange { expect: Expect::Anything, ..change }).unwrap()
    }

    fn update(&self, at: &str, seen: u64, data: u64) -> Result<Arc<StoreEvent>, CommitError> {
        self.one(StoreChange::update(maps(), name_at(at), seen, content(data)))
    }

    fn delete(&self, at: &str) -> Arc<StoreEvent> {
        let seen = self.store.get(&maps(), &name_at(at)).unwrap().revision();
        self.one(StoreChange::delete(maps(), name_at(at), seen)).unwrap()
    }

    fn one(&self, change: StoreChange) -> Result<Arc<StoreEvent>, CommitError> {
        Ok(self.store.commit(vec![change])?.remove(0))
    }

    fn subscribe(&self, after: u64) -> Subscription {
        self.store.subscribe(&maps(), after).unwrap()
    }

    /// Returns the objects of the resource, or of one namespace of it, in order, and the revision of the read.
    fn list(&self, namespace: Option<&str>) -> (Vec<Arc<Stored>>, u64) {
        let snapshot = self.store.snapshot();
        let objects = snapshot.list(&maps(), namespace).map(|(_, stored)| stored.clone()).collect();
        (objects, snapshot.revision())
    }
}

/// Parses `namespace/name`, or a name in the namespace `n`.
fn name_at(at: &str) -> ObjectName {
    let (namespace, name) = at.split_once('/').unwrap_or(("n", at));
    ObjectName::new(namespace, name)
}

/// Returns `namespace/name=data` for all objects of a snapshot.
fn shown(snapshot: &Snapshot) -> Vec<String> {
    snapshot.list(&maps(), None).map(|(name, stored)| format!("{name}={}", data(stored))).collect()
}

/// Returns the pending events of a subscription: `+`, `~` or `-`, the name, the data, and the revision counted from `start`.
fn found(subscription: &mut Subscription, start: u64) -> Vec<String> {
    match subscription.poll() {
        SubscriptionNews::Events(events) => events.iter().map(|event| told(event, start)).collect(),
        SubscriptionNews::Idle(_) => Vec::new(),
        other => vec![format!("{other:?}")],
    }
}

fn told(event: &StoreEvent, start: u64) -> String {
    let (sign, stored) = match (&event.previous, &event.current) {
        (_, None) => ("-", event.departed()),
        (None, current) => ("+", current.as_ref()),
        (Some(_), current) => ("~", current.as_ref()),
    };
    format!("{sign}{}={}@{}", event.object.name.name, data(stored.unwrap()), event.revision - start)
}
