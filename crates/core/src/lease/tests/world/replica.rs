//! The replicas: electors, their hooks and passes, and their view of the leases.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use super::event::{Request, WorldEvent};
use super::state::{Chance, MOST_BUCKETS, Millis, SECOND, World, set};
use crate::lease::*;
use crate::time::Moment;

/// The state of the hooks and passes of one bucket, to check their order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum HookMood {
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

pub(super) struct WorldBucket {
    pub(super) name: Arc<str>,
    pub(super) elector: Elector,
    pub(super) hooks: HookMood,
    /// The term from its promotion until it is cancelled.
    pub(super) term: Option<Term>,
    pub(super) has_request: bool,
    pub(super) timer: Option<Moment>,
}

pub(super) struct Replica {
    pub(super) identity: Arc<str>,
    pub(super) scheme: usize,
    pub(super) buckets: Vec<WorldBucket>,
    pub(super) guard: OverlapGuard,
    pub(super) overlap: Option<Overlap>,
    pub(super) cache: BTreeMap<Arc<str>, ObservedLease>,
    pub(super) share: Share,
    /// The time by which the local clock is ahead of real time.
    pub(super) offset: Millis,
    /// The error of the wall clock, in seconds.
    pub(super) skew: i64,
    pub(super) frozen_until: Millis,
    pub(super) cut_until: Millis,
    pub(super) delivered: Millis,
    pub(super) is_stopping: bool,
    pub(super) is_dead: bool,
}

impl Replica {
    pub(super) fn local(&self, now: Millis) -> Moment {
        Moment(Duration::from_millis(now + self.offset))
    }

    /// Freezes the replica until this time, or until it thaws from an earlier freeze.
    pub(super) fn freeze(&mut self, until: Millis) {
        self.frozen_until = self.frozen_until.max(until);
    }

    pub(super) fn is_working(&self) -> bool {
        !self.is_dead && !self.is_stopping
    }
}

impl<C: Chance> World<'_, C> {
    pub(super) fn start(&mut self) {
        let index = self.replicas.len();
        let buckets = self.setup.buckets.unwrap_or_else(|| 1 + self.chance.pick(u64::from(MOST_BUCKETS)) as u32);
        let replicas = Some(3).filter(|_| self.setup.fates.is_none() && self.chance.pick(4) == 3);
        let identity: Arc<str> = format!("replica-{index}").into();
        let set = set(buckets);
        let seeds = index as u64 * 100;
        let bucket = |(number, name): (usize, &Arc<str>)| WorldBucket {
            name: name.clone(),
            elector: Elector::new(identity.clone(), self.timing, self.setup.guarded, seeds + number as u64),
            hooks: HookMood::Idle,
            term: None,
            has_request: false,
            timer: None,
        };
        let buckets: Vec<WorldBucket> = set.names().iter().enumerate().map(bucket).collect();
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
            self.after(delay, WorldEvent::Input(index, bucket, Input::Start));
        }
    }

    /// Restarts the watch of a replica.
    pub(super) fn list(&mut self, index: usize) {
        let leases: Vec<_> = self.leases.iter().map(|(name, (lease, _))| (name.clone(), lease.clone())).collect();
        let gone: Vec<Arc<str>> =
            self.replicas[index].cache.keys().filter(|name| !self.leases.contains_key(*name)).cloned().collect();
        let at = self.now.max(self.replicas[index].delivered);
        for (name, lease) in leases {
            self.at(at, WorldEvent::Watched(index, name, Some(lease)));
        }
        for name in gone {
            self.at(at, WorldEvent::Watched(index, name, None));
        }
    }

    pub(super) fn watched(&mut self, index: usize, name: &Arc<str>, lease: Option<ObservedLease>) {
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

    pub(super) fn tell_overlap(&mut self, index: usize) {
        let replica = &mut self.replicas[index];
        let overlap = replica.guard.overlap(replica.local(self.now));
        if replica.overlap != overlap {
            replica.overlap.clone_from(&overlap);
            for bucket in 0..replica.buckets.len() {
                self.tell(index, bucket, Input::Overlap(overlap.clone()));
            }
        }
    }

    pub(super) fn tell(&mut self, index: usize, number: usize, input: Input) {
        let replica = &mut self.replicas[index];
        let now = replica.local(self.now);
        let bucket = &mut replica.buckets[number];
        if matches!(input, Input::Read(_) | Input::Written(_) | Input::OverlapChecked(_)) {
            bucket.has_request = false;
        }
        match (&input, bucket.hooks) {
            (Input::Promoted(false), HookMood::Promoting) => bucket.hooks = HookMood::PromotionFailed,
            (Input::Promoted(false), HookMood::Cancelled) => bucket.hooks = HookMood::Idle,
            (Input::Demoted, HookMood::Demoting) => bucket.hooks = HookMood::Idle,
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
            self.after(passes, WorldEvent::Input(index, number, Input::Drained));
        }
        let replica = &mut self.replicas[index];
        replica.share.note(number, replica.buckets[number].elector.state());
        while let Some((bucket, has_room)) = self.replicas[index].share.tell_next() {
            self.tell(index, bucket, Input::Room(has_room));
        }
    }

    /// Executes an output of an elector, and checks that it is allowed.
    pub(super) fn take(&mut self, index: usize, number: usize, output: Output, promoted: bool) {
        let (label, now) = (self.label.clone(), self.now);
        let bucket = &mut self.replicas[index].buckets[number];
        let hooks = bucket.hooks;
        let context = || format!("{label}: replica {index} bucket {number} at {now} ms: {output:?} while {hooks:?}");
        let request = match &output {
            Output::Read { live: false } => {
                // The read is answered from the cache of the watch, however old that is.
                let name = bucket.name.clone();
                let lease = self.replicas[index].cache.get(&name).cloned();
                return self.after(0, WorldEvent::Input(index, number, Input::Read(LeaseAnswer::Ok(lease))));
            }
            Output::Read { .. } => Some(Request::Read),
            Output::Create(write) => Some(Request::Create(write.clone())),
            Output::Update(write, over) | Output::Release(write, over) => Some(Request::Update(write.clone(), over.clone())),
            Output::CheckOverlap => Some(Request::Check),
            _ => None,
        };
        if let Some(request) = request {
            assert!(!bucket.has_request, "two requests at once: {}", context());
            bucket.has_request = true;
            let delay = self.some(20);
            return self.after(delay, WorldEvent::Send(index, number, request));
        }
        match &output {
            Output::Promote(term) => {
                assert!(matches!(hooks, HookMood::Idle | HookMood::PromotionFailed), "not in order: {}", context());
                bucket.hooks = HookMood::Promoting;
                bucket.term = Some(*term);
                self.promotions += 1;
                self.judge(index, number, &context);
                let succeeds = self.is_calm || self.setup.fates.is_some() || self.chance.pick(4) != 3;
                let delay = self.some(12 * SECOND);
                self.after(delay, WorldEvent::Input(index, number, Input::Promoted(succeeds)));
            }
            Output::Activate(term) => {
                assert!(promoted && hooks == HookMood::Promoting, "not in order: {}", context());
                bucket.hooks = HookMood::Active;
                bucket.term = Some(*term);
                self.judge(index, number, &context);
            }
            Output::Renewed(term) => {
                if let Some(before) = bucket.term.replace(*term) {
                    assert!(before.epoch == term.epoch && before.valid_until <= term.valid_until, "shorter: {}", context());
                } else {
                    // The term was renewed while overlapping leases were looked up, or while the demotion hook runs.
                    assert!(matches!(hooks, HookMood::Idle | HookMood::Demoting), "not in order: {}", context());
                    bucket.term = None;
                    return;
                }
                self.judge(index, number, &context);
            }
            Output::CancelTerm => {
                assert!(bucket.term.take().is_some(), "no term: {}", context());
                bucket.hooks = match hooks {
                    HookMood::Promoting if promoted => HookMood::Draining,
                    HookMood::Promoting => HookMood::Cancelled,
                    HookMood::PromotionFailed => HookMood::Idle,
                    HookMood::Active => HookMood::Draining,
                    HookMood::Idle | HookMood::Cancelled | HookMood::Draining | HookMood::Demoting => {
                        panic!("not in order: {}", context())
                    }
                };
                if bucket.hooks == HookMood::Draining {
                    let delay = self.some(5 * SECOND);
                    self.after(delay, WorldEvent::Input(index, number, Input::Drained));
                }
            }
            Output::Demote => {
                let is_due = hooks == HookMood::Draining || promoted && hooks == HookMood::Cancelled;
                assert!(is_due, "not in order: {}", context());
                bucket.hooks = HookMood::Demoting;
                let delay = self.some(5 * SECOND);
                self.after(delay, WorldEvent::Input(index, number, Input::Demoted));
            }
            Output::Timer(at) => {
                bucket.timer = Some(*at);
                let due = (at.0.as_millis() as Millis + 1).saturating_sub(self.replicas[index].offset);
                self.at(due.max(self.now), WorldEvent::Timer(index, number, *at));
            }
            Output::Released => assert!(hooks == HookMood::Idle, "not in order: {}", context()),
            _ => {}
        }
    }
}
