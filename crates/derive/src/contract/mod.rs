//! `contract!`: a contract with its components and their edges.
//!
//! [`declaration`] reads the settings and the components, [`component`] the braces of one component, [`check`] finds invalid parts, [`graph`] finds
//! cycles, and [`expand`] generates the type of the contract and the implementations.

mod check;
mod component;
mod declaration;
mod expand;
mod graph;
mod settings;
#[cfg(test)]
mod tests;

pub(crate) use expand::expand;
