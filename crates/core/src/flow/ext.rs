//! Methods on results: predicates, and what classifies an error on its way up.

use super::{Blocked, Class, Delay, Failure, Flow, Halt, Reason, Wait};

/// Classifies errors on the way up. `Ok` is left alone by every method, and so are waits, blocks and `Done` unless said
/// otherwise.
pub trait FlowExt<T>: Sized {
    /// A failure is not retried until something changes.
    fn or_terminal(self, reason: impl Into<Reason>) -> Flow<T>;

    /// A failure is retried after exactly this delay.
    fn or_after(self, delay: Delay) -> Flow<T>;

    /// A failure is retried with back-off.
    fn or_backoff(self) -> Flow<T>;

    /// A failure blocks: somebody must change something. The message is the error's text.
    fn or_blocked(self, reason: impl Into<Reason>) -> Flow<T>;

    /// A failure that the function recognises as expected becomes its wait.
    fn or_wait(self, recognise: impl FnOnce(&Failure) -> Option<Wait>) -> Flow<T>;

    /// An API server's 404 becomes `Ok(None)`.
    fn ignore_not_found(self) -> Flow<Option<T>>;

    /// Says what was being done: the text comes before the message of a wait, a block or a failure.
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

/// What a [`Flow`] is. Whether it stops at all is plain `is_err`.
pub trait FlowState {
    /// Whether it is [`Halt::Done`].
    fn is_done(&self) -> bool;

    /// Whether it is a wait.
    fn is_wait(&self) -> bool;

    /// Whether it is blocked.
    fn is_blocked(&self) -> bool;

    /// Whether it is a failure.
    fn is_failed(&self) -> bool;

    /// The failure, if it is one.
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
