//! A simulated cluster for tests of the rules: it applies their plans until nothing changes.

use std::collections::BTreeMap;
use std::time::Duration;

use jiff::Timestamp;
use kubewright_machinery::object::ObjectExt;
use kubewright_machinery::patch::merge_patch;
use serde_json::{Value, json};

use super::node::{node, pod_address};
use super::pod::{self, PodChange};
use super::read::{after, at, is_deleted, stamp, text};
use super::{Nodes, PlannedWrite, RuleContext, StageDelays, condition, dispatch};

type Key = (String, String);

pub(super) struct Simulation {
    objects: BTreeMap<Key, Value>,
    nodes: Vec<Value>,
    pub(super) now: Timestamp,
    pub(super) delays: StageDelays,
    counter: usize,
    /// A description of every write.
    pub(super) log: Vec<String>,
    /// The minimum number of ready pods since the last call of `watch_pods`.
    pub(super) least_ready: usize,
    pub(super) most_pods: usize,
}

impl Simulation {
    pub(super) fn new() -> Self {
        let now: Timestamp = "2026-01-01T00:00:00Z".parse().unwrap();
        Self {
            objects: BTreeMap::new(),
            nodes: vec![node(0, now)],
            now,
            delays: StageDelays::NONE,
            counter: 0,
            log: Vec::new(),
            least_ready: usize::MAX,
            most_pods: 0,
        }
    }

    pub(super) fn with_nodes(mut self, nodes: usize) -> Self {
        self.nodes = (0..nodes).map(|n| node(n, self.now)).collect();
        self
    }

    /// Applies an object as a user does: creates it, or replaces its spec and annotations. Then runs the rules.
    pub(super) fn apply(&mut self, object: Value) {
        match self.objects.get_mut(&key(&object)) {
            Some(present) => {
                let changed = present["spec"] != object["spec"];
                present["spec"] = object["spec"].clone();
                present["metadata"]["generation"] = (present.generation().unwrap() + i64::from(changed)).into();
            }
            None => self.create(object),
        }
        self.settle();
    }

    pub(super) fn advance(&mut self, seconds: u64) {
        self.now = after(self.now, Duration::from_secs(seconds));
        self.settle();
    }

    pub(super) fn get(&self, kind: &str, name: &str) -> &Value {
        self.objects.get(&(kind.to_owned(), name.to_owned())).unwrap_or(&Value::Null)
    }

    pub(super) fn all(&self, kind: &str) -> Vec<&Value> {
        self.objects.values().filter(|object| object.kind() == kind).collect()
    }

    pub(super) fn names(&self, kind: &str) -> Vec<&str> {
        self.all(kind).into_iter().map(ObjectExt::name).collect()
    }

    pub(super) fn delete(&mut self, kind: &str, name: &str) {
        self.remove(&(kind.to_owned(), name.to_owned()));
        self.settle();
    }

    pub(super) fn watch_pods(&mut self) {
        (self.least_ready, self.most_pods) = (usize::MAX, 0);
    }

    /// Runs the rules until nothing changes.
    pub(super) fn settle(&mut self) {
        for _ in 0..1000 {
            if !self.round() {
                return;
            }
        }
        panic!("the rules never rest; last writes: {:#?}", self.log.iter().rev().take(10).collect::<Vec<_>>());
    }

    fn round(&mut self) -> bool {
        let keys: Vec<Key> = self.objects.keys().cloned().collect();
        let mut worked = false;
        for key in keys {
            let Some(object) = self.objects.get(&key).cloned() else { continue };
            if object.kind() == "Pod" {
                worked |= self.run_pod(&key, &object);
                continue;
            }
            let owned: Vec<&Value> =
                self.objects.values().filter(|child| child.controller().is_some_and(|owner| owner.uid == object.uid())).collect();
            let claims = self.all("PersistentVolumeClaim");
            let nodes: Vec<&Value> = self.nodes.iter().collect();
            let family = dispatch::Family { owned: &owned, claims: &claims, nodes: &nodes };
            let plan = dispatch::plan(&object, family, RuleContext::new(self.now, &self.delays));
            for write in plan.writes {
                self.write(write);
                worked = true;
            }
            self.count();
        }
        worked
    }

    fn count(&mut self) {
        let pods = self.all("Pod");
        let ready = pods.iter().filter(|pod| !is_deleted(pod) && condition::is_true(pod, "Ready")).count();
        let alive = pods.iter().filter(|pod| !is_deleted(pod)).count();
        self.least_ready = self.least_ready.min(ready);
        self.most_pods = self.most_pods.max(alive);
    }

    fn run_pod(&mut self, key: &Key, pod: &Value) -> bool {
        let nodes: Vec<&Value> = self.nodes.iter().collect();
        let nodes = Nodes { all: &nodes, next_address: pod_address(self.counter as u32) };
        let Some(change) = pod::next(pod, nodes, self.now, &self.delays).filter(|change| change.is_due(self.now)) else {
            return false;
        };
        match change.what {
            PodChange::Bind(node) => self.objects.get_mut(key).unwrap()["spec"]["nodeName"] = node.into(),
            PodChange::Status(status) => self.objects.get_mut(key).unwrap()["status"] = status,
            PodChange::Delete => {
                self.objects.remove(key);
            }
        }
        true
    }

    fn write(&mut self, write: PlannedWrite) {
        match write {
            PlannedWrite::Create(object) => {
                let name = if object.name().is_empty() { object.meta_str("generateName") } else { object.name() };
                self.log.push(format!("create {} {name}", object.kind()));
                self.create(object);
            }
            PlannedWrite::Patch(key, patch) => {
                self.log.push(format!("patch {} {} {patch}", key.kind, key.name));
                let object = self.objects.get_mut(&(key.kind, key.name)).unwrap();
                let spec = object["spec"].clone();
                merge_patch(object, &patch);
                if object["spec"] != spec {
                    object["metadata"]["generation"] = (object.generation().unwrap() + 1).into();
                }
            }
            PlannedWrite::Status(key, status) => {
                self.log.push(format!("status {} {}", key.kind, key.name));
                self.objects.get_mut(&(key.kind, key.name)).unwrap()["status"] = status;
            }
            PlannedWrite::Bind(..) | PlannedWrite::DeleteNow(_) => panic!("no workload asks for this: {write:?}"),
            PlannedWrite::Delete(key) => {
                self.log.push(format!("delete {} {}", key.kind, key.name));
                self.remove(&(key.kind, key.name));
            }
        }
    }

    fn create(&mut self, mut object: Value) {
        self.counter += 1;
        if object.name().is_empty() {
            let name = format!("{}{:05}", object.meta_str("generateName"), self.counter);
            object.metadata_mut().insert("name".into(), name.into());
        }
        let metadata = object.metadata_mut();
        metadata.insert("uid".into(), format!("uid-{}", self.counter).into());
        metadata.insert("generation".into(), 1.into());
        metadata.insert("creationTimestamp".into(), stamp(self.now));
        let replaced = self.objects.insert(key(&object), object);
        assert_eq!(replaced, None, "created twice");
    }

    fn remove(&mut self, key: &Key) {
        let Some(object) = self.objects.get(key) else { return };
        if object.kind() == "Pod"
            && !text(object, "/spec/nodeName").is_empty()
            && !matches!(text(object, "/status/phase"), "Succeeded" | "Failed")
        {
            if !is_deleted(object) {
                let deadline = stamp(after(self.now, Duration::from_secs(30)));
                let object = self.objects.get_mut(key).unwrap();
                object["metadata"]["deletionTimestamp"] = deadline;
                object["metadata"]["deletionGracePeriodSeconds"] = json!(30);
            }
            return;
        }
        let uid = object.uid().to_owned();
        self.objects.remove(key);
        let owned = |child: &&Value| child.owner_references().any(|owner| owner.uid == uid);
        let children: Vec<Key> =
            self.objects.values().filter(owned).map(|child| (child.kind().to_owned(), child.name().to_owned())).collect();
        for child in &children {
            self.remove(child);
        }
    }
}

fn key(object: &Value) -> Key {
    (object.kind().to_owned(), object.name().to_owned())
}

/// Returns a workload with a selector and a template, in the form in which the server would store it.
pub(super) fn workload(kind: &str, name: &str, spec: Value) -> Value {
    let api_version = if kind == "Job" { "batch/v1" } else { "apps/v1" };
    let mut workload = json!({
        "apiVersion": api_version,
        "kind": kind,
        "metadata": {"name": name, "namespace": "n"},
        "spec": {
            "selector": {"matchLabels": {"app": name}},
            "template": {"metadata": {"labels": {"app": name}}, "spec": {"containers": [{"name": "c", "image": "i:1"}]}},
        },
    });
    merge_patch(&mut workload["spec"], &spec);
    workload
}

/// Returns the status and the reason of a condition.
pub(super) fn condition_of<'a>(object: &'a Value, kind: &str) -> (&'a str, &'a str) {
    condition::find(object, kind).map_or(("", ""), |condition| (text(condition, "/status"), text(condition, "/reason")))
}

/// Returns a number of the status.
pub(super) fn count(object: &Value, field: &str) -> i64 {
    at(object, "/status").get(field).and_then(Value::as_i64).unwrap_or_default()
}
