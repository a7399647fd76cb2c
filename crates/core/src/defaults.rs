//! The defaults of decisions. The delays and limits of controllers, which a ConfigMap can replace, are those of [`Timing`](crate::backoff::Timing).

use std::time::Duration;

/// The interval after which an unchanged dependent is applied again, unless its annotation, the component or the operator names another one.
pub const REAPPLY_INTERVAL: Duration = Duration::from_hours(1);

/// The domain of a cluster that does not configure another one.
pub const CLUSTER_DOMAIN: &str = "cluster.local";
