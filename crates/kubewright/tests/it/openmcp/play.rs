//! Kubewright on recorded objects: the manual actions are repeated, and the result is compared with that of the original.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use k8s_openapi::api::core::v1::{ConfigMap, Namespace};
use kube::core::GroupVersionKind;
use kubewright::machinery::object::ObjectExt as _;
use kubewright::prelude::*;
use kubewright_middleware::journal::{Mark, Record};
use kubewright_testing::{TestCluster, TestOperator};

use super::documented::{PASSED_OVER, explained};
use super::hand::{Act, acts};
use super::kinds::{GROUP, OWNER};
use super::normal::{Normal, differences, normal};
use super::outside::{Outside, Parts, SIGNAL, operator};
use super::recording::{RecordedScene, RecordedStep, definitions};

/// The time in which Kubewright must reach a state.
const PATIENCE: Duration = Duration::from_secs(20);
const POLL: Duration = Duration::from_millis(250);
/// The time for which the state must last then.
const REST: Duration = Duration::from_secs(2);

pub(super) const KINDS: [&str; 7] =
    [OWNER, "InternalConfiguration", "APIServer", "Authentication", "Authorization", "Landscaper", "CloudOrchestrator"];

/// A cluster with recorded objects, and a Kubewright operator on them.
pub(super) struct Stage {
    pub(super) cluster: TestCluster,
    pub(super) outside: Outside,
    name: String,
    operator: Option<TestOperator>,
}

impl Stage {
    /// Loads the objects of the last of these steps, which may have none. The steps determine the state of the external systems.
    pub(super) async fn set(folder: &Path, steps: &[&RecordedStep], name: &str) -> Self {
        let cluster = TestCluster::start().await;
        cluster.journal().keep_bodies(true);
        for definition in definitions(folder) {
            cluster.install_crd(&definition).await;
        }
        let labels = json!({ "core.openmcp.cloud/project": "demo", "core.openmcp.cloud/workspace": "dev" });
        cluster.patch::<Namespace>(cluster.namespace(), json!({ "metadata": { "labels": labels } })).await;
        let signal =
            json!({ "apiVersion": "v1", "kind": "ConfigMap", "metadata": { "name": SIGNAL }, "data": { "owner": name } });
        cluster.create(signal).await.unwrap();
        let outside = Outside::default();
        let stage = Self { cluster, outside, name: name.to_owned(), operator: None };
        stage.play_outside(steps);
        if let Some(step) = steps.last() {
            // The owner comes first, so that garbage collection does not take its components for orphans.
            let step = stage.here(step);
            let mut objects: Vec<Value> = step.objects.into_values().collect();
            objects.sort_by_key(|object| object.kind() != OWNER);
            stage.cluster.load(objects).await;
        }
        stage
    }

    /// Returns a step as if it had been recorded in the namespace of the test.
    pub(super) fn here(&self, step: &RecordedStep) -> RecordedStep {
        step.moved_to(self.cluster.namespace())
    }

    fn play_outside(&self, steps: &[&RecordedStep]) {
        let steps: Vec<RecordedStep> = steps.iter().map(|step| self.here(step)).collect();
        self.outside.set(&steps.iter().collect::<Vec<_>>());
    }

    /// Starts the operator with these controllers, in place of the running one.
    pub(super) async fn start(&mut self, parts: Parts) {
        if let Some(former) = self.operator.take() {
            former.stop().await;
        }
        let started = self.cluster.start_operator(operator(&self.outside, parts)).await;
        tokio::time::timeout(PATIENCE, started.running().working()).await.expect("the operator works").unwrap();
        self.operator = Some(started);
    }

    pub(super) async fn stop(mut self) {
        if let Some(operator) = self.operator.take() {
            operator.stop().await;
        }
        self.cluster.stop().await;
    }

    /// Sets the external systems to the state after the last of these steps, and signals the change.
    pub(super) async fn outside_becomes(&self, steps: &[&RecordedStep]) {
        self.play_outside(steps);
        self.signal().await;
    }

    /// Starts passes of all components.
    pub(super) async fn signal(&self) {
        let now = self.cluster.clock().now().to_string();
        self.cluster.patch::<ConfigMap>(SIGNAL, json!({ "data": { "changed": now } })).await;
    }

    /// Lets some time pass in which the operator comes to rest.
    pub(super) async fn rest(&self) {
        self.cluster.pass(REST).await;
    }

    pub(super) async fn get(&self, kind: &str) -> Option<Value> {
        self.cluster.get_object(&gvk(kind), &self.name).await
    }

    pub(super) async fn all(&self) -> BTreeMap<String, Value> {
        let mut all = BTreeMap::new();
        for kind in KINDS {
            all.extend(self.get(kind).await.map(|object| (kind.to_owned(), object)));
        }
        all
    }

    pub(super) async fn act(&self, act: &Act) {
        match act {
            Act::Create(object) => drop(self.cluster.create(object).await.unwrap()),
            Act::Patch(kind, patch) => drop(self.cluster.patch_object(&gvk(kind), &self.name, patch.clone()).await),
            Act::PatchStatus(kind, status) => {
                drop(self.cluster.patch_object_status(&gvk(kind), &self.name, status.clone()).await);
            }
            Act::Delete(kind) => self.cluster.delete_object(&gvk(kind), &self.name).await,
        }
    }

    /// Waits until a condition holds for all objects.
    pub(super) async fn until(&self, what: &str, holds: impl Fn(&BTreeMap<String, Value>) -> bool) {
        let end = self.cluster.clock().moment() + Duration::from_secs(60);
        loop {
            let all = self.all().await;
            if holds(&all) {
                return;
            }
            assert!(self.cluster.clock().moment() < end, "expected that {what}; there is {}", json!(all));
            self.cluster.pass(POLL).await;
        }
    }

    /// Waits until the operator has reached this step. Returns the rules that explain the differences, or the unexplained differences as an
    /// error.
    pub(super) async fn comes_to(&self, step: &RecordedStep) -> Result<BTreeSet<&'static str>, String> {
        let end = self.cluster.clock().moment() + PATIENCE;
        let mut rests = false;
        loop {
            let found = self.compare(step).await;
            match (&found, rests) {
                (Ok(_), true) => return found,
                (Ok(_), false) => {
                    rests = true;
                    self.cluster.pass(REST).await;
                }
                (Err(_), _) if self.cluster.clock().moment() > end => return found,
                (Err(_), _) => {
                    rests = false;
                    self.cluster.pass(POLL).await;
                }
            }
        }
    }

    async fn compare(&self, step: &RecordedStep) -> Result<BTreeSet<&'static str>, String> {
        let (mut ids, mut report, live) = (BTreeSet::new(), String::new(), self.all().await);
        let absent = Normal::new();
        for kind in KINDS {
            let recorded = step.objects.get(kind).map_or_else(Normal::new, normal);
            let ours = live.get(kind).map_or_else(|| absent.clone(), normal);
            for spot in differences(&step.id, kind, &recorded, &ours) {
                match explained(&spot) {
                    Some(id) => drop(ids.insert(id)),
                    None => {
                        let _ = writeln!(report, "  {kind} {}: recorded {:?}, ours {:?}", spot.path, spot.recorded, spot.ours);
                    }
                }
            }
        }
        if report.is_empty() { Ok(ids) } else { Err(report) }
    }

    /// Returns the operator's requests to objects of the group since a mark, except lists and watches, by resource.
    pub(super) fn requests(&self, mark: Mark) -> BTreeMap<String, usize> {
        let mut counts = BTreeMap::new();
        for record in self.requests_one_by_one(mark) {
            let resource = record.target.resource().map(|target| target.resource.clone());
            *counts.entry(resource.unwrap_or_default()).or_default() += 1;
        }
        counts
    }

    fn requests_one_by_one(&self, mark: Mark) -> Vec<Arc<Record>> {
        let counts = |record: &&Arc<Record>| {
            let target = record.target.resource();
            target.is_some_and(|target| target.group == GROUP && !["list", "watch"].contains(&target.verb.to_string().as_str()))
        };
        self.cluster.journal().since(mark).iter().filter(counts).cloned().collect()
    }
}

pub(super) fn gvk(kind: &str) -> GroupVersionKind {
    GroupVersionKind::gvk(GROUP, "v1alpha1", kind)
}

/// The parameters of a played scene.
pub(super) struct Played {
    pub(super) scene: &'static str,
    /// The name of the owner.
    pub(super) name: &'static str,
    /// The played steps, each from the recorded one before it.
    pub(super) steps: std::ops::RangeInclusive<usize>,
    /// A function that returns the controllers that ran in a step.
    pub(super) parts: fn(usize) -> Parts,
}

/// The requests of both operators in a scene.
#[derive(Default)]
struct Tally {
    ours: BTreeMap<String, usize>,
    theirs: BTreeMap<String, usize>,
    /// The number of requests to components that the original does not generate.
    beside: usize,
    /// Each request of the Kubewright operator, for the report.
    told: Vec<String>,
}

impl Tally {
    fn add(&mut self, ours: &BTreeMap<String, usize>, theirs: &BTreeMap<String, usize>) {
        for (sum, counts) in [(&mut self.ours, ours), (&mut self.theirs, theirs)] {
            for (resource, count) in counts {
                *sum.entry(resource.clone()).or_default() += count;
            }
        }
    }

    fn total(counts: &BTreeMap<String, usize>) -> usize {
        counts.values().sum()
    }
}

/// Plays a scene, step by step.
pub(super) async fn play(played: Played) {
    let Some(folder) = super::recording::folder() else { return };
    let scene = RecordedScene::read(&folder, played.scene);
    let (mut tally, mut failures) = (Tally::default(), Vec::new());
    for number in played.steps.clone() {
        match step(&folder, &scene, &played, number, &mut tally).await {
            Ok(()) => {}
            Err(report) => failures.push(report),
        }
    }
    let (ours, theirs) = (Tally::total(&tally.ours), Tally::total(&tally.theirs));
    println!(
        "{}: {ours} requests of ours{}, {theirs} recorded; by resource {:?}, recorded {:?}",
        played.scene,
        if tally.beside > 0 {
            format!(" (and {} to components that the original passes over)", tally.beside)
        } else {
            String::new()
        },
        tally.ours,
        tally.theirs
    );
    if tally.beside > PASSED_OVER.len() {
        failures.push(format!("{} requests to components that the original passes over", tally.beside));
    }
    if ours > theirs {
        failures.push(format!("{ours} requests, recorded {theirs}:\n{}", tally.told.join("\n")));
    }
    assert!(failures.is_empty(), "{}:\n{}", played.scene, failures.join("\n"));
}

async fn step(folder: &Path, scene: &RecordedScene, played: &Played, number: usize, tally: &mut Tally) -> Result<(), String> {
    let to = scene.step(number);
    let until = scene.until(number);
    let from = &until[..until.len() - 1];
    let mut stage = Stage::set(folder, from, played.name).await;
    let before = from.last().map(|step| stage.here(step));
    stage.start((played.parts)(number)).await;
    if before.is_some() {
        stage.cluster.pass(REST).await;
    }
    let mark = stage.cluster.journal().mark();
    let here = stage.here(to);
    stage.play_outside(&super::hand::outside_ahead(&to.id).map_or_else(|| until.clone(), |ahead| scene.until(ahead)));
    for act in acts(before.as_ref(), &here) {
        stage.act(&act).await;
    }
    stage.signal().await;
    let wanted = match super::hand::ahead(&to.id) {
        Some(ahead) => RecordedStep { id: here.id.clone(), ..stage.here(scene.step(ahead)) },
        None => here.clone(),
    };
    let compared = stage.comes_to(&wanted).await;
    let (live, mut requests) = (stage.all().await, stage.requests(mark));
    if played.scene == "controllers-subset" {
        for (_, resource) in PASSED_OVER {
            tally.beside += requests.remove(resource).unwrap_or_default();
        }
    }
    tally.add(&requests, &to.requests);
    tally.told.extend(stage.requests_one_by_one(mark).iter().map(|record| {
        format!("{} at {}: {record} {}", to.id, record.time, record.body.as_ref().map(ToString::to_string).unwrap_or_default())
    }));
    let is_other = |(kind, recorded): (&String, &Value)| {
        let kept = here.objects.get(kind).is_some_and(|later| later.uid() == recorded.uid());
        let found = live.get(kind)?;
        (kept && found.uid() != recorded.uid()).then(|| format!("{}: {kind} was recreated", to.id))
    };
    let recreated = before.iter().flat_map(|step| &step.objects).find_map(is_other);
    stage.stop().await;
    let told: Vec<String> = requests
        .iter()
        .map(|(resource, count)| format!("{resource} {count} ({})", to.requests.get(resource).copied().unwrap_or_default()))
        .collect();
    let ids = compared.map_err(|report| format!("{}:\n{report}", to.id))?;
    println!("{}: differs by {:?}; requests (recorded): {}", to.id, ids, told.join(", "));
    recreated.map_or(Ok(()), Err)
}
