/// A stage of the pipeline of a pass, in the order in which a pass goes through them (`reconciler.md`, 4.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum PipelineStage {
    /// Counts the outcome, and records its event. A layer inside it sees every pass.
    Events,
    /// Reads the object, and chooses the method. A layer inside it sees the passes that have an object to work on.
    Cache,
    /// Sets the finalizer before `reconcile`, and clears it after `finalize`.
    Finalizer,
    /// Writes the status if it differs. A change of the outcome by a layer inside it is told by the event, not by the conditions.
    Status,
    /// Prepares the conditions, and completes them by the outcome. A layer inside it is directly around the method.
    Conditions,
}

impl PipelineStage {
    /// All stages.
    pub const ALL: [Self; 5] = [Self::Events, Self::Cache, Self::Finalizer, Self::Status, Self::Conditions];
}
