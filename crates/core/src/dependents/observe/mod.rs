//! The observed state: small projections of live objects, and the answers to the requests of this pass.

mod claims;
mod dependent;
mod fingerprint;
mod observed;
mod owner;
mod projection;
mod record;
mod refusal;
mod remember;
mod texts;

pub(super) use claims::FieldClaim;
pub(super) use dependent::{DryRun, ObjectHalt, ObservedDependent, OwnWrite, RequestResults, WrittenHow};
pub use fingerprint::{FINGERPRINT_NONE, fingerprint_of};
pub(super) use fingerprint::{fill_empty_paths, own_fields};
pub use observed::Observed;
pub(super) use observed::{NamespaceCreation, RemovalCounts};
pub use owner::Owner;
pub use projection::{KindRule, Projection, ProjectionContext, ServedType};
pub use record::Response;
pub use refusal::Refusal;

#[cfg(test)]
mod tests;
