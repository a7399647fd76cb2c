//! Users' operations that are repeated while the server rejects them for a temporary reason.

use std::error::Error;
use std::future::Future;
use std::time::Duration;

use kubewright_core::backoff::{Policy, Rng};
use kubewright_core::flow::{ApiStatus, status_in};

use super::Cluster;

/// Selects the refusals after which an operation is repeated, such as [`ApiStatus::is_conflict`], [`ApiStatus::is_quota`] and
/// [`ApiStatus::is_timeout`].
pub type Matcher = fn(&ApiStatus) -> bool;

/// The number of attempts of an operation, and the delays between them.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct RetryPolicy {
    /// The number of attempts; 0 counts as 1. Default: 4.
    pub attempts: u32,
    /// The delays. Default: 10 ms, 50 ms, 250 ms, with a jitter of a tenth.
    pub delays: Policy,
}

impl Default for RetryPolicy {
    fn default() -> Self {
        Self { attempts: 4, delays: Policy::new(Duration::from_millis(10), Duration::from_millis(250)).multiplier(5.0) }
    }
}

impl RetryPolicy {
    /// Returns a policy of this many attempts with these delays between them.
    pub fn new(attempts: u32, delays: Policy) -> Self {
        Self { attempts, delays }
    }
}

impl Cluster {
    /// Runs an operation, and repeats it while a matcher selects the refusal of the server. The operation receives the number of the attempt, from 0.
    ///
    /// This is for operations that must not wait for the next pass; an error that ends the pass is retried with its object. After a conflict the operation
    /// must read the object again.
    ///
    /// # Errors
    ///
    /// Returns the error of the last attempt.
    pub async fn retry<T, E, F>(
        &self,
        policy: &RetryPolicy,
        matchers: &[Matcher],
        mut operation: impl FnMut(u32) -> F,
    ) -> Result<T, E>
    where
        E: Error + 'static,
        F: Future<Output = Result<T, E>>,
    {
        let mut jitter = Rng::seeded(self.random().next_u64());
        let mut attempt = 0;
        loop {
            let error = match operation(attempt).await {
                Ok(value) => return Ok(value),
                Err(error) => error,
            };
            attempt += 1;
            let passes = status_in(&error).is_some_and(|status| matchers.iter().any(|matches| matches(&status)));
            if attempt >= policy.attempts || !passes {
                return Err(error);
            }
            tracing::debug!(attempt, %error, "the operation is repeated");
            self.clock().sleep(policy.delays.delay(attempt, &mut jitter).as_duration()).await;
        }
    }
}
