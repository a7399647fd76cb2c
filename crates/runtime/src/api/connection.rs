//! The connection of a cluster: each request is sent once, within the limits that the operator sets for itself.

use std::fmt::{self, Write as _};
use std::sync::Arc;

use bytes::Bytes;
use http::{HeaderMap, HeaderValue, Response, header};
use http_body_util::BodyExt as _;
use kube::client::Body;
use kubewright_core::backoff::TokenBucket;
use kubewright_core::flow::{ApiError, ApiStatus, Confidential, LeadershipLost};
use parking_lot::Mutex;
use serde_json::Value;
use tokio::sync::Semaphore;

use super::counters::RequestCounters;
use super::fence::FencedClient;
use super::http_metrics::Exchange;
use super::turns::WriterTurns;
use super::warnings::WarningLog;
use super::{ApiRequest, ClusterOptions, Verb, failed_answer};
use crate::clock::{Clock, Random};
use crate::task::Tasks;

/// The status code of a server that supports none of the media types that a request accepts.
const NOT_ACCEPTABLE: u16 = 406;

/// The client of a cluster with one identity, and the limits and counters of its requests. Discovery and watches of the cluster share it.
#[derive(Clone)]
pub(crate) struct Connection {
    /// The client that sends requests in the name of the user that the cluster acts for.
    pub(crate) client: FencedClient,
    pub(crate) user_agent: Option<HeaderValue>,
    pub(crate) acts_as_another: bool,
    /// The user for whom requests are made, unless the configuration of the client names one.
    pub(crate) acts_for: Option<Arc<str>>,
    pub(crate) slots: Arc<Semaphore>,
    pub(crate) warnings: Arc<WarningLog>,
    pub(crate) counters: Arc<RequestCounters>,
    pub(crate) bucket: Option<Arc<Mutex<TokenBucket>>>,
    /// The credentials that are sent to the server, which may repeat them in its errors.
    pub(crate) credentials: Arc<Confidential>,
    /// The turns of writers that change the same object.
    pub(crate) turns: WriterTurns,
    pub(crate) options: ClusterOptions,
}

impl Connection {
    /// Creates the connection of a client that acts for itself, within the limits of these options.
    pub(crate) fn new(client: kube::Client, options: ClusterOptions) -> Self {
        Self {
            client: FencedClient::new(client, options.clock.clone()),
            user_agent: HeaderValue::from_str(&options.user_agent).ok(),
            acts_as_another: false,
            acts_for: None,
            slots: Arc::new(Semaphore::new(options.in_flight)),
            warnings: Arc::new(WarningLog::new(options.redactor.clone())),
            counters: Arc::default(),
            bucket: options.rate.map(|rate| Arc::new(Mutex::new(rate.bucket()))),
            credentials: Arc::default(),
            turns: WriterTurns::default(),
            options,
        }
    }

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

    /// Sends one request and parses its answer.
    pub(crate) async fn exchange(&self, request: &ApiRequest) -> Result<ApiAnswer, ApiError> {
        let (head, body) = self.fetch(request).await?;
        let object = if body.is_empty() {
            Value::Null
        } else {
            serde_json::from_slice(&body).map_err(|error| ApiError::undecodable(request.to_string(), &error))?
        };
        Ok(ApiAnswer { code: head.code, object, warnings: head.warnings })
    }

    /// Sends one request and returns the bytes of its answer. A server that does not return the metadata of objects alone is asked for whole objects.
    pub(crate) async fn fetch(&self, request: &ApiRequest) -> Result<(Head, Bytes), ApiError> {
        match self.fetch_as_asked(request).await {
            Err(error) if error.code() == Some(NOT_ACCEPTABLE) => match request.of_whole_objects() {
                Some(whole) => self.fetch_as_asked(&whole).await,
                None => Err(error),
            },
            answer => answer,
        }
    }

    async fn fetch_as_asked(&self, request: &ApiRequest) -> Result<(Head, Bytes), ApiError> {
        let limit = request.limit().unwrap_or(self.options.deadline);
        self.turn().await;
        // The semaphore is never closed. The server's time limit starts after the wait for a slot, which does not depend on the server.
        let _slot = if request.takes_turns() { self.slots.acquire().await.ok() } else { None };
        // Hundreds of requests may wait for their turn; boxing allocates the memory of a request only when its turn comes.
        let answer = self.clock().limit(limit, Box::pin(self.unary(request))).await;
        let result =
            answer.unwrap_or_else(|elapsed| Err(ApiError::TimedOut { request: request.to_string(), after: elapsed.after }));
        self.count(request.verb(), result.as_ref().map(|(head, _)| head.code));
        result
    }

    /// Waits until the client's own rate limit permits another request.
    async fn turn(&self) {
        let wait = self.bucket.as_ref().map(|bucket| bucket.lock().take(self.clock().moment()));
        if let Some(wait) = wait.filter(|wait| !wait.is_zero()) {
            self.clock().sleep(wait).await;
        }
    }

    fn count(&self, verb: Verb, answer: Result<u16, &ApiError>) {
        self.counters.count(verb, answer.is_err());
        self.options.requests.count(
            &self.options.controller,
            verb,
            answer.unwrap_or_else(|error| error.code().unwrap_or_default()),
        );
    }

    async fn unary(&self, request: &ApiRequest) -> Result<(Head, Bytes), ApiError> {
        let response = self.call(request).await?;
        let code = response.status().as_u16();
        let retry_after = retry_after(response.headers());
        let warnings = self.warnings.take(response.headers(), request);
        let body = response.into_body().collect().await.map_err(|error| connection(request, error))?.to_bytes();
        if code < 400 {
            tracing::debug!(%request, code, "answered");
            return Ok((Head { code, warnings }, body));
        }
        tracing::debug!(%request, code, "refused");
        Err(self.refusal(request, code, retry_after, &body))
    }

    /// Opens a stream and returns its body as soon as the head has arrived. Whole objects are requested as in [`fetch`](Self::fetch).
    pub(crate) async fn open(&self, request: &ApiRequest) -> Result<Body, ApiError> {
        match self.open_as_asked(request).await {
            Err(error) if error.code() == Some(NOT_ACCEPTABLE) => match request.of_whole_objects() {
                Some(whole) => self.open_as_asked(&whole).await,
                None => Err(error),
            },
            answer => answer,
        }
    }

    async fn open_as_asked(&self, request: &ApiRequest) -> Result<Body, ApiError> {
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
            Err(self.refusal(request, code, retry_after, &body))
        });
        let result =
            opened.await.unwrap_or_else(|elapsed| Err(ApiError::TimedOut { request: request.to_string(), after: elapsed.after }));
        self.count(Verb::Watch, result.as_ref().map(|_| 200));
        result
    }

    /// Returns the error of a failed answer, without the confidential values of the request and of the credentials.
    fn refusal(&self, request: &ApiRequest, code: u16, retry_after: Option<u64>, body: &[u8]) -> ApiError {
        let mask = |status: &mut Value| {
            request.confidential().mask_value(status);
            self.credentials.mask_value(status);
            if let Some(Value::String(message)) = status.get_mut("message").filter(|_| code == 403) {
                self.name_impersonated(message);
            }
        };
        let status = Box::new(failed_answer::read(code, retry_after, body, mask));
        ApiError::Status { request: request.to_string(), status }
    }

    /// Adds the impersonated user to the message of a refusal, because the server does not name that user.
    fn name_impersonated(&self, message: &mut String) {
        if let Some(whom) = self.acts_for.as_ref().filter(|_| message.contains(" cannot impersonate-on:")) {
            let _ = write!(message, " as {whom:?}");
        }
    }

    /// Returns the error in an event of a watch.
    pub(crate) fn refusal_in_watch(&self, request: String, mut status: Value) -> ApiError {
        self.credentials.mask_value(&mut status);
        ApiError::Status { request, status: Box::new(ApiStatus::read(500, &status)) }
    }

    async fn call(&self, request: &ApiRequest) -> Result<Response<Body>, ApiError> {
        let mut http = request.to_http()?;
        if let Some(agent) = &self.user_agent {
            http.headers_mut().insert(header::USER_AGENT, agent.clone());
        }
        let exchange = Exchange::begin(&self.options, http.method(), http.uri());
        let answer = self.client.send(http).await.map_err(|error| connection(request, error))?;
        exchange.answered(answer.status());
        Ok(answer)
    }
}

impl fmt::Debug for Connection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Connection").field("name", &self.name()).finish_non_exhaustive()
    }
}

/// An answer of the API server.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct ApiAnswer {
    /// The HTTP status code.
    pub code: u16,
    /// The parsed body.
    pub object: Value,
    /// The texts of the warning headers.
    pub warnings: Vec<String>,
}

/// An answer without its body.
pub(crate) struct Head {
    pub(crate) code: u16,
    pub(crate) warnings: Vec<String>,
}

fn connection(request: &ApiRequest, error: kube::Error) -> ApiError {
    let request = request.to_string();
    match error {
        kube::Error::Auth(source) => ApiError::Credentials { request, source: source.into() },
        kube::Error::Service(source) => match source.downcast::<LeadershipLost>() {
            Ok(source) => ApiError::LeadershipLost { request, source: *source },
            Err(source) => ApiError::Connection { request, source },
        },
        other => ApiError::Connection { request, source: Box::new(other) },
    }
}

/// Returns the seconds that the head of an answer asks to wait.
fn retry_after(headers: &HeaderMap) -> Option<u64> {
    ApiStatus::limited_wait(headers.get(header::RETRY_AFTER)?.to_str().ok()?.trim().parse().ok()?)
}
