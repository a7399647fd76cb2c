//! Settling: running until no work is left (DET-4).

use std::fmt;
use std::sync::Weak;

use parking_lot::Mutex;

use super::{ApiServer, Controllers};

/// The maximum number of rounds.
const ROUNDS: usize = 1_000;

/// The error for controllers, watches or loops that are still busy after many rounds.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("settle: still busy: {}", busy.join(", "))]
pub struct Unsettled {
    /// Descriptions of those that are still busy.
    pub busy: Vec<String>,
}

/// The registration of a loop outside the server that [`ApiServer::settle`] waits for. It ends when this value is dropped.
#[must_use = "the loop is forgotten when this is dropped"]
pub struct IdleCheck {
    check: std::sync::Arc<RegisteredLoop>,
}

struct RegisteredLoop {
    name: String,
    is_idle: Box<dyn Fn() -> bool + Send + Sync>,
}

/// The registered loops.
#[derive(Default)]
pub(crate) struct IdleChecks(Mutex<Vec<Weak<RegisteredLoop>>>);

impl fmt::Debug for IdleChecks {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("IdleChecks").finish_non_exhaustive()
    }
}

impl IdleChecks {
    fn busy(&self) -> Vec<String> {
        let mut checks = self.0.lock();
        checks.retain(|check| check.strong_count() > 0);
        let living: Vec<_> = checks.iter().filter_map(Weak::upgrade).collect();
        drop(checks);
        living.iter().filter(|check| !(check.is_idle)()).map(|check| check.name.clone()).collect()
    }
}

impl ApiServer {
    /// Runs due timers and controllers once (DET-4).
    pub async fn tick(&self) {
        let state = self.state();
        state.schedule.run(state.schedule.mode != Controllers::Off).await;
    }

    /// Repeats [`ApiServer::tick`] until no controller has work, no timer is due, every watch was read to its end, and every loop of
    /// [`ApiServer::settle_with`] is idle. Time does not pass.
    ///
    /// # Errors
    ///
    /// Returns the list of those that are still busy after many rounds.
    pub async fn settle(&self) -> Result<(), Unsettled> {
        let mut busy = Vec::new();
        for _ in 0..ROUNDS {
            busy = self.round().await;
            if busy.is_empty() {
                return Ok(());
            }
            // The readers of watches and the registered loops run in other tasks.
            tokio::task::yield_now().await;
        }
        Err(Unsettled { busy })
    }

    /// Makes [`ApiServer::settle`] wait for a loop outside the server; `is_idle` returns true while the loop is idle.
    pub fn settle_with(&self, name: impl Into<String>, is_idle: impl Fn() -> bool + Send + Sync + 'static) -> IdleCheck {
        let check = std::sync::Arc::new(RegisteredLoop { name: name.into(), is_idle: Box::new(is_idle) });
        self.state().idle_checks.0.lock().push(std::sync::Arc::downgrade(&check));
        IdleCheck { check }
    }

    async fn round(&self) -> Vec<String> {
        let state = self.state();
        let before = state.api.store.revision();
        let mut busy: Vec<String> = state.schedule.run(true).await.into_iter().map(|name| format!("controller {name}")).collect();
        if busy.is_empty() && state.api.store.revision() != before {
            busy.push("controllers".to_owned());
        }
        if state.schedule.next_due().is_some_and(|due| due <= state.api.clock.moment()) {
            busy.push("a timer that is due".to_owned());
        }
        let unread = |(resource, count): (_, usize)| format!("{count} watches of {resource} with unread events");
        busy.extend(state.api.store.busy().into_iter().map(unread));
        busy.extend(state.idle_checks.busy());
        busy
    }
}

impl fmt::Debug for IdleCheck {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_tuple("IdleCheck").field(&self.check.name).finish()
    }
}
