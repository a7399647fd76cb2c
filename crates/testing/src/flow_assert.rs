//! Assertions on the outcomes of steps and passes.

use kubewright_core::flow::{Delay, Flow};

use crate::table::ExpectedOutcome;

/// Asserts how a step or a pass ended (TS-1): an [`ExpectedOutcome`], with one method for each kind.
///
/// ```
/// use kubewright_core::flow::{Delay, Flow, Halt, Wait};
/// use kubewright_testing::FlowAssert as _;
///
/// let flow: Flow = Wait::after(Delay::secs::<30>(), "AccessPending").into();
/// flow.should_wait("AccessPending");
/// flow.should_wait(("AccessPending", Delay::secs::<30>()));
///
/// let flow: Flow = Err(Halt::Done);
/// flow.should_finish();
/// ```
pub trait FlowAssert {
    /// Asserts that the outcome is `Ok` or `Done`.
    fn should_finish(&self);

    /// Asserts that the outcome is a wait for this reason; with a delay, that the wait has exactly this delay.
    fn should_wait(&self, expected: impl Into<ExpectedHalt>);

    /// Asserts that the outcome is blocked for this reason.
    fn should_be_blocked(&self, reason: &str);

    /// Asserts that the outcome is a failure for this reason; with a delay, that it is retried after exactly that.
    fn should_fail(&self, expected: impl Into<ExpectedHalt>);
}

/// The expected reason of a halt, and its delay if that is compared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExpectedHalt {
    reason: String,
    delay: Option<Delay>,
}

impl ExpectedHalt {
    #[track_caller]
    fn assert<T>(self, outcome: ExpectedOutcome, flow: &Flow<T>) {
        let outcome = outcome.reason(&self.reason);
        let outcome = match self.delay {
            Some(delay) => outcome.delay(delay),
            None => outcome,
        };
        outcome.assert(flow);
    }
}

impl From<&str> for ExpectedHalt {
    fn from(reason: &str) -> Self {
        Self { reason: reason.to_owned(), delay: None }
    }
}

impl From<(&str, Delay)> for ExpectedHalt {
    fn from((reason, delay): (&str, Delay)) -> Self {
        Self { reason: reason.to_owned(), delay: Some(delay) }
    }
}

impl<T> FlowAssert for Flow<T> {
    #[track_caller]
    fn should_finish(&self) {
        ExpectedOutcome::success().assert(self);
    }

    #[track_caller]
    fn should_wait(&self, expected: impl Into<ExpectedHalt>) {
        let expected = expected.into();
        expected.clone().assert(ExpectedOutcome::wait(&expected.reason), self);
    }

    #[track_caller]
    fn should_be_blocked(&self, reason: &str) {
        ExpectedOutcome::blocked(reason).assert(self);
    }

    #[track_caller]
    fn should_fail(&self, expected: impl Into<ExpectedHalt>) {
        expected.into().assert(ExpectedOutcome::failed(), self);
    }
}

#[cfg(test)]
mod tests {
    use std::panic::{UnwindSafe, catch_unwind};

    use kubewright_core::flow::{Blocked, Failure, Halt, Wait};

    use super::*;

    const S3: Delay = Delay::secs::<3>();
    const S5: Delay = Delay::secs::<5>();

    fn text(assertion: impl FnOnce() + UnwindSafe) -> String {
        *catch_unwind(assertion).unwrap_err().downcast::<String>().unwrap()
    }

    fn waiting() -> Flow {
        Wait::after(S5, "Pending").message("no pod").into()
    }

    fn blocked() -> Flow {
        Blocked::new("Stuck", "push it").into()
    }

    fn failed() -> Flow {
        Failure::after(S5, "broken").reason("Broken").into()
    }

    // TS-1
    #[test]
    fn outcomes_as_expected_pass() {
        Ok(7).should_finish();
        Flow::<u32>::Err(Halt::Done).should_finish();
        waiting().should_wait("Pending");
        waiting().should_wait(("Pending", S5));
        blocked().should_be_blocked("Stuck");
        failed().should_fail("Broken");
        failed().should_fail(("Broken", S5));
    }

    // TS-1
    #[test]
    fn a_failed_outcome_assertion_reports_the_expected_and_the_found_outcome() {
        let pending = "Wait, reason Pending, delay 5s, text \"no pod\"";
        assert_eq!(text(|| waiting().should_finish()), format!("Different outcome: expected success, found {pending}"));
        assert_eq!(text(|| Ok(()).should_wait("Pending")), "Different outcome: expected Wait, reason Pending, found success");
        for assertion in [
            || waiting().should_wait("Other"),
            || waiting().should_wait(("Pending", S3)),
            || blocked().should_fail("Stuck"),
            || failed().should_be_blocked("Broken"),
            || failed().should_fail("Other"),
            || failed().should_fail(("Broken", S3)),
            || Flow::<()>::Err(Halt::Done).should_fail("Broken"),
        ] as [fn(); 7]
        {
            assert!(text(assertion).starts_with("Different outcome: expected "));
        }
    }
}
