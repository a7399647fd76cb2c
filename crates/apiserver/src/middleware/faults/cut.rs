//! The end of a client in the middle of its work (FLT-5): crash tests cut an operator off after each of its requests in turn.

use super::{Faults, rule::Seen};

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
    /// Counts the request, and says whether it is beyond the cut. From then on everything of the client is dropped, reads too.
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

/// A cut that is being described; it begins with [`CutBuilder::start`].
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

    /// Only requests of the client whose user agent starts with this text are counted and dropped.
    pub fn by_user_agent(mut self, prefix: &str) -> Self {
        prefix.clone_into(&mut self.user_agent);
        self
    }

    /// Only writes are counted. After the last of them, everything is dropped.
    pub fn writes_only(mut self) -> Self {
        self.writes_only = true;
        self
    }

    /// Begins to count.
    pub fn start(self) -> CutHandle {
        let Self { faults, after, writes_only, user_agent } = self;
        let id = faults.next_cut_id();
        faults.start_cut(Cut { id, after, writes_only, user_agent, seen: 0, dropped: 0, resumed: false });
        CutHandle { faults, id }
    }
}

/// A cut in force.
#[derive(Clone, Debug)]
pub struct CutHandle {
    faults: Faults,
    id: u64,
}

impl CutHandle {
    /// How many requests were counted so far; those that were dropped are not.
    pub fn seen(&self) -> u64 {
        self.faults.with_cut(self.id, |cut| cut.seen).unwrap_or_default()
    }

    /// How many requests were dropped so far. None: the client did its work in fewer requests.
    pub fn dropped(&self) -> u64 {
        self.faults.with_cut(self.id, |cut| cut.dropped).unwrap_or_default()
    }

    /// Lets everything pass again. What was counted stays readable.
    pub fn resume(&self) {
        self.faults.with_cut(self.id, |cut| cut.resumed = true);
    }
}
