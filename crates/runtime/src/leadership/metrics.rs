//! The metrics of leadership.

use std::sync::Arc;

use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;

use crate::metrics::Metrics;

/// The labels of a bucket.
#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct BucketLabels {
    /// The name of the bucket, which is that of its lease.
    bucket: String,
}

/// The metrics of leadership. Cheap to clone.
#[derive(Clone, Default)]
pub(super) struct LeadershipMetrics {
    leader: Family<BucketLabels, Gauge>,
    transitions: Family<BucketLabels, Counter>,
}

impl LeadershipMetrics {
    /// Returns the leadership metrics of an operator, which are registered once.
    pub(super) fn of(metrics: &Metrics) -> Self {
        metrics.shared(|registry| {
            let leadership = Self::default();
            registry.register("leader", "Whether this replica leads the bucket: 1 or 0", leadership.leader.clone());
            let transitions = leadership.transitions.clone();
            registry.register("leader_transitions", "Terms in which this replica led the bucket", transitions);
            leadership
        })
    }

    /// Records that this replica competes for a bucket.
    pub(super) fn competes(&self, bucket: &Arc<str>) {
        self.leader(bucket).set(0);
    }

    /// Records that this replica begins to lead a bucket.
    pub(super) fn begins(&self, bucket: &Arc<str>) {
        self.leader(bucket).set(1);
        self.transitions.get_or_create(&BucketLabels { bucket: bucket.to_string() }).inc();
    }

    /// Records that this replica no longer leads a bucket.
    pub(super) fn ends(&self, bucket: &Arc<str>) {
        self.leader(bucket).set(0);
    }

    fn leader(&self, bucket: &Arc<str>) -> Gauge {
        self.leader.get_or_create(&BucketLabels { bucket: bucket.to_string() }).clone()
    }
}
