//! `#[reconciler(..)]`: the traits and the options of a reconciler from one impl block.
//!
//! [`arguments`] reads the arguments of the attribute, [`block`] the functions below it, [`signature`] and [`hook`] their parameters, and
//! [`expand`] generates the implementations.

mod arguments;
mod block;
mod expand;
mod hook;
mod signature;
#[cfg(test)]
mod tests;

pub(crate) use expand::expand;
