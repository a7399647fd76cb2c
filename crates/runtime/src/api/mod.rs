//! Requests to an API server, without the watches: requests and errors as data, the connection that sends each request once, and the types that the server
//! serves. Its public items are those of [`cluster`](crate::cluster), whose [`Cluster`](crate::cluster::Cluster) adds the shared watches.

mod connection;
mod counters;
mod discovery;
mod failed_answer;
mod fence;
mod http_metrics;
mod options;
mod own_write;
mod rate;
mod request;
mod resource;
mod turns;
mod warnings;

pub use connection::ApiAnswer;
pub(crate) use connection::Connection;
pub use counters::{RequestCounts, RequestMetrics};
pub use discovery::Discovery;
pub(crate) use failed_answer::shown;
pub(crate) use fence::FencedClient;
pub use fence::{WriteFence, fenced};
pub(crate) use http_metrics::Exchange;
pub use kubewright_core::flow::{ApiError, LeadershipLost};
pub use options::ClusterOptions;
pub use own_write::is_removed;
pub(crate) use own_write::{Fate, WriteRequest};
pub use rate::Rate;
pub(crate) use request::confidential;
pub use request::{ApiRequest, PatchKind, Verb};
pub use resource::{ApiResource, ApiSubresource};
pub(crate) use turns::WriterTurn;
