//! The scheduling of controllers: after each write, when their time has come, or when they are told to run.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Weak};
use std::time::Duration;

use futures::future::BoxFuture;
use kubewright_middleware::Identity;
use parking_lot::{Mutex, RwLock};

use super::Controllers;
use super::gate::MiddlewareGate;
use crate::api::{ObjectApi, Writer};
use crate::controllers::ServerController;
use crate::request::AfterWrite;

/// The maximum number of rounds of controllers until quiescence, which is far above any real cascade.
const ROUNDS: usize = 10_000;

/// A controller and the user that it writes as.
struct ScheduledController {
    controller: Box<dyn ServerController>,
    user: Arc<Identity>,
}

impl ScheduledController {
    fn new(controller: Box<dyn ServerController>) -> Self {
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

/// The controllers of a server, as they are at one time.
#[derive(Clone)]
pub(super) struct ControllerSet(Arc<[ScheduledController]>);

impl ControllerSet {
    pub(super) fn new(controllers: Vec<Box<dyn ServerController>>) -> Self {
        Self(controllers.into_iter().map(ScheduledController::new).collect())
    }

    /// Returns the same controllers for another server or a checkpoint.
    pub(super) fn fork(&self) -> Self {
        let fork = |member: &ScheduledController| ScheduledController {
            controller: member.controller.fork(),
            user: member.user.clone(),
        };
        Self(self.0.iter().map(fork).collect())
    }
}

/// The controllers of a server, and the times at which they run.
pub(super) struct ControllerSchedule {
    pub(super) api: Arc<ObjectApi>,
    pub(super) mode: Controllers,
    gate: Arc<MiddlewareGate>,
    controllers: RwLock<ControllerSet>,
    running: tokio::sync::Mutex<()>,
    /// The number of callers that run the controllers, or wait for their turn.
    at_work: AtomicUsize,
    /// Held while controllers observe changes, so that they observe them in order.
    observing: Mutex<()>,
    paused: AtomicBool,
    /// The planned wake-up of the timer task, if there is one.
    pub(super) timer: Mutex<Option<Duration>>,
    pub(super) weak: Weak<Self>,
}

impl ControllerSchedule {
    pub(super) fn new(
        api: Arc<ObjectApi>,
        mode: Controllers,
        gate: Arc<MiddlewareGate>,
        controllers: ControllerSet,
    ) -> Arc<Self> {
        Arc::new_cyclic(|weak| Self {
            api,
            mode,
            gate,
            controllers: RwLock::new(controllers),
            running: tokio::sync::Mutex::new(()),
            at_work: AtomicUsize::new(0),
            observing: Mutex::new(()),
            paused: AtomicBool::new(false),
            timer: Mutex::new(None),
            weak: weak.clone(),
        })
    }

    /// Returns the controllers for another server or a checkpoint.
    pub(super) fn fork_controllers(&self) -> ControllerSet {
        self.controllers.read().fork()
    }

    /// Replaces the controllers by those of a checkpoint. No controller is seen before `restore_content` has restored the content that belongs to
    /// them.
    pub(super) fn restore(&self, controllers: &ControllerSet, restore_content: impl FnOnce()) {
        let mut present = self.controllers.write();
        restore_content();
        *present = controllers.fork();
    }

    /// Returns access to the objects as a user inside the server.
    pub(super) fn writer(&self, user: Arc<Identity>, manager: &'static str) -> Writer {
        Writer::new(&self.api, self.gate.clone(), user, manager)
    }

    /// Pauses the controllers, or resumes them (FLT-4).
    pub(super) fn pause(&self, paused: bool) {
        self.paused.store(paused, Ordering::Relaxed);
    }

    /// Runs the controllers after a commit, if they run with each write.
    pub(super) async fn run_inline(&self) {
        self.run(self.mode == Controllers::Inline).await;
    }

    /// Runs all controllers until none has work. With `all` unset, only those run that are part of the API itself. Returns the names of those that
    /// still had work after the maximum number of rounds.
    pub(crate) async fn run(&self, all: bool) -> Vec<&'static str> {
        let all = all && !self.paused.load(Ordering::Relaxed);
        let working = if self.is_quiet(all) { Vec::new() } else { self.work(all).await };
        if self.mode == Controllers::Inline && all {
            self.schedule();
        }
        working
    }

    /// Returns true if no controller is at work and none has work. Most writes find that, and need not wait for each other.
    fn is_quiet(&self, all: bool) -> bool {
        let controllers = self.controllers.read().clone();
        self.observe(&controllers);
        let now = self.api.clock.moment();
        // The counter is read last, since it is raised before any work is taken.
        !controllers.0.iter().any(|member| member.works(all, now)) && self.at_work.load(Ordering::Acquire) == 0
    }

    async fn work(&self, all: bool) -> Vec<&'static str> {
        let _at_work = AtWork::begin(&self.at_work);
        let _running = self.running.lock().await;
        let mut working = Vec::new();
        for _ in 0..ROUNDS {
            let controllers = self.controllers.read().clone();
            let mut busy = self.observe(&controllers);
            working.clear();
            let now = self.api.clock.moment();
            for ScheduledController { controller, user } in controllers.0.iter().filter(|member| member.works(all, now)) {
                let writer = self.writer(user.clone(), controller.manager());
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
    fn observe(&self, controllers: &ControllerSet) -> bool {
        let _turn = self.observing.lock();
        let events = self.api.store.take_outbox();
        let runs = |member: &&ScheduledController| self.mode != Controllers::Off || member.controller.is_essential();
        // A controller that never runs would only accumulate changes.
        for member in controllers.0.iter().filter(runs) {
            for event in &events {
                member.controller.observe(event);
            }
        }
        !events.is_empty()
    }

    /// Returns the time at which the first controller has to run again.
    pub(super) fn next_due(&self) -> Option<Duration> {
        self.controllers.read().0.iter().filter_map(|member| member.controller.next_due()).min()
    }
}

impl AfterWrite for ControllerSchedule {
    fn after_write(&self) -> BoxFuture<'_, ()> {
        Box::pin(self.run_inline())
    }
}

impl std::fmt::Debug for ControllerSchedule {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("ControllerSchedule").field("mode", &self.mode).finish_non_exhaustive()
    }
}
