use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http::{HeaderMap, HeaderValue, Response, header};
use http_body_util::BodyExt as _;
use kube::client::Body;
use kubewright_core::backoff::TokenBucket;
use parking_lot::Mutex;
use serde_json::Value;
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;

use super::counters::Counters;
use super::error::asked_wait;
use super::warnings::Warnings;
use super::{
    ApiError, ApiRequest, ConnectError, Discovery, Impersonation, Rate, RequestCounts, RequestMetrics, Retry, StatusError, Verb,
};
use crate::clock::{Clock, Random};
use crate::task::Tasks;
use crate::watch::Watches;

/// A cluster that the operator talks to. Cheap to clone.
#[derive(Clone)]
pub struct Cluster {
    connection: Arc<Connection>,
    discovery: Discovery,
    watches: Watches,
}

/// What a [`Cluster`] needs from its surroundings.
#[derive(Debug, Clone)]
pub struct ClusterOptions {
    /// Its name in logs, metrics and health; `local` for the operator's own.
    pub name: String,
    /// Where time comes from.
    pub clock: Clock,
    /// Where jitter comes from.
    pub random: Random,
    /// Where its watches run.
    pub tasks: Tasks,
    /// An answer must be there within this time, once the request is sent.
    pub deadline: Duration,
    /// How it presents itself to the server.
    pub user_agent: String,
    /// So many requests may be in flight, watches not counted.
    pub in_flight: usize,
    /// How many requests per second the client allows itself; none leaves that to the server.
    pub rate: Option<Rate>,
    /// Where requests are counted, for this cluster and others.
    pub requests: RequestMetrics,
}

/// An answer of the API server.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Answer {
    /// HTTP status code.
    pub code: u16,
    /// The parsed body.
    pub object: Value,
    /// Texts of its warning headers.
    pub warnings: Vec<String>,
}

impl ClusterOptions {
    /// The operator's own cluster: 30 s per request. 16 requests in flight are what a busy component may send, and what keeps an API
    /// server busy; each connection more costs a handshake and 50 KiB.
    pub fn new(clock: Clock, random: Random, tasks: Tasks) -> Self {
        Self {
            name: "local".to_owned(),
            clock,
            random,
            tasks,
            deadline: Duration::from_secs(30),
            user_agent: concat!("kubewright/", env!("CARGO_PKG_VERSION")).to_owned(),
            in_flight: 16,
            rate: None,
            requests: RequestMetrics::default(),
        }
    }

    /// The machine's clock and any randomness.
    pub fn system(tasks: Tasks) -> Self {
        Self::new(Clock::system(), Random::from_entropy(), tasks)
    }
}

impl Cluster {
    /// A cluster behind a client. Its client must not repeat requests on its own.
    pub fn new(client: kube::Client, options: ClusterOptions) -> Self {
        super::error::teach_core();
        let tasks = options.tasks.clone();
        let connection = Arc::new(Connection {
            client,
            user_agent: HeaderValue::from_str(&options.user_agent).ok(),
            identity: HeaderMap::new(),
            acts_as_another: false,
            slots: Arc::new(Semaphore::new(options.in_flight)),
            warnings: Arc::default(),
            counters: Arc::default(),
            bucket: options.rate.map(|rate| Arc::new(Mutex::new(rate.bucket()))),
            options,
        });
        let discovery = Discovery::new(connection.clone());
        let watches = Watches::new(connection.clone(), discovery.clone(), tasks);
        Self { connection, discovery, watches }
    }

    /// A cluster as a client configuration describes it. No request is sent yet.
    pub fn connect(config: kube::Config, options: ClusterOptions) -> Result<Self, ConnectError> {
        let acts_as_another = config.auth_info.impersonate.is_some() || config.auth_info.impersonate_groups.is_some();
        let mut cluster = Self::new(super::connect::client(config)?, options);
        if acts_as_another {
            cluster = cluster.with_connection(|connection| connection.acts_as_another = true);
        }
        Ok(cluster)
    }

    /// The same cluster with another identity: every request says that it is made for somebody else, which the server allows
    /// to whoever may impersonate them. Connections, the limit of requests, the counters and the table of types are shared;
    /// watches are its own.
    pub fn acting_as(&self, who: &Impersonation) -> Result<Self, ConnectError> {
        if self.connection.acts_as_another {
            return Err(ConnectError::ActsAsAnother { cluster: self.name().to_owned() });
        }
        let identity = who.headers()?;
        Ok(self.with_connection(|connection| {
            connection.identity = identity;
            connection.acts_as_another = true;
        }))
    }

    /// Whether requests are made for somebody else already.
    pub fn acts_as_another(&self) -> bool {
        self.connection.acts_as_another
    }

    fn with_connection(&self, change: impl FnOnce(&mut Connection)) -> Self {
        let mut connection = Connection {
            client: self.connection.client.clone(),
            user_agent: self.connection.user_agent.clone(),
            identity: self.connection.identity.clone(),
            acts_as_another: self.connection.acts_as_another,
            slots: self.connection.slots.clone(),
            warnings: self.connection.warnings.clone(),
            counters: self.connection.counters.clone(),
            bucket: self.connection.bucket.clone(),
            options: self.connection.options.clone(),
        };
        change(&mut connection);
        let connection = Arc::new(connection);
        let tasks = connection.options.tasks.clone();
        let watches = Watches::new(connection.clone(), self.discovery.clone(), tasks);
        Self { connection, discovery: self.discovery.clone(), watches }
    }

    /// Sends a request once and returns the parsed body.
    pub async fn send(&self, request: &ApiRequest) -> Result<Value, ApiError> {
        self.connection.exchange(request).await.map(|answer| answer.object)
    }

    /// Sends a request once and returns code, body and warnings.
    pub async fn exchange(&self, request: &ApiRequest) -> Result<Answer, ApiError> {
        self.connection.exchange(request).await
    }

    /// Sends a request, again after transient errors.
    ///
    /// A request whose answer was lost may have been done: a repeated create then fails with `AlreadyExists`.
    pub async fn send_retrying(&self, request: &ApiRequest, retry: &Retry) -> Result<Value, ApiError> {
        self.exchange_retrying(request, retry).await.map(|answer| answer.object)
    }

    /// As [`Self::send_retrying`], with code and warnings.
    pub async fn exchange_retrying(&self, request: &ApiRequest, retry: &Retry) -> Result<Answer, ApiError> {
        let mut attempt = 0;
        loop {
            let error = match self.exchange(request).await {
                Ok(answer) => return Ok(answer),
                Err(error) => error,
            };
            let Some(wait) = retry.wait(attempt, &error) else {
                return Err(error);
            };
            attempt += 1;
            self.clock().sleep(wait).await;
        }
    }

    /// The types that it serves.
    pub fn discovery(&self) -> &Discovery {
        &self.discovery
    }

    /// Starts to watch definitions and aggregated services, so that discovery notices at once when types come and go.
    /// Without it, or where that is forbidden, the table of types is at most 10 minutes old. Once per cluster is enough.
    pub fn follow_types(&self) {
        self.follow_types_until(CancellationToken::new());
    }

    /// The same until `stop`, for a cluster that may be given up before the process ends.
    pub fn follow_types_until(&self, stop: CancellationToken) {
        let stopping = self.connection.options.tasks.stopping();
        let follow = super::types::follow(self);
        let task = async move {
            tokio::select! {
                () = stopping.cancelled() => {}
                () = stop.cancelled() => {}
                () = follow => {}
            }
        };
        self.connection.options.tasks.spawn(format!("types of {}", self.name()), task).detach();
    }

    /// The server's version document. Shows that the cluster can be reached.
    pub async fn version(&self) -> Result<Value, ApiError> {
        self.send(&ApiRequest::raw("/version")).await
    }

    /// Its shared watches.
    pub fn watches(&self) -> &Watches {
        &self.watches
    }

    /// Its name in logs, metrics and health.
    pub fn name(&self) -> &str {
        &self.connection.options.name
    }

    /// The clock.
    pub fn clock(&self) -> &Clock {
        &self.connection.options.clock
    }

    /// The source of jitter.
    pub fn random(&self) -> &Random {
        &self.connection.options.random
    }

    /// The client below, for what needs typed access. Its requests are not counted nor bounded.
    pub fn client(&self) -> &kube::Client {
        &self.connection.client
    }

    /// How many requests were sent so far.
    pub fn request_counts(&self) -> RequestCounts {
        self.connection.counters.read()
    }

    /// Where its requests are counted, for clients of other clusters to be counted there, too.
    pub fn requests(&self) -> &RequestMetrics {
        &self.connection.options.requests
    }
}

impl fmt::Debug for Cluster {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Cluster").field("name", &self.name()).finish_non_exhaustive()
    }
}

/// What discovery, watches and requests share.
pub(crate) struct Connection {
    client: kube::Client,
    user_agent: Option<HeaderValue>,
    /// Headers that say for whom requests are made.
    identity: HeaderMap,
    acts_as_another: bool,
    slots: Arc<Semaphore>,
    warnings: Arc<Warnings>,
    counters: Arc<Counters>,
    bucket: Option<Arc<Mutex<TokenBucket>>>,
    options: ClusterOptions,
}

impl Connection {
    pub(crate) fn clock(&self) -> &Clock {
        &self.options.clock
    }

    pub(crate) fn random(&self) -> &Random {
        &self.options.random
    }

    pub(crate) fn name(&self) -> &str {
        &self.options.name
    }

    pub(crate) fn tasks(&self) -> &Tasks {
        &self.options.tasks
    }

    /// One request, one parsed answer.
    pub(crate) async fn exchange(&self, request: &ApiRequest) -> Result<Answer, ApiError> {
        let (head, body) = self.fetch(request).await?;
        let object = if body.is_empty() {
            Value::Null
        } else {
            serde_json::from_slice(&body).map_err(|source| ApiError::Decode { request: request.to_string(), source })?
        };
        Ok(Answer { code: head.code, object, warnings: head.warnings })
    }

    /// One request and the bytes of its answer.
    pub(crate) async fn fetch(&self, request: &ApiRequest) -> Result<(Head, Bytes), ApiError> {
        let limit = request.limit().unwrap_or(self.options.deadline);
        self.turn().await;
        // The semaphore is never closed. Its queue tells nothing about the server, which is given its time from here on.
        let _slot = if request.takes_turns() { self.slots.acquire().await.ok() } else { None };
        // Hundreds may wait for their turn: what only those in flight need is made when it comes.
        let answer = self.clock().limit(limit, Box::pin(self.unary(request))).await;
        let result =
            answer.unwrap_or_else(|elapsed| Err(ApiError::TimedOut { request: request.to_string(), after: elapsed.after }));
        self.count(request.verb(), result.as_ref().map(|(head, _)| head.code));
        result
    }

    /// Waits until the client allows itself another request.
    async fn turn(&self) {
        let wait = self.bucket.as_ref().map(|bucket| bucket.lock().take(self.clock().moment()));
        if let Some(wait) = wait.filter(|wait| !wait.is_zero()) {
            self.clock().sleep(wait).await;
        }
    }

    fn count(&self, verb: Verb, answer: Result<u16, &ApiError>) {
        self.counters.count(verb, answer.is_err());
        self.options.requests.count(verb, answer.unwrap_or_else(|error| error.code().unwrap_or_default()));
    }

    async fn unary(&self, request: &ApiRequest) -> Result<(Head, Bytes), ApiError> {
        let response = self.call(request).await?;
        let code = response.status().as_u16();
        let retry_after = retry_after(response.headers());
        let warnings = self.warnings.take(response.headers());
        let body = response.into_body().collect().await.map_err(|error| connection(request, error))?.to_bytes();
        if code < 400 {
            tracing::debug!(%request, code, "answered");
            return Ok((Head { code, warnings }, body));
        }
        tracing::debug!(%request, code, "refused");
        Err(Box::new(StatusError::read(request.to_string(), code, retry_after, &body)).into())
    }

    /// Opens a stream; ends with its body as soon as the head is there.
    pub(crate) async fn open(&self, request: &ApiRequest) -> Result<Body, ApiError> {
        self.turn().await;
        let limit = request.limit().unwrap_or(self.options.deadline);
        let opened = self.clock().limit(limit, async {
            let response = self.call(request).await?;
            let code = response.status().as_u16();
            if code < 400 {
                return Ok(response.into_body());
            }
            let retry_after = retry_after(response.headers());
            let body = response.into_body().collect().await.map_err(|error| connection(request, error))?.to_bytes();
            Err(Box::new(StatusError::read(request.to_string(), code, retry_after, &body)).into())
        });
        let result =
            opened.await.unwrap_or_else(|elapsed| Err(ApiError::TimedOut { request: request.to_string(), after: elapsed.after }));
        self.count(Verb::Watch, result.as_ref().map(|_| 200));
        result
    }

    async fn call(&self, request: &ApiRequest) -> Result<Response<Body>, ApiError> {
        let mut http = request.to_http()?;
        if let Some(agent) = &self.user_agent {
            http.headers_mut().insert(header::USER_AGENT, agent.clone());
        }
        for (name, value) in &self.identity {
            http.headers_mut().append(name, value.clone());
        }
        self.client.send(http).await.map_err(|error| connection(request, error))
    }
}

impl fmt::Debug for Connection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Connection").field("name", &self.name()).finish_non_exhaustive()
    }
}

/// An answer without its body.
pub(crate) struct Head {
    pub(crate) code: u16,
    pub(crate) warnings: Vec<String>,
}

fn connection(request: &ApiRequest, error: kube::Error) -> ApiError {
    let request = request.to_string();
    match error {
        kube::Error::Auth(source) => ApiError::Credentials { request, source },
        kube::Error::Service(source) => ApiError::Connection { request, source },
        other => ApiError::Connection { request, source: Box::new(other) },
    }
}

fn retry_after(headers: &HeaderMap) -> Option<Duration> {
    asked_wait(headers.get(header::RETRY_AFTER)?.to_str().ok()?.trim().parse().ok()?)
}
