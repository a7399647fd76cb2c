//! Tests of the program `render`, as a process.

#![allow(clippy::unwrap_used, clippy::panic, reason = "helpers of tests are functions of their own")]

mod command;
mod fixtures;
mod recorded;
