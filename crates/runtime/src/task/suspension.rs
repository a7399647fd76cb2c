//! The suspension of tasks, like that of a process by SIGSTOP. For tests.

use std::future::{Future, poll_fn};
use std::pin::pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Poll, Waker};

use parking_lot::Mutex;

/// The suspension state of the tasks of a set.
#[derive(Default)]
pub(super) struct Suspension {
    is_suspended: AtomicBool,
    /// The wakers of the tasks that would have run meanwhile.
    held: Mutex<Vec<Waker>>,
}

impl Suspension {
    pub(super) fn suspend(&self) {
        self.is_suspended.store(true, Ordering::Release);
    }

    pub(super) fn resume(&self) {
        let held = {
            let mut held = self.held.lock();
            self.is_suspended.store(false, Ordering::Release);
            std::mem::take(&mut *held)
        };
        held.into_iter().for_each(Waker::wake);
    }

    /// Runs a future that is not polled while the set is suspended.
    pub(super) async fn obeyed_by<F: Future>(&self, future: F) -> F::Output {
        let mut future = pin!(future);
        poll_fn(|cx| if self.holds(cx.waker()) { Poll::Pending } else { future.as_mut().poll(cx) }).await
    }

    fn holds(&self, waker: &Waker) -> bool {
        if !self.is_suspended.load(Ordering::Acquire) {
            return false;
        }
        let mut held = self.held.lock();
        let is_suspended = self.is_suspended.load(Ordering::Acquire);
        if is_suspended {
            held.push(waker.clone());
        }
        is_suspended
    }
}
