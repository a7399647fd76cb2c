//! The form in which conditions are written.

/// How the conditions of a kind are written. The default is that of Kubernetes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[allow(clippy::exhaustive_structs)] // written as a literal
pub struct ConditionPolicy {
    /// Which fields are filled.
    pub shape: ConditionShape,
    /// When a transition time moves.
    pub transition: TransitionTime,
}

/// Which fields of a condition are filled.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum ConditionShape {
    /// A reason is never empty, and the condition carries the generation that it was set for. No severity is written.
    #[default]
    Standard,
    /// A condition that is True or initialised has no reason unless one is given. The severity is written, the generation is not.
    Knative,
}

/// When the transition time of a condition moves. The condition is compared with the one that the pass started with.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum TransitionTime {
    /// When the status differs.
    #[default]
    OnStatusChange,
    /// When the status, the reason or the message differs.
    OnAnyChange,
}
