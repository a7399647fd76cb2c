//! Components on an embedded API server.

#![allow(clippy::unwrap_used, clippy::panic)] // helpers of tests

mod apply;
mod budgets;
mod crash;
mod delete;
mod faults;
mod lifecycle;
mod references;
mod types;
mod world;
