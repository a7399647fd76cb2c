//! A check for any test of an operator: the operator never writes one object in a hot loop, and no object flaps.

use std::collections::BTreeMap;
use std::time::Duration;

use kubewright_middleware::Verb;
use kubewright_middleware::journal::{Record, Records};
use serde_json::Value;

use crate::cluster::fail;
use crate::{Journal, TestCluster};

/// The largest numbers of writes of one object within a time that do not count as a hot loop, besides one for each write of other clients.
const LIMITS: [(usize, Duration); 2] = [(10, Duration::from_secs(10)), (25, Duration::from_mins(1))];
/// The largest number of times that one object may leave Ready during a test.
const DEPARTURES: usize = 12;

/// A guard that checks the requests of operators when it is dropped at the end of a test: no object may have been written in a hot loop, and none may
/// have become ready and unready again and again. Panics otherwise.
#[derive(Debug)]
pub struct Calm {
    operator: Journal,
    /// The journal of all requests, of the embedded server only.
    all: Option<Journal>,
}

impl Calm {
    /// Records from now on what operators send to this cluster, with request bodies. On a server that is not embedded nothing is checked, since the
    /// writes of other clients are unknown there.
    pub fn of(cluster: &TestCluster) -> Self {
        cluster.journal().keep_bodies(true);
        Self { operator: cluster.journal().clone(), all: cluster.embedded().map(|server| server.journal().clone()) }
    }
}

impl Drop for Calm {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            let operator = self.operator.all();
            let Some(all) = &self.all else { return };
            let others = all.all().writes().iter().count().saturating_sub(operator.clone().writes().iter().count());
            check(&operator, others);
        }
    }
}

fn check(journal: &Records, others: usize) {
    // A create does not name its object; an object that is created again and again is also deleted again and again.
    let changed = |record: &Record| {
        let resource = record.target.resource();
        let is_change = resource.is_some_and(|resource| resource.verb != Verb::Create && resource.resource != "events");
        is_change && record.status().is_some_and(|code| code < 300)
    };
    let writes = journal.clone().writes().filter(changed);
    for (limit, span) in LIMITS {
        if let Err(storm) = writes.no_hot_loop(limit + others, span) {
            fail(&storm.to_string());
        }
    }
    let mut last: BTreeMap<String, bool> = BTreeMap::new();
    let mut departures: BTreeMap<String, usize> = BTreeMap::new();
    for record in writes.subresource("status").iter() {
        let Some(is_ready) = record.body.as_ref().and_then(|body| is_ready(&body["status"])) else { continue };
        let object = record.target.to_string();
        let was_ready = last.insert(object.clone(), is_ready).unwrap_or(false);
        *departures.entry(object).or_default() += usize::from(was_ready && !is_ready);
    }
    for (object, count) in departures {
        assert!(count <= DEPARTURES, "{object} left Ready {count} times");
    }
}

/// Returns true if a written status has the condition `Ready` True; `None` if it has no such condition.
fn is_ready(status: &Value) -> Option<bool> {
    let conditions = status["conditions"].as_array();
    let ready = conditions.and_then(|conditions| conditions.iter().find(|condition| condition["type"] == "Ready"));
    ready.map(|ready| ready["status"] == "True")
}
