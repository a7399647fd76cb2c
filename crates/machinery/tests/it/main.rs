//! Tests of the repository as a whole: its rules, and the citations of them.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a helper that fails, fails its test")]

mod defaults;
mod documents;
mod imports;
mod modules;
mod newcomer;
mod pages;
mod process;
mod repository;
mod rules;
mod stages;
mod tables;
mod type_names;
