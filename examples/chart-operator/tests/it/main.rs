//! The operator on a test cluster: the embedded server, or the one that `KUBEWRIGHT_TEST_CLUSTER` selects.

#![allow(clippy::unwrap_used, clippy::panic)] // helpers of tests

mod command;
mod corpus;
mod lifecycle;
mod scene;
mod values;
