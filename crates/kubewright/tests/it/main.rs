//! Derives, re-exports and reconcilers as operators use them.

#![allow(clippy::unwrap_used, clippy::panic)] // helpers of tests

mod conditions;
mod config;
mod reconcile;
