//! Selections of records, which can be narrowed and asserted on.

use std::collections::HashMap;
use std::ops::Deref;
use std::sync::Arc;
use std::time::Duration;

use super::{Record, Violation};
use crate::verb::Verb;

/// A selection of requests of the journal, in order of arrival.
#[derive(Clone, Debug, Default)]
pub struct Records {
    records: Vec<Arc<Record>>,
}

impl Records {
    pub(super) fn new(records: Vec<Arc<Record>>) -> Self {
        Self { records }
    }

    /// Selects the requests for which the predicate holds.
    pub fn filter(mut self, mut predicate: impl FnMut(&Record) -> bool) -> Self {
        self.records.retain(|record| predicate(record));
        self
    }

    /// Selects the requests that were meant to change something.
    pub fn writes(self) -> Self {
        self.filter(Record::is_write)
    }

    /// Selects the requests with this verb.
    pub fn verb(self, verb: Verb) -> Self {
        self.filter(|record| record.target.verb() == Some(verb))
    }

    /// Selects the requests for this resource, by its plural name and group.
    pub fn of(self, group: &str, resource: &str) -> Self {
        self.filter(|record| record.target.resource().is_some_and(|target| target.group == group && target.resource == resource))
    }

    /// Selects the requests for this subresource; an empty name means the objects themselves.
    pub fn subresource(self, subresource: &str) -> Self {
        self.filter(|record| record.target.resource().is_some_and(|target| target.subresource == subresource))
    }

    /// Selects the requests in this namespace.
    pub fn in_namespace(self, namespace: &str) -> Self {
        self.filter(|record| record.target.resource().is_some_and(|target| target.namespace == namespace))
    }

    /// Selects the requests for objects with this name. Creates are left out, since they do not name their object in the URL.
    pub fn named(self, name: &str) -> Self {
        self.filter(|record| record.target.resource().is_some_and(|target| target.name == name))
    }

    /// Selects the requests of clients whose user agent starts with this text.
    pub fn by_user_agent(self, prefix: &str) -> Self {
        self.filter(|record| record.user_agent.starts_with(prefix))
    }

    /// Selects the requests of this user.
    pub fn by_user(self, user: &str) -> Self {
        self.filter(|record| record.user.as_deref() == Some(user))
    }

    /// Checks that no request was meant to change something.
    pub fn no_writes(&self) -> Result<(), Violation> {
        let writes = self.clone().writes().records;
        if writes.is_empty() {
            Ok(())
        } else {
            Err(Violation::new(format!("expected no writes, found {}:", writes.len()), writes))
        }
    }

    /// Checks that there are at most this many requests.
    pub fn at_most(&self, limit: usize) -> Result<(), Violation> {
        let found = self.records.len();
        if found <= limit {
            return Ok(());
        }
        Err(Violation::new(format!("expected at most {limit} requests, found {found}:"), self.records.clone()))
    }

    /// Checks that there are exactly this many requests.
    pub fn exactly(&self, expected: usize) -> Result<(), Violation> {
        let found = self.records.len();
        if found == expected {
            return Ok(());
        }
        Err(Violation::new(format!("expected exactly {expected} requests, found {found}:"), self.records.clone()))
    }

    /// Checks that no client sent the same request more than `limit` times within any time span of this length.
    pub fn no_hot_loop(&self, limit: usize, span: Duration) -> Result<(), Violation> {
        let mut same: HashMap<_, Vec<&Arc<Record>>> = HashMap::new();
        for record in &self.records {
            same.entry((&record.user_agent, &record.target)).or_default().push(record);
        }
        let within = |first: &Record, last: &Record| {
            last.time.duration_since(first.time) <= span.try_into().unwrap_or(jiff::SignedDuration::MAX)
        };
        let hot = same
            .values()
            .filter_map(|records| records.windows(limit.saturating_add(1)).find(|window| within(window[0], window[limit])));
        match hot.min_by_key(|window| window[0].number) {
            None => Ok(()),
            Some(window) => Err(Violation::new(
                format!("expected no request more than {limit} times within {span:?}, found:"),
                window.iter().map(|record| Arc::clone(record)).collect(),
            )),
        }
    }

    /// Checks that every create, update and patch names its field manager.
    pub fn every_write_names_its_field_manager(&self) -> Result<(), Violation> {
        let owns_fields = |record: &Record| matches!(record.target.verb(), Some(Verb::Create | Verb::Update | Verb::Patch));
        let silent = |record: &Record| record.query_value("fieldManager").is_none_or(str::is_empty);
        let nameless = self.clone().writes().filter(|record| owns_fields(record) && silent(record)).records;
        if nameless.is_empty() {
            Ok(())
        } else {
            Err(Violation::new("expected every write to carry fieldManager, found without:", nameless))
        }
    }

    /// Checks that the first request for which `earlier` holds comes before the first for which `later` holds, and that both exist.
    pub fn in_order(&self, earlier: impl Fn(&Record) -> bool, later: impl Fn(&Record) -> bool) -> Result<(), Violation> {
        let first = self.records.iter().position(|record| earlier(record));
        let second = self.records.iter().position(|record| later(record));
        match (first, second) {
            (Some(first), Some(second)) if first < second => Ok(()),
            (Some(first), Some(second)) => {
                let found = vec![Arc::clone(&self.records[second]), Arc::clone(&self.records[first])];
                Err(Violation::new("expected two requests in the other order, found:", found))
            }
            (None, _) => Err(Violation::new(
                "expected two requests in order, the earlier was never made; made were:",
                self.records.clone(),
            )),
            (_, None) => {
                Err(Violation::new("expected two requests in order, the later was never made; made were:", self.records.clone()))
            }
        }
    }
}

impl Deref for Records {
    type Target = [Arc<Record>];

    fn deref(&self) -> &Self::Target {
        &self.records
    }
}

impl IntoIterator for Records {
    type Item = Arc<Record>;
    type IntoIter = std::vec::IntoIter<Arc<Record>>;

    fn into_iter(self) -> Self::IntoIter {
        self.records.into_iter()
    }
}
