//! Generators from files: kustomizations and directories of templates.

#![allow(clippy::unwrap_used, clippy::panic)] // helpers of tests

mod bombs;
mod control_files;
mod functions;
mod included;
mod kustomizations;
mod recorded;
mod rendering;
mod sources;
mod templates;
