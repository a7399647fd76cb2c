//! Cuts (FLT-5): the loss of a client in the middle of its work. Crash tests cut an operator off after each of its requests in turn.

use super::Faults;
use super::rule::Seen;

/// A cut in force.
#[derive(Debug)]
pub(super) struct Cut {
    pub(super) id: u64,
    after: u64,
    writes_only: bool,
    user_agent: String,
    seen: u64,
    dropped: u64,
    resumed: bool,
}

impl Cut {
    /// Counts the request. Returns true if it is beyond the cut; from then on all requests of the client are dropped, reads included.
    pub(super) fn counts_out(&mut self, seen: &Seen<'_>) -> bool {
        if self.resumed || !seen.user_agent.starts_with(&self.user_agent) {
            return false;
        }
        if self.seen >= self.after {
            self.dropped += 1;
            return true;
        }
        self.seen += u64::from(!self.writes_only || seen.target.is_write());
        false
    }
}

/// A cut under construction; it begins with [`CutBuilder::start`].
#[derive(Debug)]
#[must_use = "a cut begins with start()"]
pub struct CutBuilder {
    faults: Faults,
    after: u64,
    writes_only: bool,
    user_agent: String,
}

impl CutBuilder {
    pub(super) fn new(faults: Faults, after: u64) -> Self {
        Self { faults, after, writes_only: false, user_agent: String::new() }
    }

    /// Restricts the cut to the client whose user agent starts with this text.
    pub fn by_user_agent(mut self, prefix: &str) -> Self {
        prefix.clone_into(&mut self.user_agent);
        self
    }

    /// Counts writes only. After the last of them, all requests are dropped.
    pub fn writes_only(mut self) -> Self {
        self.writes_only = true;
        self
    }

    /// Starts the cut.
    pub fn start(self) -> CutHandle {
        let Self { faults, after, writes_only, user_agent } = self;
        let id = faults.next_cut_id();
        faults.start_cut(Cut { id, after, writes_only, user_agent, seen: 0, dropped: 0, resumed: false });
        CutHandle { faults, id }
    }
}

/// The handle of a cut in force.
#[derive(Clone, Debug)]
pub struct CutHandle {
    faults: Faults,
    id: u64,
}

impl CutHandle {
    /// Returns the number of requests that were counted so far; dropped ones are not.
    pub fn seen(&self) -> u64 {
        self.faults.with_cut(self.id, |cut| cut.seen).unwrap_or_default()
    }

    /// Returns the number of requests that were dropped so far. Zero means that the client did its work in fewer requests.
    pub fn dropped(&self) -> u64 {
        self.faults.with_cut(self.id, |cut| cut.dropped).unwrap_or_default()
    }

    /// Lets all requests pass again. The counts stay readable.
    pub fn resume(&self) {
        self.faults.with_cut(self.id, |cut| cut.resumed = true);
    }
}
