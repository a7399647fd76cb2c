//! The pass over one component, from the event that queued it to the status that it leaves.
//!
//! ```text
//! settings ─▶ references, digest ─▶ hooks, finalizer ─▶ render ─▶ plan ⇄ execute ─▶ hooks ─▶ status, events, next pass
//! ```

mod abandon;
mod apply;
mod delete;
mod drive;
mod end;
mod finalizer;
mod hosted;
mod keeper;
mod leftovers;
mod memory;
mod pass;
mod polling;
mod reconcile;
mod record;
mod referring;
mod rendering;
mod shared;
mod standby;
mod sweeping;
mod targeting;
mod transient;
mod watching;

pub(crate) use hosted::{HostRequest, Hosted};
pub(crate) use keeper::{Fits, Host, Own};
pub(crate) use leftovers::Leftovers;
pub(crate) use memory::Memories;
pub(crate) use reconcile::ComponentReconciler;
pub(crate) use shared::SharedPassState;
pub(crate) use standby::stand_by;
