//! Tests of charts as programs use them.

#![allow(clippy::unwrap_used, reason = "helpers of tests are functions of their own")]

mod bombs;
mod charts;
mod hosts;
mod published;
#[path = "../../../machinery/tests/shared/readme_table.rs"]
mod readme_table;
mod sources;
mod subcharts;
mod typed_values;
mod vectors;
