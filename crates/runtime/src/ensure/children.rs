use std::collections::BTreeSet;
use std::fmt;
use std::sync::Arc;

use kubewright_core::child::ChildMarks;
use kubewright_core::flow::{Failure, Origin};
use kubewright_machinery::object::{CommonMetadata, GroupKind, Key, ObjectKey};

use super::memory::ChildMemory;
use crate::cluster::Cluster;
use crate::config::CurrentTiming;
use crate::events::Recorder;
use crate::metrics::{ControllerLabels, Metrics};

/// The options of a controller for its children.
#[derive(Clone, Debug, Default)]
pub(crate) struct ChildOptions {
    /// The keys of marks; None for those of the operator's name.
    pub(crate) marks: Option<ChildMarks>,
    pub(crate) common: CommonMetadata,
    pub(crate) refused: RefusedKinds,
}

/// The kinds of which a controller may have no children.
#[derive(Clone, Debug, Default)]
pub(crate) struct RefusedKinds {
    pub(crate) kinds: BTreeSet<GroupKind>,
    /// The reason in error messages.
    pub(crate) why: String,
}

/// The state about children that the passes of one controller share.
pub(crate) struct Children {
    pub(super) cluster: Cluster,
    pub(super) recorder: Recorder,
    pub(super) marks: ChildMarks,
    /// The field manager of the children.
    pub(super) manager: Arc<str>,
    pub(super) common: CommonMetadata,
    refused: RefusedKinds,
    pub(super) memory: ChildMemory,
    pub(super) timing: CurrentTiming,
    metrics: Metrics,
    labels: ControllerLabels,
}

impl Children {
    /// Creates the children of a controller. `operator` is the domain of their marks, unless the options set another.
    pub(crate) fn new(
        options: ChildOptions,
        (operator, controller): (&str, &str),
        (cluster, recorder): (Cluster, Recorder),
        timing: CurrentTiming,
        metrics: Metrics,
    ) -> Self {
        let marks = options.marks.unwrap_or_else(|| ChildMarks::of_domain(operator));
        Self {
            cluster,
            recorder,
            manager: marks.manager(controller).into(),
            marks,
            common: options.common,
            refused: options.refused,
            memory: ChildMemory::default(),
            timing,
            metrics,
            labels: ControllerLabels { controller: controller.to_owned() },
        }
    }

    /// Returns the keys of marks.
    pub(crate) fn marks(&self) -> &ChildMarks {
        &self.marks
    }

    /// Drops the memory of the children of an owner.
    pub(crate) fn forget(&self, owner: &Key) {
        self.memory.forget(owner);
    }

    /// Drops the memory of children that a successful pass did not use.
    pub(crate) fn settle(&self, owner: &Key, used: &BTreeSet<ObjectKey>) {
        self.memory.retain(owner, used);
    }

    /// Returns an error if children of a kind may not be written.
    pub(super) fn admits(&self, kind: &GroupKind) -> Result<(), Failure> {
        if !self.refused.kinds.contains(kind) {
            return Ok(());
        }
        let text = format!("write a {} as a child: {}", kind.kind, self.refused.why);
        Err(Failure::msg(text).reason("InternalError").origin(Origin::Bug))
    }

    /// Counts an update of a child that is updated too often.
    pub(super) fn count_hot_loop(&self) {
        self.metrics.standard().hot_loops.get_or_create(&self.labels).inc();
    }
}

impl fmt::Debug for Children {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Children").field("manager", &self.manager).finish_non_exhaustive()
    }
}
