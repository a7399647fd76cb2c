//! The parts of an operator that work for the buckets of an election.

use std::sync::Arc;

use super::TaskTerms;
use crate::controller::{ControllerBuckets, LeaderTerm};

/// A part of an operator that works for the buckets that this replica leads. Cheap to clone.
#[derive(Clone, Debug)]
pub(super) enum BucketMember {
    /// A controller, whose keys are divided among all buckets.
    Controller(ControllerBuckets),
    /// A leader task, which belongs to one bucket.
    Task(TaskTerms),
}

impl BucketMember {
    /// Returns the controller, whose reconciler may have hooks, or None for a task.
    pub(super) fn controller(&self) -> Option<&ControllerBuckets> {
        match self {
            Self::Controller(controller) => Some(controller),
            Self::Task(_) => None,
        }
    }

    /// Begins to work for a bucket.
    pub(super) fn activate(&self, term: Arc<LeaderTerm>) {
        match self {
            Self::Controller(controller) => controller.activate(term),
            Self::Task(task) => task.activate(term),
        }
    }

    /// Asks the passes or the task of a bucket to stop, because its term is over.
    pub(super) fn cancel(&self, bucket: &str) {
        match self {
            Self::Controller(controller) => controller.cancel(bucket),
            Self::Task(task) => task.cancel(bucket),
        }
    }

    /// Waits until no pass and no task of a bucket runs and none can start in its current term.
    pub(super) async fn drained(&self, bucket: &str) {
        match self {
            Self::Controller(controller) => controller.drained(bucket).await,
            Self::Task(task) => task.drained(bucket).await,
        }
    }
}
