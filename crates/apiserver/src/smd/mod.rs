//! Who owns which field of an object, and what an apply makes of it: structured merge and diff.
//!
//! A [`Type`] says how values are put together: which lists are maps by key, which parts are one piece. With it, an object has a set of
//! fields, two objects can be compared field by field, and a part of an object can be merged into the whole. [`Managers`] is what
//! `metadata.managedFields` records, and [`Ownership`] says what a write makes of it: [`Ownership::update`] for a write of a whole object,
//! [`Ownership::apply`] for a write of the fields that a client cares about.
//!
//! Nothing here performs I/O or knows the time. The sets themselves are [`kubewright_machinery::fieldset`].
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
pub use managers::{Identity, ManagedFieldsError, Managers, Operation};
pub use shown::Shown;
pub use types::Type;
pub use update::{Ownership, Versions};
pub use validate::TypeErrors;
