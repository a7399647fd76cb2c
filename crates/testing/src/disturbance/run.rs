//! One run of a scenario under one disturbance.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use kubewright_machinery::object::ObjectExt;
use kubewright_middleware::Verb;
use kubewright_middleware::journal::Records;
use serde_json::Value;

use super::effects::{UNLED, births_and_deaths, unled_writes};
use super::leaders::Leaders;
use super::normal::{ANY, normal};
use super::pace::Pace;
use super::player::Player;
use super::scenario::{Scenario, ScenarioStep, strangers};
use super::trouble::Disturbance;
use crate::{ClusterOrigin, TestCluster};

/// The result of a run.
#[derive(Debug)]
pub(super) struct ScenarioOutcome {
    /// The objects that the scenario compares, by title.
    pub(super) objects: BTreeMap<String, Value>,
    /// The objects of other writers that the operator changed.
    pub(super) touched: Vec<String>,
    /// The number of writes of the operators, by object.
    pub(super) writes: BTreeMap<String, usize>,
    /// The number of requests that the operators sent.
    pub(super) requests: usize,
    /// The kinds that were watched.
    pub(super) watched: BTreeSet<(String, String)>,
    /// The verbs and resources of the requests, each pair once.
    pub(super) asked: Vec<(Verb, String, String)>,
    /// The duration of the steps.
    pub(super) took: Duration,
    /// The longest time that the operator lets pass before it checks an object again without an event.
    pub(super) poll: Duration,
    /// The kind of reconciler.
    pub(super) pace: Pace,
    /// The duration of the steps after the end of a lasting fault.
    pub(super) recovery: Option<Duration>,
    /// The number of requests that leading replicas sent until the steps were done.
    pub(super) leader_requests: usize,
    /// True if the planned disturbance of a leader began.
    pub(super) met_leader: bool,
    /// Writes of replicas that did not lead, from the journal of the embedded server.
    pub(super) unled: Vec<String>,
    /// The numbers of creations and deletions of each object, from the journal of the embedded server.
    pub(super) births_and_deaths: BTreeMap<String, usize>,
    pub(super) is_virtual: bool,
}

/// A scenario, played up to the start of the disturbances. It has an origin only on a cluster whose content can be forked.
pub(super) struct PreparedScenario<'s, S> {
    scenario: &'s S,
    origin: Option<ClusterOrigin>,
}

impl<'s, S: Scenario> PreparedScenario<'s, S> {
    pub(super) async fn prepare(scenario: &'s S) -> Result<Self, String> {
        let mut player = set_up(scenario).await?;
        player.kill().await;
        let origin = player.cluster.origin();
        Ok(Self { scenario, origin })
    }

    /// Returns a player on a cluster in the state before the disturbances, with an operator at rest.
    async fn player(&self, disturbance: &Disturbance) -> Result<Player<'s, S>, String> {
        let Some(origin) = &self.origin else { return set_up(self.scenario).await };
        let cluster = TestCluster::start_from(origin, disturbance.seed());
        // The effects of these runs are checked with the journal of the server, which needs the bodies.
        if let Some(server) = cluster.embedded() {
            server.journal().keep_bodies(disturbance.is_replicated() || *disturbance == Disturbance::None);
        }
        let mut player = Player::of(self.scenario, cluster);
        if disturbance.is_replicated() {
            player.replicate();
        }
        player.start().await?;
        Ok(player)
    }

    pub(super) async fn run(&self, disturbance: &Disturbance) -> Result<ScenarioOutcome, String> {
        let mut player = self.player(disturbance).await?;
        let namespace = player.cluster.namespace().to_owned();
        let mut all = self.scenario.before(&namespace);
        let before = all.len();
        all.extend(self.scenario.steps(&namespace));
        let mut versions = BTreeMap::new();
        for stranger in strangers(self.scenario, &all) {
            if let Some(live) = player.hand.get(&stranger).await? {
                versions.insert(stranger.title(), live.resource_version().to_owned());
            }
        }
        let mark = player.cluster.journal().mark();
        player.arm(disturbance);
        let begun = player.moment();
        for step in &all[before..] {
            player.play(step).await?;
            if let ScenarioStep::Create(object) = step
                && let Some(live) = player.hand.get(object).await?
            {
                versions.insert(object.title(), live.resource_version().to_owned());
            }
        }
        let done = player.moment();
        let leader_requests = player.leaders.as_ref().map_or(0, Leaders::requests);
        let recovery = player.outlast().await?.map(|ended| done.saturating_sub(ended));
        player.rest().await?;
        let mut touched = Vec::new();
        for stranger in strangers(self.scenario, &all) {
            let live = player.hand.get(&stranger).await?;
            let removed =
                all.iter().any(|step| matches!(step, ScenarioStep::Remove(object) if object.title() == stranger.title()));
            if !removed && live.as_ref().map(ObjectExt::resource_version) != versions.get(&stranger.title()).map(String::as_str) {
                touched.push(stranger.title());
            }
        }
        let sent = player.cluster.journal().all();
        if player.running().next().is_none() {
            self.scenario.check(&sent, None)?;
        }
        player.running().try_for_each(|operator| self.scenario.check(&sent, Some(operator)))?;
        let journal = player.cluster.journal().since(mark);
        // A single process has the operator's name as its user agent; the user agents of replicas begin with that name.
        let agents = self.scenario.operator().name().to_owned();
        let server = player.cluster.embedded().map(|server| server.journal().all()).unwrap_or_default();
        let outcome = ScenarioOutcome {
            objects: left(self.scenario, &player).await?,
            touched,
            writes: writes(&journal, player.cluster.namespace()),
            requests: journal.iter().count(),
            watched: watched(&player.cluster.journal().all()),
            asked: asked(&journal),
            took: done.saturating_sub(begun),
            poll: self.scenario.poll(),
            pace: self.scenario.pace(),
            recovery,
            leader_requests,
            met_leader: player.leaders.as_ref().is_some_and(Leaders::has_begun),
            unled: if disturbance.is_replicated() { unled_writes(&server, &agents) } else { Vec::new() },
            births_and_deaths: births_and_deaths(&server, &agents, player.cluster.namespace()),
            is_virtual: player.cluster.is_embedded(),
        };
        if disturbance.is_replicated() {
            player.retire().await?;
        }
        player.kill().await;
        player.cluster.stop().await;
        Ok(outcome)
    }
}

async fn set_up<S: Scenario>(scenario: &S) -> Result<Player<'_, S>, String> {
    let cluster = TestCluster::start().await;
    scenario.install(&cluster).await;
    let mut player = Player::of(scenario, cluster);
    player.start().await?;
    for step in &scenario.before(player.cluster.namespace()) {
        player.play(step).await?;
    }
    player.rest().await?;
    Ok(player)
}

/// Returns the objects that the scenario compares.
async fn left<S: Scenario>(scenario: &S, player: &Player<'_, S>) -> Result<BTreeMap<String, Value>, String> {
    let live = scenario.left(&player.hand).await?;
    Ok(live.iter().map(|object| normal(scenario, &player.cluster, object)).collect())
}

/// Returns the number of writes by object; writes of events and leases do not count.
fn writes(journal: &Records, namespace: &str) -> BTreeMap<String, usize> {
    let mut writes = BTreeMap::new();
    for record in journal.clone().writes().iter() {
        let Some(resource) = record.target.resource().filter(|of| !UNLED.contains(&of.resource.as_str())) else { continue };
        // Requests of a process that is cut off do not reach the server.
        if record.status().is_none() {
            continue;
        }
        let created = record.body.as_ref().map_or("", |body| body.name());
        let name = if resource.name.is_empty() { created } else { &resource.name };
        let written = format!("{}/{} {name}", resource.resource, resource.subresource);
        *writes.entry(written.replace(namespace, ANY)).or_insert(0) += 1;
    }
    writes
}

/// Returns the requests by verb and resource, each pair once.
fn asked(journal: &Records) -> Vec<(Verb, String, String)> {
    let mut asked = Vec::new();
    for record in journal.iter() {
        let Some(of) = record.target.resource() else { continue };
        let known = (of.verb, of.group.clone(), of.resource.clone());
        if !asked.contains(&known) {
            asked.push(known);
        }
    }
    asked
}

fn watched(journal: &Records) -> BTreeSet<(String, String)> {
    let watches = journal.clone().verb(Verb::Watch);
    let watched = watches.iter().filter_map(|record| record.target.resource());
    watched.map(|resource| (resource.group.clone(), resource.resource.clone())).collect()
}
