//! Derives and re-exports as operators use them.

mod config;
