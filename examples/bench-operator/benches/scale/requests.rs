//! What the operator asks of the server.

use std::collections::BTreeSet;
use std::ops::AddAssign;

use kubewright_apiserver::kinds::Verb;
use kubewright_apiserver::middleware::journal::{Journal, Mark, Record};

/// Numbers of requests.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Requests {
    /// Of components and dependents.
    pub(crate) writes: usize,
    /// Writes of events.
    pub(crate) events: usize,
    /// Reads and writes of leases.
    pub(crate) leases: usize,
    /// Of objects, lists, and anything else.
    pub(crate) reads: usize,
    pub(crate) watches: usize,
    pub(crate) refused: usize,
}

impl Requests {
    fn of(record: &Record) -> Self {
        let mut requests = Self { refused: usize::from(record.status().is_some_and(|code| code >= 400)), ..Self::default() };
        let resource = record.target.resource();
        let count = match resource {
            Some(target) if target.verb == Verb::Watch => &mut requests.watches,
            Some(target) if target.resource == "leases" => &mut requests.leases,
            Some(target) if record.is_write() && target.resource == "events" => &mut requests.events,
            _ if record.is_write() => &mut requests.writes,
            _ => &mut requests.reads,
        };
        *count = 1;
        requests
    }
}

impl AddAssign for Requests {
    fn add_assign(&mut self, other: Self) {
        self.writes += other.writes;
        self.events += other.events;
        self.leases += other.leases;
        self.reads += other.reads;
        self.watches += other.watches;
        self.refused += other.refused;
    }
}

/// Counts the requests of one user before the journal forgets them.
pub(crate) struct Counter {
    journal: Journal,
    user: String,
    mark: Mark,
    counted: Requests,
    /// The leases that the user wrote since the last call of [`Self::take`].
    leases: BTreeSet<String>,
}

impl Counter {
    pub(crate) fn new(journal: Journal, user: &str) -> Self {
        let mark = journal.mark();
        Self { mark, journal, user: user.to_owned(), counted: Requests::default(), leases: BTreeSet::new() }
    }

    /// Counts what has come since the last call.
    pub(crate) fn count(&mut self) {
        let next = self.journal.mark();
        for record in self.journal.since(self.mark).by_user(&self.user).iter().filter(|record| record.mark() < next) {
            self.counted += Requests::of(record);
            self.leases.extend(renewed(record));
        }
        self.mark = next;
    }

    /// All since the last call of this.
    pub(crate) fn take(&mut self) -> Requests {
        self.count();
        self.leases.clear();
        std::mem::take(&mut self.counted)
    }

    /// The leases that were written since the last call of [`Self::take`].
    pub(crate) fn leases(&self) -> &BTreeSet<String> {
        &self.leases
    }
}

/// The name of the lease, if the request wrote one.
fn renewed(record: &Record) -> Option<String> {
    let target = record.target.resource().filter(|target| target.resource == "leases" && target.verb == Verb::Update)?;
    record.status().is_some_and(|code| code < 300).then(|| target.name.clone())
}
