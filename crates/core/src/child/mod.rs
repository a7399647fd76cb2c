//! Children: objects that a reconciler writes for its own object, one by one.
//!
//! [`ChildMarks`] are the keys of the marks. [`ChildOwner`] marks an object as a child, and reads the owner of a live object from its marks.
//! [`decide`] returns the request, if any, that brings a child to its desired state. [`LastWrite`] remembers the last write, so that an unchanged
//! child needs no request. [`HotLoop`] detects children that are updated all the time.

mod decision;
mod gate;
mod hot_loop;
mod last_write;
mod marks;
mod owner;
#[cfg(test)]
mod tests;

pub use decision::{Adopt, ChildSituation, Decision, Strategy, decide};
pub use gate::{UpdateGate, gate_of};
pub use hot_loop::{HotLoop, HotLoopLimits, UpdateRate};
pub use last_write::LastWrite;
pub use marks::ChildMarks;
pub use owner::{ChildOwner, Ownership};
