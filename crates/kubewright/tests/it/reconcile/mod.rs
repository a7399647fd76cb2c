//! Hand-written reconcilers on a test cluster.

mod class;
mod conditions;
mod finalizer;
mod injection;
mod own_writes;
mod status;
mod tracker;
mod triggers;
pub(crate) mod widget;
pub(crate) mod world;
