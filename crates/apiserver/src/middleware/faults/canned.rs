//! Faults that tests often want (FLT-3).

use std::time::Duration;

use super::{Faults, RuleHandle, rule::RuleBuilder};
use crate::{kinds::Verb, status::Status};

impl RuleBuilder {
    /// 409 Conflict: somebody else changed the object.
    pub fn conflict(self) -> RuleHandle {
        let text = "Operation cannot be fulfilled: the object has been modified; please apply your changes to the latest version and try again";
        self.respond(Status::new(409, "Conflict", text))
    }

    /// 429 TooManyRequests, with the time to wait.
    pub fn too_many_requests(self, retry_after_seconds: u32) -> RuleHandle {
        let status = Status::new(429, "TooManyRequests", "Too many requests, please try again later.");
        self.respond(status.with_retry_after(retry_after_seconds))
    }

    /// 500 InternalError.
    pub fn internal_error(self) -> RuleHandle {
        self.respond(Status::new(500, "InternalError", "Internal error occurred: injected fault"))
    }

    /// 503 ServiceUnavailable.
    pub fn unavailable(self) -> RuleHandle {
        self.respond(Status::new(503, "ServiceUnavailable", "the server is currently unable to handle the request"))
    }

    /// 504 Timeout.
    pub fn timeout(self) -> RuleHandle {
        self.respond(Status::new(504, "Timeout", "Timeout: request did not complete within the allotted timeout"))
    }

    /// 404 NotFound.
    pub fn not_found(self) -> RuleHandle {
        self.respond(Status::new(404, "NotFound", "the server could not find the requested resource"))
    }

    /// 403 Forbidden, as access control says it.
    pub fn forbidden(self) -> RuleHandle {
        self.respond(Status::new(403, "Forbidden", "forbidden: injected fault"))
    }

    /// 400, as an admission webhook of this name says it when it denies a request without a code.
    pub fn deny_admission(self, webhook: &str, message: &str) -> RuleHandle {
        self.respond(Status::new(400, "", format!("admission webhook \"{webhook}\" denied the request: {message}")))
    }
}

impl Faults {
    /// Updates and patches of each object fail with a conflict this many times in a row.
    pub fn conflict_storm(&self, conflicts: u64) -> RuleHandle {
        self.on_changes().times_per_object(conflicts).conflict()
    }

    /// The store behind the server fails for writes, as an etcd without quorum does; reads still work.
    pub fn write_outage(&self) -> RuleHandle {
        self.on_writes().respond(Status::new(500, "InternalError", "etcdserver: request timed out"))
    }

    /// The store behind the server is gone for everything but discovery.
    pub fn outage(&self) -> RuleHandle {
        self.on_resources().timeout()
    }

    /// The next watch of every resource is told that its version is too old, this many times.
    pub fn expire_watches(&self, times: u64) -> RuleHandle {
        self.on(Verb::Watch).times(times).expire_watch()
    }

    /// Every request takes this much longer.
    pub fn slow_down(&self, delay: Duration) -> RuleHandle {
        self.on_any().delay(delay)
    }
}
