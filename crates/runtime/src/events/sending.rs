//! The task that sends events.

use std::sync::Arc;
use std::time::Duration;

use futures::StreamExt as _;
use futures::stream::FuturesUnordered;
use tokio_util::sync::CancellationToken;

use super::object;
use super::outbox::{HoldScope, Letter, LetterContent};
use super::post::EventPost;
use crate::cluster::{ApiError, Cluster};

/// The number of concurrent requests. They neither wait for other requests nor delay them.
const AT_ONCE: usize = 4;
/// The number of attempts to send an event.
const TRIES: u32 = 12;
/// The time between attempts, unless the server asks for more.
const PAUSE: Duration = Duration::from_secs(10);

/// The sender of the requests in the post.
pub(super) struct Sending {
    cluster: Cluster,
    manager: String,
    instance: String,
    post: Closing,
}

/// A guard that closes the post when the sending task ends for any reason, so that no caller waits for the task.
struct Closing(Arc<EventPost>);

impl Drop for Closing {
    fn drop(&mut self) {
        self.0.close();
    }
}

impl Sending {
    pub(super) fn new(cluster: Cluster, manager: String, instance: String, post: Arc<EventPost>) -> Self {
        Self { cluster, manager, instance, post: Closing(post) }
    }

    /// Sends until it is stopped or no recorder is left.
    pub(super) async fn run(self, stopping: CancellationToken) {
        let (post, clock) = (&self.post.0, self.cluster.clock().clone());
        let mut under_way = FuturesUnordered::new();
        loop {
            while under_way.len() < AT_ONCE
                && let Some(letter) = post.take()
            {
                under_way.push(self.send(letter));
            }
            if under_way.is_empty() && post.is_over() {
                return;
            }
            let due = if under_way.len() < AT_ONCE { post.next_due() } else { None };
            let due = async {
                match due {
                    Some(due) => clock.sleep_until(due).await,
                    None => std::future::pending().await,
                }
            };
            tokio::select! {
                biased;
                () = stopping.cancelled() => return,
                Some(()) = under_way.next() => {}
                () = post.work() => {}
                () = due => {}
            }
        }
    }

    async fn send(&self, mut letter: Letter) {
        let (resource, name) = (object::resource(), &letter.name);
        let request = match &letter.content {
            LetterContent::Create(record, series) => object::create(&resource, record, *series, &self.instance),
            LetterContent::Count(series) => object::count(&resource, &letter.namespace, name, *series),
        };
        let request = request.field_manager(&self.manager).at_once();
        letter.tries += 1;
        let post = &self.post.0;
        match self.cluster.send(&request).await {
            Ok(_) => post.sent(&letter),
            // The answer to the first attempt was lost, and the event exists.
            Err(error) if letter.tries > 1 && error.is_already_exists() => post.is_there(letter),
            Err(error)
                if letter.tries < TRIES
                    && let Some(scope) = may_pass(&error) =>
            {
                tracing::debug!(%request, %error, "an event is sent again");
                post.again(letter, PAUSE.max(error.retry_after().unwrap_or_default()), scope);
            }
            Err(error) => {
                tracing::debug!(%request, %error, "an event is dropped");
                let is_missing = matches!(letter.content, LetterContent::Create(..)) || error.is_not_found();
                post.refused(&letter, is_missing);
            }
        }
    }
}

/// Returns the scope of the requests that must wait after a transient error. Conflicts and permanent errors, such as that of a namespace that is being
/// deleted, have none.
fn may_pass(error: &ApiError) -> Option<HoldScope> {
    if !error.is_transient() {
        return None;
    }
    match error.code() {
        Some(409) => None,
        None | Some(429 | 503) => Some(HoldScope::Server),
        // A webhook that handles only one namespace can cause this answer.
        Some(_) => Some(HoldScope::Namespace),
    }
}
