//! The player of a run: acts as users and other controllers, and applies the disturbance.

use std::sync::Arc;
use std::time::Duration;

use futures::StreamExt as _;
use kubewright_apiserver::ApiServer;
use kubewright_machinery::object::ObjectExt as _;
use kubewright_machinery::patch::merge_patch;
use kubewright_middleware::faults::CutHandle;
use kubewright_middleware::{Status, Verb};
use serde_json::Value;
use tokio::sync::Notify;

use super::hand::Hand;
use super::lasting::{Lasting, RECOVERY};
use super::leaders::{CHANGE_LIMIT, LeaderTrouble, Leaders, RequestPoint};
use super::scenario::{Scenario, ScenarioStep};
use super::trouble::Disturbance;
use crate::task::while_running;
use crate::{TestCluster, TestOperator};

/// The time limit of a step in real time.
const PATIENCE: Duration = Duration::from_secs(150);
/// The time limit of a step in virtual time, of which a minute passes within milliseconds: a watch that hangs is noticed after five minutes, and a
/// watch with late events may hang in addition.
const VIRTUAL_PATIENCE: Duration = Duration::from_mins(20);
/// The number of turns at the end of a run in virtual time, and the number of turns without a request that end a run in real time.
const REST_TURNS: u32 = 8;
const QUIET_TURNS: u32 = 5;

pub(super) struct Player<'s, S> {
    pub(super) scenario: &'s S,
    pub(super) cluster: TestCluster,
    pub(super) hand: Hand,
    /// The processes of the operator: one process, two independent ones, or replicas.
    pub(super) operators: Vec<TestOperator>,
    /// The replicas, if they share the work by leases.
    pub(super) leaders: Option<Leaders>,
    /// The cut that ends the process, and the number of requests after which the next process is cut off again.
    pub(super) cut: Option<(CutHandle, Option<usize>)>,
    /// The notification of the time to start the second operator.
    second_due: Option<Arc<Notify>>,
    /// The lasting fault of the run.
    lasting: Option<Lasting>,
    steps_done: Vec<String>,
    /// The revision of the embedded server up to which other users and controllers have acted.
    seen: Option<u64>,
}

impl<'s, S: Scenario> Player<'s, S> {
    pub(super) fn of(scenario: &'s S, cluster: TestCluster) -> Self {
        // The bodies of requests are checked at the end.
        cluster.journal().keep_bodies(true);
        let hand = Hand::of(&cluster);
        Self {
            scenario,
            cluster,
            hand,
            operators: Vec::new(),
            leaders: None,
            cut: None,
            second_due: None,
            lasting: None,
            steps_done: Vec::new(),
            seen: None,
        }
    }

    /// Starts the disturbance.
    pub(super) fn arm(&mut self, disturbance: &Disturbance) {
        let faults = self.cluster.faults();
        let number = |at: &usize| u64::try_from(*at).unwrap_or(u64::MAX);
        match disturbance {
            Disturbance::None => {}
            Disturbance::Crash { after, again } => self.cut = Some((faults.cut_after(number(after)).start(), *again)),
            Disturbance::Answer { at, code } => {
                let status = match code {
                    409 => Status::new(409, "Conflict", "a disturbance"),
                    429 => Status::new(429, "TooManyRequests", "a disturbance").with_retry_after(1),
                    code => Status::new(*code, "InternalError", "a disturbance"),
                };
                drop(faults.on_any().after(number(at)).times(1).respond(status));
            }
            Disturbance::DropBefore { at } => drop(faults.on_any().after(number(at)).times(1).drop_before()),
            Disturbance::DropAfter { at } => drop(faults.on_any().after(number(at)).times(1).drop_after()),
            Disturbance::Late { group, plural, by } => {
                if let Some(server) = self.cluster.embedded() {
                    server.delay_events(group, plural, *by);
                }
            }
            Disturbance::Silent { group, plural } => {
                // Open watches continue; the watches that replace them are silent.
                drop(faults.on(Verb::Watch).of(group, plural).times(1).hang_watch(0));
                if let Some(server) = self.cluster.embedded() {
                    server.restart();
                }
            }
            Disturbance::Shuffled { by, .. } => {
                if let Some(server) = self.cluster.embedded() {
                    server.shuffle_events(*by);
                }
            }
            Disturbance::LoseHistory { at } => self.lose_history(*at),
            Disturbance::Expire { events, times } => {
                let (events, times) = (number(events), number(times));
                drop(faults.on(Verb::Watch).times(times).cut_watch(events));
                drop(faults.on(Verb::Watch).times(times).expire_watch());
            }
            Disturbance::Second { at } => {
                let due = Arc::new(Notify::new());
                self.second_due = Some(due.clone());
                self.at_request(*at, move || due.notify_one());
            }
            Disturbance::Lasting { fault, verb, group, plural, lasts } => {
                self.lasting = Some(Lasting::begin(&self.cluster, *fault, (*verb, group, plural), *lasts));
            }
            Disturbance::Replicas => self.count_leader(None),
            Disturbance::Leader { trouble, at, point } => self.count_leader(Some((*at, *trouble, *point))),
        }
    }

    fn count_leader(&self, planned: Option<(usize, LeaderTrouble, RequestPoint)>) {
        if let Some(leaders) = &self.leaders {
            leaders.count(planned);
        }
    }

    /// Runs a function when the request with this number has been answered.
    fn at_request(&self, at: usize, act: impl FnOnce() + Send + 'static) {
        let journal = self.cluster.journal().clone();
        let mark = journal.mark();
        let wait = async move {
            let mut records = Box::pin(journal.stream(mark).skip(at));
            if records.next().await.is_some() {
                act();
            }
        };
        while_running(self.cluster.tasks(), "disturbance", wait);
    }

    fn lose_history(&self, at: usize) {
        let Some(server) = self.cluster.embedded().cloned() else { return };
        self.at_request(at, move || {
            server.compact(server.revision());
            server.restart();
        });
    }

    pub(super) async fn play(&mut self, step: &ScenarioStep) -> Result<(), String> {
        match step {
            // A kind whose definition is new may not be served yet.
            ScenarioStep::Create(object) => {
                self.until("a kind to be served", object, async |hand| Ok(hand.create(object).await?.is_some())).await
            }
            ScenarioStep::Set(object) => self.hand.set(object).await,
            ScenarioStep::Delete(object) | ScenarioStep::Remove(object) => self.hand.delete(object).await,
            ScenarioStep::Edit(object, patch) => {
                let what = format!("{} there", object.title());
                self.until(&what, object, async |hand| Ok(hand.patch(object, patch).await?.is_some())).await
            }
            ScenarioStep::Contest(object, patch, times) => self.contest(object, patch, *times).await,
            ScenarioStep::Until(object, state, holds) => {
                let what = format!("{} {state}", object.title());
                let is_there = async |hand: &Hand| Ok(hand.get(object).await?.is_some_and(|live| holds(&live, state)));
                self.until(&what, object, is_there).await
            }
            ScenarioStep::Gone(object) => {
                let what = format!("{} gone", object.title());
                self.until(&what, object, async |hand| Ok(hand.get(object).await?.is_none())).await
            }
            ScenarioStep::Stop => {
                self.kill().await;
                Ok(())
            }
            ScenarioStep::Start => {
                self.launch_all().await;
                Ok(())
            }
        }
    }

    async fn contest(&mut self, object: &Value, patch: &Value, times: usize) -> Result<(), String> {
        for _ in 0..times {
            self.hand.patch(object, patch).await?;
            let what = format!("{} corrected", object.title());
            // The corrected object equals the live one if applying it as a merge patch changes nothing.
            let is_corrected = |live: &Value| {
                let mut right = live.clone();
                merge_patch(&mut right, &without_identity(object));
                right == *live
            };
            self.until(&what, object, async |hand| Ok(hand.get(object).await?.as_ref().is_some_and(is_corrected))).await?;
        }
        Ok(())
    }

    /// Waits until a condition holds, and plays turns meanwhile.
    async fn until(
        &mut self,
        what: &str,
        object: &Value,
        holds: impl AsyncFn(&Hand) -> Result<bool, String>,
    ) -> Result<(), String> {
        let deadline = self.moment() + self.patience();
        let mut turns = 0;
        let mut looked_at = None;
        loop {
            // The condition cannot have changed while the revision is the same.
            let revision = self.revision();
            if revision.is_none() || revision != looked_at {
                if holds(&self.hand).await? {
                    break;
                }
                looked_at = revision;
            }
            if self.moment() >= deadline {
                return Err(self.complaint(what, Some(object)).await?);
            }
            // A wait of more than 20 turns takes minutes, since it depends on a timer or a hanging watch.
            let pause = if turns < 20 { 100 } else { 5000 };
            self.turn(Duration::from_millis(pause)).await?;
            turns += 1;
        }
        self.steps_done.push(what.to_owned());
        Ok(())
    }

    pub(super) async fn complaint(&self, what: &str, object: Option<&Value>) -> Result<String, String> {
        let records = self.cluster.journal().all();
        let last: Vec<String> = records.iter().rev().take(20).rev().map(ToString::to_string).collect();
        let status = match object {
            Some(object) => self.hand.get(object).await?.map(|live| live["status"].clone()),
            None => None,
        };
        let done = self.steps_done.join(", ");
        let patience = self.patience();
        Ok(format!("expected {what} within {patience:?}, after {done}; last requests:\n{}\n{status:#?}", last.join("\n")))
    }

    pub(super) fn patience(&self) -> Duration {
        if self.cluster.is_embedded() { VIRTUAL_PATIENCE } else { PATIENCE }
    }

    /// Returns the revision of the embedded server, which alone can tell that nothing has changed.
    fn revision(&self) -> Option<u64> {
        self.cluster.embedded().map(ApiServer::revision)
    }

    pub(super) fn moment(&self) -> Duration {
        self.cluster.clock().moment().0
    }

    /// Plays one turn: replaces processes that have ended, lets other users and controllers act, and lets time pass.
    async fn turn(&mut self, pause: Duration) -> Result<(), String> {
        self.see_to_the_operator().await;
        let revision = self.revision();
        if revision.is_none() || revision != self.seen {
            self.scenario.play_others(&self.hand).await?;
            self.seen = revision;
        }
        let Some(due) = self.second_due.clone() else {
            self.cluster.pass(pause).await;
            return Ok(());
        };
        tokio::select! {
            () = self.cluster.pass(pause) => {}
            () = due.notified() => {
                self.second_due = None;
                let second = self.launch().await;
                self.operators.push(second);
            }
        }
        Ok(())
    }

    /// Waits for the end of the lasting fault, and until the scenario should have recovered. Returns the time at which the fault ended.
    pub(super) async fn outlast(&mut self) -> Result<Option<Duration>, String> {
        if let Some(leaders) = self.leaders.clone() {
            let deadline = self.moment() + CHANGE_LIMIT;
            while !leaders.see_to() {
                if self.moment() >= deadline {
                    return Err(self.complaint("another replica to lead", None).await?);
                }
                self.turn(Duration::from_secs(1)).await?;
            }
        }
        let Some(lasting) = self.lasting.take() else { return Ok(None) };
        while !lasting.is_over() {
            self.turn(Duration::from_secs(1)).await?;
        }
        lasting.end();
        if let Some(ended) = lasting.ended().filter(|_| self.cluster.is_embedded()) {
            while self.moment() < ended + RECOVERY {
                self.turn(Duration::from_secs(1)).await?;
            }
        }
        Ok(lasting.ended())
    }

    /// Waits until late events have arrived and the operators are idle.
    pub(super) async fn rest(&mut self) -> Result<(), String> {
        if self.cluster.is_embedded() {
            for _ in 0..REST_TURNS {
                self.turn(Duration::from_millis(300)).await?;
            }
        } else {
            self.rest_for_real().await?;
        }
        self.second_due = None;
        self.cluster.pass(Duration::from_secs(if self.cluster.is_embedded() { 30 } else { 1 })).await;
        self.turn(Duration::from_millis(300)).await
    }

    /// Waits until the operators have sent no request for some turns. The time that this takes depends on the machine.
    async fn rest_for_real(&mut self) -> Result<(), String> {
        let deadline = self.moment() + Duration::from_secs(30);
        let (mut sent, mut quiet) = (0, 0);
        while quiet < QUIET_TURNS && self.moment() < deadline {
            self.turn(Duration::from_millis(300)).await?;
            let now = self.cluster.journal().all().iter().count();
            quiet = if now == sent { quiet + 1 } else { 0 };
            sent = now;
        }
        Ok(())
    }
}

/// Returns the fields of an object without those that identify it.
fn without_identity(object: &Value) -> Value {
    let mut fields = object.clone();
    if let Some(fields) = fields.as_object_mut() {
        fields.retain(|name, _| !["apiVersion", "kind", "metadata"].contains(&name.as_str()));
    }
    fields
}
