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

/// The options of a controller about its children.
#[derive(Clone, Debug, Default)]
pub(crate) struct ChildOptions {
    /// None: those of the operator's name.
    pub(crate) marks: Option<ChildMarks>,
    pub(crate) common: CommonMetadata,
    pub(crate) refused: RefusedKinds,
}

/// Kinds of which a controller may have no children.
#[derive(Clone, Debug, Default)]
pub(crate) struct RefusedKinds {
    pub(crate) kinds: BTreeSet<GroupKind>,
    /// The reason, as errors tell it.
    pub(crate) why: String,
}

/// What the passes of one controller share about children.
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
    /// The children of a controller. `operator` is the domain of their marks, if the options have no other.
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

    /// The keys of marks.
    pub(crate) fn marks(&self) -> &ChildMarks {
        &self.marks
    }

    /// Drops the memory about an owner.
    pub(crate) fn forget(&self, owner: &Key) {
        self.memory.forget(owner);
    }

    /// Drops the memory about children that a successful pass did without.
    pub(crate) fn settle(&self, owner: &Key, used: &BTreeSet<ObjectKey>) {
        self.memory.retain(owner, used);
    }

    /// Whether children of a kind may be written.
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
