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
use super::status::WATCH_TIMEOUT;
use super::wire::{Line, Lines, read_list};
use super::{Arrived, WatchState, WatchStatus};
use crate::cluster::{ApiError, ApiRequest, ApiResource, Connection, Discovery};

/// Objects per page of a list.
const PAGE: u32 = 500;

/// The server ends a watch after [`WATCH_TIMEOUT`]; one that it forgot is ended by us a little later.
const GRACE: Duration = Duration::from_secs(5);

/// Who sends bookmarks does so every minute; a connection that is silent for longer may be dead.
const SILENCE: Duration = Duration::from_secs(150);

/// A missing type is looked for again after waits that grow from the first to the second of these, and when types change.
const MISSING_RETRY: (Duration, Duration) = (Duration::from_secs(1), Duration::from_secs(600));

/// A watch that ends sooner and told nothing has not worked, even if nothing says why.
const SHORTEST_LIFE: Duration = Duration::from_secs(1);

/// Lists and watches, again and again, and feeds the sinks.
pub(super) struct Driver {
    connection: Arc<Connection>,
    discovery: Discovery,
    watch: Arc<Watch>,
    backoff: Backoff,
    refused: Backoff,
    resource: Option<Arc<ApiResource>>,
    /// Where the next watch goes on; `None` asks for a list.
    resume: Option<String>,
    missing_for: Duration,
    /// Whether the server did not know the path of the type since the last list.
    path_is_lost: bool,
    /// Tells when types come and go. What came since the last cycle began is not missed.
    types: watch::Receiver<u64>,
}

/// Why a list or watch ended.
enum End {
    /// In order; go on.
    Closed,
    /// The resource version is too old.
    Expired,
    /// The server forbids it.
    Forbidden(ApiError),
    /// The path does not exist.
    NotFound,
    /// The type does not exist.
    NotServed,
    /// Anything else, and how long the server asks to be left alone.
    Failed(String, Duration),
}

/// What a line was.
enum Told {
    Event,
    Bookmark,
    /// The last one.
    End(End),
}

impl Driver {
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

    /// Never ends on its own.
    pub(super) async fn run(mut self) {
        loop {
            let cycle = AssertUnwindSafe(self.cycle()).catch_unwind().await;
            let end = cycle.unwrap_or_else(|_| {
                self.resume = None;
                End::failed("the watch panicked")
            });
            self.after(end).await;
        }
    }

    /// One list if needed, and one watch.
    async fn cycle(&mut self) -> End {
        self.types.borrow_and_update();
        let resource = match self.resource().await {
            Ok(Some(resource)) => resource,
            Ok(None) => return End::NotServed,
            Err(error) => return End::from(error),
        };
        self.missing_for = Duration::ZERO;
        let sinks = self.watch.used_sinks();
        let known = self.resume.take().filter(|_| sinks.iter().all(|sink| sink.is_synced()));
        let listed = known.is_none();
        let resume = match known {
            Some(version) => version,
            None => match self.list(&resource, &sinks).await {
                Ok(version) => version,
                Err(error) => return End::from(error),
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
            // Another list would be too old as soon.
            End::Expired if in_vain => {
                self.resume = None;
                End::failed("the version of the list was too old for a watch")
            }
            end => end,
        }
    }

    /// Asks for a watch that was refused where lists are allowed. What happened meanwhile is listed once it is allowed: who is told that
    /// objects are watched again relies on what is there.
    async fn ask_again(&mut self, resource: &ApiResource, version: &str) -> End {
        match self.connection.open(&self.watch_request(resource, version)).await {
            Ok(_) => {
                self.resume = None;
                End::Closed
            }
            Err(error) => {
                if is_refused(&error) {
                    self.resume = None;
                }
                End::from(error)
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
            let mut request = ApiRequest::list(resource, spec.namespace()).labels(&spec.labels).fields(&spec.fields).page(PAGE);
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
    async fn follow(&mut self, resource: &ApiResource, sinks: &[Arc<dyn Sink>], version: &str) -> End {
        let body = match self.connection.open(&self.watch_request(resource, version)).await {
            Ok(body) => body,
            Err(error) => {
                if is_refused(&error) {
                    self.resume = None;
                }
                return End::from(error);
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
                            Told::Event => {}
                            Told::Bookmark => bookmarks = true,
                            Told::End(end) => return end,
                        },
                        Ok(None) => return End::Closed,
                        // A stream may break at any time; whether the server is away shows with the next request.
                        Err(error) => {
                            tracing::debug!(watch = %watch.spec, %error, "watch broke off");
                            return End::Closed;
                        }
                    },
                    () = silent => {
                        tracing::debug!(watch = %watch.spec, "watch fell silent");
                        return End::Closed;
                    }
                    () = watch.joined.notified() => {
                        if watch.used_sinks().iter().any(|sink| !sink.is_synced()) {
                            return End::Closed;
                        }
                    }
                }
            }
        };
        let end = clock.limit(WATCH_TIMEOUT + GRACE, read).await.unwrap_or(End::Closed);
        let joined = self.watch.used_sinks().iter().any(|sink| !sink.is_synced());
        match end {
            // A busy server drops watches that it cannot serve fast enough; one that told something has worked.
            End::Closed if !joined && self.resume == from && self.now().since(opened) < SHORTEST_LIFE => {
                End::failed("the watch ended as soon as it was opened")
            }
            end => end,
        }
    }

    /// Delivers one line.
    fn event(&mut self, resource: &ApiResource, sinks: &[Arc<dyn Sink>], line: &[u8]) -> Told {
        let line = text_of(line);
        let Line { kind, object } = match serde_json::from_str(&line) {
            Ok(line) => line,
            Err(error) => {
                let error = ApiError::undecodable(format!("watch {}", self.watch.spec), &error);
                return Told::End(End::failed(error.to_string()));
            }
        };
        self.watch.active(self.now());
        if kind == "ERROR" {
            let status = object.tree().and_then(|status| serde_json::from_value(Value::Object(status))).unwrap_or_default();
            let error = self.connection.refusal_in_watch(format!("watch {}", self.watch.spec), status);
            if is_refused(&error) {
                self.resume = None;
            }
            return Told::End(End::from(error));
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
                return Told::Bookmark;
            }
            _ => {}
        }
        Told::Event
    }

    /// What an end means for the state and for the next cycle; waits as long as it takes.
    async fn after(&mut self, end: End) {
        match end {
            End::Closed => {}
            End::Expired => {
                tracing::debug!(watch = %self.watch.spec, "resource version expired, listing again");
                let listed_in_vain = self.resume.take().is_none();
                if listed_in_vain {
                    self.retry("the list expired".to_owned(), Duration::ZERO).await;
                }
            }
            End::Forbidden(error) => {
                self.watch.counted.failures.inc();
                self.broken(WatchState::Forbidden, error.to_string());
                let wait = self.refused.next(self.now(), self.connection.random());
                self.sleep(wait).await;
            }
            End::NotFound => {
                self.resource = None;
                self.resume = None;
                self.discovery.invalidate();
                let error = "the server does not know the path of the type".to_owned();
                // Once, it is the normal end of a type: the next cycle asks discovery whether it is still served.
                if std::mem::replace(&mut self.path_is_lost, true) {
                    self.retry(error, Duration::ZERO).await;
                } else {
                    tracing::debug!(watch = %self.watch.spec, cluster = self.connection.name(), error, "watch ended");
                    self.pause(error, Duration::ZERO).await;
                }
            }
            End::NotServed => self.missing().await,
            End::Failed(error, asked) => self.retry(error, asked).await,
        }
    }

    async fn retry(&mut self, error: String, asked: Duration) {
        self.watch.counted.failures.inc();
        tracing::warn!(watch = %self.watch.spec, cluster = self.connection.name(), error, "watch failed");
        self.pause(error, asked).await;
    }

    async fn pause(&mut self, error: String, asked: Duration) {
        let wait = self.backoff.next(self.now(), self.connection.random()).max(asked);
        // What was refused is old: until it is watched again, it must not be relied on.
        let state = if self.is_forbidden() { WatchState::Forbidden } else { WatchState::Retrying };
        self.broken(state, error);
        self.sleep(wait).await;
    }

    /// The type does not exist, so neither do its objects. It is looked for again when types change.
    async fn missing(&mut self) {
        self.resume = None;
        self.path_is_lost = false;
        self.watch.used_sinks().iter().for_each(|sink| sink.clear());
        self.broken(WatchState::NotServed, "the cluster does not serve the type".to_owned());
        self.missing_for = (self.missing_for * 2).clamp(MISSING_RETRY.0, MISSING_RETRY.1);
        let wait = self.connection.random().spread(self.missing_for, 0.1);
        let clock = self.connection.clock().clone();
        // The sender lives in the discovery that we hold.
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

/// A body as text. Text that is no UTF-8 is rare: only then it is looked at piece by piece.
fn text_of(body: &[u8]) -> Cow<'_, str> {
    std::str::from_utf8(body).map_or_else(|_| String::from_utf8_lossy(body), Cow::Borrowed)
}

/// Whether it may be the version itself that the server cannot take: asked for the same again, it would say so for ever. Another list
/// is no burden to a server that is not busy.
fn is_refused(error: &ApiError) -> bool {
    matches!(error.code(), Some(400 | 422 | 500))
}

impl From<ApiError> for End {
    fn from(error: ApiError) -> Self {
        match error.code() {
            Some(410) => Self::Expired,
            Some(403) => Self::Forbidden(error),
            Some(404) => Self::NotFound,
            _ => Self::Failed(error.to_string(), error.retry_after().unwrap_or_default()),
        }
    }
}

impl End {
    fn failed(error: impl Into<String>) -> Self {
        Self::Failed(error.into(), Duration::ZERO)
    }
}
