//! Multi-step work of hand-written reconcilers: deadlines, pipelines, branches (`flow-and-contract.md`, 5 and 6).

#![allow(clippy::unused_async)] // the functions of steps are async

mod branches;
mod deadline;
mod halts;
mod pause;
mod workload;
