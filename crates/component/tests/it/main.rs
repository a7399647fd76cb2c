//! Components on a test cluster: the embedded server, or what `KUBEWRIGHT_TEST_CLUSTER` says.

#![allow(clippy::unwrap_used, clippy::panic)] // helpers of tests

mod apply;
mod budgets;
mod crash;
mod delete;
mod faults;
mod hooks;
mod input;
mod kinds;
mod lifecycle;
mod ownership;
mod readiness;
mod references;
mod timeouts;
mod types;
mod world;
