//! The requests of a start, which are repeated while the server does not answer.

use std::time::Duration;

use kubewright_core::backoff::Policy;
use serde_json::Value;

use crate::cluster::{ApiError, ApiRequest, Cluster};

/// The pause before the first repetition; each further pause is twice as long.
const FIRST: Duration = Duration::from_secs(2);
/// The longest pause, unless the server asks for a longer one.
const LONGEST: Duration = Duration::from_secs(15);
/// The time from the last try to the limit, so that the error of the request is reported instead of the end of the time.
const RESERVE: Duration = Duration::from_secs(1);
/// The interval between two log lines about an error that lasts.
const REMIND: Duration = Duration::from_secs(60);

/// Sends a request until it is answered. Transient errors are repeated until the `limit`.
pub(super) async fn ask(cluster: &Cluster, request: &ApiRequest, limit: Option<Duration>) -> Result<Value, ApiError> {
    let (clock, pauses) = (cluster.clock(), Policy::new(FIRST, LONGEST));
    let started = clock.moment();
    let (mut failures, mut told) = (0, None);
    loop {
        let error = match cluster.send(request).await {
            Ok(answer) => return Ok(answer),
            Err(error) => error,
        };
        failures += 1;
        let now = clock.moment();
        let left = limit.map_or(Duration::MAX, |limit| limit.saturating_sub(RESERVE + now.since(started)));
        if !error.is_transient() || left.is_zero() {
            return Err(error);
        }
        let pause = pauses.nominal(failures).as_duration().max(error.retry_after().unwrap_or_default()).min(left);
        if told.is_none_or(|told| now.since(told) >= REMIND) {
            tracing::warn!(%error, "the cluster does not answer a request of the start; it is asked again in {pause:?}");
            told = Some(now);
        }
        clock.sleep(pause).await;
    }
}
