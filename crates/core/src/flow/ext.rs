//! Methods on results: predicates, and the classification of errors.

use super::{Blocked, Class, Delay, Failure, Flow, Halt, Reason, Wait};

/// Classifies errors on their way up. `Ok` is unchanged by every method, and so are waits, blocks and `Done` unless stated otherwise.
pub trait FlowExt<T>: Sized {
    /// Makes a failure terminal: it is not retried until something changes.
    fn or_terminal(self, reason: impl Into<Reason>) -> Flow<T>;

    /// Sets the delay of a failure: it is retried after exactly this delay.
    fn or_after(self, delay: Delay) -> Flow<T>;

    /// Makes a failure retried with back-off.
    fn or_backoff(self) -> Flow<T>;

    /// Turns a failure into a block, which a user must resolve. The message is the error's text.
    fn or_blocked(self, reason: impl Into<Reason>) -> Flow<T>;

    /// Turns a failure into a wait if the function recognises it as expected.
    fn or_wait(self, recognise: impl FnOnce(&Failure) -> Option<Wait>) -> Flow<T>;

    /// Turns an API server's 404 into `Ok(None)`.
    fn ignore_not_found(self) -> Flow<Option<T>>;

    /// Adds the current activity to the error: the text is put before the message of a wait, a block or a failure.
    fn context(self, text: impl Into<String>) -> Flow<T>;
}

impl<T, E: Into<Halt>> FlowExt<T> for Result<T, E> {
    fn or_terminal(self, reason: impl Into<Reason>) -> Flow<T> {
        on_failure(self, |failure| failure.set_class(Class::Terminal).reason(reason).into())
    }

    fn or_after(self, delay: Delay) -> Flow<T> {
        on_failure(self, |failure| failure.set_class(Class::After(delay)).into())
    }

    fn or_backoff(self) -> Flow<T> {
        on_failure(self, |failure| failure.set_class(Class::Backoff).into())
    }

    fn or_blocked(self, reason: impl Into<Reason>) -> Flow<T> {
        on_failure(self, |failure| Blocked::new(reason, failure.text()).into())
    }

    fn or_wait(self, recognise: impl FnOnce(&Failure) -> Option<Wait>) -> Flow<T> {
        on_failure(self, |failure| recognise(&failure).map_or_else(|| failure.into(), Halt::from))
    }

    fn ignore_not_found(self) -> Flow<Option<T>> {
        match self.map_err(Into::into) {
            Err(Halt::Failed(failure)) if failure.classification().status == Some(404) => Ok(None),
            other => other.map(Some),
        }
    }

    fn context(self, text: impl Into<String>) -> Flow<T> {
        self.map_err(|error| error.into().context(&text.into()))
    }
}

fn on_failure<T, E: Into<Halt>>(result: Result<T, E>, change: impl FnOnce(Failure) -> Halt) -> Flow<T> {
    result.map_err(|error| match error.into() {
        Halt::Failed(failure) => change(failure),
        halt => halt,
    })
}

/// Predicates on the state of a [`Flow`]. For whether it stops at all, use `is_err`.
pub trait FlowState {
    /// Returns true if the flow is [`Halt::Done`].
    fn is_done(&self) -> bool;

    /// Returns true if the flow is a wait.
    fn is_wait(&self) -> bool;

    /// Returns true if the flow is blocked.
    fn is_blocked(&self) -> bool;

    /// Returns true if the flow is a failure.
    fn is_failed(&self) -> bool;

    /// Returns the failure, if it is one.
    fn failure(&self) -> Option<&Failure>;
}

impl<T> FlowState for Flow<T> {
    fn is_done(&self) -> bool {
        self.as_ref().is_err_and(Halt::is_done)
    }

    fn is_wait(&self) -> bool {
        self.as_ref().is_err_and(Halt::is_wait)
    }

    fn is_blocked(&self) -> bool {
        self.as_ref().is_err_and(Halt::is_blocked)
    }

    fn is_failed(&self) -> bool {
        self.as_ref().is_err_and(Halt::is_failed)
    }

    fn failure(&self) -> Option<&Failure> {
        self.as_ref().err().and_then(Halt::failure)
    }
}
