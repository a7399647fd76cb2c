//! The requests of an operator, counted by the journal of the embedded server.

use std::collections::BTreeSet;
use std::ops::AddAssign;

use kubewright_middleware::Verb;
use kubewright_middleware::journal::{Journal, Mark, Record};

/// The numbers of requests, by kind.
#[derive(Clone, Copy, Debug, Default)]
#[non_exhaustive]
pub struct RequestTotals {
    /// The number of writes of objects other than events and leases.
    pub writes: usize,
    /// The number of writes of events.
    pub events: usize,
    /// The number of reads and writes of leases.
    pub leases: usize,
    /// The number of all other requests, such as reads of objects and lists.
    pub reads: usize,
    /// The number of watches that were started.
    pub watches: usize,
    /// The number of requests of any kind that were answered with an error.
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

/// A counter of the requests of one user, which counts them before the journal forgets them.
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
    /// Returns a counter of the requests of this user from now on.
    pub fn new(journal: Journal, user: &str) -> Self {
        let mark = journal.mark();
        Self { mark, journal, user: user.to_owned(), counted: RequestTotals::default(), leases: BTreeSet::new() }
    }

    /// Counts the requests since the last call.
    pub fn count(&mut self) {
        let next = self.journal.mark();
        for record in self.journal.since(self.mark).by_user(&self.user).iter().filter(|record| record.mark() < next) {
            self.counted += RequestTotals::of(record);
            self.leases.extend(renewed(record));
        }
        self.mark = next;
    }

    /// Returns the numbers of requests since the last call of this method, and resets them.
    pub fn take(&mut self) -> RequestTotals {
        self.count();
        self.leases.clear();
        std::mem::take(&mut self.counted)
    }

    /// Returns the leases that were written since the last call of [`Self::take`].
    pub fn leases(&self) -> &BTreeSet<String> {
        &self.leases
    }
}

/// Returns the name of the lease, if the request wrote one.
fn renewed(record: &Record) -> Option<String> {
    let target = record.target.resource().filter(|target| target.resource == "leases" && target.verb == Verb::Update)?;
    record.status().is_some_and(|code| code < 300).then(|| target.name.clone())
}
