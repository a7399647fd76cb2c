//! The index that triggers a reconciliation when a tracked object changes, for objects that no owner reference connects.
//!
//! A reconciler tracks the objects that a pass depends on: one by its name, or all that a selector matches. A [`TrackedReference`] is such a
//! reference after validation. The [`TrackerIndex`] holds the references of every observer and returns the observers that a change concerns.
//!
//! Every pass declares its references anew. A reference takes effect at once, so that a change between registering and reading is not lost; the end
//! of the pass drops the references that it did not repeat:
//!
//! ```
//! use kubewright_core::tracker::{Settlement, TrackedReference, TrackerIndex};
//! use kubewright_machinery::object::{GroupKind, Key};
//!
//! # fn main() -> Result<(), kubewright_core::tracker::InvalidReference> {
//! let kind = GroupKind::new("", "Service");
//! let mut index = TrackerIndex::new();
//! let pass = index.begin(Key::new("demo", "route"));
//! index.track(&pass, TrackedReference::named(&kind, "demo", "web")?);
//! index.settle(pass, Settlement::Replace);
//! assert!(index.observers_of_change(&kind, "demo", "web", None, None).contains(&Key::new("demo", "route")));
//! # Ok(())
//! # }
//! ```

mod index;
mod reference;

#[cfg(test)]
mod model;
#[cfg(test)]
mod recorded;
#[cfg(test)]
mod tests;

pub use index::{ReferenceRegistration, Settlement, TrackerIndex, Tracking};
pub use reference::{InvalidReference, SubjectReference, TrackedObjects, TrackedReference};
