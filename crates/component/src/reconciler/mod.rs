//! The pass over one component, from the event that queued it to the status that it leaves.
//!
//! ```text
//! settings ─▶ references, digest ─▶ hooks, finalizer ─▶ render ─▶ plan ⇄ execute ─▶ hooks ─▶ status, events, next pass
//! ```

mod abandon_dependents;
mod apply_dependents;
mod begin;
mod component_keeper;
mod component_memory;
mod component_reconciler;
mod delete_dependents;
mod discover_scopes;
mod end;
mod execute_plans;
mod finalizer;
mod finish;
mod goal;
mod kept_rendering;
mod load_references;
mod next_pass;
mod pass;
mod reach_goal;
mod read_spec;
mod record_answer;
mod remove_unlisted_objects;
mod render;
mod resolve_references;
mod run_for_host;
mod run_hooks;
mod select_target;
mod shared_state;
mod standby;
mod transient_errors;
mod unlisted_objects;
mod unwatched_kinds;
mod watch_dependents;
mod write_status;

pub(crate) use component_keeper::{Fits, Host, Own};
pub(crate) use component_memory::Memories;
pub(crate) use component_reconciler::ComponentReconciler;
pub(crate) use run_for_host::{HostRequest, Hosted};
pub(crate) use shared_state::SharedPassState;
pub(crate) use standby::stand_by;
pub(crate) use unlisted_objects::Leftovers;
