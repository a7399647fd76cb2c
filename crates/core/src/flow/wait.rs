//! Waits: expected ends of a pass, which are not failures.

use super::join::Extra;
use super::{Delay, Event, Flow, Halt, Reason, text};

/// A wait: the pass ends as expected, and is repeated on a timer or on an event.
#[derive(Clone, Debug)]
#[must_use]
pub struct Wait(pub(super) Box<WaitDetails>);

/// The condition that ends a wait: a timer, or an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum WaitOn {
    /// An exact timer.
    Timer(Delay),
    /// An event. The pass is also repeated after the safety net, with some jitter, in case the event is missed.
    Event {
        /// The longest time without a pass; none means [`Timing::safety_net`](crate::backoff::Timing::safety_net).
        safety_net: Option<Delay>,
    },
    /// A timer whose delays grow from pass to pass.
    Growing {
        /// An upper bound for this pass; the sequence grows nevertheless.
        at_most: Option<Delay>,
    },
}

#[derive(Clone, Debug)]
pub(super) struct WaitDetails {
    pub(super) reason: Reason,
    pub(super) message: Option<String>,
    pub(super) on: WaitOn,
    pub(super) progressed: bool,
    pub(super) more: usize,
    /// The longest time that the wait may take.
    pub(super) deadline: Option<Delay>,
    pub(super) event: Option<Event>,
    pub(super) extra: Extra,
}

impl Wait {
    /// Creates a wait until the delay has passed.
    pub fn after(delay: Delay, reason: impl Into<Reason>) -> Self {
        Self::on_what(WaitOn::Timer(delay), reason.into())
    }

    /// Creates a wait for an event on a watched object. The safety net is that of the timing (5 minutes); [`Wait::safety_net`] changes it.
    pub fn for_event(reason: impl Into<Reason>) -> Self {
        Self::on_what(WaitOn::Event { safety_net: None }, reason.into())
    }

    /// Creates a wait with delays that grow for as long as the key waits for this reason.
    pub fn growing(reason: impl Into<Reason>) -> Self {
        Self::on_what(WaitOn::Growing { at_most: None }, reason.into())
    }

    /// Sets the message, which explains the reason.
    pub fn message(mut self, message: impl Into<String>) -> Self {
        self.0.message = Some(text::cut(message.into()));
        self
    }

    /// Sets the safety net of a wait for an event. No effect on other waits.
    pub fn safety_net(mut self, delay: Delay) -> Self {
        if let WaitOn::Event { safety_net } = &mut self.0.on {
            *safety_net = Some(delay);
        }
        self
    }

    /// Sets an upper bound for the delay of a growing wait. No effect on other waits.
    pub fn at_most(mut self, delay: Delay) -> Self {
        if let WaitOn::Growing { at_most } = &mut self.0.on {
            *at_most = Some(delay);
        }
        self
    }

    /// Changes the delay of a wait for a timer, for instance with a jitter. No effect on other waits.
    pub fn map_delay(mut self, change: impl FnOnce(Delay) -> Delay) -> Self {
        if let WaitOn::Timer(delay) = &mut self.0.on {
            *delay = change(*delay);
        }
        self
    }

    /// Reports progress since the last pass: a growing wait starts again with its first delay.
    pub fn progressed(mut self) -> Self {
        self.0.progressed = true;
        self
    }

    /// Sets the longest time until the pass is repeated.
    pub fn recheck(mut self, delay: Delay) -> Self {
        self.0.extra.recheck(delay);
        self
    }

    /// Replaces the runner's own event for this wait.
    pub fn with_event(mut self, event: Event) -> Self {
        self.0.event = Some(event);
        self
    }

    /// Returns the reason of the wait.
    pub fn reason(&self) -> &Reason {
        &self.0.reason
    }

    /// Returns the condition that ends the wait.
    pub fn on(&self) -> WaitOn {
        self.0.on
    }

    /// Returns the message, or a default for this kind of wait.
    pub fn text(&self) -> String {
        let message = self.first_text();
        match self.0.more {
            0 => message.to_owned(),
            more => text::cut(format!("{message} (and {more} more)")),
        }
    }

    /// Returns the message of this wait alone, without those of joined waits.
    pub(super) fn first_text(&self) -> &str {
        match (&self.0.message, self.0.on) {
            (Some(message), _) => message,
            (None, WaitOn::Event { .. }) => "waiting for an event",
            (None, _) => "waiting",
        }
    }

    /// Replaces the condition that ends the wait.
    pub(super) fn waiting_on(mut self, on: WaitOn) -> Self {
        self.0.on = on;
        self
    }

    fn on_what(on: WaitOn, reason: Reason) -> Self {
        Self(Box::new(WaitDetails {
            reason,
            message: None,
            on,
            progressed: false,
            more: 0,
            deadline: None,
            event: None,
            extra: Extra::default(),
        }))
    }
}

impl<T> From<Wait> for Flow<T> {
    fn from(wait: Wait) -> Self {
        Err(Halt::Wait(wait))
    }
}
