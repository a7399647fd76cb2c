//! Both controllers on a test cluster.

#![allow(clippy::unwrap_used, clippy::panic)] // tests

mod addressable_service;
mod beside;
mod command;
mod comparison;
mod deploy;
mod disturbance;
mod simple_deployment;
