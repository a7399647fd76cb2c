//! The options of an operator, with their defaults.

use std::net::SocketAddr;
use std::time::Duration;

use super::MinimumVersion;
use crate::leadership::Leadership;

/// The options of an operator that the command line can set, too.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct OperatorOptions {
    /// Passes at once of each controller, whatever it sets itself; none leaves it to the controller.
    pub workers: Option<usize>,
    /// The namespaces to watch; empty means all.
    pub watch_namespaces: Vec<String>,
    /// Names of controllers and background tasks that are left out.
    pub disabled_controllers: Vec<String>,
    /// The oldest Kubernetes version to run on.
    pub minimum_version: MinimumVersion,
    /// Where the admin server listens; none without it.
    pub admin: Option<SocketAddr>,
    /// After how long everything is looked at again, whatever the watches said; none means never.
    pub resync: Option<Duration>,
    /// How long each phase of the start may take; none means for ever.
    pub startup_timeout: Option<Duration>,
    /// How long an orderly end may take: the passes that run, then releases of leases and events.
    pub shutdown_timeout: Duration,
    /// How many requests per second the operator allows itself; 0 leaves that to the server.
    pub kube_api_qps: f64,
    /// How many requests it sends at once within that; 0 is twice the number per second.
    pub kube_api_burst: u32,
    /// How it presents itself to API servers; by its name if there is none.
    pub user_agent: Option<String>,
    /// The name of this instance in events and leases, usually the pod's; the operator's name when it is not known.
    pub instance: Option<String>,
    /// The namespace that the operator runs in. Needed when a part reads configuration or has a store there.
    pub system_namespace: Option<String>,
    /// A label key: the watch on ConfigMaps sees only those that have it. None for all.
    pub system_resource_label: Option<String>,
    /// How replicas share the work.
    pub leadership: Leadership,
    /// The name of the ConfigMap with the configuration of leadership. None: `config-leader-election`.
    pub config_leader_election: Option<String>,
    /// The name of the ConfigMap with log levels. None: `config-logging`, which is followed only if a constructor asks for a `Config<T>`, since the
    /// permission to watch ConfigMaps comes with that. With a name it is followed in any case.
    pub config_logging: Option<String>,
    /// The name of the ConfigMap with delays and limits. None: `config-timing`, which is followed only by an operator with
    /// [`Operator::timing_from_config`](super::Operator::timing_from_config). With a name it is followed in any case.
    pub config_timing: Option<String>,
    /// The name of the ConfigMap with the exports, which is followed as that with log levels is. None: `config-observability`.
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
            resync: Some(Duration::from_hours(10)),
            startup_timeout: Some(Duration::from_secs(5 * 60)),
            shutdown_timeout: Duration::from_secs(25),
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
