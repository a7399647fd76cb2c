//! A component's engine with a cluster in memory: passes, events, and loss of memory.

use std::collections::BTreeSet;
use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};
use kubewright_machinery::object::{GroupVersionKind, ObjectExt, ObjectKey, Scope};
use serde_json::{Value, json};

use super::super::*;
use super::cluster::{Answer, Cluster, GROUP};
use crate::manifest::{DependentPolicies, OperatorName, OwnerId};

pub(super) const OPERATOR: &str = "op.example.com";
pub(super) const START: &str = "2026-01-01T00:00:00Z";
/// The number of batches in one pass that no scenario reaches.
const ENDLESS: usize = 200;

#[derive(Clone, Debug)]
pub(super) struct World {
    pub(super) cluster: Cluster,
    pub(super) engine: Engine,
    pub(super) policies: DependentPolicies,
    /// The inventory in the component's status.
    pub(super) persisted: Inventory,
    pub(super) memory: Memory,
    pub(super) now: Timestamp,
    pub(super) status_writes: usize,
    pub(super) notes: Vec<Note>,
    pub(super) wake: Option<Timestamp>,
    /// The transient errors that the last pass did not overcome.
    pub(super) transient: Option<crate::backoff::Transient>,
    /// The objects that the last plan requires to be watched, by kind and name.
    pub(super) watched: Vec<(String, String)>,
    /// The inventories that were persisted before writes.
    pub(super) write_aheads: Vec<Inventory>,
    /// The number of further requests (status writes included) after which the process dies.
    pub(super) dies_after: Option<usize>,
    pub(super) foreign_finalizers: Vec<String>,
    /// The events before the next requests, one each; the last one comes first.
    pub(super) between: Vec<super::chance::Event>,
    /// True if other programs change objects during a pass, so that the pass does not know the present state.
    pub(super) is_disturbed: bool,
    /// True if the watch shows no objects yet.
    pub(super) is_blind: bool,
    /// The function that checks rules before each request.
    pub(super) inspect: Option<fn(&World, &Desired, &Inventory, &ObjectAction)>,
}

/// The end of a pass.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum End {
    Verdict(Verdict),
    Died,
}

impl End {
    pub(super) fn is_complete(&self) -> bool {
        *self == Self::Verdict(Verdict::Complete)
    }
}

impl World {
    pub(super) fn new() -> Self {
        let context = ProjectionContext::new(OperatorName::new(OPERATOR).unwrap());
        let mut engine = Engine::new(context, OwnerId::new("cluster/demo/component"));
        engine.finalizer = crate::finalizer::FinalizerName::parse(format!("{OPERATOR}/finalizer")).unwrap();
        engine.additional_managed_types = vec![ManagedTypePattern::declared(GROUP, "Bar")];
        Self {
            cluster: Cluster::new(),
            engine,
            policies: DependentPolicies { reapply_interval: std::time::Duration::from_mins(9), ..DependentPolicies::default() },
            persisted: Inventory::default(),
            memory: Memory::default(),
            now: START.parse().unwrap(),
            status_writes: 0,
            notes: Vec::new(),
            wake: None,
            transient: None,
            watched: Vec::new(),
            write_aheads: Vec::new(),
            dies_after: None,
            foreign_finalizers: Vec::new(),
            between: Vec::new(),
            is_disturbed: false,
            is_blind: false,
            inspect: None,
        }
    }

    pub(super) fn prepare(&self, manifests: &[Value]) -> Result<Desired, crate::manifest::ManifestErrors> {
        let scope = |gvk: &GroupVersionKind| match gvk.kind.as_str() {
            "Unknown" => None,
            "Baz" => self.cluster.get("CustomResourceDefinition", "bazs.testing.kubewright.dev").map(|_| Scope::Namespaced),
            "Namespace" | "CustomResourceDefinition" | "ClusterRole" | "APIService" | "ValidatingWebhookConfiguration" => {
                Some(Scope::Cluster)
            }
            _ => Some(Scope::Namespaced),
        };
        let context = PrepareContext {
            operator: &self.engine.context.operator,
            policies: &self.policies,
            namespace: "demo",
            component_digest: "k1:component",
            scope: &scope,
        };
        prepare(manifests.to_vec(), &context)
    }

    pub(super) fn advance(&mut self, seconds: i64) {
        self.now = self.now.checked_add(SignedDuration::from_secs(seconds)).unwrap();
    }

    /// Runs one pass. The requests about dependents are recorded in the journal.
    pub(super) fn apply(&mut self, manifests: &[Value]) -> End {
        let desired = self.prepare(manifests).unwrap();
        self.pass(&desired, |world, inventory, observed| {
            plan(&world.engine, &desired, inventory, observed, &world.memory, world.now)
        })
    }

    /// Runs one pass of the component's deletion.
    pub(super) fn delete(&mut self) -> End {
        self.delete_with(&[])
    }

    /// Runs one pass of the deletion of a component whose generator renders these manifests.
    pub(super) fn delete_with(&mut self, manifests: &[Value]) -> End {
        let desired = self.prepare(manifests).unwrap();
        self.pass(&desired, |world, inventory, observed| {
            let foreign = world.foreign_finalizers.clone();
            plan_deletion(&world.engine, &desired, inventory, observed, &world.memory, &foreign, world.now)
        })
    }

    fn pass(&mut self, desired: &Desired, next: impl Fn(&Self, &Inventory, &Observed) -> Plan) -> End {
        let mut inventory = self.persisted.clone();
        let mut observed = Observed::new(&self.persisted);
        let keys: BTreeSet<ObjectKey> = inventory
            .items()
            .iter()
            .map(Item::key)
            .chain(desired.objects().iter().chain(desired.deletion_stage()).map(|object| object.key.clone()))
            .collect();
        let label = self.engine.context.operator.owner_key();
        for key in keys {
            // The watch shows only objects with an owner label.
            if let Some(live) = self.cluster.objects.get(&key).filter(|live| live.label(&label).is_some() && !self.is_blind) {
                observed.observe(key, Arc::new(Projection::of(live, &self.engine.context)));
            }
        }
        for _ in 0..ENDLESS {
            let plan = next(self, &inventory, &observed);
            assert_eq!(plan, next(self, &inventory, &observed), "a plan is a function of its input");
            self.memory = plan.memory.clone();
            self.wake = plan.wake;
            self.transient = observed.transient();
            self.watched = plan.watch_objects.iter().map(|object| (object.key.kind.clone(), object.key.name.clone())).collect();
            inventory = plan.inventory;
            if plan.actions.is_empty() {
                if inventory != self.persisted {
                    if self.dies() {
                        return End::Died;
                    }
                    self.status_writes += 1;
                    self.persisted = inventory;
                }
                return End::Verdict(plan.verdict);
            }
            for action in plan.actions {
                if self.dies() {
                    return End::Died;
                }
                self.execute(desired, &inventory, action, &mut observed);
            }
        }
        panic!("the pass does not end; last requests: {:?}", &self.cluster.journal[self.cluster.journal.len() - 8..]);
    }

    fn dies(&mut self) -> bool {
        match &mut self.dies_after {
            Some(0) => {
                self.dies_after = None;
                self.memory = Memory::default();
                true
            }
            Some(left) => {
                *left -= 1;
                false
            }
            None => false,
        }
    }

    fn execute(&mut self, desired: &Desired, inventory: &Inventory, action: Action, observed: &mut Observed) {
        match action {
            Action::Persist(inventory) => {
                self.status_writes += 1;
                self.write_aheads.push(inventory.clone());
                observed.record_persisted(&inventory);
                self.persisted = inventory;
            }
            Action::CheckForeign(check) => {
                let answer = self.cluster.foreign(&check, &self.engine);
                observed.record_foreign(check, answer);
            }
            Action::Send(action) => {
                if let Some(event) = self.between.pop() {
                    super::chance::happen(self, &event);
                }
                if let Some(inspect) = self.inspect {
                    inspect(self, desired, inventory, &action);
                }
                let (engine, now) = (self.engine.clone(), self.now);
                match self.cluster.send(&engine, &action) {
                    Answer::Ok(body) => {
                        self.notes.extend(action.note.clone());
                        self.notes.extend(observed.record(&engine, &action, Response::Success(&body), &mut self.memory, now));
                    }
                    Answer::No(refusal) => {
                        self.notes.extend(observed.record(&engine, &action, Response::Refused(&refusal), &mut self.memory, now));
                    }
                }
            }
        }
    }

    /// Returns phases and healths by name, in the notation of the scenarios in component.md, 17.
    pub(super) fn phases(&self) -> Vec<String> {
        let mut phases: Vec<String> = self
            .persisted
            .items()
            .iter()
            .map(|item| format!("{} {:?} {}", item.name, item.phase, item.status.map_or("-", |status| status.as_str())))
            .collect();
        phases.sort();
        phases
    }

    /// Returns the requests since the last call.
    pub(super) fn requests(&mut self) -> Vec<String> {
        self.cluster.journal.drain(..).map(|(purpose, key)| format!("{purpose:?} {}", key.name)).collect()
    }

    pub(super) fn item(&self, name: &str) -> &Item {
        self.persisted.items().iter().find(|item| item.name == name).unwrap()
    }
}

pub(super) fn object(kind: &str, name: &str) -> Value {
    match kind {
        "ConfigMap" | "Secret" => {
            json!({"apiVersion": "v1", "kind": kind, "metadata": {"name": name, "namespace": "demo"}, "data": {"key": "dmFsdWU="}})
        }
        "Namespace" => json!({"apiVersion": "v1", "kind": kind, "metadata": {"name": name}}),
        "Foo" | "Bar" | "Baz" => json!({
            "apiVersion": format!("{GROUP}/v1alpha1"), "kind": kind, "metadata": {"name": name, "namespace": "demo"}, "spec": {"value": "a"},
        }),
        _ => panic!("no such kind: {kind}"),
    }
}

pub(super) fn definition() -> Value {
    json!({
        "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
        "metadata": {"name": "bazs.testing.kubewright.dev"},
        "spec": {
            "group": GROUP, "scope": "Namespaced", "names": {"kind": "Baz", "plural": "bazs"},
            "versions": [{"name": "v1alpha1", "served": true, "storage": true}],
        },
    })
}

pub(super) trait Annotate {
    fn with(self, suffix: &str, value: &str) -> Value;
    fn finalizer(self) -> Value;
    fn value(self, value: &str) -> Value;
    fn within(self, namespace: &str) -> Value;
}

impl Annotate for Value {
    fn with(mut self, suffix: &str, value: &str) -> Value {
        self.set_annotation(format!("{OPERATOR}/{suffix}"), value);
        self
    }

    /// Adds a finalizer of another program.
    fn finalizer(mut self) -> Value {
        self.metadata_mut().insert("finalizers".to_owned(), json!(["other/finalizer"]));
        self
    }

    fn value(mut self, value: &str) -> Value {
        match self.get("data") {
            Some(_) => self["data"]["key"] = json!(value),
            None => self["spec"]["value"] = json!(value),
        }
        self
    }

    fn within(mut self, namespace: &str) -> Value {
        self.metadata_mut().insert("namespace".to_owned(), json!(namespace));
        self
    }
}

/// Returns the names of the objects that a pass waits for.
pub(super) fn waiting(end: &End) -> Vec<String> {
    match end {
        End::Verdict(Verdict::Incomplete { waiting }) => waiting.iter().map(|waiting| waiting.key.name.clone()).collect(),
        other => panic!("not waiting: {other:?}"),
    }
}

/// Returns the reason why a pass is blocked, and the message.
pub(super) fn blocked(end: End) -> (BlockedReason, String) {
    match end {
        End::Verdict(Verdict::Blocked { reason, message }) => (reason, message),
        other => panic!("not blocked: {other:?}"),
    }
}
