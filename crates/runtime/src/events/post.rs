//! What recorders and the task that sends share.

use std::time::Duration;

use kubewright_core::events::{Correlator, Decision, Occurrence};
use kubewright_core::time::Moment;
use parking_lot::Mutex;
use tokio::sync::Notify;

use super::outbox::{Content, Letter, Outbox, ROOM, Scope};
use crate::clock::Clock;
use crate::metrics::{EventLabels, Metrics};

/// Events that found no room are logged at most this often.
const REMIND: Duration = Duration::from_secs(60);

/// Decides about events as they occur, and keeps what is to be sent.
pub(super) struct Post {
    clock: Clock,
    metrics: Metrics,
    state: Mutex<State>,
    /// There is something to do for the task that sends.
    work: Notify,
    /// Something was sent or given up.
    progress: Notify,
}

struct State {
    correlator: Correlator,
    outbox: Outbox,
    life: Life,
    /// Events that found no room and are not logged yet.
    lost: u64,
    reminded: Option<Moment>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Life {
    Open,
    /// Nobody records any more.
    Abandoned,
    /// Nobody sends any more.
    Closed,
}

impl Post {
    pub(super) fn new(clock: Clock, seed: u64, metrics: Metrics) -> Self {
        let (correlator, outbox) = (Correlator::new(seed), Outbox::default());
        let state = State { correlator, outbox, life: Life::Open, lost: 0, reminded: None };
        Self { clock, metrics, state: Mutex::new(state), work: Notify::new(), progress: Notify::new() }
    }

    /// Something happened to an object.
    pub(super) fn put(&self, occurrence: Occurrence) {
        let (time, now) = (self.clock.now(), self.clock.moment());
        let mut state = self.state.lock();
        if state.life == Life::Closed {
            return self.dropped("shutdown", 1);
        }
        match state.correlator.observe(occurrence, time, now) {
            Decision::Dropped => self.dropped("budget", 1),
            decision => self.post(&mut state, decision, now),
        }
        drop(state);
        self.work.notify_one();
    }

    /// Everything that was put in until now has been sent or given up.
    pub(super) async fn flush(&self) {
        let number = self.state.lock().outbox.next_number();
        loop {
            let progress = self.progress.notified();
            tokio::pin!(progress);
            // What happens from here on is not missed.
            progress.as_mut().enable();
            {
                let state = self.state.lock();
                if state.life == Life::Closed || state.outbox.is_sent_before(number) {
                    return;
                }
            }
            progress.await;
        }
    }

    /// The counts of running series are to be sent now.
    pub(super) fn close_series(&self) {
        let now = self.clock.moment();
        let mut state = self.state.lock();
        for decision in state.correlator.finish() {
            self.post(&mut state, decision, now);
        }
        drop(state);
        self.work.notify_one();
    }

    /// Nobody records any more: what there is, is sent.
    pub(super) fn abandon(&self) {
        self.close_series();
        let mut state = self.state.lock();
        if state.life == Life::Open {
            state.life = Life::Abandoned;
        }
        drop(state);
        self.work.notify_one();
    }

    /// Nobody sends any more: what there is, is lost.
    pub(super) fn close(&self) {
        let mut state = self.state.lock();
        state.life = Life::Closed;
        let left = std::mem::take(&mut state.outbox).len();
        drop(state);
        self.dropped("shutdown", left as u64);
        self.progress.notify_waiters();
    }

    /// Ends when there may be something to do.
    pub(super) async fn work(&self) {
        self.work.notified().await;
    }

    /// The next request to send.
    pub(super) fn take(&self) -> Option<Letter> {
        let now = self.clock.moment();
        let mut state = self.state.lock();
        for decision in state.correlator.flush(now) {
            self.post(&mut state, decision, now);
        }
        state.outbox.take(now)
    }

    /// When there is something to do even if nothing happens, after [`take`](Self::take) had nothing.
    pub(super) fn next_due(&self) -> Option<Moment> {
        let state = self.state.lock();
        [state.correlator.next_due(), state.outbox.next_due()].into_iter().flatten().min()
    }

    /// Whether there is nothing to send and never will be.
    pub(super) fn is_over(&self) -> bool {
        let state = self.state.lock();
        state.life != Life::Open && state.outbox.len() == 0
    }

    /// A request was answered as it should be.
    pub(super) fn sent(&self, letter: &Letter) {
        self.metrics.standard().events_sent.inc();
        self.state.lock().outbox.done(letter);
        self.progress.notify_waiters();
    }

    /// The event of a request that was repeated is there, without what has been counted since.
    pub(super) fn is_there(&self, letter: Letter) {
        let now = self.clock.moment();
        let mut state = self.state.lock();
        state.outbox.done(&letter);
        let Letter { namespace, name, content, .. } = letter;
        if let Content::Create(_, Some(series)) = content {
            self.post(&mut state, Decision::Count { namespace, name, count: series.count, last: series.last }, now);
        }
        drop(state);
        self.progress.notify_waiters();
    }

    /// A request is repeated after a while.
    pub(super) fn again(&self, letter: Letter, wait: Duration, scope: Scope) {
        let until = self.clock.moment() + wait;
        self.state.lock().outbox.again(letter, until, scope);
    }

    /// A request is given up. When its event is not there, the next one of its kind is a new one.
    pub(super) fn refused(&self, letter: &Letter, is_missing: bool) {
        let mut state = self.state.lock();
        state.outbox.done(letter);
        if is_missing {
            state.correlator.forget(&letter.name);
        }
        drop(state);
        self.dropped("refused", 1);
        self.progress.notify_waiters();
    }

    fn post(&self, state: &mut State, decision: Decision, now: Moment) {
        let Some(lost) = state.outbox.put(decision) else {
            return;
        };
        if matches!(lost.content, Content::Create(..)) {
            state.correlator.forget(&lost.name);
        }
        self.dropped("buffer", 1);
        state.lost += 1;
        if state.reminded.is_none_or(|at| now.since(at) >= REMIND) {
            state.reminded = Some(now);
            let lost = std::mem::take(&mut state.lost);
            tracing::warn!(lost, waiting = ROOM, "events are dropped, the oldest first: more occur than can be sent");
        }
    }

    fn dropped(&self, cause: &'static str, number: u64) {
        if number > 0 {
            self.metrics.standard().events_dropped.get_or_create(&EventLabels { cause }).inc_by(number);
        }
    }
}
