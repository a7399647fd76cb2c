/// A stage of the pipeline of a pass, in the order in which a pass goes through them (`reconciler.md`, 4.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum PipelineStage {
    /// The stage that counts the outcome, and records its event. A layer inside it sees every pass.
    Events,
    /// The stage that reads the object, and chooses the method. A layer inside it sees the passes that have an object to work on.
    Cache,
    /// The stage that sets the finalizer before `reconcile`, and clears it after `finalize`.
    Finalizer,
    /// The stage that writes the status if it differs. If a layer inside it changes the outcome, the event reports the change, but the conditions do not.
    Status,
    /// The stage that prepares the conditions, and completes them by the outcome. A layer inside it is directly around the method.
    Conditions,
}

impl PipelineStage {
    /// All stages.
    pub const ALL: [Self; 5] = [Self::Events, Self::Cache, Self::Finalizer, Self::Status, Self::Conditions];
}
