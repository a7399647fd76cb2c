//! The state that all requests of a server share.

use std::{
    collections::HashMap,
    sync::{
        Arc, Weak,
        atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering},
    },
    time::Duration,
};

use parking_lot::{Mutex, MutexGuard, RwLock};
use serde_json::Value;

use super::{Controllers, Disturbances, IdleChecks, Names, ServerOptions, Writer};
use crate::{
    access::UserAuthentication,
    clock::{Clock, Seed},
    controllers::Controller,
    discovery::Discovery,
    identity::Identity,
    kinds::{KindSpec, Registry},
    middleware::{Faults, Journal},
    model,
    openapi::OpenApi,
    store::Store,
};

/// The maximum number of rounds of controllers until quiescence, which is far above any real cascade.
const ROUNDS: usize = 10_000;

/// A definition whose kinds are served.
#[derive(Clone, Debug)]
struct InForce {
    /// The input from which the kinds were made.
    shape: Value,
    /// The revision of establishment. Objects of older revisions were written under another schema, or before there was one.
    since: u64,
    /// The time at which the kinds were first served.
    established: Duration,
}

/// A controller and the user that it writes as.
struct ServerController {
    controller: Box<dyn Controller>,
    user: Arc<Identity>,
}

impl ServerController {
    fn new(controller: Box<dyn Controller>) -> Self {
        let user = Arc::new(Identity::service_account("kube-system", controller.name()));
        Self { controller, user }
    }

    /// Returns true if the controller has work now; unless `all` is set, only controllers count that are part of the API itself.
    fn works(&self, all: bool, now: Duration) -> bool {
        (all || self.controller.is_essential()) && self.controller.is_due(now)
    }
}

/// A guard that counts a caller of the controllers until it is dropped.
struct AtWork<'a>(&'a AtomicUsize);

impl<'a> AtWork<'a> {
    fn begin(count: &'a AtomicUsize) -> Self {
        count.fetch_add(1, Ordering::AcqRel);
        Self(count)
    }
}

impl Drop for AtWork<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::AcqRel);
    }
}

/// The layers in front of the pipeline, which controllers use too.
#[derive(Clone, Debug)]
pub(crate) struct Middleware {
    pub(crate) journal: Journal,
    pub(crate) faults: Faults,
}

/// The state besides the content of the store. It is cheap to clone.
#[derive(Clone)]
struct Knowledge {
    registry: Registry,
    definitions: HashMap<String, InForce>,
    controllers: Arc<[ServerController]>,
}

impl Knowledge {
    /// Returns the same state for another server or a checkpoint.
    fn fork(&self) -> Self {
        let fork =
            |member: &ServerController| ServerController { controller: member.controller.fork(), user: member.user.clone() };
        Self { controllers: self.controllers.iter().map(fork).collect(), ..self.clone() }
    }
}

/// The inputs with which a server is built.
#[derive(Debug)]
pub(super) struct Foundation {
    pub(super) clock: Clock,
    pub(super) seed: Seed,
    pub(super) options: ServerOptions,
    pub(super) access: UserAuthentication,
}

/// Derived state that a fork takes over.
#[derive(Default)]
struct Made {
    discovery: Discovery,
    openapi: OpenApi,
    /// The number of names that were completed by counting.
    names: u64,
}

/// The state behind an `ApiServer`.
pub(crate) struct ApiServerState {
    pub(crate) clock: Clock,
    pub(crate) seed: Seed,
    pub(crate) store: Arc<Store>,
    pub(crate) options: ServerOptions,
    pub(crate) access: UserAuthentication,
    pub(crate) middleware: Middleware,
    pub(crate) disturbances: Disturbances,
    pub(super) idle_checks: IdleChecks,
    knowledge: RwLock<Knowledge>,
    pub(crate) discovery: Discovery,
    pub(crate) openapi: OpenApi,
    running: tokio::sync::Mutex<()>,
    /// The number of callers that run the controllers, or wait for their turn.
    at_work: AtomicUsize,
    /// Held while controllers observe changes, so that they observe them in order.
    observing: Mutex<()>,
    /// Held while an object is given a resource that is unique in the cluster.
    allocating: Mutex<()>,
    paused: AtomicBool,
    /// The number of requests that are being handled.
    pub(crate) in_flight: AtomicUsize,
    /// The number of names that were completed by counting.
    named: AtomicU64,
    /// The planned wake-up of the timer task, if there is one.
    pub(super) timer: Mutex<Option<Duration>>,
    pub(super) weak: Weak<ApiServerState>,
}

/// A state of the server that can be restored.
#[derive(Clone)]
pub struct Checkpoint {
    saved: crate::store::Saved,
    knowledge: Knowledge,
}

impl ApiServerState {
    pub(super) fn new(foundation: Foundation, controllers: Vec<Box<dyn Controller>>, middleware: Middleware) -> Arc<Self> {
        let mut store = Store::new(foundation.options.watch_window).with_history_bytes(foundation.options.watch_window_bytes);
        if let Some(queue) = foundation.options.watch_queue {
            store = store.with_queue(queue);
        }
        let controllers = controllers.into_iter().map(ServerController::new).collect();
        let knowledge = Knowledge { registry: Registry::builtin(), definitions: HashMap::new(), controllers };
        Self::assemble(foundation, middleware, store, knowledge, Made::default())
    }

    fn assemble(foundation: Foundation, middleware: Middleware, store: Store, knowledge: Knowledge, made: Made) -> Arc<Self> {
        let Foundation { clock, seed, options, access } = foundation;
        Arc::new_cyclic(|weak| Self {
            clock,
            seed,
            store: Arc::new(store),
            options,
            access,
            middleware,
            disturbances: Disturbances::default(),
            idle_checks: IdleChecks::default(),
            knowledge: RwLock::new(knowledge),
            discovery: made.discovery,
            openapi: made.openapi,
            running: tokio::sync::Mutex::new(()),
            at_work: AtomicUsize::new(0),
            observing: Mutex::new(()),
            allocating: Mutex::new(()),
            paused: AtomicBool::new(false),
            in_flight: AtomicUsize::new(0),
            named: AtomicU64::new(made.names),
            timer: Mutex::new(None),
            weak: weak.clone(),
        })
    }

    /// Returns another server with the same content (FRK-1).
    pub(super) fn fork(&self, clock: &Clock, seed: Seed, middleware: Middleware) -> Arc<Self> {
        let knowledge = self.knowledge.read().fork();
        let made =
            Made { discovery: self.discovery.fork(), openapi: self.openapi.fork(), names: self.named.load(Ordering::Relaxed) };
        let clock = clock.with_own_skew();
        let foundation = Foundation { clock, seed, options: self.options.clone(), access: self.access.fork() };
        Self::assemble(foundation, middleware, self.store.fork(), knowledge, made)
    }

    /// Returns the current state.
    pub(super) fn checkpoint(&self) -> Checkpoint {
        Checkpoint { saved: self.store.save(), knowledge: self.knowledge.read().fork() }
    }

    /// Restores an earlier state.
    pub(super) fn restore(&self, checkpoint: &Checkpoint) {
        let mut knowledge = self.knowledge.write();
        let registry = checkpoint.knowledge.registry.after(&knowledge.registry);
        *knowledge = Knowledge { registry, ..checkpoint.knowledge.fork() };
        self.store.restore(&checkpoint.saved);
    }

    /// Returns the registry of the kinds that are served now.
    pub(crate) fn registry(&self) -> Registry {
        self.knowledge.read().registry.clone()
    }

    /// Calls `ask` with the registry of the kinds that are served now, without cloning it.
    pub(crate) fn with_registry<T>(&self, ask: impl FnOnce(&Registry) -> T) -> T {
        ask(&self.knowledge.read().registry)
    }

    /// Starts serving the kinds of a definition. `shape` is the input from which they were made.
    pub(crate) fn put_definition_in_force(&self, definition: &str, kinds: Vec<KindSpec>, shape: Value) {
        let mut knowledge = self.knowledge.write();
        let known = knowledge.definitions.get(definition).map(|in_force| in_force.established);
        let established = known.unwrap_or_else(|| self.clock.moment());
        let in_force = InForce { shape, since: self.store.revision(), established };
        knowledge.definitions.insert(definition.to_owned(), in_force);
        knowledge.registry = knowledge.registry.with_definition(definition, kinds);
    }

    /// Stops serving the kinds of a definition.
    pub(crate) fn withdraw_definition(&self, definition: &str) {
        let mut knowledge = self.knowledge.write();
        knowledge.definitions.remove(definition);
        knowledge.registry = knowledge.registry.without_definition(definition);
    }

    /// Sets the group and version that an APIService would serve if its service answered; `None` if it answers or is gone.
    pub(crate) fn note_unavailable(&self, service: &str, serves: Option<(String, String)>) {
        let mut knowledge = self.knowledge.write();
        knowledge.registry = knowledge.registry.with_unavailable(service, serves);
    }

    /// Returns the input from which the kinds of a definition in force were made.
    pub(crate) fn definition_in_force(&self, definition: &str) -> Option<Value> {
        self.knowledge.read().definitions.get(definition).map(|in_force| in_force.shape.clone())
    }

    /// Returns true if an object was written under the current schema of its kind.
    pub(crate) fn is_fresh(&self, kind: &KindSpec, revision: u64) -> bool {
        kind.custom.as_ref().is_none_or(|custom| {
            self.knowledge.read().definitions.get(&custom.definition).is_some_and(|in_force| revision > in_force.since)
        })
    }

    /// Notes that an object was written as this kind. If the kind was replaced meanwhile, the object counts as written before the replacement.
    pub(crate) fn note_written(&self, kind: &Arc<KindSpec>, revision: u64) {
        let Some(custom) = &kind.custom else { return };
        let is_present = |registry: &Registry| {
            registry.resource(&kind.group, &kind.version, &kind.plural).is_some_and(|present| Arc::ptr_eq(present, kind))
        };
        if self.with_registry(is_present) {
            return;
        }
        if let Some(in_force) = self.knowledge.write().definitions.get_mut(&custom.definition) {
            in_force.since = in_force.since.max(revision);
        }
    }

    /// Returns the time from which on objects of the kind may be created (DIF-1).
    pub(crate) fn open_for_creates(&self, kind: &KindSpec) -> Duration {
        let Some(custom) = kind.custom.as_ref().filter(|_| !self.options.cr_create_delay.is_zero()) else {
            return Duration::ZERO;
        };
        let established = self.knowledge.read().definitions.get(&custom.definition).map(|in_force| in_force.established);
        established.unwrap_or_default() + self.options.cr_create_delay
    }

    /// Locks allocation. The lock is held from the read until the commit, so that no two objects get the same unique resource.
    pub(crate) fn turn_to_allocate(&self, kind: &KindSpec) -> Option<MutexGuard<'_, ()>> {
        model::of(kind).allocates().then(|| self.allocating.lock())
    }

    /// Returns the completion of a generated name (META-4, DET-6).
    pub(crate) fn name_suffix(&self) -> String {
        match self.options.names {
            Names::Random => self.seed.name_suffix(),
            Names::Counter => format!("{:05}", self.named.fetch_add(1, Ordering::Relaxed) + 1),
        }
    }

    /// Pauses the controllers, or resumes them (FLT-4).
    pub(super) fn pause(&self, paused: bool) {
        self.paused.store(paused, Ordering::Relaxed);
    }

    /// Runs the controllers after a commit, if they run with each write.
    pub(crate) async fn after_write(&self) {
        self.run(self.options.controllers == Controllers::Inline).await;
    }

    /// Runs all controllers until none has work. With `all` unset, only those run that are part of the API itself. Returns the names of those that
    /// still had work after the maximum number of rounds.
    pub(crate) async fn run(&self, all: bool) -> Vec<&'static str> {
        let all = all && !self.paused.load(Ordering::Relaxed);
        let working = if self.is_quiet(all) { Vec::new() } else { self.work(all).await };
        if self.options.controllers == Controllers::Inline && all {
            self.schedule();
        }
        working
    }

    /// Returns true if no controller is at work and none has work. Most writes find that, and need not wait for each other.
    fn is_quiet(&self, all: bool) -> bool {
        let controllers = self.knowledge.read().controllers.clone();
        self.observe(&controllers);
        let now = self.clock.moment();
        // The counter is read last, since it is raised before any work is taken.
        !controllers.iter().any(|member| member.works(all, now)) && self.at_work.load(Ordering::Acquire) == 0
    }

    async fn work(&self, all: bool) -> Vec<&'static str> {
        let Some(state) = self.weak.upgrade() else { return Vec::new() };
        let _at_work = AtWork::begin(&self.at_work);
        let _running = self.running.lock().await;
        let mut working = Vec::new();
        for _ in 0..ROUNDS {
            let controllers = self.knowledge.read().controllers.clone();
            let mut busy = self.observe(&controllers);
            working.clear();
            let now = self.clock.moment();
            for ServerController { controller, user } in controllers.iter().filter(|member| member.works(all, now)) {
                let writer = Writer::new(&state, user.clone(), controller.manager());
                match controller.run(&writer).await {
                    Ok(true) => working.push(controller.name()),
                    Ok(false) => {}
                    Err(status) => tracing::warn!(controller = controller.name(), error = %status, "failed to finish a round"),
                }
            }
            busy |= !working.is_empty();
            if !busy {
                break;
            }
        }
        working
    }

    /// Makes controllers observe the committed changes. Returns true if there were any.
    fn observe(&self, controllers: &[ServerController]) -> bool {
        let _turn = self.observing.lock();
        let events = self.store.take_outbox();
        let runs = |member: &&ServerController| self.options.controllers != Controllers::Off || member.controller.is_essential();
        // A controller that never runs would only accumulate changes.
        for member in controllers.iter().filter(runs) {
            for event in &events {
                member.controller.observe(event);
            }
        }
        !events.is_empty()
    }

    /// Returns the time at which the first controller has to run again.
    pub(super) fn next_due(&self) -> Option<Duration> {
        self.knowledge.read().controllers.iter().filter_map(|member| member.controller.next_due()).min()
    }
}

impl std::fmt::Debug for ApiServerState {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("ApiServerState")
            .field("clock", &self.clock)
            .field("options", &self.options)
            .finish_non_exhaustive()
    }
}

impl std::fmt::Debug for Checkpoint {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Checkpoint").field("saved", &self.saved).finish_non_exhaustive()
    }
}
