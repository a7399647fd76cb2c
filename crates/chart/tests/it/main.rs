//! Tests of charts as programs use them.

#![allow(clippy::unwrap_used, reason = "helpers of tests are functions of their own")]

mod bombs;
mod charts;
mod hosts;
mod published;
mod sources;
mod subcharts;
mod vectors;
