//! The settings of a component for the framework: the [`Settings`] and the structs that embed them in a spec.
//!
//! The derive `#[derive(Component)]` recognises each struct by its type. Its JSON fields and their schema are fixed here.

mod effective;
mod embedded;
mod interval;
pub(crate) mod kinds;
mod policies;
mod target;
#[cfg(test)]
mod tests;
mod typed_values;

pub(crate) use effective::{Effective, OperatorDefaults};
pub use effective::{InvalidSetting, Settings};
pub use embedded::{
    ManagedTypes, Parameters, Placement, Reapply, Requeue, Retry, Setting, Suspend, Timeout, Values, parameters_of,
};
pub use interval::{Interval, InvalidInterval};
pub use policies::{ComponentDeletePolicy, ManagedType, Policies};
pub use target::{Impersonation, KubeConfig, Target};
pub use typed_values::TypedValues;

/// Traits by which `#[derive(Component)]` distinguishes settings from other fields of a spec. Not to be used directly.
pub(crate) mod derive {
    use super::{Parameters, Setting, Settings};

    /// A field of a spec.
    #[derive(Debug)]
    #[allow(clippy::exhaustive_structs)]
    pub struct Probe<'a, T>(pub &'a T);

    /// A field whose type is a [`Setting`].
    pub trait IsSetting {
        /// Adds the settings of the field.
        fn contribute(&self, settings: &mut Settings);
        /// Returns the values of the field, if it is a field of values.
        fn values(&self) -> Option<Parameters>;
    }

    impl<T: Setting> IsSetting for Probe<'_, T> {
        fn contribute(&self, settings: &mut Settings) {
            self.0.contribute(settings);
        }

        fn values(&self) -> Option<Parameters> {
            self.0.values()
        }
    }

    /// Any other field. The trait applies only if [`IsSetting`] does not, because it needs one more reference.
    pub trait IsNoSetting {
        /// Does nothing.
        fn contribute(&self, _: &mut Settings) {}
        /// Returns `None`.
        fn values(&self) -> Option<Parameters> {
            None
        }
    }

    impl<T> IsNoSetting for &Probe<'_, T> {}
}
