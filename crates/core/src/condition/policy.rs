//! The form in which conditions are written.

/// The form in which the conditions of a kind are written. The default is that of Kubernetes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[allow(clippy::exhaustive_structs)] // users write it as a literal
pub struct ConditionPolicy {
    /// The fields that are filled.
    pub shape: ConditionShape,
    /// The changes that move a transition time.
    pub transition: TransitionTime,
}

/// The fields of a condition that are filled.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum ConditionShape {
    /// A reason is never empty, and the condition carries the generation that it was set for. No severity is written.
    #[default]
    Standard,
    /// A condition that is True or initialised has no reason unless one is given. The severity is written, the generation is not.
    Knative,
}

/// The changes that move the transition time of a condition. The condition is compared with the one that the pass started with.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum TransitionTime {
    /// A change of the status.
    #[default]
    OnStatusChange,
    /// A change of the status, the reason or the message.
    OnAnyChange,
}
