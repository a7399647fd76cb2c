//! Many runs of one test.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};

use parking_lot::Mutex;

use crate::{Tier, task};

/// Runs a test once for each item, every run on a runtime of its own (in virtual time on the embedded server), as many at a time as the machine has
/// processors. Returns the results in the order of the items; the error of a run that panicked is its message.
pub fn each<I: Sync, O: Send>(items: &[I], run: impl AsyncFn(&I) -> O + Sync) -> Vec<Result<O, String>> {
    // An invalid value is reported by the first cluster that is started.
    let is_virtual = matches!(Tier::from_env(), Ok(Tier::Embedded));
    let threads = std::thread::available_parallelism().map_or(1, usize::from).min(items.len());
    let next = AtomicUsize::new(0);
    let outcomes: Mutex<Vec<Option<Result<O, String>>>> = Mutex::new(items.iter().map(|_| None).collect());
    let work = || {
        loop {
            let index = next.fetch_add(1, Ordering::Relaxed);
            let Some(item) = items.get(index) else { return };
            let run = || task::block_on(is_virtual, run(item));
            let outcome = match catch_unwind(AssertUnwindSafe(run)) {
                Ok(Ok(outcome)) => Ok(outcome),
                Ok(Err(error)) => Err(format!("failed to start a runtime: {error}")),
                Err(panic) => Err(message(panic.as_ref())),
            };
            outcomes.lock()[index] = Some(outcome);
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(work);
        }
    });
    outcomes.into_inner().into_iter().map(|outcome| outcome.unwrap_or_else(|| Err("it was not run".to_owned()))).collect()
}

pub(crate) fn message(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().map(String::as_str).or_else(|| panic.downcast_ref::<&str>().copied());
    text.unwrap_or("it panicked without a message").to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_run_has_its_own_result_and_a_panic_fails_only_its_run() {
        let outcomes = each(&[1, 2, 3], async |number| {
            tokio::task::yield_now().await;
            assert!(*number != 2, "two is refused");
            number * 10
        });
        assert_eq!(outcomes, [Ok(10), Err("two is refused".to_owned()), Ok(30)]);
    }
}
