//! Requests of a start: a server that does not answer yet is asked again.

use std::time::Duration;

use kubewright_core::backoff::Policy;
use serde_json::Value;

use crate::cluster::{ApiError, ApiRequest, Cluster};

/// A request is repeated after this time, then after twice as long, …
const FIRST: Duration = Duration::from_secs(2);
/// … up to this. The server may ask for a longer pause.
const LONGEST: Duration = Duration::from_secs(15);
/// The last try comes this long before the limit, so that its error is told, and not that the time is over.
const RESERVE: Duration = Duration::from_secs(1);
/// An error that lasts is logged this often.
const REMIND: Duration = Duration::from_secs(60);

/// Sends a request until it is answered. A transient error ends it at the `limit` only.
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
