//! Conditions of a status: their form, an updater that moves transition times only on changes, and sets in which one condition is computed
//! from others.
//!
//! A kind declares its conditions as a [`ConditionSet`]: a top-level one, `Ready` or `Succeeded`, and the dependents that it is
//! computed from. Its reconciler marks the dependents, through the field [`Conditions`] of the status:
//!
//! ```
//! # use kubewright_core::condition::Conditions;
//! # let mut conditions = Conditions::default();
//! conditions.mark_true("ConfigurationValid");
//! conditions.mark_false("ServiceAvailable", "ServiceMissing", "service default/web was not found");
//! ```
//!
//! The top-level condition follows from the marks: False while a dependent is False, else Unknown while one is Unknown, else True. The
//! outcome of the pass can only lower it. [`ConditionManager`] holds the rules, [`Conditioned`] ties set and status together.

mod adopt;
mod conclude;
mod conditioned;
mod conditions;
mod convert;
mod events;
mod form;
mod halted;
mod list;
mod manager;
mod policy;
mod resource;
mod set;
mod typed;
mod updater;
mod volatile;

#[cfg(test)]
mod tests;

pub use conclude::{ConcludedMethod, UnmarkedGeneration};
pub use conditioned::{Conditioned, derive};
pub use conditions::Conditions;
pub use convert::convert_conditions;
pub use events::ConditionEvents;
pub use form::{Condition, ConditionStatus, Severity};
pub use halted::{UP_TO_DATE, UPDATE_HELD};
pub use list::{ConditionsError, read_list, write_list};
pub use manager::{ConditionManager, TerminalCondition};
pub use policy::{ConditionPolicy, ConditionShape, TransitionTime};
pub use resource::{KMetadata, KResource, KStatus};
pub use set::{ConditionSet, DELETION_BLOCKED, PAUSED, READY, REQUIRES_UPDATE, STALLED, SUCCEEDED, WAITING};
pub use typed::{ConditionPolarity, ConditionType, ConditionVisibility};
pub use updater::{ConditionChanges, Keep, Updater};
pub use volatile::VolatileTime;
