//! Writers, readers and followers in orders drawn from seeds: no event is lost or repeated, and each follower that started from a list holds the
//! content of the store.

use std::collections::BTreeMap;

use kubewright_middleware::Seed;
use proptest::prelude::*;

use super::*;

/// A client that lists and then follows; it lists again after a loss.
struct Informer {
    content: BTreeMap<String, u64>,
    watch: Subscription,
    /// The revisions of the last event and of its predecessors.
    last: u64,
    relists: usize,
}

impl Informer {
    fn start(bench: &Bench) -> Self {
        let (content, revision) = Self::list(bench);
        Self { content, watch: bench.subscribe(revision), last: revision, relists: 0 }
    }

    /// Lists in pages of one snapshot, as clients do.
    fn list(bench: &Bench) -> (BTreeMap<String, u64>, u64) {
        let snapshot = bench.store.snapshot();
        let content = snapshot.list(&maps(), None).map(|(name, stored)| (name.to_string(), data(stored))).collect();
        (content, snapshot.revision())
    }

    fn look(&mut self, bench: &Bench) {
        match self.watch.poll() {
            SubscriptionNews::Events(events) => {
                for event in events {
                    assert!(event.revision > self.last, "{event:?} after {}", self.last);
                    self.last = event.revision;
                    let name = event.object.name.to_string();
                    let known = self.content.get(&name).copied();
                    assert_eq!(known, event.previous.as_deref().map(data), "what {event:?} replaced");
                    match &event.current {
                        Some(current) => self.content.insert(name, data(current)),
                        None => self.content.remove(&name),
                    };
                }
            }
            SubscriptionNews::Idle(revision) => {
                assert!(revision >= self.last);
                self.last = revision;
            }
            SubscriptionNews::Closed | SubscriptionNews::Lost => {
                let relists = self.relists + 1;
                *self = Self { relists, ..Self::start(bench) };
            }
        }
    }
}

/// Runs steps that are drawn from a seed.
fn run(bench: &Bench, seed: u64) -> usize {
    let seed = Seed::new(seed);
    let mut informers = vec![Informer::start(bench)];
    let mut models: Vec<(u64, Vec<String>)> = vec![(bench.store.revision(), shown(&bench.store.snapshot()))];
    for step in 0..200 {
        match seed.below(20) {
            0..9 => {
                let at = format!("{}/m{}", ["a", "b"][seed.below(2) as usize], seed.below(4));
                if seed.below(3) == 0 && bench.store.get(&maps(), &name_at(&at)).is_some() {
                    bench.delete(&at);
                } else {
                    bench.put(&at, step);
                }
                models.push((bench.store.revision(), shown(&bench.store.snapshot())));
            }
            9..11 => {
                let other = StoreChange::create(secrets(), name("n", "s"), content(step));
                bench.one(StoreChange { expect: Expect::Anything, ..other }).unwrap();
                models.push((bench.store.revision(), shown(&bench.store.snapshot())));
            }
            11..15 => {
                let chosen = seed.below(informers.len() as u64) as usize;
                informers[chosen].look(bench);
            }
            15..17 => {
                let (revision, expected) = &models[seed.below(models.len() as u64) as usize];
                if let Ok(old) = bench.store.snapshot_at(&maps(), *revision) {
                    assert_eq!(&shown(&old), expected, "at revision {revision}");
                }
            }
            17 => informers.push(Informer::start(bench)),
            18 => bench.store.compact(bench.store.revision().saturating_sub(seed.below(10))),
            _ => match seed.below(3) {
                0 => bench.store.close(&maps()),
                1 => bench.store.restart(),
                _ => drop(informers.pop()),
            },
        }
        if informers.is_empty() {
            informers.push(Informer::start(bench));
        }
    }
    let present = Informer::list(bench).0;
    for informer in &mut informers {
        // At most three looks are needed: the rest of the events, an end, and a look after listing again.
        (0..3).for_each(|_| informer.look(bench));
        assert_eq!(informer.content, present);
    }
    informers.iter().map(|informer| informer.relists).sum()
}

// SWATCH-3, WCH-1, STO-3, EVD-2
#[test]
fn seeded_runs_lose_nothing_and_repeat_nothing() {
    let mut relists = 0;
    for (_, store) in stores() {
        let bench = Bench { start: store.revision(), store };
        for seed in 0..100 {
            relists += run(&bench, seed);
        }
    }
    assert!(relists > 0, "no run has lost its place, so none has shown how it finds it again");
}

// SWATCH-3, EVD-4
proptest! {
    #[test]
    fn any_history_is_delivered_as_it_was_committed(writes in prop::collection::vec((0u8..4, 0u64..100, any::<bool>()), 1..60), from in 0usize..60) {
        let bench = Bench { start: 0, store: Arc::new(ObjectStore::new(WINDOW)) };
        let mut committed = Vec::new();
        for (index, data, delete) in writes {
            let at = format!("m{index}");
            let event = if delete && bench.store.get(&maps(), &name_at(&at)).is_some() { bench.delete(&at) } else { bench.put(&at, data) };
            committed.push(told(&event, 0));
        }
        let from = from.min(committed.len());
        let mut watch = bench.subscribe(from as u64);
        prop_assert_eq!(found(&mut watch, 0), committed[from..].to_vec());
    }
}

// STO-1, SWATCH-3
#[test]
fn writers_on_several_threads_share_one_order() {
    let bench = Arc::new(Bench { start: 0, store: Arc::new(ObjectStore::new(10_000)) });
    let mut watch = bench.subscribe(0);
    std::thread::scope(|scope| {
        for writer in 0..4 {
            let bench = bench.clone();
            scope.spawn(move || {
                for n in 0..200 {
                    bench.create(&format!("w{writer}-{n}"), n).unwrap();
                }
            });
        }
    });
    let SubscriptionNews::Events(events) = watch.poll() else { panic!("no events") };
    let revisions: Vec<_> = events.iter().map(|event| event.revision).collect();
    assert_eq!(revisions, (1..=800).collect::<Vec<_>>());
}
