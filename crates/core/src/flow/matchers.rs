//! Answers after which the same request may succeed when it is sent again.

use super::ApiStatus;

/// What a server says of a quota that is full or not counted yet. What it says of objects that lack a limit, or that no quota covers, stays
/// true.
const QUOTA: [&str; 3] = ["exceeded quota: ", "status unknown for quota: ", "resource quota evaluation timed out"];

/// What etcd says through the server when it is too slow, or is choosing a leader.
const ETCD: [&str; 2] = ["etcdserver: request timed out", "etcdserver: leader changed"];

/// Matchers of retries.
impl ApiStatus {
    /// Whether another writer was faster: the object has changed since it was read. Not for fields of another field manager, and not
    /// for a name that is taken, which stay as they are.
    pub fn is_conflict(&self) -> bool {
        let conflict = self.reason == "Conflict" || self.code == 409 && self.reason.is_empty();
        conflict && !self.has_cause("FieldManagerConflict")
    }

    /// Whether a create was refused because an object with the same name exists.
    pub fn is_already_exists(&self) -> bool {
        self.reason == "AlreadyExists"
    }

    /// Whether the object of the request does not exist.
    pub fn is_not_found(&self) -> bool {
        self.reason == "NotFound" || self.code == 404 && self.reason.is_empty()
    }

    /// Whether a resource quota stands in the way that others may give room in: it is full, not counted yet, or was just counted by
    /// another request.
    pub fn is_quota(&self) -> bool {
        let counted = self.is_conflict() && self.message.contains("resourcequotas");
        counted || matches!(self.code, 403 | 500) && QUOTA.iter().any(|text| self.message.contains(text))
    }

    /// Whether the request was given up on its way through the server, or its storage did not answer in time. It may have been
    /// done all the same.
    pub fn is_timeout(&self) -> bool {
        matches!(self.reason.as_str(), "Timeout" | "ServerTimeout")
            || matches!(self.code, 408 | 504)
            || self.code >= 500 && ETCD.iter().any(|text| self.message.contains(text))
    }
}
