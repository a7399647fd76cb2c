//! A status with conditions, as the framework sees it.

use super::{Condition, ConditionManager, ConditionSet, ConditionsError};

/// A status whose conditions the framework completes after each pass. `#[derive(ConditionSet)]` implements it.
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not declare its conditions",
    note = "add `#[derive(ConditionSet)]` to the status"
)]
pub trait Conditioned {
    /// The declared conditions.
    fn condition_set() -> ConditionSet;

    /// The conditions that the status holds.
    fn conditions(&self) -> Vec<Condition>;

    /// Replaces the conditions that the status holds; fields of them that the framework does not know survive.
    fn set_conditions(&mut self, conditions: Vec<Condition>) -> Result<(), ConditionsError>;

    /// Puts the manager of a pass behind the field [`Conditions`](super::Conditions), or gives it back if the field has another type:
    /// the user's code then changes the list itself, and [`ConditionManager::adopt`] takes that over.
    fn begin_pass(&mut self, manager: ConditionManager) -> Option<ConditionManager>;

    /// Takes the manager out of the status at the end of the pass. There is none if the field has another type, or if the user's code
    /// has replaced it.
    fn take_manager(&mut self) -> Option<ConditionManager>;

    /// The generation that the status is of; none if the status has no such field.
    fn observed_generation(&self) -> Option<i64> {
        None
    }

    /// Sets the generation that the status is of, if it has such a field.
    fn set_observed_generation(&mut self, _generation: Option<i64>) {}

    /// The generation of the last pass that succeeded (SW-8); none if the status has no such field.
    fn applied_generation(&self) -> Option<i64> {
        None
    }

    /// Sets the generation of the last pass that succeeded, if the status has such a field.
    fn set_applied_generation(&mut self, _generation: Option<i64>) {}
}

/// How `#[derive(ConditionSet)]` tells the field [`Conditions`](super::Conditions) from lists of other types. Not to be used by hand.
#[doc(hidden)]
pub mod derive {
    use serde::Serialize;
    use serde::de::DeserializeOwned;

    use crate::condition::{Condition, ConditionManager, Conditions, ConditionsError, read_list, write_list};

    /// The field of a status, borrowed. Its own methods are those of [`Conditions`], and are found before those of the traits.
    #[derive(Debug)]
    #[allow(clippy::exhaustive_structs)]
    pub struct Field<T>(pub T);

    impl Field<&Conditions> {
        /// The list.
        pub fn read(self) -> Vec<Condition> {
            self.0.as_slice().to_vec()
        }
    }

    impl Field<&mut Conditions> {
        /// Replaces the list.
        #[allow(clippy::unnecessary_wraps)] // as for lists of other types
        pub fn write(self, conditions: Vec<Condition>) -> Result<(), ConditionsError> {
            *self.0 = conditions.into();
            Ok(())
        }

        /// Takes the manager.
        pub fn begin(self, manager: ConditionManager) -> Option<ConditionManager> {
            self.0.begin(manager);
            None
        }

        /// Gives it back.
        pub fn take(self) -> Option<ConditionManager> {
            self.0.take()
        }
    }

    /// A list of another type, to be read.
    pub trait ReadsList {
        /// The conditions in it.
        fn read(self) -> Vec<Condition>;
    }

    impl<T: Serialize> ReadsList for Field<&T> {
        fn read(self) -> Vec<Condition> {
            read_list(self.0)
        }
    }

    /// A list of another type, to be written.
    pub trait WritesList: Sized {
        /// Replaces the conditions in it.
        fn write(self, conditions: Vec<Condition>) -> Result<(), ConditionsError>;

        /// Nowhere to keep the manager.
        fn begin(self, manager: ConditionManager) -> Option<ConditionManager> {
            Some(manager)
        }

        /// None was kept.
        fn take(self) -> Option<ConditionManager> {
            None
        }
    }

    impl<T: Serialize + DeserializeOwned> WritesList for Field<&mut T> {
        fn write(self, conditions: Vec<Condition>) -> Result<(), ConditionsError> {
            write_list(self.0, conditions)
        }
    }
}
