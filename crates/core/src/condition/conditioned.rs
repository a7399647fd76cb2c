//! The trait of statuses with conditions, through which the framework reads and writes them.

use super::{Condition, ConditionManager, ConditionSet, ConditionsError};

/// A status whose conditions the framework completes after each pass. `#[derive(ConditionSet)]` implements it.
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not declare its conditions",
    note = "add `#[derive(ConditionSet)]` to the status"
)]
pub trait Conditioned {
    /// Returns the declared conditions.
    fn condition_set() -> ConditionSet;

    /// Returns the conditions that the status holds.
    fn conditions(&self) -> Vec<Condition>;

    /// Replaces the conditions that the status holds. Fields of them that the framework does not know are kept.
    fn set_conditions(&mut self, conditions: Vec<Condition>) -> Result<(), ConditionsError>;

    /// Puts the manager of a pass behind the field [`Conditions`](super::Conditions), or returns it if the field has another type: the user's code
    /// then changes the list itself, and [`ConditionManager::adopt`] takes that over.
    fn begin_pass(&mut self, manager: ConditionManager) -> Option<ConditionManager>;

    /// Takes the manager out of the status at the end of the pass. Returns none if the field has another type, or if the user's code has replaced the
    /// field.
    fn take_manager(&mut self) -> Option<ConditionManager>;

    /// Returns the generation that the status is of; none if the status has no field for it.
    fn observed_generation(&self) -> Option<i64> {
        None
    }

    /// Sets the generation that the status is of, if it has a field for it.
    fn set_observed_generation(&mut self, _generation: Option<i64>) {}

    /// Returns the generation of the last pass that succeeded (SW-8); none if the status has no field for it.
    fn applied_generation(&self) -> Option<i64> {
        None
    }

    /// Sets the generation of the last pass that succeeded, if the status has a field for it.
    fn set_applied_generation(&mut self, _generation: Option<i64>) {}
}

/// Support for `#[derive(ConditionSet)]`: distinguishes the field [`Conditions`](super::Conditions) from lists of other types. Not to be used by
/// hand.
#[doc(hidden)]
pub mod derive {
    use serde::Serialize;
    use serde::de::DeserializeOwned;

    use crate::condition::{Condition, ConditionManager, Conditions, ConditionsError, read_list, write_list};

    /// The field of a status, borrowed. Inherent methods exist for [`Conditions`], and are found before those of the traits.
    #[derive(Debug)]
    #[allow(clippy::exhaustive_structs)]
    pub struct StatusField<T>(pub T);

    impl StatusField<&Conditions> {
        /// Returns the conditions in the list.
        pub fn read(self) -> Vec<Condition> {
            self.0.as_slice().to_vec()
        }
    }

    impl StatusField<&mut Conditions> {
        /// Replaces the conditions in the list.
        #[allow(clippy::unnecessary_wraps)] // the signature is that of lists of other types
        pub fn write(self, conditions: Vec<Condition>) -> Result<(), ConditionsError> {
            *self.0 = conditions.into();
            Ok(())
        }

        /// Keeps the manager in the field; returns none.
        pub fn begin(self, manager: ConditionManager) -> Option<ConditionManager> {
            self.0.begin(manager);
            None
        }

        /// Takes the manager out of the field.
        pub fn take(self) -> Option<ConditionManager> {
            self.0.take()
        }
    }

    /// A list of another type, to be read.
    pub trait ReadsList {
        /// Returns the conditions in the list.
        fn read(self) -> Vec<Condition>;
    }

    impl<T: Serialize> ReadsList for StatusField<&T> {
        fn read(self) -> Vec<Condition> {
            read_list(self.0)
        }
    }

    /// A list of another type, to be written.
    pub trait WritesList: Sized {
        /// Replaces the conditions in the list.
        fn write(self, conditions: Vec<Condition>) -> Result<(), ConditionsError>;

        /// Returns the manager, because a list of another type cannot hold it.
        fn begin(self, manager: ConditionManager) -> Option<ConditionManager> {
            Some(manager)
        }

        /// Returns none, because a list of another type cannot hold a manager.
        fn take(self) -> Option<ConditionManager> {
            None
        }
    }

    impl<T: Serialize + DeserializeOwned> WritesList for StatusField<&mut T> {
        fn write(self, conditions: Vec<Condition>) -> Result<(), ConditionsError> {
            write_list(self.0, conditions)
        }
    }
}
