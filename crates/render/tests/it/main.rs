//! Tests of generators as operators use them.

#![allow(clippy::unwrap_used, reason = "helpers of tests are functions of their own")]

mod charts;
mod cluster;
mod lookups;
mod published_charts;
