//! Children: objects that a reconciler writes for its own object, one by one (`flow-and-contract.md`, 7).
//!
//! An [`Ensure`] brings one child into its desired state, with one write at most: it reads the child, from the store of its kind if the operator has one,
//! lets `core::child` decide, and sends the decided request. A child that still is as it was last written costs no request. A [`DeleteChild`] deletes one.

mod annotate;
mod change;
mod children;
mod delete;
mod ensured;
mod memory;
mod pass;
mod request;
mod write;

pub use change::{ChildChange, ChildDeletion, Ensured};
pub(crate) use children::{ChildOptions, Children};
pub use delete::DeleteChild;
pub(crate) use delete::delete_all;
pub use ensured::Ensure;
pub use kubewright_core::child::{Adopt, ChildMarks, UpdateGate};
pub(crate) use pass::ChildPass;
