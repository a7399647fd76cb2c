//! The parts of a running server.

use std::sync::Arc;

use kubewright_machinery::object::GroupVersionKind;
use kubewright_middleware::{Clock, Faults, Journal, Seed};

use super::gate::MiddlewareGate;
use super::schedule::{ControllerSchedule, ControllerSet};
use super::{Controllers, IdleChecks};
use crate::api::{ApiCheckpoint, ObjectApi};
use crate::proto;
use crate::request::{DerivedDocuments, RequestState};

/// The layers in front of the pipeline, which controllers use too.
#[derive(Clone, Debug)]
pub(crate) struct Middleware {
    pub(crate) journal: Journal,
    pub(crate) faults: Faults,
}

/// The state behind an `ApiServer`.
#[derive(Debug)]
pub(crate) struct ApiServerState {
    pub(crate) api: Arc<ObjectApi>,
    pub(crate) requests: Arc<RequestState>,
    pub(super) schedule: Arc<ControllerSchedule>,
    pub(super) middleware: Middleware,
    pub(super) idle_checks: IdleChecks,
}

/// A state of the server that can be restored.
#[derive(Clone)]
pub struct Checkpoint {
    api: ApiCheckpoint,
    controllers: ControllerSet,
}

/// The settings of a server that its forks take over.
#[derive(Clone, Copy, Debug)]
pub(super) struct ServerSettings {
    pub(super) controllers: Controllers,
    pub(super) strict: bool,
    pub(super) max_in_flight: usize,
}

impl ApiServerState {
    pub(super) fn new(
        api: ObjectApi,
        settings: ServerSettings,
        controllers: ControllerSet,
        middleware: Middleware,
        documents: DerivedDocuments,
    ) -> Arc<Self> {
        middleware.journal.decode_bodies(|body| proto::decode(body, &GroupVersionKind::default()).ok());
        let api = Arc::new(api);
        let gate = Arc::new(MiddlewareGate::new(api.clock.clone(), middleware.clone()));
        let schedule = ControllerSchedule::new(api.clone(), settings.controllers, gate, controllers);
        let requests = RequestState::new(api.clone(), documents, schedule.clone(), settings.strict, settings.max_in_flight);
        Arc::new(Self { api, requests: Arc::new(requests), schedule, middleware, idle_checks: IdleChecks::default() })
    }

    /// Returns another server with the same content (FRK-1).
    pub(super) fn fork(&self, clock: &Clock, seed: Seed, middleware: Middleware) -> Arc<Self> {
        let RequestState { strict, max_in_flight, .. } = *self.requests;
        let settings = ServerSettings { controllers: self.schedule.mode, strict, max_in_flight };
        let controllers = self.schedule.fork_controllers();
        Self::new(self.api.fork(clock, seed), settings, controllers, middleware, self.requests.documents.fork())
    }

    /// Returns the current state.
    pub(super) fn checkpoint(&self) -> Checkpoint {
        let (api, controllers) = self.api.checkpoint(|| self.schedule.fork_controllers());
        Checkpoint { api, controllers }
    }

    /// Restores an earlier state.
    pub(super) fn restore(&self, checkpoint: &Checkpoint) {
        self.schedule.restore(&checkpoint.controllers, || self.api.restore(&checkpoint.api));
    }
}

impl std::fmt::Debug for Checkpoint {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Checkpoint").field("api", &self.api).finish_non_exhaustive()
    }
}
