//! Tests of the crate as its users see it.

#![allow(clippy::unwrap_used)] // helpers of tests fail as tests do

mod changes;
mod files;
mod patch_objects;
mod patches;
mod recorded;
mod references;
mod refusals;
mod replacements;
