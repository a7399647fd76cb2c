//! Derives, re-exports and reconcilers as operators use them, and the compiler's messages about wrong uses.

#![allow(clippy::unwrap_used, clippy::panic)] // helpers of tests

mod compat;
mod conditions;
mod config;
mod config_live;
mod contract;
mod control_plane;
mod deletion;
mod diagnostics;
mod ensure;
mod fan_out;
mod leadership;
mod logs;
mod macros;
mod openmcp;
mod package;
#[cfg(unix)]
mod process;
mod reconcile;
mod restart;
mod signals;
mod steps;
mod stored_values;
mod table;
mod tasks;
mod why;
