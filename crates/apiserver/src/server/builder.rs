//! The builder of a server.

use std::time::Duration;

use futures::FutureExt as _;
use jiff::Timestamp;
use kubewright_middleware::{Clock, Faults, Identity, Journal, Seed, Status};
use serde::Serialize;
use serde_json::Value;

use super::schedule::ControllerSet;
use super::state::{Middleware, ServerSettings};
use super::{ApiServer, ApiServerState, Controllers};
use crate::access::UserAuthentication;
use crate::api::{ApiOptions, Names, ObjectApi};
use crate::controllers::{self, ServerController};
use crate::request::DerivedDocuments;
use crate::workloads::{self, StageDelays, Stages, Workloads};

/// The time that Events are kept by default.
const EVENT_TTL: Duration = Duration::from_secs(3600);

/// The configuration of a server. It has no effect before [`ApiServerBuilder::build`].
#[derive(Debug, Default)]
pub struct ApiServerBuilder {
    clock: Option<Clock>,
    seed: Option<u64>,
    mode: Controllers,
    options: ApiOptions,
    strict: bool,
    max_in_flight: Option<usize>,
    event_ttl: Option<Duration>,
    workloads: Workloads,
    /// Definitions, or the errors of those that cannot be serialized to JSON.
    definitions: Vec<Result<Value, String>>,
    controllers: Vec<Box<dyn ServerController>>,
    stage_delays: StageDelays,
    nodes: Option<usize>,
    tokens: Vec<(String, Identity)>,
}

/// The reason for which a server cannot be built.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BuildError {
    /// The objects of an empty cluster could not be stored.
    #[error("store the objects of an empty cluster: {0}")]
    Bootstrap(#[source] Status),
    /// A custom resource definition cannot be serialized to JSON.
    #[error("print a custom resource definition as JSON: {0}")]
    Unprintable(String),
    /// A custom resource definition was refused.
    #[error("create the definition {name:?}: {status}")]
    Definition {
        /// The name of the definition.
        name: String,
        /// The error of the server.
        #[source]
        status: Status,
    },
}

impl ApiServerBuilder {
    /// Sets the source of time; the machine's clock by default.
    pub fn clock(mut self, clock: Clock) -> Self {
        self.clock = Some(clock);
        self
    }

    /// Sets a clock that starts at `epoch` and follows tokio's clock.
    pub fn epoch(self, epoch: Timestamp) -> Self {
        self.clock(Clock::tokio(epoch))
    }

    /// Sets the seed of ids and generated names; from the operating system by default.
    pub fn seed(mut self, seed: u64) -> Self {
        self.seed = Some(seed);
        self
    }

    /// Sets the times at which the built-in controllers run; after each write by default.
    pub fn controllers(mut self, controllers: Controllers) -> Self {
        self.mode = controllers;
        self
    }

    /// Adds a controller to the built-in ones.
    pub fn controller(mut self, controller: impl ServerController + 'static) -> Self {
        self.controllers.push(Box::new(controller));
        self
    }

    /// Sets the simulation of workloads; `Off` by default (STG-1).
    pub fn workloads(mut self, workloads: Workloads) -> Self {
        self.workloads = workloads;
        self
    }

    /// Sets the delays of the workload stages; zero by default (STG-2).
    pub fn stage_delays(mut self, delays: StageDelays) -> Self {
        self.stage_delays = delays;
        self
    }

    /// Sets the number of nodes for pods; one by default. They are created with the first pod (STG-5).
    pub fn nodes(mut self, nodes: usize) -> Self {
        self.nodes = Some(nodes);
        self
    }

    /// Sets the number of events that are remembered per resource; 10,000 by default.
    pub fn watch_window(mut self, events: usize) -> Self {
        self.options.watch_window = events;
        self
    }

    /// Sets the total size of the remembered events of all resources, in bytes, besides the 512 most recent ones; 16 MiB by default. The oldest are
    /// dropped first.
    pub fn watch_window_bytes(mut self, bytes: usize) -> Self {
        self.options.watch_window_bytes = bytes;
        self
    }

    /// Ends a watch with more than this many pending events, as a real server does with slow clients. By default, only a watch that falls behind the
    /// watch window ends. A watch in the same process reads nothing while a request runs (WCH-4).
    pub fn watch_queue(mut self, events: usize) -> Self {
        self.options.watch_queue = Some(events);
        self
    }

    /// Sets the strict mode, which also refuses fields in a create that the real server tolerates and a correct client never sends: generation,
    /// uid, creationTimestamp and deletionTimestamp. Off by default (DIF-7).
    pub fn strict(mut self, strict: bool) -> Self {
        self.strict = strict;
        self
    }

    /// Sets the wait of the first objects of a custom kind after the establishment of its definition; none by default, 2 s on a real server (DIF-1).
    pub fn cr_create_delay(mut self, delay: Duration) -> Self {
        self.options.cr_create_delay = delay;
        self
    }

    /// Answers 429 while this many requests are being handled, watches not counted; unlimited by default (DIF-10).
    pub fn max_in_flight(mut self, requests: usize) -> Self {
        self.max_in_flight = Some(requests);
        self
    }

    /// Sets the form of generated names; random by default.
    pub fn names(mut self, names: Names) -> Self {
        self.options.names = names;
        self
    }

    /// Sets the period of bookmarks on watches; one minute by default.
    pub fn bookmark_period(mut self, period: Duration) -> Self {
        self.options.bookmark_period = period;
        self
    }

    /// Sets the time that Events are kept after their last write; one hour by default.
    pub fn event_ttl(mut self, ttl: Duration) -> Self {
        self.event_ttl = Some(ttl);
        self
    }

    /// Turns role-based access control on or off. It is off by default: every authenticated user may do everything (DIF-8).
    pub fn rbac(mut self, on: bool) -> Self {
        self.options.rbac = on;
        self
    }

    /// Registers a bearer token for a user.
    pub fn token(mut self, token: impl Into<String>, identity: Identity) -> Self {
        self.tokens.push((token.into(), identity));
        self
    }

    /// Adds custom resource definitions that exist from the start.
    pub fn crds<D: Serialize>(mut self, definitions: impl IntoIterator<Item = D>) -> Self {
        let read = |definition: D| serde_json::to_value(definition).map_err(|error| error.to_string());
        self.definitions.extend(definitions.into_iter().map(read));
        self
    }

    /// Builds the server; it is ready when this returns.
    pub fn build(self) -> Result<ApiServer, BuildError> {
        let clock = self.clock.unwrap_or_else(Clock::system).with_own_skew();
        let seed = self.seed.map_or_else(Seed::from_os, Seed::new);
        // Fault rules draw from a seed of their own, so that adding a rule does not change the names and ids that the server generates.
        let fault_seed = self.seed.map_or_else(Seed::from_os, |seed| Seed::new(seed ^ u64::MAX));
        let faults = Faults::new(clock.clone(), fault_seed);
        let journal = Journal::new(clock.clone());
        let mut options = self.options;
        let mut all = controllers::builtin(self.event_ttl.unwrap_or(EVENT_TTL));
        if self.workloads != Workloads::Off {
            options.further_warnings = Some(workloads::warnings);
            all.push(Box::new(Stages::new(self.workloads, self.stage_delays, self.nodes.unwrap_or(1))));
        }
        all.extend(self.controllers);
        // The key of service accounts is derived separately for the same reason.
        let access = UserAuthentication::new(
            self.seed.map_or_else(|| Seed::from_os().next_u64(), |seed| Seed::new(seed.rotate_left(32)).next_u64()),
        );
        for (token, identity) in self.tokens {
            access.credentials.add_token(&token, identity);
        }
        let api = ObjectApi::for_server(clock, seed, options, access);
        let settings = ServerSettings {
            controllers: self.mode,
            strict: self.strict,
            max_in_flight: self.max_in_flight.unwrap_or(usize::MAX),
        };
        let middleware = Middleware { journal, faults };
        let state = ApiServerState::new(api, settings, ControllerSet::new(all), middleware, DerivedDocuments::default());
        state.bootstrap().map_err(BuildError::Bootstrap)?;
        let server = ApiServer::new(state);
        // No webhook exists yet that would have to be called, so these futures are ready at once.
        let _ = server.state().schedule.run_inline().now_or_never();
        for definition in self.definitions {
            let definition = definition.map_err(BuildError::Unprintable)?;
            let name = definition.pointer("/metadata/name").and_then(Value::as_str).unwrap_or_default().to_owned();
            let created = server.create(definition).now_or_never();
            let outcome = created.unwrap_or_else(|| Err(Status::internal("the definition was not created at once")));
            outcome.map_err(|status| BuildError::Definition { name, status })?;
        }
        server.journal().reset();
        Ok(server)
    }
}
