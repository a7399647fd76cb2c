//! Hand-written reconcilers on a test cluster.

mod conditions;
mod finalizer;
mod injection;
mod status;
mod widget;
mod world;
