//! The loop of an owner, on a test cluster with the controllers of its five components.

mod components;
mod lifecycle;
mod openmcp;
mod operations;
mod plane;
mod settings;
mod teardown;
mod triggers;
mod world;
