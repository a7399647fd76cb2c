use std::fmt;
use std::sync::Arc;

use kube::Config;
use tokio_util::sync::CancellationToken;

use super::TargetKey;
use super::kubeconfig::{self, RefusedKubeconfig};
use super::reach::{NotReached, Reach};
use crate::cluster::{Cluster, ClusterOptions, ConnectError};
use crate::task::Tasks;

/// The error of connecting to a target.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TargetError {
    /// The kubeconfig is rejected.
    #[error(transparent)]
    Kubeconfig(#[from] RefusedKubeconfig),
    /// The configuration cannot be turned into a client.
    #[error(transparent)]
    Connect(#[from] ConnectError),
    /// The cluster does not answer.
    #[error(transparent)]
    NotReached(#[from] NotReached),
}

/// The options of connections to other clusters.
#[derive(Clone, Debug)]
pub struct RemoteOptions {
    /// The operator's own cluster, with which clock, jitter and counters are shared.
    pub cluster: Cluster,
    /// The set of tasks in which watches run.
    pub tasks: Tasks,
    /// The operator's name, which is the user agent of clients.
    pub operator: String,
    /// True if kubeconfigs may name programs that provide credentials (TGT-5).
    pub allow_exec: bool,
    /// The clients that replace connections.
    pub connector: Option<TargetConnector>,
}

/// The clients that replace connections to other clusters, for tests with virtual time: a value for `Operator::state`.
#[derive(Clone)]
pub struct TargetConnector(Arc<ClientOf>);

type ClientOf = dyn Fn(&Config) -> Option<kube::Client> + Send + Sync;

impl TargetConnector {
    /// Creates a connector from a function that returns the client of a configuration, or None to make a connection.
    pub fn new(client: impl Fn(&Config) -> Option<kube::Client> + Send + Sync + 'static) -> Self {
        Self(Arc::new(client))
    }
}

/// The cluster of a kubeconfig, with its own health.
pub struct Remote {
    cluster: Cluster,
    reach: Reach,
    stop: CancellationToken,
}

impl Remote {
    /// Connects to the cluster of a kubeconfig, which alone decides the identity (TGT-2) and must be self-contained (TGT-5). No request is sent before this
    /// returns; from then on the types that the cluster serves are followed.
    pub async fn connect(key: &TargetKey, kubeconfig: &[u8], options: &RemoteOptions) -> Result<Self, TargetError> {
        let config = kubeconfig::read(kubeconfig, options.allow_exec).await?;
        let own = &options.cluster;
        let mut of_cluster = ClusterOptions::new(own.clock().clone(), own.random().clone(), own.tasks().clone());
        of_cluster.name = key.name();
        of_cluster.user_agent.clone_from(&options.operator);
        of_cluster.requests = own.requests().clone();
        of_cluster.redactor = own.redactor().clone();
        own.controller().clone_into(&mut of_cluster.controller);
        let client = options.connector.as_ref().and_then(|connector| (connector.0)(&config));
        let cluster = match client {
            Some(client) => Cluster::new(client, of_cluster),
            None => Cluster::connect(config, of_cluster)?,
        };
        let cluster = cluster.reached_from(own);
        let stop = CancellationToken::new();
        cluster.follow_types_until(stop.clone());
        Ok(Self { cluster, reach: Reach::new(), stop })
    }

    /// Returns the cluster.
    pub fn cluster(&self) -> &Cluster {
        &self.cluster
    }

    /// Returns Ok if the cluster answers. No request is sent while that is known.
    pub async fn check(&self) -> Result<(), NotReached> {
        self.reach.check(&self.cluster).await
    }

    /// Drops the known state, because it may be wrong; the next check asks the cluster.
    pub(super) fn doubt(&self) {
        self.reach.doubt();
    }

    /// Returns the reason why the cluster does not answer, with its name.
    pub fn problem(&self) -> Option<String> {
        self.reach.error().map(|error| format!("{}: {error}", self.cluster.name()))
    }

    /// Ends the use of the cluster, which has no users any more.
    pub fn end(&self) {
        self.stop.cancel();
    }
}

impl fmt::Debug for Remote {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Remote").field("cluster", &self.cluster.name()).finish_non_exhaustive()
    }
}

impl fmt::Debug for TargetConnector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TargetConnector").finish_non_exhaustive()
    }
}
