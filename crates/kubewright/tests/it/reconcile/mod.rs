//! Hand-written reconcilers on a test cluster.

mod by_hand;
mod class;
mod conclude;
mod conditions;
mod defaults;
mod finalizer;
mod identity;
mod ignored;
mod independence;
mod injection;
mod layers;
mod lifetime;
mod optional;
mod own_writes;
mod persisted_backoff;
mod plurals;
mod resync;
mod second_pass;
mod status;
mod targets;
mod tracker;
mod triggers;
pub(crate) mod widget;
mod workers;
pub(crate) mod world;
