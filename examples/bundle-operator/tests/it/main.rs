//! Bundles on a test cluster: the embedded server, or a real one with `KUBEWRIGHT_TEST_CLUSTER=real`.

#![allow(clippy::unwrap_used, clippy::panic)] // helpers of tests

mod cert_manager;
mod disturbance;
mod faults;
mod metrics_server;
mod options;
mod packages;
mod sample;
mod sources;
mod world;
