//! Tests of charts as programs use them.

#![allow(clippy::unwrap_used, reason = "helpers of tests are functions of their own")]

mod bombs;
#[path = "../../../machinery/tests/shared/broken_text.rs"]
mod broken_text;
mod charts;
mod hosts;
mod nonsense;
mod published;
#[path = "../../../machinery/tests/shared/readme_table.rs"]
mod readme_table;
#[path = "../../../machinery/tests/shared/seeded_inputs.rs"]
mod seeded_inputs;
mod sources;
mod subcharts;
mod typed_values;
mod vectors;
#[path = "../../../machinery/tests/shared/xorshift.rs"]
mod xorshift;
