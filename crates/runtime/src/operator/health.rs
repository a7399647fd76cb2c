//! The checks of liveness and readiness that every operator has.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use kubewright_core::time::Moment;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use super::OperatorPhase;
use super::progress::StartProgress;
use crate::admin::{DuplicateCheck, HealthChecks};
use crate::clock::Clock;
use crate::cluster::Cluster;
use crate::config::ObservabilityControl;
use crate::watch::WatchState;

/// The interval of the heartbeat of the process, and the age from which a heartbeat counts as missing.
const HEARTBEAT: Duration = Duration::from_secs(1);
const HEARTBEAT_LIMIT: Duration = Duration::from_secs(10);

/// The number of checks for started watches that yield in between, and the interval of the later ones.
const YIELDS: usize = 10_000;
const LOOK_AGAIN: Duration = Duration::from_millis(10);

/// The names of the checks that every operator has (HLT-2, HLT-4).
const OWN_CHECKS: [&str; 7] = ["phase", "caches", "config", "shutdown", "watches", "heartbeat", "workers"];

/// Returns the problem of the name of an author's check, which is reported before anything is started.
pub(super) fn problem_of(name: &str) -> Option<String> {
    let is_own = OWN_CHECKS.contains(&name);
    is_own.then(|| format!("add the check {name:?}: every operator has one of this name; give yours another name"))
}

/// Adds the checks that every operator has.
pub(super) fn add_checks(
    checks: &HealthChecks,
    cluster: &Cluster,
    shutdown: &CancellationToken,
    phase: &watch::Receiver<OperatorPhase>,
    progress: &StartProgress,
) -> Result<(), DuplicateCheck> {
    let current = phase.clone();
    checks.ready("phase", move || {
        let phase = *current.borrow();
        if phase.is_serving() { Ok(()) } else { Err(format!("the operator is in the phase {}", phase.as_str())) }
    })?;
    let (current, caches, progress) = (phase.clone(), cluster.clone(), progress.clone());
    checks.ready("caches", move || match *current.borrow() {
        OperatorPhase::Starting | OperatorPhase::Preflight | OperatorPhase::ConfigLoaded => {
            Err("watches have not been started".to_owned())
        }
        OperatorPhase::CachesSynced => Err(format!("waiting for {}", progress.culprits(&caches).join(", "))),
        _ => Ok(()),
    })?;
    let shutdown = shutdown.clone();
    checks.ready(
        "shutdown",
        move || {
            if shutdown.is_cancelled() { Err("received SIGTERM from kubelet".to_owned()) } else { Ok(()) }
        },
    )?;
    let cluster = cluster.clone();
    checks.note("watches", move || {
        let now = cluster.clock().moment();
        let broken: Vec<String> = cluster
            .watches()
            .health()
            .into_iter()
            .filter(|watch| !watch.healthy(now) || watch.status.state == WatchState::Forbidden)
            .map(|watch| format!("{}: {}", watch.spec, watch.status.error.unwrap_or_else(|| "silent".to_owned())))
            .collect();
        if broken.is_empty() { Ok(()) } else { Err(broken.join(", ")) }
    })
}

/// Adds the note about changes of `config-observability` that take effect only after a restart (OBS-3).
pub(super) fn note_restart(checks: &HealthChecks, map: &str, control: &ObservabilityControl) -> Result<(), DuplicateCheck> {
    let control = control.clone();
    checks.note(map, move || match &*control.outdated() {
        [] => Ok(()),
        keys => Err(format!("{} take effect when the operator is started again", keys.join(", "))),
    })
}

/// Waits until each watch has its first list, or cannot get it for now.
pub(super) async fn all_settled(cluster: &Cluster) {
    let is_starting = || cluster.watches().health().iter().any(|watch| watch.status.state == WatchState::Starting);
    // In virtual time the clock must not advance while lists are under way.
    for _ in 0..YIELDS {
        if !is_starting() {
            return;
        }
        tokio::task::yield_now().await;
    }
    while is_starting() {
        cluster.clock().sleep(LOOK_AGAIN).await;
    }
}

/// Adds the check `heartbeat`, and returns the storage of the heartbeats.
pub(super) fn heartbeat(checks: &HealthChecks, clock: &Clock) -> Result<Arc<AtomicU64>, DuplicateCheck> {
    let beat = Arc::new(AtomicU64::new(0));
    let (last, clock) = (beat.clone(), clock.clone());
    checks.live("heartbeat", move || {
        let last = Moment(Duration::from_millis(last.load(Ordering::Relaxed)));
        let silent = clock.moment().since(last);
        if silent > HEARTBEAT_LIMIT { Err(format!("no task has run for {silent:?}")) } else { Ok(()) }
    })?;
    Ok(beat)
}

/// Records heartbeats until `stop`.
pub(super) async fn tick(beat: Arc<AtomicU64>, clock: Clock, stop: CancellationToken) {
    loop {
        beat.store(clock.moment().0.as_millis() as u64, Ordering::Relaxed);
        tokio::select! {
            () = stop.cancelled() => return,
            () = clock.sleep(HEARTBEAT) => {}
        }
    }
}
