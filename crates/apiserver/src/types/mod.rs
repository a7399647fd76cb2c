//! The built-in types: their published definitions, normal form, defaults and validation.
//!
//! The real server decodes a built-in object into a typed struct and encodes it again, so the stored object differs from the sent one: unknown
//! fields are gone, some empty fields too, and others appear. [`Builtin`] has the same effect on JSON values. It is driven by data: the OpenAPI
//! definitions (`data/schemas.json.zst`) and facts about Go types that they lack (`data/types.toml`).

mod builtin;
mod data;
mod defaults;
mod edit;
mod facts;
pub(crate) mod form;
mod normal;
mod prepare;
#[cfg(test)]
mod recorded;
mod validate;
mod warnings;

pub use builtin::Builtin;
pub use data::Definitions;
pub(crate) use prepare::SERVICE_RANGE;
pub(crate) use validate::{AddressRange, address_problems};
