//! StatefulSets: pods with an identity, one after the other (STG-9).

mod claims;
mod identity;
mod rule;
#[cfg(test)]
mod tests;

pub(super) use rule::plan;
