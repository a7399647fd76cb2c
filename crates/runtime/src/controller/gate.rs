//! The gate before the queue of a controller, which decides the keys that this replica works on (STAGE-2).

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use kubewright_core::hash::Buckets;
use kubewright_core::why::{ObjectChangeKind, QueuedBy};
use kubewright_machinery::object::Key;
use tokio_util::sync::CancellationToken;

use super::LeaderTerm;
use crate::cluster::WriteFence;

/// The keys of other replicas' buckets for which a controller runs passes, too.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Observes {
    /// No keys.
    #[default]
    Nothing,
    /// The keys of deleted objects.
    Deletions,
    /// All keys.
    Everything,
}

/// The role of a replica for the key of a pass.
#[derive(Clone, Debug)]
pub(super) enum ReplicaRole {
    /// The replica always leads all keys.
    Only,
    /// The replica leads the bucket of the key during this term. The token is cancelled at the end of the term.
    Leader(Arc<LeaderTerm>, CancellationToken),
    /// The replica does not lead the bucket of the key; another replica or none does.
    Observer(Arc<Unled>),
}

impl ReplicaRole {
    /// Returns the fence of the pass's writes, or None if no fence is needed.
    pub(super) fn fence(&self) -> Option<Arc<dyn WriteFence>> {
        match self {
            Self::Only => None,
            Self::Leader(term, _) => Some(Arc::clone(term) as Arc<dyn WriteFence>),
            Self::Observer(unled) => Some(Arc::clone(unled) as Arc<dyn WriteFence>),
        }
    }
}

/// The fence of a bucket that this replica does not lead: it rejects all writes.
#[derive(Debug)]
pub(super) struct Unled {
    bucket: Arc<str>,
}

impl WriteFence for Unled {
    fn bucket(&self) -> &Arc<str> {
        &self.bucket
    }

    fn time_left(&self) -> Option<Duration> {
        None
    }
}

/// The gate before a queue. Without buckets it lets all keys in; with buckets only those of the buckets that this replica leads.
#[derive(Default)]
pub(super) struct Gate(Option<BucketDivision>);

struct BucketDivision {
    buckets: Buckets,
    observes: Observes,
    /// The latest terms of the buckets that this replica leads or has led, with their running passes.
    held: BTreeMap<Arc<str>, HeldTerm>,
}

struct HeldTerm {
    term: Arc<LeaderTerm>,
    cancel: CancellationToken,
    /// The number of passes that run in the term.
    in_flight: usize,
    has_ended: bool,
}

impl Gate {
    /// Creates a gate that is closed for all buckets.
    pub(super) fn divided(names: impl IntoIterator<Item = Arc<str>>, observes: Observes) -> Self {
        Self(Some(BucketDivision { buckets: Buckets::new(names), observes, held: BTreeMap::new() }))
    }

    /// Sets which keys of other replicas' buckets get passes.
    pub(super) fn observe(&mut self, observes: Observes) {
        if let Some(division) = &mut self.0 {
            division.observes = observes;
        }
    }

    /// Returns true if keys are divided into buckets.
    pub(super) fn is_divided(&self) -> bool {
        self.0.is_some()
    }

    /// Returns true if a key is to be queued for this cause.
    pub(super) fn lets_in(&mut self, key: &Key, cause: &QueuedBy) -> bool {
        let Some(division) = &mut self.0 else { return true };
        let is_wanted = match division.observes {
            Observes::Nothing => false,
            Observes::Deletions => matches!(cause, QueuedBy::Changed(change) if change.what == ObjectChangeKind::Went),
            Observes::Everything => true,
        };
        is_wanted || division.leading(key).is_some()
    }

    /// Returns true if this replica leads a key.
    pub(super) fn leads(&mut self, key: &Key) -> bool {
        self.0.as_mut().is_none_or(|division| division.leading(key).is_some())
    }

    /// Returns true if a key is in this bucket and this replica leads it.
    pub(super) fn leads_in(&mut self, bucket: &str, key: &Key) -> bool {
        let owner = self.0.as_mut().and_then(|division| division.leading(key));
        owner.is_some_and(|held| **held.term.bucket() == *bucket)
    }

    /// Returns true if a key is in a bucket, even if another replica leads it.
    pub(super) fn is_in(&mut self, bucket: &str, key: &Key) -> bool {
        self.0.as_mut().and_then(|division| division.buckets.owner(key)).is_some_and(|owner| *owner == *bucket)
    }

    /// Returns true if the keys of all buckets get passes.
    pub(super) fn observes_everything(&self) -> bool {
        self.0.as_ref().is_some_and(|division| division.observes == Observes::Everything)
    }

    /// Begins a pass of the key and returns its role, which [`ended`](Self::ended) takes back.
    pub(super) fn begin(&mut self, key: &Key) -> ReplicaRole {
        let Some(division) = &mut self.0 else { return ReplicaRole::Only };
        if let Some(held) = division.leading(key) {
            held.in_flight += 1;
            return ReplicaRole::Leader(Arc::clone(&held.term), held.cancel.clone());
        }
        let bucket = division.buckets.owner(key).unwrap_or_default();
        ReplicaRole::Observer(Arc::new(Unled { bucket }))
    }

    /// Ends a pass. Returns true if the replica still has the role that it had for the key when the pass began.
    pub(super) fn ended(&mut self, role: &ReplicaRole) -> bool {
        let (Some(division), ReplicaRole::Leader(term, _)) = (&mut self.0, role) else { return true };
        let Some(held) = division.held.get_mut(term.bucket()) else { return false };
        held.in_flight -= 1;
        !held.has_ended
    }

    /// Opens the gate for a bucket that this replica leads from now on. The passes of the bucket are cancelled by a child of `all`.
    pub(super) fn open(&mut self, term: Arc<LeaderTerm>, all: &CancellationToken) {
        if let Some(division) = &mut self.0 {
            let bucket = Arc::clone(term.bucket());
            let held = HeldTerm { term, cancel: all.child_token(), in_flight: 0, has_ended: false };
            division.held.insert(bucket, held);
        }
    }

    /// Ends the term of a bucket: cancels its passes, and lets no more keys of it in.
    pub(super) fn close(&mut self, bucket: &str) {
        let Some(division) = &mut self.0 else { return };
        if let Some(held) = division.held.get_mut(bucket) {
            held.has_ended = true;
            held.term.end();
            held.cancel.cancel();
        }
    }

    /// Returns true if this replica leads a bucket.
    pub(super) fn is_open(&self, bucket: &str) -> bool {
        self.0.as_ref().and_then(|division| division.held.get(bucket)).is_some_and(|held| !held.has_ended)
    }

    /// Returns the number of passes that run in the term of a bucket.
    pub(super) fn in_flight(&self, bucket: &str) -> usize {
        self.0.as_ref().and_then(|division| division.held.get(bucket)).map_or(0, |held| held.in_flight)
    }
}

impl BucketDivision {
    /// Returns the bucket of a key, if this replica leads it.
    fn leading(&mut self, key: &Key) -> Option<&mut HeldTerm> {
        let owner = self.buckets.owner(key)?;
        self.held.get_mut(&owner).filter(|held| !held.has_ended)
    }
}
