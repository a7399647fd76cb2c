//! Matchers of answers after which the same request may succeed when it is sent again.

use super::ApiStatus;

/// The texts of a server about a quota that is full or not counted yet. Its texts about objects that lack a limit, or that no quota covers, are not
/// included, because a retry does not help there.
const QUOTA: [&str; 3] = ["exceeded quota: ", "status unknown for quota: ", "resource quota evaluation timed out"];

/// The texts of etcd, passed on by the server, when it is too slow or elects a leader.
const ETCD: [&str; 2] = ["etcdserver: request timed out", "etcdserver: leader changed"];

/// Matchers for retries.
impl ApiStatus {
    /// Returns true if another writer was faster: the object has changed since it was read. False for conflicts with another field manager, and for a
    /// name that is taken, because a retry does not resolve them.
    pub fn is_conflict(&self) -> bool {
        let conflict = self.reason == "Conflict" || self.code == 409 && self.reason.is_empty();
        conflict && !self.has_cause("FieldManagerConflict")
    }

    /// Returns true if a create was refused because an object with the same name exists.
    pub fn is_already_exists(&self) -> bool {
        self.reason == "AlreadyExists"
    }

    /// Returns true if the object of the request does not exist.
    pub fn is_not_found(&self) -> bool {
        self.reason == "NotFound" || self.code == 404 && self.reason.is_empty()
    }

    /// Returns true if a resource quota refused the request temporarily: it is full, not counted yet, or was just counted by another request.
    pub fn is_quota(&self) -> bool {
        let counted = self.is_conflict() && self.message.contains("resourcequotas");
        counted || matches!(self.code, 403 | 500) && QUOTA.iter().any(|text| self.message.contains(text))
    }

    /// Returns true if the request timed out on its way through the server or in its storage. It may have been executed nevertheless.
    pub fn is_timeout(&self) -> bool {
        matches!(self.reason.as_str(), "Timeout" | "ServerTimeout")
            || matches!(self.code, 408 | 504)
            || self.code >= 500 && ETCD.iter().any(|text| self.message.contains(text))
    }
}
