//! Generators from files as operators use them: charts, kustomizations, and directories of templates.

#![allow(clippy::unwrap_used, clippy::panic, reason = "helpers of tests are functions of their own")]

mod bombs;
mod charts;
mod cluster;
mod control_files;
mod functions;
mod included;
mod kustomizations;
mod lookups;
mod published_charts;
mod recorded;
mod rendering;
mod sources;
mod templates;
