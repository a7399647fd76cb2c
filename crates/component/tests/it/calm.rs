//! Whatever a test is about: the operator never writes in a storm, and no component flaps.

use std::collections::BTreeMap;
use std::time::Duration;

use kubewright_apiserver::kinds::Verb;
use kubewright_apiserver::middleware::journal::{Record, Records};
use kubewright_testing::{Journal, TestCluster};

/// So many writes of one object within so much time are none of a storm, besides one for each write of somebody else.
const LIMITS: [(usize, Duration); 2] = [(10, Duration::from_secs(10)), (25, Duration::from_mins(1))];
/// So often a component may leave Ready in the whole of a test.
const DEPARTURES: usize = 12;

/// Looks at the requests of the operator when the test is over.
pub(crate) struct Calm {
    operator: Journal,
    /// Of the embedded server: everybody's.
    all: Option<Journal>,
}

impl Calm {
    pub(crate) fn of(cluster: &TestCluster) -> Self {
        Self { operator: cluster.journal().clone(), all: cluster.embedded().map(|server| server.journal().clone()) }
    }
}

impl Drop for Calm {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            let operator = self.operator.all();
            // What a shared server did for others cannot be told.
            let Some(all) = &self.all else { return };
            let others = all.all().writes().iter().count().saturating_sub(operator.clone().writes().iter().count());
            check(&operator, others);
        }
    }
}

fn check(journal: &Records, others: usize) {
    // A create does not name its object; what is created again and again is also deleted again and again.
    let changed = |record: &Record| {
        let resource = record.target.resource();
        let is_change = resource.is_some_and(|resource| resource.verb != Verb::Create && resource.resource != "events");
        is_change && record.status().is_some_and(|code| code < 300)
    };
    let writes = journal.clone().writes().filter(changed);
    for (limit, span) in LIMITS {
        writes.no_hot_loop(limit + others, span).unwrap();
    }
    let mut last: BTreeMap<String, bool> = BTreeMap::new();
    let mut departures: BTreeMap<String, usize> = BTreeMap::new();
    for record in writes.subresource("status").iter() {
        let Some(state) = record.body.as_ref().and_then(|body| body["status"]["state"].as_str()) else { continue };
        let component = record.target.to_string();
        let is_ready = state == "Ready";
        let was_ready = last.insert(component.clone(), is_ready).unwrap_or(false);
        *departures.entry(component).or_default() += usize::from(was_ready && !is_ready);
    }
    for (component, count) in departures {
        assert!(count <= DEPARTURES, "{component} left Ready {count} times");
    }
}
