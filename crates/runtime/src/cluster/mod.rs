//! The access to a cluster: its client, its types, its watches.
//!
//! The rest of the framework sends requests through [`Cluster`]. It sends [`ApiRequest`]s, which are data, parses each answer once into a JSON value, keeps
//! at most 16 requests in flight, and ends each after a deadline. Only [`Cluster::send_retrying`] repeats requests. Errors are [`ApiError`]s that carry their
//! classification. [`Discovery`] knows the types that the cluster serves.

mod connect;
mod connection;
mod counters;
mod discovery;
mod domain;
mod error;
mod fence;
mod handle;
mod http_metrics;
mod impersonation;
mod own_write;
mod rate;
mod repeat;
mod request;
mod resource;
mod retry;
mod stored_values;
mod tell;
mod turns;
mod types;
mod user_client;
mod warnings;
mod write_observer;

pub use connect::{ConnectError, config_from_file, infer_config};
pub use counters::{RequestCounts, RequestMetrics};
pub use discovery::Discovery;
pub use domain::cluster_domain;
pub use error::{ApiError, StatusError};
pub use fence::{LeadershipLost, WriteFence, fenced};
pub use handle::{Answer, Cluster, ClusterOptions};
pub use impersonation::Impersonation;
pub use rate::Rate;
pub use repeat::{Matcher, RetryPolicy};
pub use request::{ApiRequest, PatchKind, Propagation, Verb};
pub use resource::ApiResource;
pub use retry::Retry;
pub use stored_values::{StoredValues, StoredValuesError};
pub use write_observer::{Write, WriteObserver, observe_writes};

pub(crate) use connection::Connection;
pub(crate) use error::chain;
pub use own_write::is_removed;

#[cfg(test)]
mod tests;
