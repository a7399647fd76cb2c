//! Ready-made faults for tests (FLT-3).

use std::time::Duration;

use super::rule::RuleBuilder;
use super::{Faults, RuleHandle};
use crate::status::Status;
use crate::verb::Verb;

impl RuleBuilder {
    /// Answers 409 Conflict, as if another client had changed the object.
    pub fn conflict(self) -> RuleHandle {
        let text = "Operation cannot be fulfilled: the object has been modified; please apply your changes to the latest version and try again";
        self.respond(Status::new(409, "Conflict", text))
    }

    /// Answers 429 TooManyRequests with the time to wait.
    pub fn too_many_requests(self, retry_after_seconds: u32) -> RuleHandle {
        let status = Status::new(429, "TooManyRequests", "Too many requests, please try again later.");
        self.respond(status.with_retry_after(retry_after_seconds))
    }

    /// Answers 500 InternalError.
    pub fn internal_error(self) -> RuleHandle {
        self.respond(Status::internal("injected fault"))
    }

    /// Answers 503 ServiceUnavailable.
    pub fn unavailable(self) -> RuleHandle {
        self.respond(Status::new(503, "ServiceUnavailable", "the server is currently unable to handle the request"))
    }

    /// Answers 504 Timeout.
    pub fn timeout(self) -> RuleHandle {
        self.respond(Status::new(504, "Timeout", "Timeout: request did not complete within the allotted timeout"))
    }

    /// Answers 404 NotFound.
    pub fn not_found(self) -> RuleHandle {
        self.respond(Status::new(404, "NotFound", "the server could not find the requested resource"))
    }

    /// Answers 403 Forbidden, as access control does.
    pub fn forbidden(self) -> RuleHandle {
        self.respond(Status::new(403, "Forbidden", "forbidden: injected fault"))
    }

    /// Answers 400, as an admission webhook of this name does when it denies a request without a code.
    pub fn deny_admission(self, webhook: &str, message: &str) -> RuleHandle {
        self.respond(Status::new(400, "", format!("admission webhook \"{webhook}\" denied the request: {message}")))
    }
}

impl Faults {
    /// Fails updates and patches of each object with a conflict this many times in a row.
    pub fn conflict_storm(&self, conflicts: u64) -> RuleHandle {
        self.on_changes().times_per_object(conflicts).conflict()
    }

    /// Fails writes as a server does whose etcd has no quorum; reads still work.
    pub fn write_outage(&self) -> RuleHandle {
        self.on_writes().respond(Status::new(500, "InternalError", "etcdserver: request timed out"))
    }

    /// Fails all requests for resources, as if the store were unreachable; discovery still works.
    pub fn outage(&self) -> RuleHandle {
        self.on_resources().timeout()
    }

    /// Answers this many watches, whatever their resource, with the error that their version is too old.
    pub fn expire_watches(&self, times: u64) -> RuleHandle {
        self.on(Verb::Watch).times(times).expire_watch()
    }

    /// Delays every request by this time.
    pub fn slow_down(&self, delay: Duration) -> RuleHandle {
        self.on_any().delay(delay)
    }
}
