use std::convert::Infallible;
use std::fmt;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use kubewright_core::flow::Redactor;
use kubewright_machinery::object::ObjectExt as _;
use serde_json::Value;
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;

use super::tell::tell;
use super::user_client::UserClient;
use super::write_observer::observer;
use super::{
    ApiAnswer, ApiError, ApiRequest, ApiResource, ClusterOptions, ConnectError, Discovery, ImpersonatedIdentity, RequestCounts,
    RequestMetrics, RequestRetries,
};
use crate::api::{Connection, WriteRequest, WriterTurn};
use crate::clock::{Clock, Random};
use crate::task::Tasks;
use crate::watch::{Watched, Watches};

/// A cluster that the operator sends requests to. Cheap to clone.
#[derive(Clone)]
pub struct Cluster {
    pub(super) connection: Arc<Connection>,
    discovery: Discovery,
    watches: Watches,
    /// The watches of this cluster and of those that are reached from it.
    watched: Watched,
    /// The client for hooks and reconcilers, created at its first use. It holds the watches, so these must not hold it.
    user_client: Arc<OnceLock<kube::Client>>,
}

impl Cluster {
    /// Creates a cluster from a client, which must not repeat requests on its own.
    pub fn new(client: kube::Client, options: ClusterOptions) -> Self {
        let connection = Arc::new(Connection::new(client, options));
        let discovery = Discovery::new(connection.clone());
        Self::assembled(connection, discovery, Watched::default())
    }

    /// Creates a cluster with new watches, which are added to those that are listed together.
    fn assembled(connection: Arc<Connection>, discovery: Discovery, watched: Watched) -> Self {
        let watches = Watches::new(connection.clone(), discovery.clone(), &watched);
        Self { connection, discovery, watches, watched, user_client: Arc::default() }
    }

    /// Returns the same cluster with its watches listed beside those of the operator's own cluster, from which it is reached. It must not be used before.
    #[must_use]
    pub(crate) fn reached_from(self, own: &Self) -> Self {
        Self::assembled(self.connection, self.discovery, own.watched.elsewhere())
    }

    /// Creates a cluster from a client configuration. No request is sent yet.
    pub fn connect(config: kube::Config, mut options: ClusterOptions) -> Result<Self, ConnectError> {
        options.server = Some(config.cluster_url.clone());
        let acts_as_another = config.auth_info.impersonate.is_some() || config.auth_info.impersonate_groups.is_some();
        let credentials = Arc::new(super::connect::credentials(&config.auth_info));
        let cluster = Self::new(super::connect::client(config)?, options);
        Ok(cluster.with_connection(|connection| {
            connection.acts_as_another = acts_as_another;
            connection.credentials = credentials;
        }))
    }

    /// Waits for the turn of a writer whose request tests the state of the object that it has seen. Returns the turn, and the current object if this process
    /// knows a newer state: from the previous writer or from a store.
    pub(crate) async fn turn(&self, resource: &ApiResource, seen: &Value) -> (WriterTurn, Option<Value>) {
        let turn = self.connection.turns.take(seen.uid()).await;
        let newer = turn.newer_than(seen).or_else(|| self.watches.newer(&resource.gvk(), seen));
        (turn, newer)
    }

    /// Sends a write of an object in turn with the other writers of this process whose requests test its state, such as those of statuses and finalizers: a
    /// write between the read and the request of one of them would make the server reject its request. The answer is left to the next writer.
    ///
    /// # Errors
    ///
    /// Returns the error of [`Self::send`].
    pub async fn send_in_turn(&self, object: &Value, request: &ApiRequest) -> Result<Value, ApiError> {
        let mut turn = self.connection.turns.take(object.uid()).await;
        let answer = self.send(request).await?;
        turn.leave(&answer);
        Ok(answer)
    }

    /// Returns the same cluster with another identity: every request impersonates a user, which the server permits if the operator may impersonate that user.
    /// Connections, the limit of requests, the counters and the table of types are shared; the watches are separate.
    pub fn acting_as(&self, who: &ImpersonatedIdentity) -> Result<Self, ConnectError> {
        if self.connection.acts_as_another {
            return Err(ConnectError::ActsAsAnother { cluster: self.name().to_owned() });
        }
        let client = self.connection.client.layered(|client| who.client(client))?;
        Ok(self.with_connection(|connection| {
            connection.client = client;
            connection.acts_as_another = true;
            connection.acts_for = Some(who.user.as_str().into());
        }))
    }

    /// Returns the same cluster with its client wrapped: requests and [`client`](Self::client) go through the layer. Watches, the table of types, the limit
    /// of requests and the counters are those of this cluster.
    #[must_use]
    pub fn layered(&self, layer: impl FnOnce(kube::Client) -> kube::Client) -> Self {
        let Ok(client) = self.connection.client.layered(|client| Ok::<_, Infallible>(layer(client.clone())));
        Self { watches: self.watches.clone(), ..self.with_connection(|connection| connection.client = client) }
    }

    /// Returns the same cluster for requests that must not wait for others: without limits of requests in flight and per second, and with this deadline for
    /// each request.
    #[must_use]
    pub(crate) fn unhindered(&self, deadline: Duration) -> Self {
        let cluster = self.with_connection(|connection| {
            connection.slots = Arc::new(Semaphore::new(Semaphore::MAX_PERMITS));
            connection.bucket = None;
            connection.options.deadline = deadline;
        });
        Self { watches: self.watches.clone(), ..cluster }
    }

    /// Returns the same cluster for one controller, in whose name its requests are counted. Watches and the table of types are shared, and their requests are
    /// counted for no controller.
    #[must_use]
    pub fn for_controller(&self, name: &str) -> Self {
        let cluster = self.with_connection(|connection| name.clone_into(&mut connection.options.controller));
        Self { watches: self.watches.clone(), ..cluster }
    }

    /// Returns the controller in whose name requests are counted; empty for requests that controllers share.
    pub fn controller(&self) -> &str {
        &self.connection.options.controller
    }

    /// Returns true if requests impersonate a user already.
    pub fn acts_as_another(&self) -> bool {
        self.connection.acts_as_another
    }

    fn with_connection(&self, change: impl FnOnce(&mut Connection)) -> Self {
        let mut connection = Connection::clone(&self.connection);
        change(&mut connection);
        Self::assembled(Arc::new(connection), self.discovery.clone(), self.watched.clone())
    }

    /// Sends a request once and returns the parsed body.
    pub async fn send(&self, request: &ApiRequest) -> Result<Value, ApiError> {
        self.connection.exchange(request).await.map(|answer| answer.object)
    }

    /// Sends a request once and returns code, body and warnings.
    pub async fn exchange(&self, request: &ApiRequest) -> Result<ApiAnswer, ApiError> {
        self.connection.exchange(request).await
    }

    /// Sends a write to an object of this type once, and returns the parsed body. As with the writes of [`client`](Self::client), the change is visible at
    /// once in all stores of this cluster, where it counts as an event (STORE-8), and the observer of the running task is notified.
    pub async fn write(&self, resource: &ApiResource, request: &ApiRequest) -> Result<Value, ApiError> {
        let answer = self.send(request).await?;
        let uri = request.uri().parse().ok();
        let write = uri.and_then(|uri| WriteRequest::of(&request.method(), &uri, request.payload().unwrap_or_default()));
        if let Some(write) = write {
            tell(&self.watches, &write, &answer, Some(resource.group_kind()), observer().as_deref());
        }
        Ok(answer)
    }

    /// Sends a request, and repeats it after transient errors.
    ///
    /// A request whose answer was lost may have been done: a repeated create then fails with `AlreadyExists`.
    pub async fn send_retrying(&self, request: &ApiRequest, retry: &RequestRetries) -> Result<Value, ApiError> {
        self.exchange_retrying(request, retry).await.map(|answer| answer.object)
    }

    /// Sends a request like [`Self::send_retrying`], and returns code, body and warnings.
    pub async fn exchange_retrying(&self, request: &ApiRequest, retry: &RequestRetries) -> Result<ApiAnswer, ApiError> {
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

    /// Returns the set of tasks in which the watches of the cluster run.
    pub(crate) fn tasks(&self) -> &Tasks {
        self.connection.tasks()
    }

    /// Returns the discovery of the types that the cluster serves.
    pub fn discovery(&self) -> &Discovery {
        &self.discovery
    }

    /// Starts to watch definitions and aggregated services, so that discovery notices at once when types are added or removed. Without that watch, or if it
    /// is forbidden, the table of types is at most 10 minutes old. One call per cluster is enough.
    pub fn follow_types(&self) {
        self.follow_types_until(CancellationToken::new());
    }

    /// Follows the types like [`follow_types`](Self::follow_types), until `stop`: for a cluster that may be abandoned before the process ends.
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

    /// Requests the server's version document, which shows that the cluster can be reached.
    pub async fn version(&self) -> Result<Value, ApiError> {
        self.send(&ApiRequest::raw("/version")).await
    }

    /// Returns the shared watches of the cluster.
    pub fn watches(&self) -> &Watches {
        &self.watches
    }

    /// Returns the name of the cluster in logs, metrics and health.
    pub fn name(&self) -> &str {
        &self.connection.options.name
    }

    /// Suppresses the logging of API server warnings that begin with this text: for warnings that the operator's author knows and its users cannot avoid.
    pub fn expect_warning(&self, beginning: impl Into<String>) {
        self.connection.warnings.expect(beginning.into());
    }

    /// Returns the clock.
    pub fn clock(&self) -> &Clock {
        &self.connection.options.clock
    }

    /// Returns the redactor that masks confidential text about objects of the cluster.
    pub fn redactor(&self) -> &Redactor {
        &self.connection.options.redactor
    }

    /// Returns the source of jitter.
    pub fn random(&self) -> &Random {
        &self.connection.options.random
    }

    /// Returns a client for typed access, with the identity of this cluster (see [`Self::acting_as`]). Its requests are neither counted nor limited. Its
    /// errors omit the confidential values of its requests, as those of the cluster do. Its writes are visible at once in all stores of this cluster, where
    /// they count as events (STORE-8).
    pub fn client(&self) -> &kube::Client {
        self.user_client.get_or_init(|| {
            let user_client = UserClient {
                options: self.connection.options.clone(),
                credentials: Arc::clone(&self.connection.credentials),
                user_agent: self.connection.user_agent.clone(),
                discovery: self.discovery.clone(),
                watches: self.watches.clone(),
            };
            user_client.around(&self.connection.client)
        })
    }

    /// Returns the numbers of requests that were sent so far.
    pub fn request_counts(&self) -> RequestCounts {
        self.connection.counters.read()
    }

    /// Returns the counters of requests, so that clients of other clusters can share them.
    pub fn requests(&self) -> &RequestMetrics {
        &self.connection.options.requests
    }

    /// Returns the registry of watches, so that those of other clusters can be listed beside them.
    pub fn watched(&self) -> &Watched {
        &self.watched
    }
}

impl fmt::Debug for Cluster {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Cluster").field("name", &self.name()).finish_non_exhaustive()
    }
}
