//! StatefulSets: pods with an identity, which are created and updated in order (STG-9).

mod claims;
mod identity;
mod rule;
#[cfg(test)]
mod tests;

pub(super) use rule::plan;
