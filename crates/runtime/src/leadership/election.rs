//! One election: the leases of one lease set, the controllers whose keys are divided among them, and the tasks that belong to one of them.

use std::collections::{BTreeMap, BTreeSet};
use std::future::pending;
use std::sync::Arc;

use futures::StreamExt as _;
use futures::future::{BoxFuture, Future, join_all};
use futures::stream::FuturesUnordered;
use kubewright_core::flow::BoxError;
use kubewright_core::lease::{
    CleanUp, Elector, Input, LeaseAnswer, LeaseSet, LeaseState, ObservedLease, Output, OverlapGuard, Share, Term,
};
use kubewright_core::time::Moment;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use super::member::BucketMember;
use super::metrics::LeadershipMetrics;
use super::requests::LeaseRequests;
use super::{BucketState, LeadershipState};
use crate::clock::Clock;
use crate::controller::{ControllerBuckets, LeaderTerm};
use crate::task::Tasks;
use crate::watch::{Change, ProjectedStore, WatchState};

/// Something that has ended, and what it came to.
enum Done {
    /// What an elector is told.
    Told(usize, Input),
    /// The leases of the namespace were listed for an elector.
    Listed(usize, LeaseAnswer<Vec<(String, ObservedLease)>>),
    /// A lease that no replica uses any more was deleted, or is in use again.
    Deleted(Arc<str>),
}

/// An election of one replica.
pub(super) struct Election {
    pub(super) requests: LeaseRequests,
    pub(super) clock: Clock,
    pub(super) tasks: Tasks,
    pub(super) members: Vec<BucketMember>,
    pub(super) guard: OverlapGuard,
    pub(super) leases: ProjectedStore<ObservedLease>,
    pub(super) state: watch::Sender<LeadershipState>,
    pub(super) metrics: LeadershipMetrics,
    /// The labels of the leases.
    pub(super) labels: [(String, String); 2],
    pub(super) share: Share,
    pub(super) buckets: Vec<ElectedBucket>,
}

/// A bucket of an election.
pub(super) struct ElectedBucket {
    name: Arc<str>,
    elector: Elector,
    timer: Option<Moment>,
    /// The term that was told to controllers last.
    term: Option<Arc<LeaderTerm>>,
    has_tried: bool,
}

impl ElectedBucket {
    pub(super) fn new(name: Arc<str>, elector: Elector) -> Self {
        Self { name, elector, timer: None, term: None, has_tried: false }
    }

    fn state(&self, now: Moment) -> BucketState {
        BucketState {
            state: self.elector.state(),
            epoch: self.elector.term(now).map(|term| term.epoch),
            holder: self.elector.lease().map(|lease| Arc::clone(&lease.record.holder)).unwrap_or_default(),
            has_tried: self.has_tried,
        }
    }
}

impl Election {
    /// Campaigns until `stop`, then releases the leases as soon as the passes and tasks of their buckets have ended.
    pub(super) async fn run(self, stop: CancellationToken) {
        let mut changes = self.leases.changes();
        for bucket in &self.buckets {
            self.metrics.competes(&bucket.name);
        }
        let mut running = RunningElection {
            election: self,
            pending: FuturesUnordered::new(),
            is_stopping: false,
            clean_up_again: None,
            deleting: BTreeSet::new(),
        };
        running.tell_all(|| Input::Start);
        while !running.is_released() {
            let timers = running.election.buckets.iter().map(|bucket| bucket.timer);
            let due = timers.chain([running.clean_up_again]).flatten().min();
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
    /// Requests, hooks and waits that are under way.
    pending: FuturesUnordered<BoxFuture<'static, Done>>,
    is_stopping: bool,
    /// When leases may have become unused.
    clean_up_again: Option<Moment>,
    /// Unused leases whose deletion is under way.
    deleting: BTreeSet<Arc<str>>,
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
        if self.clean_up_again.is_some_and(|due| due <= now) {
            self.clean_up();
        }
    }

    /// Deletes leases of a former number of buckets that no replica uses any more, if this replica leads the first bucket (LDR-34).
    fn clean_up(&mut self) {
        self.clean_up_again = None;
        let is_leading = self.election.buckets.first().is_some_and(|first| first.elector.state() == LeaseState::Leading);
        if !is_leading || self.is_stopping {
            return;
        }
        let leases: Vec<Arc<ObservedLease>> = self.election.leases.list().into_iter().map(|(_, lease)| lease).collect();
        let now = self.election.clock.moment();
        let clean_up = CleanUp::judge(&self.election.guard, leases.iter().map(|lease| &**lease), &self.election.labels, now);
        self.clean_up_again = clean_up.again;
        for lease in clean_up.delete {
            if self.deleting.insert(Arc::clone(&lease.name)) {
                let requests = self.election.requests.clone();
                self.push(async move {
                    requests.delete(&lease).await;
                    Done::Deleted(lease.name)
                });
            }
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
        self.election.guard.observe(name, lease.map(|lease| &lease.record), now);
        let overlap = self.election.guard.overlap(now);
        if overlap != before {
            if let Some(overlap) = &overlap {
                tracing::info!(lease = %overlap.lease, "buckets wait: replicas with another number of buckets hold this lease");
            }
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
                let answer = match answer {
                    LeaseAnswer::Ok(leases) => {
                        guard.observe_all(leases.iter().map(|(name, lease)| (name.as_str(), &lease.record)), now);
                        LeaseAnswer::Ok(guard.overlap(now))
                    }
                    LeaseAnswer::Conflict => LeaseAnswer::Conflict,
                    LeaseAnswer::Error => LeaseAnswer::Error,
                };
                self.tell(bucket, Input::OverlapChecked(answer));
            }
            Done::Deleted(lease) => _ = self.deleting.remove(&lease),
        }
    }

    /// Tells an elector what happened, and does what it asks for. Others hear of what that leaves to them.
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
        let of_bucket = &mut self.election.buckets[bucket];
        self.election.share.note(bucket, of_bucket.elector.state());
        let is_undecided = matches!(of_bucket.elector.state(), LeaseState::Acquiring | LeaseState::Promoting);
        of_bucket.has_tried |= is_decided || is_answer && !is_undecided;
        let (name, state) = (Arc::clone(&of_bucket.name), of_bucket.state(now));
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
                for member in &self.election.members {
                    member.activate(Arc::clone(&term));
                }
                self.clean_up();
                // A replica that stops takes no more keys: what it has just activated ends at once.
                if self.is_stopping {
                    self.await_passes(bucket);
                }
            }
            Output::Renewed(term) => {
                if let Some(current) = &self.election.buckets[bucket].term {
                    current.renew(term);
                }
            }
            Output::CancelTerm => {
                if let Some(term) = &self.election.buckets[bucket].term {
                    tracing::info!(bucket = %name, epoch = term.epoch(), "this replica leads the bucket no longer");
                    if self.election.buckets[bucket].elector.is_ours() { term.end() } else { term.revoke() }
                }
                self.election.metrics.ends(&name);
                for member in &self.election.members {
                    member.cancel(&name);
                }
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
            // The hook is tried again.
            Some(current) if current.epoch() == term.epoch && !current.is_over() => Arc::clone(current),
            _ => Arc::new(LeaderTerm::new(Arc::clone(&name), term, self.election.clock.clone())),
        };
        self.election.buckets[bucket].term = Some(Arc::clone(&term));
        let hooks = self.hooks(format!("promotion of {name}"), move |member| {
            let term = Arc::clone(&term);
            Box::pin(async move { member.prepare(&term).await })
        });
        self.push(async move { Done::Told(bucket, Input::Promoted(hooks.await)) });
    }

    fn demote(&mut self, bucket: usize) {
        let name = &self.election.buckets[bucket].name;
        let Some(term) = self.election.buckets[bucket].term.clone() else {
            self.push(async move { Done::Told(bucket, Input::Demoted) });
            return;
        };
        let hooks = self.hooks(format!("demotion of {name}"), move |member| {
            let term = Arc::clone(&term);
            Box::pin(async move { member.demote(&term).await })
        });
        self.push(async move {
            hooks.await;
            Done::Told(bucket, Input::Demoted)
        });
    }

    /// Runs a hook of all controllers, on a task of its own each: code of the operator's author must not hold up renewals. Returns whether all
    /// succeeded.
    fn hooks<H>(&self, what: String, hook: H) -> impl Future<Output = bool> + Send + use<H>
    where
        H: Fn(ControllerBuckets) -> BoxFuture<'static, Result<(), BoxError>>,
    {
        let running: Vec<_> = self
            .election
            .members
            .iter()
            .filter_map(BucketMember::controller)
            .map(|member| {
                let running = self.election.tasks.spawn(format!("{what} for {}", member.controller()), hook(member.clone()));
                (member.controller().to_owned(), running)
            })
            .collect();
        async move {
            let ended = join_all(running.into_iter().map(async |(controller, running)| (controller, running.await))).await;
            let mut all = true;
            for (controller, ended) in ended {
                let error: BoxError = match ended {
                    Ok(Ok(())) => continue,
                    Ok(Err(error)) => error,
                    Err(panic) => panic.into(),
                };
                tracing::error!(controller, %error, "the {what} failed");
                all = false;
            }
            all
        }
    }

    /// Tells the elector when the passes and tasks of a bucket have ended.
    fn await_passes(&mut self, bucket: usize) {
        let name = Arc::clone(&self.election.buckets[bucket].name);
        let members = self.election.members.clone();
        self.push(async move {
            join_all(members.iter().map(|member| member.drained(&name))).await;
            Done::Told(bucket, Input::Drained)
        });
    }

    fn push(&self, future: impl Future<Output = Done> + Send + 'static) {
        self.pending.push(Box::pin(future));
    }
}

/// The leases of an operator by the set that they belong to: elections have distinct sets.
pub(super) fn grouped<T>(items: impl IntoIterator<Item = (LeaseSet, T)>) -> BTreeMap<Arc<str>, (LeaseSet, Vec<T>)> {
    let mut groups: BTreeMap<Arc<str>, (LeaseSet, Vec<T>)> = BTreeMap::new();
    for (set, item) in items {
        let Some(first) = set.names().first().cloned() else { continue };
        groups.entry(first).or_insert_with(|| (set, Vec::new())).1.push(item);
    }
    groups
}
