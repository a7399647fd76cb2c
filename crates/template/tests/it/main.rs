//! Tests of the crate as its users see it.

#![allow(clippy::unwrap_used)] // helpers of tests fail as tests do

mod host;
mod properties;
mod vectors;
