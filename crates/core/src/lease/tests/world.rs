//! Replicas of an operator over a lease server in memory, in virtual time, with everything that can go wrong.

use std::collections::BTreeMap;
use std::num::NonZeroU32;
use std::ops::Range;
use std::sync::Arc;
use std::time::Duration;

use kubewright_machinery::object::{Key, ObjectExt};
use serde_json::json;

use super::super::*;
use crate::backoff::Rng;
use crate::hash::Buckets;
use crate::time::{Moment, Timestamp};

/// Milliseconds of real time.
type Millis = u64;

const SECOND: Millis = 1000;
/// When the first replica stops in worlds without chance.
const STOP: Millis = 25 * SECOND;
const PREFIX: &str = "comp";
const KEYS: usize = 12;
const MOST_BUCKETS: u32 = 3;

/// Where decisions come from. Option 0 is the undisturbed one.
pub(super) trait Chance {
    fn pick(&mut self, options: u64) -> u64;
}

/// What becomes of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fate {
    Done,
    /// It never arrives; an error after the timeout.
    Lost,
    /// The server refuses it at once, for instance because it is overloaded.
    Refused,
    /// It is done, but the answer is lost.
    Unanswered,
    /// An error after the timeout; the server does it much later.
    Late,
    /// The replica freezes before it sends it.
    FrozenBefore,
    /// The replica freezes before it takes the answer.
    FrozenAfter,
}

const FATES: [Fate; 7] =
    [Fate::Done, Fate::Lost, Fate::Refused, Fate::Unanswered, Fate::Late, Fate::FrozenBefore, Fate::FrozenAfter];

#[derive(Clone, Debug)]
enum Request {
    Read,
    Create(LeaseWrite),
    Update(LeaseWrite, ObservedLease),
    Check,
}

#[derive(Debug)]
enum Event {
    Input(usize, usize, Input),
    Timer(usize, usize, Moment),
    Send(usize, usize, Request),
    /// `answered`: nobody waits for the answer otherwise.
    Arrive(usize, usize, Request, bool, Millis),
    Listed(usize, usize, Vec<(Arc<str>, LeaseRecord)>),
    Watched(usize, Arc<str>, Option<ObservedLease>),
    /// A deletion arrives at the server.
    Delete(UnusedLease),
    Reconnect(usize),
    Stop(usize),
    Disturb,
}

/// The hooks and passes of one bucket, to judge their order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Hooks {
    #[default]
    Idle,
    Promoting,
    PromotionFailed,
    Active,
    /// The term was cancelled while its promotion ran.
    Cancelled,
    Draining,
    Demoting,
}

struct Bucket {
    name: Arc<str>,
    elector: Elector,
    hooks: Hooks,
    /// The term from its promotion until it is cancelled.
    term: Option<Term>,
    has_request: bool,
    timer: Option<Moment>,
}

struct Replica {
    identity: Arc<str>,
    scheme: usize,
    buckets: Vec<Bucket>,
    guard: OverlapGuard,
    overlap: Option<Overlap>,
    cache: BTreeMap<Arc<str>, ObservedLease>,
    share: Share,
    /// How far the local clock is ahead of real time.
    offset: Millis,
    /// How far the wall clock is off, in seconds.
    skew: i64,
    frozen_until: Millis,
    cut_until: Millis,
    delivered: Millis,
    is_stopping: bool,
    is_dead: bool,
}

impl Replica {
    fn local(&self, now: Millis) -> Moment {
        Moment(Duration::from_millis(now + self.offset))
    }

    fn is_working(&self) -> bool {
        !self.is_dead && !self.is_stopping
    }
}

/// How a world is set up.
#[derive(Clone, Debug)]
pub(super) struct Setup {
    pub(super) replicas: usize,
    /// Buckets of each replica at the start; none means different numbers by chance.
    pub(super) buckets: Option<u32>,
    /// The numbers of the requests whose fate is chosen; everything else is undisturbed, but the first replica stops in between. With
    /// none, everything is by chance.
    pub(super) fates: Option<Range<u64>>,
    /// Whether overlapping leases are looked up before promotions. Otherwise a term is promoted at once.
    pub(super) guarded: bool,
}

pub(super) struct World<'c, C> {
    chance: &'c mut C,
    setup: Setup,
    /// What a failure is told with.
    label: Arc<str>,
    timing: LeaseTiming,
    now: Millis,
    events: BTreeMap<(Millis, u64), Event>,
    sequence: u64,
    leases: BTreeMap<Arc<str>, (ObservedLease, Millis)>,
    version: u64,
    replicas: Vec<Replica>,
    /// For each number of buckets, less one: the owner of each key.
    owners: Vec<Vec<usize>>,
    requests: u64,
    is_calm: bool,
    /// Whether everything is printed.
    is_told: bool,
    /// Promotions, for tests that want to see that something happened.
    pub(super) promotions: u64,
    /// Leases that were cleaned up.
    pub(super) deletions: u64,
}

fn set(buckets: u32) -> LeaseSet {
    LeaseSet::of_operator(PREFIX, NonZeroU32::new(buckets).unwrap(), &PrefixMap::default())
}

fn labels(buckets: usize) -> [(String, String); 2] {
    lease_labels("example.com", PREFIX, buckets)
}

fn owners(buckets: u32) -> Vec<usize> {
    let names = set(buckets);
    let mut hash = Buckets::new(names.names().iter().cloned());
    let owner = |index| hash.owner(&Key::new("default", format!("key-{index}"))).unwrap();
    let owners: Vec<Arc<str>> = (0..KEYS).map(owner).collect();
    owners.iter().map(|owner| names.names().iter().position(|name| name == owner).unwrap()).collect()
}

impl<'c, C: Chance> World<'c, C> {
    pub(super) fn new(chance: &'c mut C, setup: Setup, label: String) -> Self {
        let seconds = Duration::from_secs;
        let retry = if setup.fates.is_some() { 4 } else { [4, 2, 8][chance.pick(3) as usize] };
        let timing = LeaseTiming::new(seconds(15), seconds(10), seconds(retry)).unwrap();
        Self {
            chance,
            setup,
            label: label.into(),
            timing,
            now: 0,
            events: BTreeMap::new(),
            sequence: 0,
            leases: BTreeMap::new(),
            version: 0,
            replicas: Vec::new(),
            owners: (1..=MOST_BUCKETS).map(owners).collect(),
            requests: 0,
            is_calm: false,
            is_told: std::env::var_os("KUBEWRIGHT_LEASE_TOLD").is_some(),
            promotions: 0,
            deletions: 0,
        }
    }

    /// Disturbs the replicas for a while, then leaves them alone for a while, and judges all along.
    pub(super) fn run(&mut self, disturbed: Millis, calm: Millis) {
        for _ in 0..self.setup.replicas {
            self.start();
        }
        if self.setup.fates.is_none() {
            self.after(0, Event::Disturb);
        } else {
            self.after(STOP, Event::Stop(0));
        }
        self.run_until(disturbed);
        self.is_calm = true;
        for index in 0..self.replicas.len() {
            self.replicas[index].cut_until = self.now;
            self.after(0, Event::Reconnect(index));
        }
        if !self.replicas.iter().any(Replica::is_working) {
            self.start();
        }
        self.run_until(disturbed + calm);
        self.judge_the_end();
    }

    fn run_until(&mut self, end: Millis) {
        while let Some(entry) = self.events.first_entry().filter(|entry| entry.key().0 <= end) {
            let ((now, _), event) = entry.remove_entry();
            self.now = now;
            self.happen(event);
        }
        self.now = end;
    }

    fn after(&mut self, delay: Millis, event: Event) {
        self.at(self.now + delay, event);
    }

    fn at(&mut self, time: Millis, event: Event) {
        self.sequence += 1;
        self.events.insert((time, self.sequence), event);
    }

    /// A length of time by chance.
    fn some(&mut self, most: Millis) -> Millis {
        if self.setup.fates.is_some() { most.min(5) } else { self.chance.pick(most) }
    }

    fn start(&mut self) {
        let index = self.replicas.len();
        let buckets = self.setup.buckets.unwrap_or_else(|| 1 + self.chance.pick(u64::from(MOST_BUCKETS)) as u32);
        let replicas = Some(3).filter(|_| self.setup.fates.is_none() && self.chance.pick(4) == 3);
        let identity: Arc<str> = format!("replica-{index}").into();
        let set = set(buckets);
        let seeds = index as u64 * 100;
        let bucket = |(number, name): (usize, &Arc<str>)| Bucket {
            name: name.clone(),
            elector: Elector::new(identity.clone(), self.timing, self.setup.guarded, seeds + number as u64),
            hooks: Hooks::Idle,
            term: None,
            has_request: false,
            timer: None,
        };
        let buckets: Vec<Bucket> = set.names().iter().enumerate().map(bucket).collect();
        let (offset, skew) = (self.some(1000 * SECOND), self.some(4 * 3600) as i64 - 2 * 3600);
        self.replicas.push(Replica {
            scheme: buckets.len() - 1,
            guard: OverlapGuard::new(set, self.timing),
            overlap: None,
            cache: BTreeMap::new(),
            share: Share::new(buckets.len(), replicas),
            offset,
            skew,
            frozen_until: 0,
            cut_until: 0,
            delivered: 0,
            is_stopping: false,
            is_dead: false,
            identity,
            buckets,
        });
        self.list(index);
        for bucket in 0..self.replicas[index].buckets.len() {
            let delay = self.some(2 * SECOND);
            self.after(delay, Event::Input(index, bucket, Input::Start));
        }
    }

    /// The watch of a replica begins anew.
    fn list(&mut self, index: usize) {
        let leases: Vec<_> = self.leases.iter().map(|(name, (lease, _))| (name.clone(), lease.clone())).collect();
        let gone: Vec<Arc<str>> =
            self.replicas[index].cache.keys().filter(|name| !self.leases.contains_key(*name)).cloned().collect();
        let at = self.now.max(self.replicas[index].delivered);
        for (name, lease) in leases {
            self.at(at, Event::Watched(index, name, Some(lease)));
        }
        for name in gone {
            self.at(at, Event::Watched(index, name, None));
        }
    }

    fn happen(&mut self, event: Event) {
        let replica = match &event {
            Event::Input(replica, ..)
            | Event::Timer(replica, ..)
            | Event::Send(replica, ..)
            | Event::Listed(replica, ..)
            | Event::Watched(replica, ..)
            | Event::Reconnect(replica) => Some(*replica),
            Event::Arrive(..) | Event::Delete(_) | Event::Stop(_) | Event::Disturb => None,
        };
        if let Some(index) = replica {
            let replica = &self.replicas[index];
            if replica.is_dead {
                return;
            }
            // A frozen process finds everything when it thaws.
            if replica.frozen_until > self.now {
                self.at(replica.frozen_until, event);
                return;
            }
        }
        match event {
            Event::Input(replica, bucket, input) => self.tell(replica, bucket, input),
            Event::Timer(replica, bucket, at) => {
                if self.replicas[replica].buckets[bucket].timer == Some(at) {
                    self.tell(replica, bucket, Input::Timer);
                    if bucket == 0 {
                        self.clean_up(replica);
                    }
                }
            }
            Event::Send(replica, bucket, request) => self.send(replica, bucket, request),
            Event::Arrive(replica, bucket, request, answered, pause) => self.arrive(replica, bucket, request, answered, pause),
            Event::Listed(replica, bucket, leases) => {
                let now = self.replicas[replica].local(self.now);
                let guard = &mut self.replicas[replica].guard;
                guard.observe_all(leases.iter().map(|(name, record)| (&**name, record)), now);
                let overlap = guard.overlap(now);
                self.tell(replica, bucket, Input::OverlapChecked(Answer::Ok(overlap)));
                self.tell_overlap(replica);
            }
            Event::Watched(replica, name, lease) => self.watched(replica, &name, lease),
            Event::Delete(lease) => self.delete(&lease),
            Event::Reconnect(replica) => {
                if self.replicas[replica].cut_until <= self.now {
                    self.list(replica);
                }
            }
            Event::Stop(replica) => self.stop(replica),
            Event::Disturb => self.disturb(),
        }
    }

    fn watched(&mut self, index: usize, name: &Arc<str>, lease: Option<ObservedLease>) {
        let replica = &mut self.replicas[index];
        let now = replica.local(self.now);
        replica.guard.observe(name, lease.as_ref().map(|lease| &lease.record), now);
        match &lease {
            Some(lease) => drop(replica.cache.insert(name.clone(), lease.clone())),
            None => drop(replica.cache.remove(name)),
        }
        if let Some(bucket) = replica.buckets.iter().position(|bucket| bucket.name == *name) {
            self.tell(index, bucket, Input::Watched(lease));
        }
        self.tell_overlap(index);
    }

    fn tell_overlap(&mut self, index: usize) {
        let replica = &mut self.replicas[index];
        let overlap = replica.guard.overlap(replica.local(self.now));
        if replica.overlap != overlap {
            replica.overlap.clone_from(&overlap);
            for bucket in 0..replica.buckets.len() {
                self.tell(index, bucket, Input::Overlap(overlap.clone()));
            }
        }
    }

    fn tell(&mut self, index: usize, number: usize, input: Input) {
        let replica = &mut self.replicas[index];
        let now = replica.local(self.now);
        let bucket = &mut replica.buckets[number];
        if matches!(input, Input::Read(_) | Input::Written(_) | Input::OverlapChecked(_)) {
            bucket.has_request = false;
        }
        match (&input, bucket.hooks) {
            (Input::Promoted(false), Hooks::Promoting) => bucket.hooks = Hooks::PromotionFailed,
            (Input::Promoted(false), Hooks::Cancelled) => bucket.hooks = Hooks::Idle,
            (Input::Demoted, Hooks::Demoting) => bucket.hooks = Hooks::Idle,
            _ => {}
        }
        let (promoted, stops) = (matches!(input, Input::Promoted(true)), input == Input::Shutdown);
        let shown = self.is_told.then(|| format!("{:?} {input:?}", bucket.elector.state()));
        let outputs = bucket.elector.handle(input, now);
        if let Some(shown) = shown {
            eprintln!("{} ms, replica {index} bucket {number}: {shown} -> {outputs:?}", self.now);
        }
        for output in outputs {
            self.take(index, number, output, promoted);
        }
        if stops {
            let passes = self.some(20 * SECOND);
            self.after(passes, Event::Input(index, number, Input::Drained));
        }
        let replica = &mut self.replicas[index];
        replica.share.note(number, replica.buckets[number].elector.state());
        while let Some((bucket, has_room)) = self.replicas[index].share.next() {
            self.tell(index, bucket, Input::Room(has_room));
        }
    }

    /// Does what an elector asks for, and judges that it may.
    fn take(&mut self, index: usize, number: usize, output: Output, promoted: bool) {
        let (label, now) = (self.label.clone(), self.now);
        let bucket = &mut self.replicas[index].buckets[number];
        let hooks = bucket.hooks;
        let place = || format!("{label}: replica {index} bucket {number} at {now} ms: {output:?} while {hooks:?}");
        let request = match &output {
            Output::Read { live: false } => {
                // Out of the cache of the watch, as old as that may be.
                let name = bucket.name.clone();
                let lease = self.replicas[index].cache.get(&name).cloned();
                return self.after(0, Event::Input(index, number, Input::Read(Answer::Ok(lease))));
            }
            Output::Read { .. } => Some(Request::Read),
            Output::Create(write) => Some(Request::Create(write.clone())),
            Output::Update(write, over) | Output::Release(write, over) => Some(Request::Update(write.clone(), over.clone())),
            Output::CheckOverlap => Some(Request::Check),
            _ => None,
        };
        if let Some(request) = request {
            assert!(!bucket.has_request, "two requests at once: {}", place());
            bucket.has_request = true;
            let delay = self.some(20);
            return self.after(delay, Event::Send(index, number, request));
        }
        match &output {
            Output::Promote(term) => {
                assert!(matches!(hooks, Hooks::Idle | Hooks::PromotionFailed), "not in order: {}", place());
                bucket.hooks = Hooks::Promoting;
                bucket.term = Some(*term);
                self.promotions += 1;
                self.judge(index, number, &place);
                let succeeds = self.is_calm || self.setup.fates.is_some() || self.chance.pick(4) != 3;
                let delay = self.some(12 * SECOND);
                self.after(delay, Event::Input(index, number, Input::Promoted(succeeds)));
            }
            Output::Activate(term) => {
                assert!(promoted && hooks == Hooks::Promoting, "not in order: {}", place());
                bucket.hooks = Hooks::Active;
                bucket.term = Some(*term);
                self.judge(index, number, &place);
            }
            Output::Renewed(term) => {
                if let Some(before) = bucket.term.replace(*term) {
                    assert!(before.epoch == term.epoch && before.valid_until <= term.valid_until, "shorter: {}", place());
                } else {
                    // Renewed while overlapping leases were looked up, or while the demotion hook runs.
                    assert!(matches!(hooks, Hooks::Idle | Hooks::Demoting), "not in order: {}", place());
                    bucket.term = None;
                    return;
                }
                self.judge(index, number, &place);
            }
            Output::CancelTerm => {
                assert!(bucket.term.take().is_some(), "no term: {}", place());
                bucket.hooks = match hooks {
                    Hooks::Promoting if promoted => Hooks::Draining,
                    Hooks::Promoting => Hooks::Cancelled,
                    Hooks::PromotionFailed => Hooks::Idle,
                    Hooks::Active => Hooks::Draining,
                    Hooks::Idle | Hooks::Cancelled | Hooks::Draining | Hooks::Demoting => panic!("not in order: {}", place()),
                };
                if bucket.hooks == Hooks::Draining {
                    let delay = self.some(5 * SECOND);
                    self.after(delay, Event::Input(index, number, Input::Drained));
                }
            }
            Output::Demote => {
                let is_due = hooks == Hooks::Draining || promoted && hooks == Hooks::Cancelled;
                assert!(is_due, "not in order: {}", place());
                bucket.hooks = Hooks::Demoting;
                let delay = self.some(5 * SECOND);
                self.after(delay, Event::Input(index, number, Input::Demoted));
            }
            Output::Timer(at) => {
                bucket.timer = Some(*at);
                let due = (at.0.as_millis() as Millis + 1).saturating_sub(self.replicas[index].offset);
                self.at(due.max(self.now), Event::Timer(index, number, *at));
            }
            Output::Released => assert!(hooks == Hooks::Idle, "not in order: {}", place()),
            _ => {}
        }
    }

    /// No key has two holders: no other replica holds one of the keys of this bucket in a term that is not over.
    fn judge(&self, index: usize, number: usize, place: &dyn Fn() -> String) {
        for (other_index, other) in self.replicas.iter().enumerate().filter(|(other, _)| *other != index) {
            let now = other.local(self.now);
            let holds = |bucket: &Bucket| bucket.term.is_some_and(|term| now < term.safe_until);
            if other.is_dead {
                continue;
            }
            for key in 0..KEYS {
                let theirs = self.owners[other.scheme][key];
                let is_shared = self.owners[self.replicas[index].scheme][key] == number && holds(&other.buckets[theirs]);
                assert!(!is_shared, "two holders of key {key}: {}, and replica {other_index} bucket {theirs}", place());
            }
        }
    }

    fn judge_the_end(&self) {
        for key in 0..KEYS {
            let mut holders = Vec::new();
            for replica in self.replicas.iter().filter(|replica| replica.is_working()) {
                let bucket = &replica.buckets[self.owners[replica.scheme][key]];
                let is_valid = bucket.term.is_some_and(|term| replica.local(self.now) < term.valid_until);
                if bucket.hooks == Hooks::Active && is_valid {
                    holders.push(&replica.identity);
                }
            }
            let states = self.replicas.iter().filter(|replica| replica.is_working()).map(|replica| {
                let states: Vec<_> = replica.buckets.iter().map(|bucket| bucket.elector.state()).collect();
                format!("{} {states:?}", replica.identity)
            });
            assert_eq!(holders.len(), 1, "{}: holders {holders:?} of key {key} of {:?}", self.label, states.collect::<Vec<_>>());
        }
    }

    fn fate(&mut self) -> Fate {
        self.requests += 1;
        match &self.setup.fates {
            _ if self.is_calm => Fate::Done,
            Some(chosen) if chosen.contains(&self.requests) => FATES[self.chance.pick(FATES.len() as u64) as usize],
            Some(_) => Fate::Done,
            None if self.chance.pick(8) < 7 => Fate::Done,
            // Freezing has a disturbance of its own there.
            None => FATES[1 + self.chance.pick(4) as usize],
        }
    }

    fn send(&mut self, index: usize, number: usize, request: Request) {
        let is_cut = self.replicas[index].cut_until > self.now;
        let timeout = self.timing.retry_period().as_millis() as Millis;
        let (there, back) = (1 + self.some(300), 1 + self.some(300));
        let error = match request {
            Request::Read => Input::Read(Answer::Error),
            Request::Create(_) | Request::Update(..) => Input::Written(Answer::Error),
            Request::Check => Input::OverlapChecked(Answer::Error),
        };
        let fate = if is_cut { Fate::Lost } else { self.fate() };
        match fate {
            Fate::Done => self.after(there, Event::Arrive(index, number, request, true, back)),
            Fate::Lost => self.after(timeout, Event::Input(index, number, error)),
            Fate::Refused => self.after(there + back, Event::Input(index, number, error)),
            Fate::Unanswered => {
                self.after(there, Event::Arrive(index, number, request, false, 0));
                self.after(timeout, Event::Input(index, number, error));
            }
            Fate::Late => {
                let late = if self.setup.fates.is_some() { 13 * SECOND } else { self.some(40 * SECOND) };
                self.after(timeout + late, Event::Arrive(index, number, request, false, 0));
                self.after(timeout, Event::Input(index, number, error));
            }
            Fate::FrozenBefore => {
                self.replicas[index].frozen_until = self.now + 18 * SECOND;
                self.after(0, Event::Send(index, number, request));
            }
            Fate::FrozenAfter => {
                self.after(there, Event::Arrive(index, number, request, true, back));
                self.replicas[index].frozen_until = self.now + 18 * SECOND;
            }
        }
    }

    fn arrive(&mut self, index: usize, number: usize, request: Request, answered: bool, back: Millis) {
        let name = self.replicas[index].buckets[number].name.clone();
        let wall = Timestamp::from_millisecond(self.now as i64 + 1000 * (1_000_000 + self.replicas[index].skew)).unwrap();
        let stored = self.leases.get(&name).map(|(lease, _)| lease.clone());
        let answer = match request {
            Request::Read => Input::Read(Answer::Ok(stored)),
            Request::Create(write) => Input::Written(match stored {
                Some(_) => Answer::Conflict,
                None => Answer::Ok(self.store(index, &name, write.record(wall))),
            }),
            Request::Update(write, over) => Input::Written(match stored {
                Some(stored) if stored.resource_version == over.resource_version => {
                    Answer::Ok(self.store(index, &name, write.record(wall)))
                }
                _ => Answer::Conflict,
            }),
            Request::Check => {
                let leases = self.leases.iter().map(|(name, (lease, _))| (name.clone(), lease.record.clone())).collect();
                if answered {
                    self.after(back, Event::Listed(index, number, leases));
                }
                return;
            }
        };
        if answered {
            self.after(back, Event::Input(index, number, answer));
        }
    }

    fn store(&mut self, index: usize, name: &Arc<str>, record: LeaseRecord) -> ObservedLease {
        self.version += 1;
        let object = match self.leases.get(name) {
            Some((lease, _)) => lease.object.clone(),
            None => {
                let labels: BTreeMap<_, _> = labels(self.replicas[index].buckets.len()).into();
                Arc::new(json!({ "metadata": { "name": name, "uid": self.version.to_string(), "labels": labels } }))
            }
        };
        let lease = ObservedLease { record, resource_version: self.version.to_string().into(), object };
        self.leases.insert(name.clone(), (lease.clone(), self.now));
        self.spread(name, Some(&lease));
        lease
    }

    /// Watches deliver in order, each with a delay of its own; those that are cut off list again later.
    fn spread(&mut self, name: &Arc<str>, lease: Option<&ObservedLease>) {
        for index in 0..self.replicas.len() {
            let replica = &self.replicas[index];
            if replica.is_dead || replica.cut_until > self.now {
                continue;
            }
            let delivered = replica.delivered;
            let delay = self.some(800);
            let at = (self.now + 1 + delay).max(delivered);
            self.replicas[index].delivered = at;
            self.at(at, Event::Watched(index, name.clone(), lease.cloned()));
        }
    }

    fn disturb(&mut self) {
        if self.is_calm {
            return;
        }
        let next = self.some(8 * SECOND);
        self.after(next, Event::Disturb);
        let working: Vec<usize> = (0..self.replicas.len()).filter(|index| self.replicas[*index].is_working()).collect();
        let kind = self.chance.pick(10);
        if working.is_empty() || kind == 9 && working.len() < 3 {
            return self.start();
        }
        let index = working[self.chance.pick(working.len() as u64) as usize];
        match kind {
            0..=2 => self.replicas[index].frozen_until = self.now + self.chance.pick(40 * SECOND),
            3..=5 => {
                let cut = self.chance.pick(40 * SECOND);
                self.replicas[index].cut_until = self.now + cut;
                self.after(cut, Event::Reconnect(index));
            }
            6 => self.stop(index),
            7 => self.replicas[index].is_dead = true,
            _ => self.forget(),
        }
    }

    fn stop(&mut self, index: usize) {
        self.replicas[index].is_stopping = true;
        for number in 0..self.replicas[index].buckets.len() {
            self.after(0, Event::Input(index, number, Input::Shutdown));
        }
    }

    /// The leader of the first bucket deletes leases of other numbers of buckets (LDR-34); the requests arrive some time.
    fn clean_up(&mut self, index: usize) {
        let replica = &self.replicas[index];
        if replica.buckets[0].hooks != Hooks::Active || replica.cut_until > self.now {
            return;
        }
        let labels = labels(replica.buckets.len());
        let found = CleanUp::judge(&replica.guard, replica.cache.values(), &labels, replica.local(self.now));
        for lease in found.delete {
            let delay = self.some(40 * SECOND);
            self.after(delay, Event::Delete(lease));
        }
    }

    /// Deletes a lease that still is what the replica saw, and judges that no replica may hold it.
    fn delete(&mut self, unused: &UnusedLease) {
        let Some((lease, written)) = self.leases.get(&unused.name) else { return };
        if lease.resource_version != unused.resource_version || lease.object.uid() != &*unused.uid {
            return;
        }
        let held = self.timing.lease_duration().as_millis() as Millis;
        let is_unused = lease.record.is_free() || written + held < self.now;
        assert!(is_unused, "{}: {} is deleted at {} ms, written at {written} ms", self.label, unused.name, self.now);
        self.leases.remove(&unused.name);
        self.deletions += 1;
        self.spread(&unused.name, None);
    }

    /// Somebody deletes all leases that were not written for long, whatever number of buckets they belong to.
    fn forget(&mut self) {
        let age = 2 * self.timing.lease_duration().as_millis() as Millis;
        let old: Vec<Arc<str>> =
            self.leases.iter().filter(|(_, (_, written))| written + age < self.now).map(|(name, _)| name.clone()).collect();
        for name in old {
            self.leases.remove(&name);
            self.spread(&name, None);
        }
    }
}

impl Chance for Rng {
    fn pick(&mut self, options: u64) -> u64 {
        self.next_u64() % options.max(1)
    }
}
