//! Children: objects that a reconciler writes for its own object, one by one.
//!
//! [`ChildMarks`] are the keys of the marks. [`ChildOwner`] marks an object as a child, and tells from the marks of a live one whose it is. [`decide`] says which request, if any, brings a
//! child to its desired state. [`LastWrite`] is the memory by which a second call needs no request. [`HotLoop`] notices children that change all the
//! time.

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
