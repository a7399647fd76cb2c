//! Tests of the crate as its users see it.

#![allow(clippy::unwrap_used)] // helpers of tests fail as tests do

#[path = "../../../machinery/tests/shared/broken_text.rs"]
mod broken_text;
mod changes;
mod files;
mod nonsense;
mod patch_objects;
mod patches;
#[path = "../../../machinery/tests/shared/readme_table.rs"]
mod readme_table;
mod recorded;
mod references;
mod refusals;
mod replacements;
#[path = "../../../machinery/tests/shared/seeded_inputs.rs"]
mod seeded_inputs;
#[path = "../../../machinery/tests/shared/xorshift.rs"]
mod xorshift;
