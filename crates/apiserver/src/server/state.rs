//! What all requests of a server share.

use std::{
    collections::HashMap,
    sync::{Arc, Weak},
    time::Duration,
};

use parking_lot::{Mutex, RwLock};
use serde_json::Value;

use super::{Controllers, Options, Writer};
use crate::{
    access::Identity,
    clock::{Clock, Seed},
    controllers::Controller,
    discovery::Discovery,
    kinds::{KindSpec, Registry},
    openapi::OpenApi,
    store::{Event, Store},
};

/// How many rounds controllers may need before the server gives up on quiescence: far above any real cascade.
const ROUNDS: usize = 10_000;

/// A definition whose kinds are served.
#[derive(Debug)]
struct InForce {
    /// What its kinds were made from.
    shape: Value,
    /// Objects of older revisions were written under another schema, or before there was one.
    since: u64,
}

/// A controller and the user that it writes as.
struct Member {
    controller: Box<dyn Controller>,
    user: Arc<Identity>,
}

impl Member {
    fn new(controller: Box<dyn Controller>) -> Self {
        let user = Arc::new(Identity::service_account("kube-system", controller.name()));
        Self { controller, user }
    }
}

/// The state behind an `ApiServer`.
pub(crate) struct State {
    pub(crate) clock: Clock,
    pub(crate) seed: Seed,
    pub(crate) store: Arc<Store>,
    pub(crate) options: Options,
    registry: RwLock<Registry>,
    definitions: RwLock<HashMap<String, InForce>>,
    pub(crate) discovery: Discovery,
    pub(crate) openapi: OpenApi,
    controllers: Vec<Member>,
    running: tokio::sync::Mutex<()>,
    /// When the timer task will wake, if there is one.
    pub(super) timer: Mutex<Option<Duration>>,
    pub(super) weak: Weak<State>,
}

impl State {
    pub(super) fn new(clock: Clock, seed: Seed, options: Options, controllers: Vec<Box<dyn Controller>>) -> Arc<Self> {
        Arc::new_cyclic(|weak| Self {
            clock,
            seed,
            store: Arc::new(Store::new(options.watch_window)),
            options,
            registry: RwLock::new(Registry::builtin()),
            definitions: RwLock::new(HashMap::new()),
            discovery: Discovery::default(),
            openapi: OpenApi::default(),
            controllers: controllers.into_iter().map(Member::new).collect(),
            running: tokio::sync::Mutex::new(()),
            timer: Mutex::new(None),
            weak: weak.clone(),
        })
    }

    /// The kinds that are served now.
    pub(crate) fn registry(&self) -> Registry {
        self.registry.read().clone()
    }

    /// Puts the kinds of a definition into force. `shape` is what they were made from.
    pub(crate) fn put_definition_in_force(&self, definition: &str, kinds: Vec<KindSpec>, shape: Value) {
        let in_force = InForce { shape, since: self.store.revision() };
        self.definitions.write().insert(definition.to_owned(), in_force);
        let mut registry = self.registry.write();
        *registry = registry.with_definition(definition, kinds);
    }

    /// Stops serving the kinds of a definition.
    pub(crate) fn withdraw_definition(&self, definition: &str) {
        self.definitions.write().remove(definition);
        let mut registry = self.registry.write();
        *registry = registry.without_definition(definition);
    }

    /// Notes which group and version an APIService would serve if its service answered; `None` when it answers or is gone.
    pub(crate) fn note_unavailable(&self, service: &str, serves: Option<(String, String)>) {
        let mut registry = self.registry.write();
        *registry = registry.with_unavailable(service, serves);
    }

    /// What the kinds of a definition in force were made from.
    pub(crate) fn definition_in_force(&self, definition: &str) -> Option<Value> {
        self.definitions.read().get(definition).map(|in_force| in_force.shape.clone())
    }

    /// Whether an object was written under the present schema of its kind.
    pub(crate) fn is_fresh(&self, kind: &KindSpec, revision: u64) -> bool {
        kind.custom
            .as_ref()
            .is_none_or(|custom| self.definitions.read().get(&custom.definition).is_none_or(|in_force| revision > in_force.since))
    }

    /// Lets the controllers react to what was committed, if they run with each write.
    pub(crate) async fn after_write(&self) {
        self.run(self.options.controllers == Controllers::Inline).await;
    }

    /// Lets all controllers work until none has anything to do. With `all` unset only those run that are a part of the API itself.
    pub(crate) async fn run(&self, all: bool) {
        let Some(state) = self.weak.upgrade() else { return };
        let _running = self.running.lock().await;
        for _ in 0..ROUNDS {
            let events = self.store.take_outbox();
            let mut busy = !events.is_empty();
            self.observe(&events);
            for Member { controller, user } in self.controllers.iter().filter(|member| all || member.controller.is_essential()) {
                let writer = Writer::new(&state, user.clone());
                match controller.run(&writer).await {
                    Ok(worked) => busy |= worked,
                    Err(status) => tracing::warn!(controller = controller.name(), error = %status, "failed to finish a round"),
                }
            }
            if !busy {
                break;
            }
        }
        if self.options.controllers == Controllers::Inline {
            self.schedule();
        }
    }

    fn observe(&self, events: &[Arc<Event>]) {
        let runs = |member: &&Member| self.options.controllers != Controllers::Off || member.controller.is_essential();
        // What never runs would only collect what it notes.
        for member in self.controllers.iter().filter(runs) {
            for event in events {
                member.controller.observe(event);
            }
        }
    }

    /// When the first controller wants to run again.
    pub(super) fn next_due(&self) -> Option<Duration> {
        self.controllers.iter().filter_map(|member| member.controller.next_due()).min()
    }
}

impl std::fmt::Debug for State {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("State").field("clock", &self.clock).field("options", &self.options).finish_non_exhaustive()
    }
}
