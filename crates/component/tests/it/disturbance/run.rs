//! One run of a scenario under one disturbance.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use kubewright::prelude::*;
use kubewright_apiserver::kinds::Verb;
use kubewright_apiserver::middleware::journal::Records;
use kubewright_machinery::object::ObjectExt;
use kubewright_testing::{Origin, TestCluster};

use super::normal::{ANY, Normal};
use super::player::Player;
use super::scenario::{Scenario, Step, strangers};
use super::trouble::Disturbance;
use crate::kinds::Kinds;
use crate::types::{bundle, config_map};
use crate::world::World;

/// What a run left.
#[derive(Debug)]
pub(super) struct Outcome {
    /// All objects of the kinds that the scenarios are about, by title.
    pub(super) objects: BTreeMap<String, Value>,
    /// Objects of others that were touched.
    pub(super) touched: Vec<String>,
    /// Writes of the operators by object.
    pub(super) writes: BTreeMap<String, usize>,
    /// How many requests the operators sent.
    pub(super) requests: usize,
    /// The kinds that were watched.
    pub(super) watched: BTreeSet<(String, String)>,
    /// The verbs and resources of the requests.
    pub(super) asked: Vec<(Verb, String, String)>,
    /// How long the steps took.
    pub(super) took: Duration,
    /// How long they took after the end of a fault that lasted.
    pub(super) recovery: Option<Duration>,
    pub(super) is_virtual: bool,
}

/// A scenario, played up to where the disturbances begin, if that can be kept.
pub(super) struct Stage {
    scenario: Scenario,
    origin: Option<Origin>,
}

impl Stage {
    pub(super) async fn prepare(scenario: Scenario) -> Result<Self, String> {
        let mut player = set_up(&scenario).await?;
        player.kill().await;
        let origin = player.cluster.origin();
        Ok(Self { scenario, origin })
    }

    /// A cluster in which everything is as it is when the disturbances begin, with an operator that rests.
    async fn player(&self, seed: u64) -> Result<Player, String> {
        let Some(origin) = &self.origin else { return set_up(&self.scenario).await };
        let mut player = Player::of(TestCluster::start_from(origin, seed));
        player.start().await?;
        Ok(player)
    }

    pub(super) async fn run(&self, disturbance: &Disturbance) -> Result<Outcome, String> {
        let mut player = self.player(disturbance.seed()).await?;
        let kinds = Kinds::of(player.cluster.namespace());
        let mut all = bystanders();
        all.extend((self.scenario.before)(&kinds));
        let before = all.len();
        all.extend((self.scenario.steps)(&kinds));
        let mut versions = BTreeMap::new();
        for stranger in strangers(&all) {
            if let Some(live) = player.hand.get(&stranger).await? {
                versions.insert(stranger.title(), live.resource_version().to_owned());
            }
        }
        let mark = player.cluster.journal().mark();
        player.arm(disturbance);
        let begun = player.moment();
        for step in &all[before..] {
            player.play(step).await?;
            if let Step::Create(object) = step
                && let Some(live) = player.hand.get(object).await?
            {
                versions.insert(object.title(), live.resource_version().to_owned());
            }
        }
        let done = player.moment();
        let recovery = player.outlast().await?.map(|ended| done.saturating_sub(ended));
        player.rest().await?;
        let mut touched = Vec::new();
        for stranger in strangers(&all) {
            let live = player.hand.get(&stranger).await?;
            let removed = all.iter().any(|step| matches!(step, Step::Remove(object) if object.title() == stranger.title()));
            if !removed && live.as_ref().map(ObjectExt::resource_version) != versions.get(&stranger.title()).map(String::as_str) {
                touched.push(stranger.title());
            }
        }
        let leaks = crate::leaks::found(&player.cluster.journal().all(), &["secrets"], &player.pages());
        if !leaks.is_empty() {
            return Err(format!("values of a Secret leave the operator: {leaks:#?}"));
        }
        let journal = player.cluster.journal().since(mark);
        let outcome = Outcome {
            objects: left(&player, &kinds).await?,
            touched,
            writes: writes(&journal, player.cluster.namespace()),
            requests: journal.iter().count(),
            watched: watched(&player.cluster.journal().all()),
            asked: asked(&journal),
            took: done.saturating_sub(begun),
            recovery,
            is_virtual: player.cluster.is_embedded(),
        };
        player.kill().await;
        player.cluster.stop().await;
        Ok(outcome)
    }
}

/// What belongs to nobody or somebody else in every scenario.
fn bystanders() -> Vec<Step> {
    let mut others = config_map("of-another-owner", "a");
    others["metadata"]["labels"][format!("{}/owner-id", crate::world::OPERATOR)] =
        "t6dnbamijr6wlgrp5kqmkwwqcwr36ty3fmfyelgrlvwblmhqbiea".into();
    vec![Step::Create(config_map("of-nobody", "a")), Step::Create(others)]
}

async fn set_up(scenario: &Scenario) -> Result<Player, String> {
    let world = World::new().await;
    let kinds = Kinds::install(&world).await;
    world
        .cluster
        .install_crds(&Operator::new(crate::world::OPERATOR).component::<crate::types::Bundle>(crate::types::objects).into())
        .await;
    let mut player = Player::of(world.into_cluster());
    player.start().await?;
    for step in bystanders().iter().chain(&(scenario.before)(&kinds)) {
        player.play(step).await?;
    }
    player.rest().await?;
    Ok(player)
}

/// All objects of the kinds that the scenarios are about.
async fn left(player: &Player, kinds: &Kinds) -> Result<BTreeMap<String, Value>, String> {
    let normal = Normal::of(&player.cluster);
    let namespaced = [
        config_map("", ""),
        crate::kinds::secret(""),
        kinds.object("Foo", ""),
        kinds.object("Bar", ""),
        kinds.object("Baz", ""),
        bundle("", &[]),
    ];
    let mut live = Vec::new();
    for like in &namespaced {
        live.extend(player.hand.list(like).await?);
    }
    for like in [kinds.crd(), super::scenes::webhook(kinds)] {
        live.extend(player.hand.get(&like).await?);
    }
    // Every namespace gets this one from Kubernetes.
    live.retain(|object| object.name() != "kube-root-ca.crt");
    Ok(live.iter().map(|object| normal.object(object)).collect())
}

/// Writes by object; those of events do not count.
fn writes(journal: &Records, namespace: &str) -> BTreeMap<String, usize> {
    let mut writes = BTreeMap::new();
    for record in journal.clone().writes().iter() {
        let Some(resource) = record.target.resource().filter(|resource| resource.resource != "events") else { continue };
        // What a process sends while it is cut off does not arrive.
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

/// What was asked for, each verb of a resource once.
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
