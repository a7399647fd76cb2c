//! The published state of a replica's leadership.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use kubewright_core::lease::LeaseState;
use serde_json::{Value, json};

/// The buckets that this replica leads; the value of the channel that publishes each change (LDR-5).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LeadershipState {
    /// None before the elections begin.
    mode: Option<Mode>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Mode {
    Everything,
    Buckets(BTreeMap<Arc<str>, BucketState>),
}

/// A bucket as this replica sees it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct BucketState {
    /// The stage of this replica's election for the bucket.
    pub state: LeaseState,
    /// The number of this replica's term; None while it has no term.
    pub epoch: Option<u64>,
    /// The last observed identity of the holder; empty if the lease is free.
    pub holder: Arc<str>,
    /// The lease of replicas that divide the keys in another way, for whose end this replica waits; None while no such lease is held.
    pub overlap: Option<Arc<str>>,
    /// True once this replica has tried for the bucket, and has promoted it if it gained it.
    pub(crate) has_tried: bool,
}

impl LeadershipState {
    /// Returns the state of a replica that leads all keys.
    pub(crate) fn everything() -> Self {
        Self { mode: Some(Mode::Everything) }
    }

    /// Sets the state of a bucket.
    pub(crate) fn set(&mut self, bucket: &Arc<str>, state: BucketState) {
        match &mut self.mode {
            Some(Mode::Buckets(buckets)) => _ = buckets.insert(Arc::clone(bucket), state),
            mode => *mode = Some(Mode::Buckets(BTreeMap::from([(Arc::clone(bucket), state)]))),
        }
    }

    /// Iterates over the buckets by name, which is that of their lease; there are none without leases.
    pub fn buckets(&self) -> impl Iterator<Item = (&Arc<str>, &BucketState)> {
        match &self.mode {
            Some(Mode::Buckets(buckets)) => Some(buckets.iter()),
            _ => None,
        }
        .into_iter()
        .flatten()
    }

    /// Iterates over the names of the buckets that this replica leads.
    pub fn held(&self) -> impl Iterator<Item = &Arc<str>> {
        self.buckets().filter(|(_, bucket)| bucket.state == LeaseState::Leading).map(|(name, _)| name)
    }

    /// Returns a text that names the buckets which wait for replicas that divide the keys in another way, with a remedy; None if no bucket waits.
    pub(crate) fn overlap_problem(&self) -> Option<String> {
        let waiting = self.buckets().filter_map(|(name, bucket)| Some((name, bucket.overlap.as_deref()?)));
        let (buckets, leases): (Vec<&str>, BTreeSet<&str>) = waiting.map(|(name, lease)| (&**name, lease)).unzip();
        (!buckets.is_empty()).then(|| {
            let leases: Vec<&str> = leases.into_iter().collect();
            format!(
                "{} wait until the lease {} has ended: its holder divides the keys in another way (end the replicas of the other version)",
                buckets.join(", "),
                leases.join(", ")
            )
        })
    }

    /// Returns the buckets as JSON: state, epoch, holder and overlapping lease of each by its name.
    pub(crate) fn to_json(&self) -> Value {
        let bucket = |(name, bucket): (&Arc<str>, &BucketState)| {
            let state = format!("{:?}", bucket.state);
            (
                name.to_string(),
                json!({ "state": state, "epoch": bucket.epoch, "holder": bucket.holder, "overlap": bucket.overlap }),
            )
        };
        Value::Object(self.buckets().map(bucket).collect())
    }

    /// Returns true if this replica leads all keys: leadership is off, or the operator has neither controllers nor leader tasks to share.
    pub fn is_everything(&self) -> bool {
        self.mode == Some(Mode::Everything)
    }

    /// Returns true if this replica leads a bucket, or all keys.
    pub fn leads_any(&self) -> bool {
        self.is_everything() || self.held().next().is_some()
    }

    /// Iterates over the names of the buckets that have not been tried for, or whose first promotion has not ended.
    pub(crate) fn untried(&self) -> impl Iterator<Item = &Arc<str>> {
        self.buckets().filter(|(_, bucket)| !bucket.has_tried).map(|(name, _)| name)
    }
}
