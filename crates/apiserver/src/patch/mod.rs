//! Strategic merge patches: merge patches that merge lists with a merge key item by item.
//!
//! A patch has the form of the object. A null deletes its member, maps are merged, and a list whose type declares a merge key is merged by that
//! key instead of being replaced. Members that start with `$` are directives: `$patch`, `$retainKeys`, `$setElementOrder/list` and
//! `$deleteFromPrimitiveList/list`. Only built-in types declare merge keys.

mod lists;
mod merge;

#[cfg(test)]
mod tests;

pub use merge::{StrategicError, strategic_merge};
