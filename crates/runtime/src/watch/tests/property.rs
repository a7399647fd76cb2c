//! A property test: for any order of changes of objects, events, streams and answers, the store ends with the objects of the server, and the changes that a
//! subscriber received add up to them without repetition.

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;
use serde_json::Value;

use super::*;
use crate::testing::{Fault, Server};

#[derive(Debug, Clone)]
enum Step {
    /// Another writer writes.
    Put(u8),
    /// Another writer deletes.
    Delete(u8),
    /// This process writes; the answer comes at once or later.
    OwnPut(u8, bool),
    /// This process deletes; the answer comes at once or later.
    OwnDelete(u8, bool),
    /// The oldest answers arrive.
    Answers(u8),
    /// The next events arrive.
    Deliver(u8),
    Bookmark,
    Break,
    Compact,
    FailList,
    /// Time passes, so that a broken watch recovers while events are held back.
    Pass,
    Subscribe,
}

enum Pending {
    Written(Value),
    Deleted(String, String),
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let name = 0..4_u8;
    let step = prop_oneof![
        4 => name.clone().prop_map(Step::Put),
        2 => name.clone().prop_map(Step::Delete),
        6 => (name.clone(), any::<bool>()).prop_map(|(name, at_once)| Step::OwnPut(name, at_once)),
        3 => (name, any::<bool>()).prop_map(|(name, at_once)| Step::OwnDelete(name, at_once)),
        3 => (1..4_u8).prop_map(Step::Answers),
        8 => (1..4_u8).prop_map(Step::Deliver),
        1 => Just(Step::Bookmark),
        1 => Just(Step::Break),
        1 => Just(Step::Compact),
        1 => Just(Step::FailList),
        2 => Just(Step::Pass),
        1 => Just(Step::Subscribe),
    ];
    prop::collection::vec(step, 1..80)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, failure_persistence: None, ..ProptestConfig::default() })]

    // WATCH-7, STORE-6, STORE-8
    #[test]
    fn stores_converge_and_changes_add_up(steps in steps(), page in 1..4_usize, slowness in 0..12_usize) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build().unwrap();
        runtime.block_on(run(steps, page, slowness));
    }
}

async fn run(steps: Vec<Step>, page: usize, slowness: usize) {
    let server = Server::new();
    server.page_limit(page);
    server.slow(slowness);
    let store = subscribe(&server.cluster());
    let mut subscribers = vec![store.changes()];
    server.hold();
    let mut pending: Vec<Pending> = Vec::new();
    for (at, step) in steps.into_iter().enumerate() {
        match step {
            Step::Put(name) => drop(server.put("demo", &format!("c{name}"), &at.to_string())),
            Step::Delete(name) => drop(server.delete("demo", &format!("c{name}"))),
            Step::OwnPut(name, at_once) => {
                let answer = Pending::Written(server.put("demo", &format!("c{name}"), &at.to_string()));
                if at_once {
                    take(&store, answer);
                } else {
                    pending.push(answer);
                }
            }
            Step::OwnDelete(name, at_once) => {
                let name = format!("c{name}");
                if let Some(object) = server.delete("demo", &name) {
                    let answer = Pending::Deleted(name, object["metadata"]["uid"].as_str().unwrap().to_owned());
                    if at_once {
                        take(&store, answer);
                    } else {
                        pending.push(answer);
                    }
                }
            }
            Step::Answers(count) => {
                let count = usize::from(count).min(pending.len());
                pending.drain(..count).for_each(|answer| take(&store, answer));
            }
            Step::Deliver(count) => server.deliver(usize::from(count)),
            Step::Bookmark => server.bookmark(),
            Step::Break => server.drop_streams(at % 2 == 0),
            Step::Compact => {
                server.compact();
                server.drop_streams(true);
            }
            Step::FailList => server.fail_next("limit=", Fault::Reset),
            Step::Pass => pass(3_000).await,
            Step::Subscribe => subscribers.push(store.changes()),
        }
        // The driver runs between some of the steps.
        for _ in 0..at % 3 {
            tokio::task::yield_now().await;
        }
    }
    pending.drain(..).for_each(|answer| take(&store, answer));
    server.heal();
    server.release();
    pass(120_000).await;
    let expected: BTreeMap<String, (String, String)> = server
        .objects()
        .iter()
        .map(|object| {
            let text = |pointer| object.pointer(pointer).and_then(Value::as_str).unwrap_or_default().to_owned();
            (text("/metadata/name"), (text("/metadata/uid"), text("/metadata/resourceVersion")))
        })
        .collect();
    let stored: BTreeMap<_, _> =
        store.list().iter().map(|(key, kept)| (key.name().to_owned(), (kept.uid.clone(), kept.version.clone()))).collect();
    assert_eq!(stored, expected);
    for mut changes in subscribers {
        assert_eq!(fold(&mut changes), expected);
    }
}

fn take(store: &ProjectedStore<Kept>, answer: Pending) {
    match answer {
        Pending::Written(object) => store.record_write(&object),
        Pending::Deleted(name, uid) => store.record_delete(&key(&name), &uid),
    }
}

/// Returns the sum of the changes, and checks that each starts where the previous one ended and repeats nothing.
fn fold(changes: &mut Changes<Kept>) -> BTreeMap<String, (String, String)> {
    let mut known: BTreeMap<String, (String, String)> = BTreeMap::new();
    let mut gone: BTreeSet<String> = BTreeSet::new();
    while let Some(change) = changes.try_next() {
        let name = change.key.name().to_owned();
        let pair = |kept: &Arc<Kept>| (kept.uid.clone(), kept.version.clone());
        let (old, new) = (change.old.as_ref().map(pair), change.new.as_ref().map(pair));
        assert_eq!(known.get(&name), old.as_ref(), "{change:?} does not start where {name} was");
        assert_ne!(old, new, "{change:?} tells nothing");
        if let (Some(old), Some(new)) = (&old, &new) {
            assert_eq!(old.0, new.0, "{change:?} mixes two objects");
            assert!(new.1.parse::<u64>().unwrap() > old.1.parse::<u64>().unwrap(), "{change:?} goes back");
        }
        if new.is_none() {
            gone.extend(old.map(|old| old.0));
        }
        match new {
            Some(new) if gone.contains(&new.0) => panic!("{change:?} brings back what was gone"),
            Some(new) => drop(known.insert(name, new)),
            None => drop(known.remove(&name)),
        }
    }
    known
}
