//! A world, and its virtual time.

use std::collections::BTreeMap;
use std::num::NonZeroU32;
use std::ops::Range;
use std::sync::Arc;
use std::time::Duration;

use kubewright_machinery::object::Key;

use super::event::WorldEvent;
use super::replica::Replica;
use crate::backoff::Rng;
use crate::hash::Buckets;
use crate::lease::*;

/// Milliseconds of real time.
pub(super) type Millis = u64;

pub(super) const SECOND: Millis = 1000;
/// The time at which the first replica stops in worlds without random decisions.
const STOP: Millis = 25 * SECOND;
const PREFIX: &str = "comp";
pub(super) const KEYS: usize = 12;
pub(super) const MOST_BUCKETS: u32 = 3;

/// The source of decisions. Option 0 is the undisturbed one.
pub(crate) trait Chance {
    fn pick(&mut self, options: u64) -> u64;
}

impl Chance for Rng {
    fn pick(&mut self, options: u64) -> u64 {
        self.next_u64() % options.max(1)
    }
}

/// The setup of a world.
#[derive(Clone, Debug)]
pub(crate) struct Setup {
    pub(crate) replicas: usize,
    /// The number of buckets of each replica at the start; none means different random numbers.
    pub(crate) buckets: Option<u32>,
    /// The numbers of the requests whose fate is chosen; all else is undisturbed, except that the first replica stops in between. With none, all
    /// decisions are random.
    pub(crate) fates: Option<Range<u64>>,
    /// True if overlapping leases are looked up before promotions. Otherwise a term is promoted at once.
    pub(crate) guarded: bool,
}

pub(crate) struct World<'c, C> {
    pub(super) chance: &'c mut C,
    pub(super) setup: Setup,
    /// The name of the run in messages of failures.
    pub(super) label: Arc<str>,
    pub(super) timing: LeaseTiming,
    pub(super) now: Millis,
    pub(super) events: BTreeMap<(Millis, u64), WorldEvent>,
    pub(super) sequence: u64,
    pub(super) leases: BTreeMap<Arc<str>, (ObservedLease, Millis)>,
    pub(super) version: u64,
    pub(super) replicas: Vec<Replica>,
    /// The owner of each key, for each number of buckets, less one.
    pub(super) owners: Vec<Vec<usize>>,
    pub(super) requests: u64,
    pub(super) is_calm: bool,
    /// True if all events are printed.
    pub(super) is_told: bool,
    /// The number of promotions, for tests that check that leaders were elected.
    pub(crate) promotions: u64,
    /// The number of leases that were cleaned up.
    pub(crate) deletions: u64,
}

impl<'c, C: Chance> World<'c, C> {
    pub(crate) fn new(chance: &'c mut C, setup: Setup, label: String) -> Self {
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

    /// Runs the replicas with disturbances for a while, then without any for a while, and checks all conditions throughout.
    pub(crate) fn run(&mut self, disturbed: Millis, calm: Millis) {
        for _ in 0..self.setup.replicas {
            self.start();
        }
        if self.setup.fates.is_none() {
            self.after(0, WorldEvent::Disturb);
        } else {
            self.after(STOP, WorldEvent::Stop(0));
        }
        self.run_until(disturbed);
        self.is_calm = true;
        for index in 0..self.replicas.len() {
            self.replicas[index].cut_until = self.now;
            self.after(0, WorldEvent::Reconnect(index));
        }
        if !self.replicas.iter().any(Replica::is_working) {
            self.start();
        }
        self.run_until(disturbed + calm);
        self.judge_the_end();
    }

    fn run_until(&mut self, end: Millis) {
        while let Some(entry) = self.events.first_entry().filter(|entry| entry.key().0 <= end) {
            let ((now, sequence), event) = entry.remove_entry();
            self.now = now;
            self.happen(event, sequence);
        }
        self.now = end;
    }

    pub(super) fn after(&mut self, delay: Millis, event: WorldEvent) {
        self.at(self.now + delay, event);
    }

    pub(super) fn at(&mut self, time: Millis, event: WorldEvent) {
        self.sequence += 1;
        self.events.insert((time, self.sequence), event);
    }

    /// Returns a random length of time.
    pub(super) fn some(&mut self, most: Millis) -> Millis {
        if self.setup.fates.is_some() { most.min(5) } else { self.chance.pick(most) }
    }

    fn happen(&mut self, event: WorldEvent, sequence: u64) {
        let replica = match &event {
            WorldEvent::Input(replica, ..)
            | WorldEvent::Timer(replica, ..)
            | WorldEvent::Send(replica, ..)
            | WorldEvent::Listed(replica, ..)
            | WorldEvent::Watched(replica, ..)
            | WorldEvent::Reconnect(replica) => Some(*replica),
            WorldEvent::Arrive(..) | WorldEvent::Delete(_) | WorldEvent::Stop(_) | WorldEvent::Disturb => None,
        };
        if let Some(index) = replica {
            let replica = &self.replicas[index];
            if replica.is_dead {
                return;
            }
            // A frozen process receives all events when it thaws, in order.
            if replica.frozen_until > self.now {
                self.events.insert((replica.frozen_until, sequence), event);
                return;
            }
        }
        match event {
            WorldEvent::Input(replica, bucket, input) => self.tell(replica, bucket, input),
            WorldEvent::Timer(replica, bucket, at) => {
                if self.replicas[replica].buckets[bucket].timer == Some(at) {
                    self.tell(replica, bucket, Input::Timer);
                    if bucket == 0 {
                        self.clean_up(replica);
                    }
                }
            }
            WorldEvent::Send(replica, bucket, request) => self.send(replica, bucket, request),
            WorldEvent::Arrive(replica, bucket, request, answered, pause) => {
                self.arrive(replica, bucket, request, answered, pause)
            }
            WorldEvent::Listed(replica, bucket, leases) => {
                let now = self.replicas[replica].local(self.now);
                let guard = &mut self.replicas[replica].guard;
                guard.observe_all(leases.iter().map(|(name, record)| (&**name, record)), now);
                let overlap = guard.overlap(now);
                self.tell(replica, bucket, Input::OverlapChecked(LeaseAnswer::Ok(overlap)));
                self.tell_overlap(replica);
            }
            WorldEvent::Watched(replica, name, lease) => self.watched(replica, &name, lease),
            WorldEvent::Delete(lease) => self.delete(&lease),
            WorldEvent::Reconnect(replica) => {
                if self.replicas[replica].cut_until <= self.now {
                    self.list(replica);
                }
            }
            WorldEvent::Stop(replica) => self.stop(replica),
            WorldEvent::Disturb => self.disturb(),
        }
    }
}

pub(super) fn set(buckets: u32) -> LeaseSet {
    LeaseSet::of_operator(PREFIX, NonZeroU32::new(buckets).unwrap(), &PrefixMap::default())
}

pub(super) fn labels(buckets: usize) -> [(String, String); 2] {
    lease_labels("example.com", PREFIX, buckets)
}

fn owners(buckets: u32) -> Vec<usize> {
    let names = set(buckets);
    let mut hash = Buckets::new(names.names().iter().cloned());
    let owner = |index| hash.owner(&Key::new("default", format!("key-{index}"))).unwrap();
    let owners: Vec<Arc<str>> = (0..KEYS).map(owner).collect();
    owners.iter().map(|owner| names.names().iter().position(|name| name == owner).unwrap()).collect()
}
