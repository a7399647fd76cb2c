//! The counters of requests.

use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};

use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;

use super::Verb;
use super::http_metrics::HttpMetrics;
use crate::metrics::Metrics;

/// The requests of all clients that share this value, as a metric. Cheap to clone.
#[derive(Clone, Default)]
pub struct RequestMetrics {
    requests: Family<RequestLabels, Counter>,
    pub(super) http: HttpMetrics,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct RequestLabels {
    /// The controller that sent the request; empty for requests that controllers share.
    controller: String,
    /// The HTTP method.
    method: &'static str,
    /// The verb in RBAC.
    verb: &'static str,
    /// The status code, or 0 if there was no answer.
    code: u64,
}

impl RequestMetrics {
    /// Adds the counters to the metrics of an operator.
    pub fn register(&self, metrics: &Metrics) {
        metrics.register("requests", "Requests to API servers, watches each time they are opened", self.requests.clone());
        self.http.register(metrics);
    }

    pub(super) fn count(&self, controller: &str, verb: Verb, code: u16) {
        let labels =
            RequestLabels { controller: controller.to_owned(), method: verb.method(), verb: verb.as_str(), code: code.into() };
        self.requests.get_or_create(&labels).inc();
    }
}

impl fmt::Debug for RequestMetrics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RequestMetrics").finish_non_exhaustive()
    }
}

/// The number of requests that were sent, by verb. Watches count each time they are (re)opened.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct RequestCounts {
    /// The number of `get` requests and other reads.
    pub reads: u64,
    /// The number of `list` requests.
    pub lists: u64,
    /// The number of `watch` requests.
    pub watches: u64,
    /// The number of `create`, `update`, `patch` and `delete` requests.
    pub writes: u64,
    /// The number of failed requests.
    pub errors: u64,
}

#[derive(Debug, Default)]
pub(crate) struct RequestCounters {
    reads: AtomicU64,
    lists: AtomicU64,
    watches: AtomicU64,
    writes: AtomicU64,
    errors: AtomicU64,
}

impl RequestCounters {
    pub(super) fn count(&self, verb: Verb, failed: bool) {
        let counter = match verb {
            Verb::Get => &self.reads,
            Verb::List => &self.lists,
            Verb::Watch => &self.watches,
            Verb::Create | Verb::Update | Verb::Patch | Verb::Delete => &self.writes,
        };
        counter.fetch_add(1, Ordering::Relaxed);
        if failed {
            self.errors.fetch_add(1, Ordering::Relaxed);
        }
    }

    pub(crate) fn read(&self) -> RequestCounts {
        RequestCounts {
            reads: self.reads.load(Ordering::Relaxed),
            lists: self.lists.load(Ordering::Relaxed),
            watches: self.watches.load(Ordering::Relaxed),
            writes: self.writes.load(Ordering::Relaxed),
            errors: self.errors.load(Ordering::Relaxed),
        }
    }
}
