//! The options of an operator, with their defaults.

use std::net::SocketAddr;
use std::time::Duration;

use super::MinimumVersion;
use crate::defaults::{RESYNC, SHUTDOWN_TIMEOUT, STARTUP_TIMEOUT};
use crate::leadership::Leadership;

/// The options of an operator that the command line can set, too.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct OperatorOptions {
    /// The number of concurrent passes of each controller, which overrides the controllers' own settings; None leaves it to the controllers.
    pub workers: Option<usize>,
    /// The namespaces to watch; empty means all.
    pub watch_namespaces: Vec<String>,
    /// The names of controllers and background tasks that are left out.
    pub disabled_controllers: Vec<String>,
    /// The oldest Kubernetes version to run on.
    pub minimum_version: MinimumVersion,
    /// The address of the admin server; None for no admin server.
    pub admin: Option<SocketAddr>,
    /// The period of the resync, which reconciles all objects again; None for no resync.
    pub resync: Option<Duration>,
    /// The time limit of each phase of the start; None for no limit.
    pub startup_timeout: Option<Duration>,
    /// The time limit of a shutdown: for the running passes, then for releases of leases and for events.
    pub shutdown_timeout: Duration,
    /// The client-side limit of requests per second; 0 leaves the limit to the server.
    pub kube_api_qps: f64,
    /// The number of requests at once within that limit; 0 is twice the number per second.
    pub kube_api_burst: u32,
    /// The user agent that API servers see; the operator's name if it is None.
    pub user_agent: Option<String>,
    /// The name of this instance in events and leases, usually that of the pod; the operator's name if it is unknown.
    pub instance: Option<String>,
    /// The namespace in which the operator runs. It is required if a part reads configuration or has a store there.
    pub system_namespace: Option<String>,
    /// A label key that ConfigMaps must have to be watched; None for all ConfigMaps.
    pub system_resource_label: Option<String>,
    /// The way in which replicas share the work.
    pub leadership: Leadership,
    /// The name of the ConfigMap with the configuration of leadership; `config-leader-election` if it is None.
    pub config_leader_election: Option<String>,
    /// The name of the ConfigMap with log levels; `config-logging` if it is None. Without a name here the ConfigMap is followed only if a constructor
    /// requests a `Config<T>`, since the permission to watch ConfigMaps comes with that. With a name it is always followed.
    pub config_logging: Option<String>,
    /// The name of the ConfigMap with delays and limits; `config-timing` if it is None. Without a name here it is followed only by an operator with
    /// [`Operator::timing_from_config`](super::Operator::timing_from_config). With a name it is always followed.
    pub config_timing: Option<String>,
    /// The name of the ConfigMap with the exports; `config-observability` if it is None. It is followed in the same cases as the ConfigMap with log levels.
    pub config_observability: Option<String>,
    /// The prefix of all keys of that ConfigMap, so that operators can share one; empty by default.
    pub observability_prefix: String,
    /// The container image of the program, for the command `deploy`.
    pub image: Option<String>,
}

impl Default for OperatorOptions {
    fn default() -> Self {
        Self {
            workers: None,
            watch_namespaces: Vec::new(),
            disabled_controllers: Vec::new(),
            minimum_version: MinimumVersion::default(),
            admin: None,
            resync: Some(RESYNC),
            startup_timeout: Some(STARTUP_TIMEOUT),
            shutdown_timeout: SHUTDOWN_TIMEOUT,
            kube_api_qps: 0.0,
            kube_api_burst: 0,
            user_agent: None,
            instance: None,
            system_namespace: None,
            system_resource_label: None,
            leadership: Leadership::default(),
            config_leader_election: None,
            config_logging: None,
            config_timing: None,
            config_observability: None,
            observability_prefix: String::new(),
            image: None,
        }
    }
}
