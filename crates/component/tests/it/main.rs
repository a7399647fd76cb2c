//! Components on a test cluster: the embedded server, or what `KUBEWRIGHT_TEST_CLUSTER` says.

#![allow(clippy::unwrap_used, clippy::panic)] // helpers of tests

mod access;
mod aggregation;
mod apply;
mod budgets;
mod canaries;
mod common;
mod crash;
mod definitions;
mod delete;
mod denials;
mod disturbance;
mod documentation;
mod extensions;
mod faults;
mod fights;
mod handmade;
mod hook_identity;
mod hooks;
mod input;
mod kinds;
mod leaks;
mod lifecycle;
mod limits;
mod lookups;
mod metrics;
mod options;
mod orphans;
mod own_types;
mod ownership;
mod policies;
mod polling;
mod readiness;
mod recovery;
mod references;
mod several_types;
mod stages;
mod states;
mod stored;
mod takeover;
mod targets;
mod timeouts;
mod types;
mod waiting;
mod world;
