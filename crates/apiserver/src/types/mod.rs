//! The built-in types: their published definitions, their normal form, their defaults and what is valid.
//!
//! The real server decodes a built-in object into a typed struct and encodes it again, so that what comes back is not what was sent: unknown
//! fields are gone, some empty ones too, others appear. [`Builtin`] does the same to JSON values, from data: the OpenAPI definitions
//! (`data/schemas.json.zst`) and the facts about Go types that they lack (`data/types.toml`).

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
