//! The requests of an operator, counted by the journal of the embedded server.

use std::collections::BTreeSet;
use std::ops::AddAssign;

use kubewright_apiserver::kinds::Verb;
use kubewright_apiserver::middleware::journal::{Journal, Mark, Record};

/// Numbers of requests.
#[derive(Clone, Copy, Debug, Default)]
#[non_exhaustive]
pub struct RequestTotals {
    /// Writes of objects other than events and leases.
    pub writes: usize,
    /// Writes of events.
    pub events: usize,
    /// Reads and writes of leases.
    pub leases: usize,
    /// Reads of objects, lists, and anything else.
    pub reads: usize,
    /// Starts of watches.
    pub watches: usize,
    /// Requests of any kind that were answered with an error.
    pub refused: usize,
}

impl RequestTotals {
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

impl AddAssign for RequestTotals {
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
#[derive(Debug)]
pub struct RequestCounter {
    journal: Journal,
    user: String,
    mark: Mark,
    counted: RequestTotals,
    /// The leases that the user wrote since the last call of [`Self::take`].
    leases: BTreeSet<String>,
}

impl RequestCounter {
    /// Counts the requests of this user from now on.
    pub fn new(journal: Journal, user: &str) -> Self {
        let mark = journal.mark();
        Self { mark, journal, user: user.to_owned(), counted: RequestTotals::default(), leases: BTreeSet::new() }
    }

    /// Counts the requests that came since the last call.
    pub fn count(&mut self) {
        let next = self.journal.mark();
        for record in self.journal.since(self.mark).by_user(&self.user).iter().filter(|record| record.mark() < next) {
            self.counted += RequestTotals::of(record);
            self.leases.extend(renewed(record));
        }
        self.mark = next;
    }

    /// Returns the numbers since the last call of this.
    pub fn take(&mut self) -> RequestTotals {
        self.count();
        self.leases.clear();
        std::mem::take(&mut self.counted)
    }

    /// The leases that were written since the last call of [`Self::take`].
    pub fn leases(&self) -> &BTreeSet<String> {
        &self.leases
    }
}

/// The name of the lease, if the request wrote one.
fn renewed(record: &Record) -> Option<String> {
    let target = record.target.resource().filter(|target| target.resource == "leases" && target.verb == Verb::Update)?;
    record.status().is_some_and(|code| code < 300).then(|| target.name.clone())
}
