//! The state that recorders and the sending task share.

use std::time::Duration;

use kubewright_core::events::{Correlator, EventDecision, Occurrence};
use kubewright_core::time::Moment;
use parking_lot::Mutex;
use tokio::sync::Notify;

use super::outbox::{HoldScope, Letter, LetterContent, Outbox, ROOM};
use crate::clock::Clock;
use crate::metrics::{EventLabels, Metrics};

/// The shortest interval between two log lines about events that found no room.
const REMIND: Duration = Duration::from_secs(60);

/// The post, which decides about events as they occur, and keeps the requests to send.
pub(super) struct EventPost {
    clock: Clock,
    metrics: Metrics,
    state: Mutex<PostState>,
    /// Notified when the sending task may have something to do.
    work: Notify,
    /// Notified when a request was sent or abandoned.
    progress: Notify,
}

struct PostState {
    correlator: Correlator,
    outbox: Outbox,
    life: Life,
    /// The number of events that found no room and are not logged yet.
    lost: u64,
    reminded: Option<Moment>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Life {
    Open,
    /// No recorder is left.
    Abandoned,
    /// No task sends any more.
    Closed,
}

impl EventPost {
    pub(super) fn new(clock: Clock, seed: u64, metrics: Metrics) -> Self {
        let (correlator, outbox) = (Correlator::new(seed), Outbox::default());
        let state = PostState { correlator, outbox, life: Life::Open, lost: 0, reminded: None };
        Self { clock, metrics, state: Mutex::new(state), work: Notify::new(), progress: Notify::new() }
    }

    /// Takes an event on an object.
    pub(super) fn put(&self, occurrence: Occurrence) {
        let (time, now) = (self.clock.now(), self.clock.moment());
        let mut state = self.state.lock();
        if state.life == Life::Closed {
            return self.dropped("shutdown", 1);
        }
        match state.correlator.observe(occurrence, time, now) {
            EventDecision::Dropped => self.dropped("budget", 1),
            decision => self.post(&mut state, decision, now),
        }
        drop(state);
        self.work.notify_one();
    }

    /// Waits until all events that were recorded until now have been sent or abandoned.
    pub(super) async fn flush(&self) {
        let number = self.state.lock().outbox.next_number();
        loop {
            let progress = self.progress.notified();
            tokio::pin!(progress);
            // Notifications from here on are not missed.
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

    /// Queues the counts of running series for sending now.
    pub(super) fn close_series(&self) {
        let now = self.clock.moment();
        let mut state = self.state.lock();
        for decision in state.correlator.finish() {
            self.post(&mut state, decision, now);
        }
        drop(state);
        self.work.notify_one();
    }

    /// Ends the recording, because no recorder is left; the waiting events are still sent.
    pub(super) fn abandon(&self) {
        self.close_series();
        let mut state = self.state.lock();
        if state.life == Life::Open {
            state.life = Life::Abandoned;
        }
        drop(state);
        self.work.notify_one();
    }

    /// Ends the sending; the waiting events are lost.
    pub(super) fn close(&self) {
        let mut state = self.state.lock();
        state.life = Life::Closed;
        let left = std::mem::take(&mut state.outbox).len();
        drop(state);
        self.dropped("shutdown", left as u64);
        self.progress.notify_waiters();
    }

    /// Waits until there may be something to do.
    pub(super) async fn work(&self) {
        self.work.notified().await;
    }

    /// Takes the next request to send.
    pub(super) fn take(&self) -> Option<Letter> {
        let now = self.clock.moment();
        let mut state = self.state.lock();
        for decision in state.correlator.flush(now) {
            self.post(&mut state, decision, now);
        }
        state.outbox.take(now)
    }

    /// Returns the moment at which there is something to do without a further event, after [`take`](Self::take) returned None.
    pub(super) fn next_due(&self) -> Option<Moment> {
        let state = self.state.lock();
        [state.correlator.next_due(), state.outbox.next_due()].into_iter().flatten().min()
    }

    /// Returns true if there is nothing to send, and there never will be.
    pub(super) fn is_over(&self) -> bool {
        let state = self.state.lock();
        state.life != Life::Open && state.outbox.len() == 0
    }

    /// Ends a request that succeeded.
    pub(super) fn sent(&self, letter: &Letter) {
        self.metrics.standard().events_sent.inc();
        self.state.lock().outbox.done(letter);
        self.progress.notify_waiters();
    }

    /// Ends a repeated request whose event already exists. Occurrences that were counted since then are sent as a count.
    pub(super) fn is_there(&self, letter: Letter) {
        let now = self.clock.moment();
        let mut state = self.state.lock();
        state.outbox.done(&letter);
        let Letter { namespace, name, content, .. } = letter;
        if let LetterContent::Create(_, Some(series)) = content {
            self.post(&mut state, EventDecision::Count { namespace, name, count: series.count, last: series.last }, now);
        }
        drop(state);
        self.progress.notify_waiters();
    }

    /// Repeats a request after a delay.
    pub(super) fn again(&self, letter: Letter, wait: Duration, scope: HoldScope) {
        let until = self.clock.moment() + wait;
        self.state.lock().outbox.again(letter, until, scope);
    }

    /// Abandons a request. If its event does not exist, the next occurrence creates a new event.
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

    fn post(&self, state: &mut PostState, decision: EventDecision, now: Moment) {
        let Some(lost) = state.outbox.put(decision) else {
            return;
        };
        if matches!(lost.content, LetterContent::Create(..)) {
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
