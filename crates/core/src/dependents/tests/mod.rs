//! The engine against a cluster in memory.

mod apply;
mod cluster;
mod deletion;
mod drift;
mod preparation;
mod properties;
mod world;
