//! The replicas of the operator, in one process: each has clients, caches, metrics and an identity of its own.

mod replica;
mod set;

#[cfg(test)]
mod tests;

pub(crate) use replica::prepared;
pub(crate) use set::Replicas;
