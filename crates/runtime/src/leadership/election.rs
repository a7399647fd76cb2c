//! One election: the leases of one lease set, the controllers whose keys are divided among them, and the tasks that belong to one of them.

use std::collections::BTreeMap;
use std::future::pending;
use std::sync::Arc;

use futures::StreamExt as _;
use futures::future::{BoxFuture, Future};
use futures::stream::FuturesUnordered;
use kubewright_core::lease::{
    Elector, Input, LeaseAnswer, LeaseSet, LeaseState, ObservedLease, Output, Overlap, OverlapGuard, Share, Term,
};
use kubewright_core::time::Moment;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use super::clean_up::LeaseCleanUp;
use super::members::BucketMembers;
use super::metrics::LeadershipMetrics;
use super::requests::LeaseRequests;
use super::{BucketState, LeadershipState};
use crate::clock::Clock;
use crate::controller::LeaderTerm;
use crate::watch::{Change, ProjectedStore, WatchState};

/// The end of a request, a hook or a wait, with its result.
enum Done {
    /// The input for an elector.
    Told(usize, Input),
    /// The leases of the namespace were listed for an elector.
    Listed(usize, LeaseAnswer<Vec<(String, ObservedLease)>>),
    /// The deletion of a lease that no replica uses any more was answered.
    Deleted(Arc<str>, LeaseAnswer<()>),
}

/// An election of one replica.
pub(super) struct Election {
    pub(super) requests: LeaseRequests,
    pub(super) clock: Clock,
    pub(super) members: BucketMembers,
    pub(super) guard: OverlapGuard,
    pub(super) leases: ProjectedStore<ObservedLease>,
    pub(super) state: watch::Sender<LeadershipState>,
    pub(super) metrics: LeadershipMetrics,
    pub(super) clean_up: LeaseCleanUp,
    pub(super) share: Share,
    pub(super) buckets: Vec<ElectedBucket>,
}

/// A bucket of an election.
pub(super) struct ElectedBucket {
    name: Arc<str>,
    elector: Elector,
    timer: Option<Moment>,
    /// The term that controllers were last told of.
    term: Option<Arc<LeaderTerm>>,
    has_tried: bool,
}

impl ElectedBucket {
    pub(super) fn new(name: Arc<str>, elector: Elector) -> Self {
        Self { name, elector, timer: None, term: None, has_tried: false }
    }

    fn state(&self, overlap: Option<Overlap>, now: Moment) -> BucketState {
        let state = self.elector.state();
        let is_gained = matches!(state, LeaseState::Leading | LeaseState::Losing | LeaseState::Released);
        BucketState {
            state,
            overlap: overlap.filter(|_| !is_gained).map(|overlap| overlap.lease),
            epoch: self.elector.term(now).map(|term| term.epoch),
            holder: self.elector.lease().map(|lease| Arc::clone(&lease.record.holder)).unwrap_or_default(),
            has_tried: self.has_tried,
        }
    }
}

impl Election {
    /// Competes for the leases until `stop`, then releases each lease as soon as the passes and tasks of its bucket have ended.
    pub(super) async fn run(self, stop: CancellationToken) {
        let mut changes = self.leases.changes();
        for bucket in &self.buckets {
            self.metrics.competes(&bucket.name);
        }
        let mut running = RunningElection { election: self, pending: FuturesUnordered::new(), is_stopping: false };
        running.tell_all(|| Input::Start);
        while !running.is_released() {
            let timers = running.election.buckets.iter().map(|bucket| bucket.timer);
            let due = timers.chain([running.election.clean_up.due()]).flatten().min();
            let clock = running.election.clock.clone();
            let timer = async {
                match due {
                    Some(due) => clock.sleep_until(due).await,
                    None => pending().await,
                }
            };
            tokio::select! {
                biased;
                () = stop.cancelled(), if !running.is_stopping => running.stop(),
                Some(done) = running.pending.next() => running.done(done),
                Some(change) = changes.next() => running.watched(&change),
                () = timer => running.timers(),
            }
        }
    }
}

struct RunningElection {
    election: Election,
    /// The requests, hooks and waits that are under way.
    pending: FuturesUnordered<BoxFuture<'static, Done>>,
    is_stopping: bool,
}

impl RunningElection {
    fn is_released(&self) -> bool {
        self.election.buckets.iter().all(|bucket| bucket.elector.state() == LeaseState::Released)
    }

    fn tell_all(&mut self, input: impl Fn() -> Input) {
        for bucket in 0..self.election.buckets.len() {
            self.tell(bucket, input());
        }
    }

    fn stop(&mut self) {
        self.is_stopping = true;
        for bucket in 0..self.election.buckets.len() {
            let is_leading = self.election.buckets[bucket].elector.state() == LeaseState::Leading;
            self.tell(bucket, Input::Shutdown);
            if is_leading {
                self.await_passes(bucket);
            }
        }
    }

    fn timers(&mut self) {
        let now = self.election.clock.moment();
        for bucket in 0..self.election.buckets.len() {
            if self.election.buckets[bucket].timer.is_some_and(|due| due <= now) {
                self.election.buckets[bucket].timer = None;
                self.tell(bucket, Input::Timer);
            }
        }
        if self.election.clean_up.due().is_some_and(|due| due <= now) {
            self.clean_up();
        }
    }

    /// Deletes the unused leases of a former number of buckets, if this replica leads the first bucket (LDR-34).
    fn clean_up(&mut self) {
        let is_leading = self.election.buckets.first().is_some_and(|first| first.elector.state() == LeaseState::Leading);
        if !is_leading || self.is_stopping {
            self.election.clean_up.pause();
            return;
        }
        let now = self.election.clock.moment();
        for lease in self.election.clean_up.look(&self.election.guard, now) {
            let requests = self.election.requests.clone();
            self.push(async move {
                let answer = requests.delete(&lease).await;
                Done::Deleted(lease.name, answer)
            });
        }
    }

    fn watched(&mut self, change: &Change<ObservedLease>) {
        let name = change.key.name();
        let lease = change.new.as_deref();
        if let Some(bucket) = self.election.buckets.iter().position(|bucket| *bucket.name == *name) {
            self.tell(bucket, Input::Watched(lease.cloned()));
        }
        let now = self.election.clock.moment();
        let before = self.election.guard.overlap(now);
        if !self.election.guard.observe(name, lease.map(|lease| &lease.record), now) {
            return;
        }
        let overlap = self.election.guard.overlap(now);
        if overlap != before {
            tell_of(overlap.as_ref());
            self.tell_all(|| Input::Overlap(overlap.clone()));
        }
        self.clean_up();
    }

    fn done(&mut self, done: Done) {
        match done {
            Done::Told(bucket, input) => self.tell(bucket, input),
            Done::Listed(bucket, answer) => {
                let now = self.election.clock.moment();
                let guard = &mut self.election.guard;
                let before = guard.overlap(now);
                let answer = match answer {
                    LeaseAnswer::Ok(leases) => {
                        guard.observe_all(leases.iter().map(|(name, lease)| (name.as_str(), &lease.record)), now);
                        let overlap = guard.overlap(now);
                        if overlap != before {
                            tell_of(overlap.as_ref());
                        }
                        LeaseAnswer::Ok(overlap)
                    }
                    LeaseAnswer::Conflict => LeaseAnswer::Conflict,
                    LeaseAnswer::Error => LeaseAnswer::Error,
                };
                self.tell(bucket, Input::OverlapChecked(answer));
            }
            Done::Deleted(lease, answer) => {
                let now = self.election.clock.moment();
                self.election.clean_up.ended(&lease, &answer, now);
            }
        }
    }

    /// Passes an input to an elector, and performs its outputs. The other electors are told if that leaves room for them.
    fn tell(&mut self, bucket: usize, input: Input) {
        self.tell_one(bucket, input);
        while let Some((bucket, has_room)) = self.election.share.tell_next() {
            self.tell_one(bucket, Input::Room(has_room));
        }
    }

    fn tell_one(&mut self, bucket: usize, input: Input) {
        let now = self.election.clock.moment();
        let is_decided = matches!(input, Input::Promoted(_));
        let is_answer = matches!(input, Input::Read(_) | Input::Written(_) | Input::OverlapChecked(_));
        let outputs = self.election.buckets[bucket].elector.handle(input, now);
        for output in outputs {
            self.perform(bucket, output);
        }
        let overlap = self.election.guard.overlap(now);
        let of_bucket = &mut self.election.buckets[bucket];
        // Writes of a term that is over may still be under way when another replica takes the lease.
        if of_bucket.elector.state() == LeaseState::Losing
            && !of_bucket.elector.is_ours()
            && let Some(term) = &of_bucket.term
        {
            term.revoke();
        }
        self.election.share.note(bucket, of_bucket.elector.state());
        let is_undecided = matches!(of_bucket.elector.state(), LeaseState::Acquiring | LeaseState::Promoting);
        of_bucket.has_tried |= is_decided || is_answer && !is_undecided;
        let (name, state) = (Arc::clone(&of_bucket.name), of_bucket.state(overlap, now));
        self.election.state.send_if_modified(|all| {
            let is_new = all.buckets().find(|(known, _)| **known == name).is_none_or(|(_, known)| *known != state);
            if is_new {
                all.set(&name, state);
            }
            is_new
        });
    }

    fn perform(&mut self, bucket: usize, output: Output) {
        let name = Arc::clone(&self.election.buckets[bucket].name);
        let requests = self.election.requests.clone();
        match output {
            Output::Timer(at) => self.election.buckets[bucket].timer = Some(at),
            Output::Read { live: false } if self.election.leases.status().state == WatchState::Watching => {
                let lease = self.watched_lease(&name);
                self.push(async move { Done::Told(bucket, Input::Read(LeaseAnswer::Ok(lease))) });
            }
            Output::Read { .. } => self.push(async move { Done::Told(bucket, Input::Read(requests.read(&name).await)) }),
            Output::Create(write) => {
                self.push(async move { Done::Told(bucket, Input::Written(requests.create(&name, &write).await)) });
            }
            Output::Update(write, seen) | Output::Release(write, seen) => {
                self.push(async move { Done::Told(bucket, Input::Written(requests.update(&name, &write, &seen).await)) });
            }
            Output::CheckOverlap => self.push(async move { Done::Listed(bucket, requests.list().await) }),
            Output::Promote(term) => self.promote(bucket, term),
            Output::Activate(_) => {
                let Some(term) = self.election.buckets[bucket].term.clone() else { return };
                tracing::info!(bucket = %name, epoch = term.epoch(), "this replica leads the bucket");
                self.election.metrics.begins(&name);
                self.election.members.activate(&term);
                self.clean_up();
                // A replica that stops takes no more keys, so a term that has just begun ends at once.
                if self.is_stopping {
                    self.await_passes(bucket);
                }
            }
            Output::Renewed(term) => {
                if let Some(current) = &self.election.buckets[bucket].term
                    && !current.renew(term)
                {
                    self.push(async move { Done::Told(bucket, Input::TermEnded) });
                }
            }
            Output::CancelTerm => {
                if let Some(term) = &self.election.buckets[bucket].term {
                    tracing::info!(bucket = %name, epoch = term.epoch(), "this replica leads the bucket no longer");
                    if self.election.buckets[bucket].elector.is_ours() { term.end() } else { term.revoke() }
                }
                self.election.metrics.ends(&name);
                self.election.members.cancel(&name);
                self.await_passes(bucket);
            }
            Output::Demote => self.demote(bucket),
            Output::Released => tracing::debug!(bucket = %name, "the election of the bucket has ended"),
        }
    }

    fn watched_lease(&self, name: &str) -> Option<ObservedLease> {
        self.election.leases.find(self.election.requests.namespace(), name).map(|lease| ObservedLease::clone(&lease))
    }

    fn promote(&mut self, bucket: usize, term: Term) {
        let name = Arc::clone(&self.election.buckets[bucket].name);
        let term = match &self.election.buckets[bucket].term {
            // The hook is being tried again.
            Some(current) if current.epoch() == term.epoch && !current.is_over() => Arc::clone(current),
            _ => Arc::new(LeaderTerm::new(Arc::clone(&name), term, self.election.clock.clone())),
        };
        self.election.buckets[bucket].term = Some(Arc::clone(&term));
        let hooks = self.election.members.promote(&term);
        self.push(async move { Done::Told(bucket, Input::Promoted(hooks.await)) });
    }

    fn demote(&mut self, bucket: usize) {
        let Some(term) = self.election.buckets[bucket].term.clone() else {
            self.push(async move { Done::Told(bucket, Input::Demoted) });
            return;
        };
        let hooks = self.election.members.demote(&term);
        self.push(async move {
            hooks.await;
            Done::Told(bucket, Input::Demoted)
        });
    }

    /// Informs the elector when the passes and tasks of a bucket have ended.
    fn await_passes(&mut self, bucket: usize) {
        let drained = self.election.members.drained(&self.election.buckets[bucket].name);
        self.push(async move {
            drained.await;
            Done::Told(bucket, Input::Drained)
        });
    }

    fn push(&self, future: impl Future<Output = Done> + Send + 'static) {
        self.pending.push(Box::pin(future));
    }
}

/// Logs that buckets wait for a lease.
fn tell_of(overlap: Option<&Overlap>) {
    if let Some(overlap) = overlap {
        tracing::info!(lease = %overlap.lease, "buckets wait: replicas that divide the keys in another way hold this lease");
    }
}

/// Groups leases by the set to which they belong; different elections have different sets.
pub(super) fn grouped<T>(items: impl IntoIterator<Item = (LeaseSet, T)>) -> BTreeMap<Arc<str>, (LeaseSet, Vec<T>)> {
    let mut groups: BTreeMap<Arc<str>, (LeaseSet, Vec<T>)> = BTreeMap::new();
    for (set, item) in items {
        let Some(first) = set.names().first().cloned() else { continue };
        groups.entry(first).or_insert_with(|| (set, Vec::new())).1.push(item);
    }
    groups
}
