//! The access to a cluster: its client, its types, its watches.
//!
//! The rest of the framework sends requests through [`Cluster`]. It sends [`ApiRequest`]s, which are data, parses each answer once into a JSON value, keeps
//! at most 16 requests in flight, and ends each after a deadline. Only [`Cluster::send_retrying`] repeats requests. Errors are [`ApiError`]s that carry their
//! classification. [`Discovery`] knows the types that the cluster serves.

mod connect;
mod domain;
mod handle;
mod impersonation;
mod repeat;
mod request_retries;
mod stored_values;
mod tell;
mod types;
mod user_client;
mod write_observer;

pub use connect::{ConnectError, config_from_file, infer_config};
pub use domain::cluster_domain;
pub use handle::Cluster;
pub use impersonation::ImpersonatedIdentity;
pub use repeat::{Matcher, RetryPolicy};
pub use request_retries::RequestRetries;
pub use stored_values::{StoredValues, StoredValuesError};
pub use write_observer::{Write, WriteObserver, observe_writes};

pub use crate::api::{
    ApiAnswer, ApiError, ApiRequest, ApiResource, ApiSubresource, ClusterOptions, Discovery, LeadershipLost, PatchKind, Rate,
    RequestCounts, RequestMetrics, Verb, WriteFence, fenced, is_removed,
};

#[cfg(test)]
mod tests;
