use std::borrow::Cow;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;

use futures::FutureExt as _;
use kubewright_core::time::Moment;
use serde_json::Value;
use tokio::sync::watch;

use super::backoff::Backoff;
use super::registry::Watch;
use super::sink::Sink;
use super::wire::{Lines, WireLine, read_list};
use super::{Arrived, WatchState, WatchStatus};
use crate::api::{ApiError, ApiRequest, ApiResource, Connection, Discovery};
use crate::defaults::{LIST_PAGE, WATCH_TIMEOUT};

/// The time after [`WATCH_TIMEOUT`] at which the client ends a watch that the server has not ended.
const GRACE: Duration = Duration::from_secs(5);

/// The silence after which a connection is closed as dead, if the server sends bookmarks: it then does so every minute.
const SILENCE: Duration = Duration::from_secs(150);

/// The first and the longest wait between checks for a missing type, which is also checked when types change.
const MISSING_RETRY: (Duration, Duration) = (Duration::from_secs(1), Duration::from_secs(600));

/// The lifetime below which a watch without any event counts as failed, even if no error was reported.
const SHORTEST_LIFE: Duration = Duration::from_secs(1);

/// The driver of a watch, which repeatedly lists and watches, and feeds the sinks.
pub(super) struct WatchDriver {
    connection: Arc<Connection>,
    discovery: Discovery,
    watch: Arc<Watch>,
    backoff: Backoff,
    refused: Backoff,
    resource: Option<Arc<ApiResource>>,
    /// The version from which the next watch continues; `None` requires a list.
    resume: Option<String>,
    missing_for: Duration,
    /// True if the server has answered that the path of the type does not exist since the last list.
    path_is_lost: bool,
    /// The receiver of changes of types. Changes since the last cycle began are not missed.
    types: watch::Receiver<u64>,
}

/// The reason for the end of a list or watch.
enum WatchEnd {
    /// The end is in order, and the watch continues.
    Closed,
    /// The resource version is too old.
    Expired,
    /// The server forbids the request.
    Forbidden(ApiError),
    /// The path does not exist.
    NotFound,
    /// The type is not served.
    NotServed,
    /// Any other error, with the wait that the server asks for.
    Failed(String, Duration),
}

/// The kind of a line.
enum WatchLine {
    Event,
    Bookmark,
    /// The last line of the watch.
    End(WatchEnd),
}

impl WatchDriver {
    pub(super) fn new(connection: Arc<Connection>, discovery: Discovery, watch: Arc<Watch>) -> Self {
        let types = discovery.changes();
        Self {
            connection,
            discovery,
            watch,
            types,
            backoff: Backoff::failing(),
            refused: Backoff::refused(),
            resource: None,
            resume: None,
            missing_for: Duration::ZERO,
            path_is_lost: false,
        }
    }

    /// Runs cycles; it never ends on its own.
    pub(super) async fn run(mut self) {
        loop {
            let cycle = AssertUnwindSafe(self.cycle()).catch_unwind().await;
            let end = cycle.unwrap_or_else(|_| {
                self.resume = None;
                WatchEnd::failed("the watch panicked")
            });
            self.after(end).await;
        }
    }

    /// Runs one list, if it is needed, and one watch.
    async fn cycle(&mut self) -> WatchEnd {
        self.types.borrow_and_update();
        let resource = match self.resource().await {
            Ok(Some(resource)) => resource,
            Ok(None) => return WatchEnd::NotServed,
            Err(error) => return WatchEnd::from(error),
        };
        self.missing_for = Duration::ZERO;
        let sinks = self.watch.used_sinks();
        let known = self.resume.take().filter(|_| sinks.iter().all(|sink| sink.is_synced()));
        let listed = known.is_none();
        let resume = match known {
            Some(version) => version,
            None => match self.list(&resource, &sinks).await {
                Ok(version) => version,
                Err(error) => return WatchEnd::from(error),
            },
        };
        self.resume = Some(resume.clone());
        self.path_is_lost &= !listed;
        if !listed && self.is_forbidden() {
            return self.ask_again(&resource, &resume).await;
        }
        let opened = self.now();
        let end = self.follow(&resource, &sinks, &resume).await;
        let in_vain = listed && self.resume.as_ref() == Some(&resume) && self.now().since(opened) < SHORTEST_LIFE;
        match end {
            // Another list would expire just as fast.
            WatchEnd::Expired if in_vain => {
                self.resume = None;
                WatchEnd::failed("the version of the list was too old for a watch")
            }
            end => end,
        }
    }

    /// Retries a watch that was forbidden although lists are permitted. When it is permitted again, a list follows: the state "watching" must mean that the
    /// store has all changes made meanwhile.
    async fn ask_again(&mut self, resource: &ApiResource, version: &str) -> WatchEnd {
        match self.connection.open(&self.watch_request(resource, version)).await {
            Ok(_) => {
                self.resume = None;
                WatchEnd::Closed
            }
            Err(error) => {
                if is_refused(&error) {
                    self.resume = None;
                }
                WatchEnd::from(error)
            }
        }
    }

    fn watch_request(&self, resource: &ApiResource, version: &str) -> ApiRequest {
        let spec = &self.watch.spec;
        let request =
            ApiRequest::watch(resource, spec.namespace(), version, WATCH_TIMEOUT).labels(&spec.labels).fields(&spec.fields);
        if spec.metadata_only { request.metadata_only() } else { request }
    }

    fn is_forbidden(&self) -> bool {
        self.watch.status.borrow().state == WatchState::Forbidden
    }

    async fn resource(&mut self) -> Result<Option<Arc<ApiResource>>, ApiError> {
        if self.resource.is_none() {
            let spec = &self.watch.spec;
            self.resource = match &spec.version {
                None => self.discovery.resolve(&spec.kind).await?,
                Some(version) => self.discovery.resolve_gvk(&spec.kind.with_version(version)).await?,
            };
        }
        Ok(self.resource.clone())
    }

    /// Lists all pages into the sinks and returns the version of the list.
    async fn list(&self, resource: &ApiResource, sinks: &[Arc<dyn Sink>]) -> Result<String, ApiError> {
        let spec = &self.watch.spec;
        for sink in sinks {
            sink.begin_list();
        }
        let mut next = String::new();
        loop {
            let mut request =
                ApiRequest::list(resource, spec.namespace()).labels(&spec.labels).fields(&spec.fields).page(LIST_PAGE);
            if !next.is_empty() {
                request = request.query("continue", next);
            }
            if spec.metadata_only {
                request = request.metadata_only();
            }
            let (_, body) = self.connection.fetch(&request).await?;
            let meta = read_list(&text_of(&body), &mut |item| {
                let object = Arrived::new(item, resource);
                for sink in sinks {
                    sink.list_item(&object);
                }
            });
            let meta = meta.map_err(|source| ApiError::undecodable(request.to_string(), &source))?;
            self.watch.active(self.now());
            if meta.next.is_empty() {
                for sink in sinks {
                    sink.end_list(&meta.resource_version);
                }
                return Ok(meta.resource_version);
            }
            next = meta.next;
        }
    }

    /// Watches from a version on until the watch ends or a new store needs a list.
    async fn follow(&mut self, resource: &ApiResource, sinks: &[Arc<dyn Sink>], version: &str) -> WatchEnd {
        let body = match self.connection.open(&self.watch_request(resource, version)).await {
            Ok(body) => body,
            Err(error) => {
                if is_refused(&error) {
                    self.resume = None;
                }
                return WatchEnd::from(error);
            }
        };
        let opened = self.now();
        let from = self.resume.clone();
        self.watch.active(opened);
        self.report(WatchStatus::new(WatchState::Watching));
        let watch = self.watch.clone();
        let clock = self.connection.clock().clone();
        let mut lines = Lines::new(body);
        let read = async {
            let mut bookmarks = false;
            loop {
                let last = self.now();
                let silent =
                    async { if bookmarks { clock.sleep_until(last + SILENCE).await } else { std::future::pending().await } };
                tokio::select! {
                    biased;
                    line = lines.next() => match line {
                        Ok(Some(line)) => match self.event(resource, sinks, &line) {
                            WatchLine::Event => {}
                            WatchLine::Bookmark => bookmarks = true,
                            WatchLine::End(end) => return end,
                        },
                        Ok(None) => return WatchEnd::Closed,
                        // A stream may break at any time; the next request shows if the server is reachable.
                        Err(error) => {
                            tracing::debug!(watch = %watch.spec, %error, "watch broke off");
                            return WatchEnd::Closed;
                        }
                    },
                    () = silent => {
                        tracing::debug!(watch = %watch.spec, "watch fell silent");
                        return WatchEnd::Closed;
                    }
                    () = watch.joined.notified() => {
                        if watch.used_sinks().iter().any(|sink| !sink.is_synced()) {
                            return WatchEnd::Closed;
                        }
                    }
                }
            }
        };
        let end = clock.limit(WATCH_TIMEOUT + GRACE, read).await.unwrap_or(WatchEnd::Closed);
        let joined = self.watch.used_sinks().iter().any(|sink| !sink.is_synced());
        match end {
            // A busy server drops watches that it cannot serve fast enough; a watch with at least one event counts as working.
            WatchEnd::Closed if !joined && self.resume == from && self.now().since(opened) < SHORTEST_LIFE => {
                WatchEnd::failed("the watch ended as soon as it was opened")
            }
            end => end,
        }
    }

    /// Delivers one line.
    fn event(&mut self, resource: &ApiResource, sinks: &[Arc<dyn Sink>], line: &[u8]) -> WatchLine {
        let line = text_of(line);
        let WireLine { kind, object } = match serde_json::from_str(&line) {
            Ok(line) => line,
            Err(error) => {
                let error = ApiError::undecodable(format!("watch {}", self.watch.spec), &error);
                return WatchLine::End(WatchEnd::failed(error.to_string()));
            }
        };
        self.watch.active(self.now());
        if kind == "ERROR" {
            let status = object.tree().and_then(|status| serde_json::from_value(Value::Object(status))).unwrap_or_default();
            let error = self.connection.refusal_in_watch(format!("watch {}", self.watch.spec), status);
            if is_refused(&error) {
                self.resume = None;
            }
            return WatchLine::End(WatchEnd::from(error));
        }
        let object = Arrived::new(object, resource);
        let version = &object.identity().version;
        if !version.is_empty() {
            self.resume = Some(version.to_string());
        }
        match &*kind {
            "ADDED" | "MODIFIED" => {
                self.watch.counted.events.inc();
                for sink in sinks {
                    sink.changed(&object);
                }
            }
            "DELETED" => {
                self.watch.counted.events.inc();
                for sink in sinks {
                    sink.deleted(&object);
                }
            }
            "BOOKMARK" => {
                for sink in sinks {
                    sink.bookmark(version);
                }
                return WatchLine::Bookmark;
            }
            _ => {}
        }
        WatchLine::Event
    }

    /// Handles the end of a cycle: updates the state, prepares the next cycle, and waits if needed.
    async fn after(&mut self, end: WatchEnd) {
        match end {
            WatchEnd::Closed => {}
            WatchEnd::Expired => {
                tracing::debug!(watch = %self.watch.spec, "resource version expired, listing again");
                let listed_in_vain = self.resume.take().is_none();
                if listed_in_vain {
                    self.retry("the list expired".to_owned(), Duration::ZERO).await;
                }
            }
            WatchEnd::Forbidden(error) => {
                self.watch.counted.failures.inc();
                self.broken(WatchState::Forbidden, error.to_string());
                let wait = self.refused.next(self.now(), self.connection.random());
                self.sleep(wait).await;
            }
            WatchEnd::NotFound => {
                self.resource = None;
                self.resume = None;
                self.discovery.invalidate();
                let error = "the server does not know the path of the type".to_owned();
                // The first time this is the normal end of a type: the next cycle asks discovery if it is still served.
                if std::mem::replace(&mut self.path_is_lost, true) {
                    self.retry(error, Duration::ZERO).await;
                } else {
                    tracing::debug!(watch = %self.watch.spec, cluster = self.connection.name(), error, "watch ended");
                    self.pause(error, Duration::ZERO).await;
                }
            }
            WatchEnd::NotServed => self.missing().await,
            WatchEnd::Failed(error, asked) => self.retry(error, asked).await,
        }
    }

    async fn retry(&mut self, error: String, asked: Duration) {
        self.watch.counted.failures.inc();
        tracing::warn!(watch = %self.watch.spec, cluster = self.connection.name(), error, "watch failed");
        self.pause(error, asked).await;
    }

    async fn pause(&mut self, error: String, asked: Duration) {
        let wait = self.backoff.next(self.now(), self.connection.random()).max(asked);
        // The objects of a forbidden watch are stale, so the state must stay forbidden until they are watched again.
        let state = if self.is_forbidden() { WatchState::Forbidden } else { WatchState::Retrying };
        self.broken(state, error);
        self.sleep(wait).await;
    }

    /// Clears the objects of a type that is not served, and waits until types change or it is time to check again.
    async fn missing(&mut self) {
        self.resume = None;
        self.path_is_lost = false;
        self.watch.used_sinks().iter().for_each(|sink| sink.clear());
        self.broken(WatchState::NotServed, "the cluster does not serve the type".to_owned());
        self.missing_for = (self.missing_for * 2).clamp(MISSING_RETRY.0, MISSING_RETRY.1);
        let wait = self.connection.random().spread(self.missing_for, 0.1);
        let clock = self.connection.clock().clone();
        // The sender lives in the discovery that the driver holds.
        if let Ok(Ok(())) = clock.limit(wait, self.types.changed()).await {
            self.missing_for = Duration::ZERO;
        }
    }

    fn broken(&self, state: WatchState, error: String) {
        let since = self.watch.status.borrow().broken_since.unwrap_or_else(|| self.now());
        self.report(WatchStatus { state, broken_since: Some(since), error: Some(error) });
    }

    fn report(&self, status: WatchStatus) {
        self.watch.status.send_if_modified(|known| {
            let changed = *known != status;
            if known.state != status.state {
                tracing::debug!(watch = %self.watch.spec, state = ?status.state, "watch");
            }
            *known = status;
            changed
        });
    }

    async fn sleep(&self, wait: Duration) {
        self.connection.clock().sleep(wait).await;
    }

    fn now(&self) -> Moment {
        self.connection.clock().moment()
    }
}

/// Returns a body as text. Invalid UTF-8 is rare, so that only such a body is converted piece by piece.
fn text_of(body: &[u8]) -> Cow<'_, str> {
    std::str::from_utf8(body).map_or_else(|_| String::from_utf8_lossy(body), Cow::Borrowed)
}

/// Returns true if the server may be rejecting the version itself: requests with the same version would then fail for ever. Another list is no burden to a
/// server that is not busy.
fn is_refused(error: &ApiError) -> bool {
    matches!(error.code(), Some(400 | 422 | 500))
}

impl From<ApiError> for WatchEnd {
    fn from(error: ApiError) -> Self {
        match error.code() {
            Some(410) => Self::Expired,
            Some(403) => Self::Forbidden(error),
            Some(404) => Self::NotFound,
            _ => Self::Failed(error.to_string(), error.retry_after().unwrap_or_default()),
        }
    }
}

impl WatchEnd {
    fn failed(error: impl Into<String>) -> Self {
        Self::Failed(error.into(), Duration::ZERO)
    }
}
