//! The journal and the fault rules around the writes of controllers.

use futures::future::BoxFuture;
use kubewright_middleware::journal::{Effect, Outcome, Record};
use kubewright_middleware::{Clock, Status, Verb};

use super::state::Middleware;
use crate::api::{ControllerGate, ControllerWrite};

/// The journal and the fault rules of a server, as controllers meet them.
#[derive(Debug)]
pub(super) struct MiddlewareGate {
    clock: Clock,
    middleware: Middleware,
}

impl MiddlewareGate {
    pub(super) fn new(clock: Clock, middleware: Middleware) -> Self {
        Self { clock, middleware }
    }
}

impl ControllerGate for MiddlewareGate {
    /// Applies the fault rules that name the user.
    fn before<'a>(&'a self, write: &'a ControllerWrite<'a>) -> BoxFuture<'a, Result<(), Status>> {
        Box::pin(async move { self.middleware.faults.disturb_controller(&write.target, write.user.name()).await })
    }

    /// Adds a write to the journal, unless it changed nothing.
    fn after(&self, write: ControllerWrite<'_>, revision_after: u64, outcome: Result<bool, &Status>) {
        let (code, reason) = match outcome {
            Ok(false) => return,
            Ok(true) => (if write.target.verb() == Some(Verb::Create) { 201 } else { 200 }, None),
            Err(status) => (status.code, Some(status.reason.to_string())),
        };
        let effect = Effect { revision_before: write.revision_before, revision_after, stored: outcome.is_ok() };
        self.middleware.journal.add(Record {
            number: 0,
            time: self.clock.now(),
            audit_id: None,
            user: Some(write.user.name().to_owned()),
            user_agent: write.manager.to_owned(),
            target: write.target,
            query: format!("fieldManager={}", write.manager),
            outcome: Outcome::Answered(code),
            reason: reason.filter(|reason| !reason.is_empty()),
            latency: Some(std::time::Duration::ZERO),
            effect: Some(effect),
            body: None,
            changes: Vec::new(),
            note: None,
        });
    }
}
