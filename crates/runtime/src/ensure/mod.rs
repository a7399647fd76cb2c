//! Children: objects that a reconciler writes for its own object, one by one (`flow-and-contract.md`, 7).
//!
//! An [`Ensure`] brings one child to where its pass wants it to be, with one write at most: it reads the child, from the store of its kind if the operator
//! has one, lets `core::child` decide, and sends what was decided. A child that is as it was written last costs no request. A [`DeleteChild`] removes one.

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
