//! One run of a scenario under one disturbance.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::time::Duration;

use futures::StreamExt as _;
use kubewright::prelude::*;
use kubewright_apiserver::kinds::Verb;
use kubewright_apiserver::middleware::faults::CutHandle;
use kubewright_apiserver::status::Status;
use kubewright_machinery::object::{GroupKind, ObjectExt as _};
use kubewright_testing::TestOperator;

use super::scenario::{Scenario, Step};
use crate::kinds::{HOLD, Kinds};
use crate::types::{Bundle, objects};
use crate::world::{OPERATOR, World, is_seen, reason_of};

/// How long a step may take: watches that hang are noticed after five minutes.
const PATIENCE: Duration = Duration::from_secs(2400);

/// What goes wrong in a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Disturbance {
    None,
    /// The process dies after so many requests.
    Crash {
        after: usize,
    },
    /// A request is answered with this code, once.
    Answer {
        at: usize,
        code: u16,
    },
    /// The connection breaks before a request is handled.
    DropBefore {
        at: usize,
    },
    /// The connection breaks after a request is handled.
    DropAfter {
        at: usize,
    },
    /// The server forgets its history, and ends all watches, at a request.
    LoseHistory {
        at: usize,
    },
    /// The watch of a kind shows nothing for minutes.
    Late {
        group: String,
        plural: String,
    },
    /// Two operators do the same work.
    TwoOperators,
}

impl Disturbance {
    /// The same at another request.
    pub(super) fn at(&self, at: usize) -> Self {
        match self {
            Self::Answer { code, .. } => Self::Answer { at, code: *code },
            Self::DropBefore { .. } => Self::DropBefore { at },
            Self::DropAfter { .. } => Self::DropAfter { at },
            other => other.clone(),
        }
    }
}

impl fmt::Display for Disturbance {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::None => f.write_str("undisturbed"),
            Self::Crash { after } => write!(f, "crash after request {after}"),
            Self::Answer { at, code } => write!(f, "request {at} answered {code}"),
            Self::DropBefore { at } => write!(f, "request {at} lost"),
            Self::DropAfter { at } => write!(f, "answer {at} lost"),
            Self::LoseHistory { at } => write!(f, "history lost at request {at}"),
            Self::Late { group, plural } => write!(f, "events of {plural}.{group} late"),
            Self::TwoOperators => f.write_str("two operators"),
        }
    }
}

/// What a run left.
pub(super) struct Outcome {
    /// The objects of the scenario at its end, by name; absent ones are null.
    pub(super) objects: BTreeMap<String, Value>,
    /// Objects of others that were touched.
    pub(super) touched: Vec<String>,
    /// Writes of the operator by object.
    pub(super) writes: BTreeMap<String, usize>,
    /// How many requests the operator sent.
    pub(super) requests: usize,
    /// The kinds that were watched.
    pub(super) watched: BTreeSet<(String, String)>,
    pub(super) is_virtual: bool,
}

pub(super) async fn run(scenario: &Scenario, disturbance: Disturbance) -> Outcome {
    let world = World::new().await;
    let kinds = Kinds::install(&world).await;
    let steps = (scenario.steps)(&kinds);
    let mut player = Player { world, kinds, cut: None, second: None, steps_done: Vec::new(), what: disturbance.to_string() };
    player.world.run(|builder| builder).await;
    let mark = player.world.journal().mark();
    player.arm(&disturbance).await;
    let mut strangers = Vec::new();
    for step in &steps {
        player.play(step, &mut strangers).await;
    }
    player.rest().await;
    let mut touched = Vec::new();
    for stranger in &strangers {
        let live = player.world.get(stranger).await;
        if live.as_ref().is_some_and(|live| live.resource_version() != stranger.resource_version())
            && !is_wanted(&steps, stranger)
        {
            touched.push(stranger.title());
        }
    }
    let journal = player.world.journal().since(mark);
    let watches = journal.clone().verb(Verb::Watch);
    let watched = watches.iter().filter_map(|record| record.target.resource());
    let watched = watched.map(|resource| (resource.group.clone(), resource.resource.clone())).collect();
    let mut writes = BTreeMap::new();
    for record in journal.clone().writes().iter() {
        let Some(resource) = record.target.resource().filter(|resource| resource.resource != "events") else { continue };
        let created = record.body.as_ref().map_or("", |body| body.name());
        let name = if resource.name.is_empty() { created } else { &resource.name };
        let written = format!("{}/{} {name}", resource.resource, resource.subresource);
        *writes.entry(written.replace(player.world.namespace(), ANY)).or_insert(0) += 1;
    }
    let mut found = BTreeMap::new();
    for object in steps.iter().flat_map(Step::objects) {
        let live = player.world.get(&object).await;
        let title = object.title().replace(player.world.namespace(), ANY);
        found.insert(title, live.map_or(Value::Null, |live| player.normal(&live)));
    }
    let requests = journal.iter().count();
    Outcome { objects: found, touched, writes, requests, watched, is_virtual: player.world.cluster.is_embedded() }
}

/// Whether a component of the scenario wants an object that somebody else created.
fn is_wanted(steps: &[Step], object: &Value) -> bool {
    let wanted = |component: &Value| {
        let objects = component["spec"]["objects"].as_array();
        objects.is_some_and(|all| all.iter().any(|one| one.kind() == object.kind() && one.name() == object.name()))
    };
    steps.iter().any(|step| matches!(step, Step::Set(component) if wanted(component)))
}

/// Stands for the namespace of a run. On a shared server each run has its own, and a group named after it.
const ANY: &str = "namespace";

/// An object without what differs from run to run.
fn normal(live: &Value) -> Value {
    let mut object = live.clone();
    let metadata = object.metadata_mut();
    for field in ["uid", "resourceVersion", "creationTimestamp", "managedFields", "generation"] {
        metadata.remove(field);
    }
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
    object["status"] = json!({ "state": status["state"], "reason": reason_of(live), "inventory": items });
    object
}

/// Plays users, controllers and others, and sees to the disturbance.
struct Player {
    world: World,
    kinds: Kinds,
    cut: Option<CutHandle>,
    second: Option<TestOperator>,
    steps_done: Vec<String>,
    what: String,
}

impl Player {
    /// An object as it can be compared with that of another run.
    fn normal(&self, live: &Value) -> Value {
        let object = normal(live);
        if self.world.cluster.is_embedded() {
            return object;
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
        let text = object.to_string().replace(self.world.namespace(), ANY);
        let text = hashes.into_iter().fold(text, |text, hash| text.replace(hash, "hash"));
        serde_json::from_str(&text).unwrap_or(object)
    }

    async fn arm(&mut self, disturbance: &Disturbance) {
        let faults = self.world.faults();
        let number = |at: &usize| u64::try_from(*at).unwrap();
        match disturbance {
            Disturbance::None => {}
            Disturbance::Crash { after } => self.cut = Some(faults.cut_after(number(after)).start()),
            Disturbance::Answer { at, code } => {
                let rule = faults.on_any().after(number(at)).times(1);
                let reason = match code {
                    409 => "Conflict",
                    429 => "TooManyRequests",
                    _ => "InternalError",
                };
                drop(rule.respond(Status::new(*code, reason, "a disturbance")));
            }
            Disturbance::DropBefore { at } => drop(faults.on_any().after(number(at)).times(1).drop_before()),
            Disturbance::DropAfter { at } => drop(faults.on_any().after(number(at)).times(1).drop_after()),
            Disturbance::LoseHistory { at } => self.lose_history(*at),
            Disturbance::Late { group, plural } => {
                drop(faults.on(Verb::Watch).of(group, plural).times(1).hang_watch(0));
            }
            Disturbance::TwoOperators => {
                let builder = Operator::new(OPERATOR).component::<Bundle>(objects);
                self.second = Some(self.world.cluster.run(builder).await);
            }
        }
    }

    fn lose_history(&self, at: usize) {
        let Some(server) = self.world.cluster.embedded().cloned() else { return };
        let journal = self.world.journal();
        let mut records = Box::pin(journal.stream(journal.mark()));
        let lose = async move {
            for _ in 0..=at {
                if records.next().await.is_none() {
                    return;
                }
            }
            server.compact(server.revision());
            server.restart();
        };
        self.world.cluster.tasks().spawn("lose history".to_owned(), lose).detach();
    }

    async fn play(&mut self, step: &Step, strangers: &mut Vec<Value>) {
        match step {
            Step::Create(object) => strangers.push(self.world.create(object).await),
            Step::Set(component) => drop(self.world.set(component).await),
            Step::Delete(object) | Step::Remove(object) => {
                if self.world.get(object).await.is_some() {
                    self.world.delete(object).await;
                }
            }
            Step::Edit(object, patch) => {
                self.until(&format!("{} there", object.title()), async |world| world.get(object).await.is_some()).await;
                self.world.patch_if_there(object, patch.clone()).await;
            }
            Step::Fight(object, times) => self.fight(object, *times).await,
            Step::Until(name, state, reason) => {
                let what = format!("{name} {state}/{reason}");
                self.until(&what, async |world| {
                    let component = world.component(name).await;
                    component.is_some_and(|it| is_seen(&it) && it["status"]["state"] == *state && reason_of(&it) == *reason)
                })
                .await;
            }
            Step::Gone(object) => {
                self.until(&format!("{} gone", object.title()), async |world| world.get(object).await.is_none()).await;
            }
        }
    }

    async fn fight(&mut self, object: &Value, times: usize) {
        for _ in 0..times {
            let mine = json!({ "data": { "value": "mine" } });
            self.world.patch(object, mine).await;
            let what = format!("{} corrected", object.title());
            self.until(&what, async |world| {
                world.get(object).await.is_some_and(|live| live["data"]["value"] == object["data"]["value"])
            })
            .await;
        }
    }

    /// Waits; meanwhile controllers work, and a process that was cut off is replaced.
    async fn until(&mut self, what: &str, holds: impl AsyncFn(&World) -> bool) {
        let deadline = self.world.cluster.clock().moment().0 + PATIENCE;
        let mut turns = 0;
        while !holds(&self.world).await {
            assert!(
                self.world.cluster.clock().moment().0 < deadline,
                "{}: expected {what} after {:?}\nlast requests: {:#?}\n{:#?}",
                self.what,
                self.steps_done,
                self.world.journal().all().iter().rev().take(20).map(ToString::to_string).collect::<Vec<_>>(),
                self.world.component("demo").await.map(|component| component["status"].clone()),
            );
            // What takes long takes minutes: then it is a timer or a watch that hangs.
            self.turn(Duration::from_millis(if turns < 50 { 100 } else { 4000 })).await;
            turns += 1;
        }
        self.steps_done.push(what.to_owned());
    }

    /// The world goes on a little.
    async fn turn(&mut self, pause: Duration) {
        if self.cut.as_ref().is_some_and(|cut| cut.dropped() > 0) {
            self.world.kill().await;
            if let Some(cut) = self.cut.take() {
                cut.resume();
            }
            self.world.run(|builder| builder).await;
        }
        for kind in ["Foo", "Bar", "Baz"] {
            self.play_controller(kind).await;
        }
        for name in ["leaving", "held"] {
            let object = crate::types::config_map(name, "");
            let live = self.world.get(&object).await;
            if live.is_some_and(|live| live.deletion_timestamp().is_some() && live.has_finalizer(HOLD)) {
                self.world.patch_if_there(&object, json!({ "metadata": { "finalizers": null } })).await;
            }
        }
        self.world.pass(pause).await;
    }

    /// Objects of the kinds become ready.
    async fn play_controller(&self, kind: &str) {
        for mut live in self.world.list(&GroupKind::new(self.kinds.group(), kind)).await {
            let generation = live.generation();
            if live["status"]["observedGeneration"].as_i64() == generation || live.deletion_timestamp().is_some() {
                continue;
            }
            let ready = json!({
                "observedGeneration": generation,
                "conditions": [{
                    "type": "Ready", "status": "True", "reason": "Played", "message": "", "lastTransitionTime": "2026-01-01T00:00:00Z",
                }],
            });
            live["kind"] = kind.into();
            self.world.try_patch_status(&live, ready).await;
        }
    }

    /// Everything comes to rest: late events arrive, the second operator stops.
    async fn rest(&mut self) {
        let turns = if self.world.cluster.is_embedded() { 8 } else { 5 };
        for _ in 0..turns {
            self.turn(Duration::from_millis(300)).await;
        }
        if let Some(second) = self.second.take() {
            second.stop().await;
        }
        self.world.pass(Duration::from_secs(if self.world.cluster.is_embedded() { 30 } else { 1 })).await;
        self.turn(Duration::from_millis(300)).await;
    }
}
