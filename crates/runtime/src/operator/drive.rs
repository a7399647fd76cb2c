//! The driver, which takes an operator through its phases.

use std::collections::BTreeSet;
use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use futures::StreamExt as _;
use futures::future::try_join_all;
use futures::stream::FuturesUnordered;
use kubewright_core::backoff::Timing;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use super::background::{BackgroundTasks, StartedTask};
use super::injected::{OpenedStores, Queues, States};
use super::leading::OperatorLeadership;
use super::options::OperatorOptions;
use super::preflight::Preflight;
use super::progress::StartProgress;
use super::{
    Compat, ConstructedPart, Declarations, OperatorContext, OperatorError, OperatorPhase, PreparedOperator, Registration, health,
};
use crate::admin::{Admin, Diagnostics, HealthChecks, PassHistories, WaitCensus};
use crate::cluster::Cluster;
use crate::config::{Configs, CurrentTiming, Keeper, KeeperOptions};
use crate::controller::Runner;
use crate::defaults::CANCEL_GRACE;
use crate::events::{EventSink, Recorder, RecorderOptions};
use crate::leadership::{LeadershipState, TaskTerms};
use crate::metrics::Metrics;
use crate::targets::{ControllerTargets, RemoteOptions};
use crate::task::{Task, Tasks};

/// The part of the shutdown time that is reserved for requests after the passes have ended: releases of leases, and events.
const SENDING_TIME: Duration = Duration::from_secs(2);
/// The longest time in which pending events are sent at a shutdown.
const FLUSH: Duration = Duration::from_secs(10);
/// The time that framework tasks have to end after they are asked to.
const TASK_GRACE: Duration = Duration::from_secs(1);
/// The number of times that a shutdown waits for framework tasks: those of watches, of parts, and of the admin server.
const GRACES: u32 = 3;
/// The time after which workers count as stuck if they have been in the same passes all along.
const STUCK: Duration = Duration::from_secs(15 * 60);
/// The interval between log lines that name the culprits of a waiting start.
const REMIND: Duration = Duration::from_secs(60);

/// The parts of a driver.
pub(super) struct Parts {
    pub(super) name: String,
    pub(super) formats: Arc<Compat>,
    pub(super) declarations: Declarations,
    pub(super) registrations: Vec<Box<dyn Registration>>,
    pub(super) checks: HealthChecks,
    pub(super) timing: Arc<Timing>,
    /// True if a ConfigMap replaces the timing.
    pub(super) follows_timing: bool,
    pub(super) states: States,
    pub(super) configs: KeeperOptions,
    pub(super) options: OperatorOptions,
    pub(super) cluster: Cluster,
    pub(super) tasks: Tasks,
    pub(super) shutdown: CancellationToken,
}

/// An operator that is ready to run.
pub(super) struct Driver {
    parts: Parts,
    phase: watch::Sender<OperatorPhase>,
    /// Cancelled when the operator begins to work.
    worked: CancellationToken,
    metrics: Metrics,
    why: PassHistories,
    diagnostics: Diagnostics,
    /// The set of tasks of the admin server and its connections, which end last.
    admin: Tasks,
    controllers_stop: CancellationToken,
    controllers: FuturesUnordered<Task<()>>,
    leadership: OperatorLeadership,
    background: BackgroundTasks,
    progress: StartProgress,
    recorder: Option<Recorder>,
    /// The function that takes events in place of the API server.
    events: Option<EventSink>,
}

impl Driver {
    pub(super) fn new(parts: Parts) -> Self {
        let metrics = Metrics::new(parts.formats.metrics_prefix());
        parts.cluster.requests().register(&metrics);
        let watched = parts.cluster.watched().clone();
        watched.register(&metrics);
        let phase = watch::Sender::new(OperatorPhase::Starting);
        let control = parts.configs.control.clone();
        let diagnostics = Diagnostics::new(phase.subscribe(), parts.checks.clone(), watched, metrics.clone(), control);
        let states = parts.configs.states.clone();
        diagnostics.section("config", move || states.to_json());
        Self {
            phase,
            diagnostics,
            worked: CancellationToken::new(),
            metrics,
            why: PassHistories::default().redacted_by(parts.cluster.redactor().clone()),
            admin: Tasks::new(),
            controllers_stop: CancellationToken::new(),
            controllers: FuturesUnordered::new(),
            leadership: OperatorLeadership::new(),
            background: BackgroundTasks::default(),
            progress: StartProgress::default(),
            recorder: None,
            events: None,
            parts,
        }
    }

    pub(super) fn phase(&self) -> watch::Receiver<OperatorPhase> {
        self.phase.subscribe()
    }

    pub(super) fn leadership(&self) -> watch::Receiver<LeadershipState> {
        self.leadership.state()
    }

    pub(super) fn worked(&self) -> CancellationToken {
        self.worked.clone()
    }

    pub(super) fn shutdown(&self) -> CancellationToken {
        self.parts.shutdown.clone()
    }

    /// Returns the sets of tasks in which the operator runs.
    pub(super) fn tasks(&self) -> [Tasks; 3] {
        [self.parts.cluster.tasks().clone(), self.parts.tasks.clone(), self.admin.clone()]
    }

    pub(super) fn checks(&self) -> HealthChecks {
        self.parts.checks.clone()
    }

    pub(super) fn metrics(&self) -> Metrics {
        self.metrics.clone()
    }

    pub(super) fn why(&self) -> PassHistories {
        self.why.clone()
    }

    pub(super) fn diagnostics(&self) -> Diagnostics {
        self.diagnostics.clone()
    }

    /// Runs the operator from the phase `Starting` to `Stopped`.
    pub(super) async fn drive(mut self) -> Result<(), OperatorError> {
        let shutdown = self.parts.shutdown.clone();
        let result = tokio::select! {
            biased;
            () = shutdown.cancelled() => Ok(()),
            result = self.serve() => result,
        };
        self.drain().await;
        result
    }

    /// Constructs all parts and fills their caches, with a function that takes events in place of the API server.
    pub(super) async fn prepare(mut self, events: EventSink) -> Result<PreparedOperator, OperatorError> {
        self.events = Some(events);
        let context = self.context();
        self.load_configuration(&context).await?;
        let parts = self.start_parts(&context).await?;
        health::all_settled(&self.parts.cluster).await;
        let runners = parts.into_iter().flat_map(ConstructedPart::run).collect();
        Ok(PreparedOperator::new(runners, [self.parts.cluster.tasks().clone(), self.parts.tasks]))
    }

    /// Runs the operator until a fatal failure or the shutdown.
    async fn serve(&mut self) -> Result<(), OperatorError> {
        health::add_checks(&self.parts.checks, &self.parts.cluster, &self.parts.shutdown, &self.phase(), &self.progress)
            .map_err(|error| OperatorError::Invalid(vec![error.to_string()]))?;
        self.open_admin().await?;
        self.enter(OperatorPhase::Preflight);
        Preflight::new(&self.parts.cluster, &self.parts.declarations, &self.parts.options).check().await?;
        let mut context = self.context();
        self.enter(OperatorPhase::ConfigLoaded);
        self.load_configuration(&context).await?;
        let parts: Vec<String> = self.parts.registrations.iter().map(|part| part.name().to_owned()).collect();
        self.leadership.prepare(&mut context, &self.parts.options, &parts).await?;
        if context.plan.is_some() {
            let state = self.leadership.state();
            self.diagnostics.section("buckets", move || state.borrow().to_json());
        }
        self.enter(OperatorPhase::CachesSynced);
        let mut parts = self.start_parts(&context).await?;
        if !context.waits.is_empty() {
            let waits = context.waits.clone();
            self.diagnostics.section("waits", move || waits.to_json());
        }
        // If watching definitions is forbidden, discovery reads the types again after a while.
        self.parts.cluster.follow_types();
        self.enter(OperatorPhase::Standby);
        self.start_background(&mut parts);
        let controllers: Vec<Runner> = parts.into_iter().flat_map(ConstructedPart::run).collect();
        let leader_tasks: Vec<TaskTerms> = self.background.started().iter().filter_map(StartedTask::terms).cloned().collect();
        tokio::select! {
            () = self.leadership.campaign(&controllers, &leader_tasks) => {}
            error = self.background.failed() => return Err(error),
        }
        let mut state = self.leadership.state();
        self.follow_leadership();
        self.worked.cancel();
        self.run_controllers(controllers)?;
        loop {
            tokio::select! {
                // Controllers end at the shutdown; before that only a panic ends one.
                Some(ended) = self.controllers.next() => ended?,
                changed = self.leadership.changed(&mut state) => {
                    changed?;
                    self.follow_leadership();
                }
                error = self.background.failed() => return Err(error),
                () = self.parts.shutdown.cancelled() => return Ok(()),
            }
        }
    }

    /// Enters the phase `Leading` as soon as this replica leads a bucket, and `Standby` when it leads none any more.
    fn follow_leadership(&self) {
        let phase = self.leadership.phase();
        if *self.phase.borrow() != phase {
            self.enter(phase);
        }
    }

    /// Ends all parts in the required order (SHT-2). Leases are released meanwhile, each as soon as no pass of its bucket runs.
    async fn drain(&mut self) {
        self.parts.shutdown.cancel();
        self.enter(OperatorPhase::Draining);
        let clock = self.parts.cluster.clock().clone();
        let end = clock.moment() + self.parts.options.shutdown_timeout;
        self.controllers_stop.cancel();
        self.leadership.stop();
        while self.controllers.next().await.is_some() {}
        self.background.ended().await;
        let left = || end.since(clock.moment()).saturating_sub(GRACES * TASK_GRACE);
        if clock.limit(left(), self.leadership.released()).await.is_err() {
            tracing::warn!("some leases could not be released before the end; they expire by themselves");
        }
        let mut stuck = self.parts.cluster.tasks().stop(TASK_GRACE).await;
        if let Some(recorder) = self.recorder.take()
            && clock.limit(left().min(FLUSH), recorder.finish()).await.is_err()
        {
            tracing::warn!("some events could not be sent before the end");
        }
        stuck.extend(self.parts.tasks.stop(TASK_GRACE).await);
        if !stuck.is_empty() {
            tracing::warn!(tasks = stuck.join(", "), "tasks did not end when asked to");
        }
        self.admin.stop(TASK_GRACE).await;
        self.enter(OperatorPhase::Stopped);
    }

    fn enter(&self, phase: OperatorPhase) {
        tracing::info!(phase = phase.as_str(), "operator phase");
        self.phase.send_replace(phase);
    }

    async fn open_admin(&self) -> Result<(), OperatorError> {
        let Some(address) = self.parts.options.admin else {
            return Ok(());
        };
        let admin = Admin::bind(address).await?.with_why(self.why.clone()).with_diagnostics(self.diagnostics.clone());
        tracing::info!(address = %admin.address(), "the admin server listens");
        let clock = self.parts.cluster.clock().clone();
        let beat =
            health::heartbeat(&self.parts.checks, &clock).map_err(|error| OperatorError::Invalid(vec![error.to_string()]))?;
        let stopping = self.admin.stopping();
        self.admin.spawn("heartbeat", health::tick(beat, clock.clone(), stopping.clone())).detach();
        let serve = admin.serve(self.parts.checks.clone(), self.metrics.clone(), clock, self.admin.clone(), stopping);
        self.admin.spawn("admin server", serve).detach();
        Ok(())
    }

    /// Reads the configuration that constructors request, and starts to follow its ConfigMaps.
    async fn load_configuration(&mut self, context: &OperatorContext) -> Result<(), OperatorError> {
        let configs = std::mem::take(&mut self.parts.configs);
        if let Some((map, _)) = &configs.observability {
            health::note_restart(&self.parts.checks, map, &configs.control)
                .map_err(|error| OperatorError::Invalid(vec![error.to_string()]))?;
        }
        let mut keeper = Keeper::start(context.keeper_services(), configs);
        let waiting = keeper.waiting();
        if keeper.reads_types() {
            let waiting = waiting.clone();
            let probe = move || match &*waiting.culprits() {
                [] => Ok(()),
                culprits => Err(format!("waiting for {}", culprits.join(", "))),
            };
            self.parts.checks.ready("config", probe).map_err(|error| OperatorError::Invalid(vec![error.to_string()]))?;
        }
        let load = async {
            keeper.load().await;
            Ok(())
        };
        self.patiently(OperatorPhase::ConfigLoaded, || waiting.culprits(), load).await?;
        let tasks = &self.parts.tasks;
        tasks.spawn("configuration", keeper.follow(tasks.stopping())).detach();
        Ok(())
    }

    /// Constructs all parts, and waits for the first lists of their watches.
    async fn start_parts(&mut self, context: &OperatorContext) -> Result<Vec<Box<dyn ConstructedPart>>, OperatorError> {
        let registrations = std::mem::take(&mut self.parts.registrations);
        let started = async {
            let mut parts = Vec::new();
            for registration in registrations {
                let (kind, name) = (registration.kind(), registration.name().to_owned());
                let title = format!("{} {name:?}", kind.as_str());
                self.progress.constructs(&title);
                let failed = move |source| OperatorError::Registration { part: kind, name, source };
                match registration.construct(context.clone()).await {
                    Ok(part) => parts.push((title, part, failed)),
                    Err(source) => return Err(failed(source)),
                }
            }
            self.progress.fills(parts.iter().map(|(title, ..)| title.clone()).collect());
            let progress = &self.progress;
            let synced = parts.into_iter().map(|(title, mut part, failed)| async move {
                let synced = part.synced().await;
                progress.has_filled(&title);
                synced.map(|()| part).map_err(failed)
            });
            try_join_all(synced).await
        };
        self.patiently(OperatorPhase::CachesSynced, || self.progress.culprits(&self.parts.cluster), started).await
    }

    /// Does the work of a phase of the start within the time limit, and logs what it waits for (PHA-3).
    async fn patiently<T>(
        &self,
        phase: OperatorPhase,
        waiting_for: impl Fn() -> Vec<String>,
        work: impl Future<Output = Result<T, OperatorError>>,
    ) -> Result<T, OperatorError> {
        let clock = self.parts.cluster.clock();
        let reminded = async {
            tokio::pin!(work);
            loop {
                if let Ok(done) = clock.limit(REMIND, work.as_mut()).await {
                    return done;
                }
                let waiting_for = waiting_for().join(", ");
                tracing::warn!(waiting_for, "the operator is still starting");
            }
        };
        match self.parts.options.startup_timeout {
            None => reminded.await,
            Some(limit) => {
                // The culprits are only known until the work is dropped.
                tokio::pin!(reminded);
                let done = clock.limit(limit, reminded.as_mut()).await;
                done.unwrap_or_else(|_| Err(OperatorError::Timeout { phase, limit, culprits: waiting_for() }))
            }
        }
    }

    fn start_background(&mut self, parts: &mut [Box<dyn ConstructedPart>]) {
        let Parts { options, cluster, tasks, .. } = &self.parts;
        let ready = parts.iter_mut().flat_map(|part| part.tasks());
        self.background.start(ready, tasks, cluster.clock(), &self.controllers_stop, time_of_passes(options.shutdown_timeout));
        let started = self.background.started().to_vec();
        self.diagnostics.section("tasks", move || started.iter().map(StartedTask::to_json).collect());
    }

    fn run_controllers(&mut self, controllers: Vec<Runner>) -> Result<(), OperatorError> {
        let names: BTreeSet<&str> = controllers.iter().map(Runner::name).collect();
        tracing::info!(
            controllers = names.into_iter().collect::<Vec<_>>().join(", "),
            tasks = self.background.started().iter().map(StartedTask::name).collect::<Vec<_>>().join(", "),
            watches = self.parts.cluster.watches().health().len(),
            "the operator works"
        );
        let probes: Vec<_> = controllers.iter().map(|controller| controller.stuck_probe(STUCK)).collect();
        self.parts
            .checks
            .live("workers", move || probes.iter().try_for_each(|probe| probe()))
            .map_err(|error| OperatorError::Invalid(vec![error.to_string()]))?;
        for controller in controllers {
            let name = format!("controller {}", controller.name());
            let run = controller.run(self.controllers_stop.clone(), time_of_passes(self.parts.options.shutdown_timeout));
            self.controllers.push(self.parts.tasks.spawn(name, run));
        }
        Ok(())
    }

    fn context(&mut self) -> OperatorContext {
        let Parts { name, cluster, tasks, options, timing, follows_timing, checks, shutdown, states, formats, .. } = &self.parts;
        let reporting =
            RecorderOptions { reporter: name.clone(), instance: options.instance.clone().unwrap_or_else(|| name.clone()) };
        let recorder = Recorder::start(cluster, reporting, tasks, &self.metrics);
        let recorder = match &self.events {
            Some(sink) => recorder.with_sink(Arc::clone(sink)),
            None => recorder,
        };
        self.recorder = Some(recorder.clone());
        let system_namespace: Arc<str> = options.system_namespace.as_deref().unwrap_or_default().into();
        let remote = RemoteOptions {
            cluster: cluster.clone(),
            tasks: tasks.clone(),
            operator: name.clone(),
            allow_exec: false,
            connector: states.get(),
        };
        let configs = Configs::default();
        let timing = if *follows_timing {
            CurrentTiming::followed(Arc::clone(timing), configs.clone())
        } else {
            Arc::clone(timing).into()
        };
        OperatorContext {
            operator: name.as_str().into(),
            cluster: cluster.clone(),
            clock: cluster.clock().clone(),
            random: cluster.random().clone(),
            tasks: tasks.clone(),
            recorder,
            metrics: self.metrics.clone(),
            checks: checks.clone(),
            why: self.why.clone(),
            waits: WaitCensus::default(),
            shutdown: shutdown.clone(),
            timing,
            workers: options.workers,
            watch_namespaces: options.watch_namespaces.clone(),
            targets: ControllerTargets::new(remote, Arc::clone(&system_namespace)),
            system_namespace,
            formats: Arc::clone(formats),
            plan: None,
            leadership: self.leadership.state(),
            instance: options.instance.as_deref().unwrap_or(name).into(),
            states: states.clone(),
            opened: OpenedStores::default(),
            queues: Queues::default(),
            configs,
            resync: options.resync,
            startup_timeout: options.startup_timeout,
        }
    }
}

/// Returns the time of passes in that of the shutdown: after it there must be time to cancel the remaining passes, and for the rest of the shutdown.
fn time_of_passes(whole: Duration) -> Duration {
    whole.saturating_sub(CANCEL_GRACE + SENDING_TIME + GRACES * TASK_GRACE).max(whole / 2)
}
