//! `contract!`: a contract with its components and their edges.
//!
//! [`declaration`] reads the settings and the components, [`component`] what stands in the braces of one, [`check`] finds what cannot hold, [`graph`]
//! the cycles, and [`expand`] writes the type of the contract and the implementations.

mod check;
mod component;
mod declaration;
mod expand;
mod graph;
mod settings;
#[cfg(test)]
mod tests;

pub(crate) use expand::expand;
