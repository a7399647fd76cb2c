//! The operator on a test cluster: the embedded server, or what `KUBEWRIGHT_TEST_CLUSTER` says.

#![allow(clippy::unwrap_used, clippy::panic)] // helpers of tests

mod command;
mod rollout;
mod teardown;
mod world;
