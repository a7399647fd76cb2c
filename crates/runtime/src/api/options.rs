//! The options of a connection to a cluster.

use std::time::Duration;

use kubewright_core::flow::Redactor;

use super::{Rate, RequestMetrics};
use crate::clock::{Clock, Random};
use crate::defaults::{REQUEST_DEADLINE, REQUESTS_IN_FLIGHT};
use crate::task::Tasks;

/// The options and services of the connection to a cluster.
#[derive(Debug, Clone)]
pub struct ClusterOptions {
    /// The name of the cluster in logs, metrics and health; `local` for the operator's own.
    pub name: String,
    /// The source of time.
    pub clock: Clock,
    /// The source of jitter.
    pub random: Random,
    /// The set of tasks in which the watches of the cluster run.
    pub tasks: Tasks,
    /// The time limit of an answer, counted from the moment at which the request is sent.
    pub deadline: Duration,
    /// The user agent that requests send to the server.
    pub user_agent: String,
    /// The number of requests that may be in flight, not counting watches.
    pub in_flight: usize,
    /// The client-side limit of requests per second. With None, only the server limits them.
    pub rate: Option<Rate>,
    /// The counters of requests, shared by this cluster and others.
    pub requests: RequestMetrics,
    /// The controller in whose name requests are counted; empty for requests that controllers share.
    pub controller: String,
    /// The address of the server for metrics; None if only the client knows it.
    pub server: Option<http::Uri>,
    /// The redactor that masks confidential text in logs, events and statuses about objects of the cluster.
    pub redactor: Redactor,
}

impl ClusterOptions {
    /// Returns the options of the operator's own cluster: 30 s per request, and 16 requests in flight.
    pub fn new(clock: Clock, random: Random, tasks: Tasks) -> Self {
        Self {
            name: "local".to_owned(),
            clock,
            random,
            tasks,
            deadline: REQUEST_DEADLINE,
            user_agent: concat!("kubewright/", env!("CARGO_PKG_VERSION")).to_owned(),
            in_flight: REQUESTS_IN_FLIGHT,
            rate: None,
            requests: RequestMetrics::default(),
            controller: String::new(),
            server: None,
            redactor: Redactor::default(),
        }
    }

    /// Returns the options with the machine's clock and a random seed.
    pub fn system(tasks: Tasks) -> Self {
        Self::new(Clock::system(), Random::from_entropy(), tasks)
    }
}
