//! A comparison of the queue with a simple model that searches lists from end to end.

use std::time::Duration;

use proptest::prelude::*;

use super::*;
use crate::flow::{Delay, Schedule};
use crate::time::Moment;

#[derive(Clone, Debug)]
enum QueueStep {
    Add(u8, Lane),
    AddAfter(u8, u64, Lane),
    Pop,
    /// Finishes one of the keys in process.
    Done(u8, Option<u64>),
    Advance(u64),
    Purge(u8),
    Forget(u8),
}

fn steps() -> impl Strategy<Value = Vec<QueueStep>> {
    let key = 0..6_u8;
    let lane = prop_oneof![Just(Lane::Urgent), Just(Lane::Fast), Just(Lane::Slow)];
    let step = prop_oneof![
        4 => (key.clone(), lane.clone()).prop_map(|(key, lane)| QueueStep::Add(key, lane)),
        2 => (key.clone(), 1..20_u64, lane).prop_map(|(key, delay, lane)| QueueStep::AddAfter(key, delay, lane)),
        5 => Just(QueueStep::Pop),
        4 => (any::<u8>(), prop::option::of(1..20_u64)).prop_map(|(which, delay)| QueueStep::Done(which, delay)),
        2 => (1..10_u64).prop_map(QueueStep::Advance),
        1 => key.clone().prop_map(QueueStep::Purge),
        1 => key.prop_map(QueueStep::Forget),
    ];
    prop::collection::vec(step, 0..200)
}

#[derive(Default)]
struct QueueModel {
    /// Each entry: key, lane, the time since which the key is queued.
    queued: Vec<(u8, Lane, u64)>,
    processing: Vec<u8>,
    /// Each entry: key, lane, the time of the first addition during the pass.
    dirty: Vec<(u8, Lane, u64)>,
    /// Each entry: due time, key, and the lane of [`Queue::add_after`], or `None` for a timer that the last pass left.
    timers: Vec<(u64, u8, Option<Lane>)>,
}

impl QueueModel {
    fn add(&mut self, key: u8, lane: Lane, now: u64) {
        if self.processing.contains(&key) {
            match self.dirty.iter_mut().find(|entry| entry.0 == key) {
                Some(entry) => (entry.1, entry.2) = (entry.1.max(lane), entry.2.min(now)),
                None => self.dirty.push((key, lane, now)),
            }
        } else if !self.queued.iter().any(|entry| entry.0 == key && entry.1 >= lane) {
            let since = self.queued.iter().find(|entry| entry.0 == key).map_or(now, |entry| entry.2.min(now));
            self.queued.retain(|entry| entry.0 != key);
            self.queued.push((key, lane, since));
        }
    }

    fn add_after(&mut self, key: u8, due: u64, lane: Lane) {
        match self.timers.iter_mut().find(|(_, other, asked)| *other == key && asked.is_some()) {
            Some((earlier, _, asked)) => {
                *earlier = due.min(*earlier);
                *asked = (*asked).max(Some(lane));
            }
            None => self.timers.push((due, key, Some(lane))),
        }
    }

    /// Returns the next key and the time since which it is queued.
    fn pop(&mut self, now: u64) -> Option<(u8, u64)> {
        loop {
            // Timers with equal due times fire in the order of their keys, the one of `add_after` first.
            let due = self.timers.iter().copied().filter(|timer| timer.0 <= now);
            let Some(timer) = due.min_by_key(|(due, key, asked)| (*due, *key, asked.is_none())) else {
                break;
            };
            self.timers.retain(|other| *other != timer);
            self.add(timer.1, timer.2.unwrap_or(Lane::Fast), timer.0);
        }
        let lane = self.queued.iter().map(|entry| entry.1).max()?;
        let index = self.queued.iter().position(|entry| entry.1 == lane)?;
        let (key, _, since) = self.queued.remove(index);
        self.processing.push(key);
        self.timers.retain(|(_, other, asked)| *other != key || asked.is_some());
        Some((key, since))
    }

    fn done(&mut self, key: u8, due: Option<u64>) {
        self.processing.retain(|other| *other != key);
        self.timers.extend(due.map(|due| (due, key, None)));
        if let Some(index) = self.dirty.iter().position(|entry| entry.0 == key) {
            self.queued.push(self.dirty.remove(index));
        }
    }
}

fn at(now: u64) -> Moment {
    Moment(Duration::from_secs(now))
}

fn delay(seconds: u64) -> Delay {
    Delay::try_from(Duration::from_secs(seconds)).unwrap()
}

proptest! {
    // QUE-1, QUE-2, QUE-3, QUE-4, QUE-5, QUE-8, QUE-9, QUE-12, QUE-15, QUE-16
    #[test]
    fn the_queue_behaves_like_the_model(steps in steps()) {
        let mut queue = Queue::new().with_fairness(None);
        let mut model = QueueModel::default();
        let mut now = 0;
        for step in steps {
            match step {
                QueueStep::Add(key, lane) => {
                    queue.add(key, lane, at(now));
                    model.add(key, lane, now);
                }
                QueueStep::AddAfter(key, seconds, lane) => {
                    queue.add_after(key, delay(seconds), lane, at(now));
                    model.add_after(key, now + seconds, lane);
                }
                QueueStep::Pop => {
                    let popped = queue.take(at(now)).map(|popped| (popped.key, popped.since));
                    prop_assert_eq!(popped, model.pop(now).map(|(key, since)| (key, at(since))));
                },
                QueueStep::Done(which, seconds) => {
                    if !model.processing.is_empty() {
                        let key = model.processing[usize::from(which) % model.processing.len()];
                        queue.done(&key, Schedule::from(seconds.map(delay)), at(now));
                        model.done(key, seconds.map(|seconds| now + seconds));
                    }
                }
                QueueStep::Advance(seconds) => now += seconds,
                QueueStep::Purge(key) => {
                    queue.purge(|other| *other == key);
                    model.queued.retain(|entry| entry.0 != key);
                    model.dirty.retain(|entry| entry.0 != key);
                    model.timers.retain(|timer| timer.1 != key);
                }
                QueueStep::Forget(key) => {
                    queue.forget(&key);
                    model.timers.retain(|timer| timer.1 != key);
                }
            }
            for lane in Lane::ALL {
                let expected: Vec<_> = model.queued.iter().filter(|entry| entry.1 == lane).map(|entry| (entry.0, at(entry.2))).collect();
                let queued: Vec<_> = queue.queued(lane, 0).map(|queued| (*queued.key, queued.since)).collect();
                prop_assert_eq!(queue.depth(lane), expected.len());
                prop_assert_eq!(queued, expected);
            }
            prop_assert_eq!(queue.in_flight(), model.processing.len());
            prop_assert_eq!(queue.waiting(), model.timers.len());
            prop_assert_eq!(queue.next_due(), model.timers.iter().map(|timer| at(timer.0)).min());
        }
    }

    // QUE-14
    #[test]
    fn no_key_is_lost(adds in prop::collection::vec((0..6_u8, any::<bool>()), 1..100)) {
        let mut queue = Queue::new();
        let mut wanted = std::collections::BTreeSet::new();
        for (key, work) in adds {
            queue.add(key, if work { Lane::Fast } else { Lane::Slow }, Moment::START);
            wanted.insert(key);
            if work && let Some(popped) = queue.pop(Moment::START) {
                wanted.remove(&popped);
                queue.add(popped, Lane::Slow, Moment::START);
                wanted.insert(popped);
                queue.done(&popped, Schedule::OnEvent, Moment::START);
            }
        }
        while let Some(popped) = queue.pop(Moment::START) {
            prop_assert!(wanted.remove(&popped));
            queue.done(&popped, Schedule::OnEvent, Moment::START);
        }
        prop_assert!(wanted.is_empty() && queue.is_idle());
    }
}
