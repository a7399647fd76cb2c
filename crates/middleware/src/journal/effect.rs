//! The effects of a request, as a server reports them to the journal.

use serde_json::Value;

/// The effect of a request on the store. The embedded server puts it into the extensions of its responses; a real server cannot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Effect {
    /// Revision of the store before the request.
    pub revision_before: u64,
    /// Revision of the store after the request.
    pub revision_after: u64,
    /// True if the request itself stored something.
    pub stored: bool,
}

/// A change that was committed while a request was handled, for [`RecordNote::changed`](super::RecordNote::changed).
#[derive(Clone, Copy, Debug)]
pub struct CommittedChange<'a> {
    /// API group of the object; empty for the core group.
    pub group: &'a str,
    /// Plural name of its resource.
    pub resource: &'a str,
    /// Its namespace; empty for a cluster-scoped object.
    pub namespace: &'a str,
    /// Its name.
    pub name: &'a str,
    /// The object before the change; `None` for a new object.
    pub before: Option<&'a Value>,
    /// The object after the change; `None` for a deleted object.
    pub after: Option<&'a Value>,
}
