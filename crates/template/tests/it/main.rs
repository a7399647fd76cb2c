//! Tests of the crate as its users see it.

#![allow(clippy::unwrap_used)] // helpers of tests fail as tests do

#[path = "../../../machinery/tests/shared/broken_text.rs"]
mod broken_text;
mod differential;
mod functions;
mod go_program;
mod grammar;
mod host;
mod nonsense;
mod properties;
#[path = "../../../machinery/tests/shared/readme_table.rs"]
mod readme_table;
mod vectors;
