//! Structured merge and diff: the ownership of the fields of an object, and the outcome of an apply.
//!
//! A [`Type`] describes the structure of values: which lists are maps by key, and which parts are atomic. Given a type, an object has a set of
//! fields, two objects can be compared field by field, and an applied configuration can be merged into an object. [`Managers`] holds the content
//! of `metadata.managedFields`. [`FieldOwnership`] computes the managers after a write: [`FieldOwnership::update`] after a write of a whole object,
//! [`FieldOwnership::apply`] after an apply.
//!
//! This module performs no I/O and reads no clock. The field sets are those of [`kubewright_machinery::fieldset`].
//!
//! See <https://kubernetes.io/docs/reference/using-api/server-side-apply/>.

mod apply;
mod compare;
mod conflict;
mod fields;
mod item;
mod managers;
mod merge;
mod parse;
mod reconcile;
mod remove;
mod shown;
mod types;
mod update;
mod validate;

#[cfg(test)]
mod tests;

pub use apply::{Applied, ApplyError};
pub use conflict::{Conflict, Conflicts};
pub use managers::{ManagedFieldsError, ManagerIdentity, ManagerOperation, Managers};
pub use shown::Shown;
pub use types::Type;
pub use update::{FieldOwnership, Versions};
pub use validate::TypeErrors;
