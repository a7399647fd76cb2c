//! The gate before the queue of a controller: which keys this replica works on (STAGE-2).

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use kubewright_core::hash::Buckets;
use kubewright_core::why::{ObjectChangeKind, QueuedBy};
use kubewright_machinery::object::Key;
use tokio_util::sync::CancellationToken;

use super::LeaderTerm;
use crate::cluster::WriteFence;

/// The keys of other replicas' buckets that a controller wants to see all the same.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Observes {
    /// None.
    #[default]
    Nothing,
    /// Those whose objects have gone.
    Deletions,
    /// All.
    Everything,
}

/// The role of a replica for the key of a pass.
#[derive(Clone, Debug)]
pub(super) enum Role {
    /// It leads all keys, for ever.
    Only,
    /// It leads the bucket of the key during this term. The token is cancelled at its end.
    Leader(Arc<LeaderTerm>, CancellationToken),
    /// Another replica leads the bucket, or none does.
    Observer(Arc<Unled>),
}

impl Role {
    /// The fence before the writes of the pass; none where all are let through.
    pub(super) fn fence(&self) -> Option<Arc<dyn WriteFence>> {
        match self {
            Self::Only => None,
            Self::Leader(term, _) => Some(Arc::clone(term) as Arc<dyn WriteFence>),
            Self::Observer(unled) => Some(Arc::clone(unled) as Arc<dyn WriteFence>),
        }
    }
}

/// A bucket that this replica does not lead: no write is let through.
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

/// Which keys this replica works on: all, unless they are divided into buckets; then those of the buckets that it leads.
#[derive(Default)]
pub(super) struct Gate(Option<Division>);

struct Division {
    buckets: Buckets,
    observes: Observes,
    /// The buckets that this replica leads, or led until a moment ago.
    held: BTreeMap<Arc<str>, Held>,
}

struct Held {
    term: Arc<LeaderTerm>,
    cancel: CancellationToken,
    /// Passes that run in the term.
    in_flight: usize,
    has_ended: bool,
}

impl Gate {
    /// A gate that is closed for all buckets.
    pub(super) fn divided(names: impl IntoIterator<Item = Arc<str>>, observes: Observes) -> Self {
        Self(Some(Division { buckets: Buckets::new(names), observes, held: BTreeMap::new() }))
    }

    /// With passes for keys of buckets that this replica does not lead.
    pub(super) fn observe(&mut self, observes: Observes) {
        if let Some(division) = &mut self.0 {
            division.observes = observes;
        }
    }

    /// Whether keys are divided into buckets.
    pub(super) fn is_divided(&self) -> bool {
        self.0.is_some()
    }

    /// Whether a key is to be queued for this cause.
    pub(super) fn lets_in(&mut self, key: &Key, cause: &QueuedBy) -> bool {
        let Some(division) = &mut self.0 else { return true };
        let is_wanted = match division.observes {
            Observes::Nothing => false,
            Observes::Deletions => matches!(cause, QueuedBy::Changed(change) if change.what == ObjectChangeKind::Went),
            Observes::Everything => true,
        };
        is_wanted || division.leading(key).is_some()
    }

    /// Whether this replica leads a key.
    pub(super) fn leads(&mut self, key: &Key) -> bool {
        self.0.as_mut().is_none_or(|division| division.leading(key).is_some())
    }

    /// Whether a key is in a bucket, as far as this replica leads that.
    pub(super) fn leads_in(&mut self, bucket: &str, key: &Key) -> bool {
        let owner = self.0.as_mut().and_then(|division| division.leading(key));
        owner.is_some_and(|held| **held.term.bucket() == *bucket)
    }

    /// Whether a key is in a bucket, also if another replica leads it.
    pub(super) fn is_in(&mut self, bucket: &str, key: &Key) -> bool {
        self.0.as_mut().and_then(|division| division.buckets.owner(key)).is_some_and(|owner| *owner == *bucket)
    }

    /// Whether keys of all buckets are to be seen.
    pub(super) fn observes_everything(&self) -> bool {
        self.0.as_ref().is_some_and(|division| division.observes == Observes::Everything)
    }

    /// A pass of the key begins. [`ended`](Self::ended) takes the returned role back.
    pub(super) fn begin(&mut self, key: &Key) -> Role {
        let Some(division) = &mut self.0 else { return Role::Only };
        if let Some(held) = division.leading(key) {
            held.in_flight += 1;
            return Role::Leader(Arc::clone(&held.term), held.cancel.clone());
        }
        let bucket = division.buckets.owner(key).unwrap_or_default();
        Role::Observer(Arc::new(Unled { bucket }))
    }

    /// A pass has ended. Returns whether the replica still has the role for the key that it had when the pass began.
    pub(super) fn ended(&mut self, role: &Role) -> bool {
        let (Some(division), Role::Leader(term, _)) = (&mut self.0, role) else { return true };
        let Some(held) = division.held.get_mut(term.bucket()) else { return false };
        held.in_flight -= 1;
        !held.has_ended
    }

    /// From now on this replica leads a bucket. The passes of the bucket are cancelled by a child of `all`.
    pub(super) fn open(&mut self, term: Arc<LeaderTerm>, all: &CancellationToken) {
        if let Some(division) = &mut self.0 {
            let bucket = Arc::clone(term.bucket());
            let held = Held { term, cancel: all.child_token(), in_flight: 0, has_ended: false };
            division.held.insert(bucket, held);
        }
    }

    /// The term of a bucket is over: its passes are cancelled, and no key of it is let in.
    pub(super) fn close(&mut self, bucket: &str) {
        let Some(division) = &mut self.0 else { return };
        if let Some(held) = division.held.get_mut(bucket) {
            held.has_ended = true;
            held.term.end();
            held.cancel.cancel();
        }
    }

    /// Whether this replica leads a bucket.
    pub(super) fn is_open(&self, bucket: &str) -> bool {
        self.0.as_ref().and_then(|division| division.held.get(bucket)).is_some_and(|held| !held.has_ended)
    }

    /// The number of passes that run in the term of a bucket.
    pub(super) fn in_flight(&self, bucket: &str) -> usize {
        self.0.as_ref().and_then(|division| division.held.get(bucket)).map_or(0, |held| held.in_flight)
    }
}

impl Division {
    /// The bucket of a key, if this replica leads it.
    fn leading(&mut self, key: &Key) -> Option<&mut Held> {
        let owner = self.buckets.owner(key)?;
        self.held.get_mut(&owner).filter(|held| !held.has_ended)
    }
}
