//! Protobuf bodies of built-in kinds, converted to JSON and back (6.10 of the behaviour).
//!
//! There are no generated structs: `data/protobuf.txt` holds the field numbers, the OpenAPI definitions the types of the fields. A decoded body
//! goes through the same normal form and defaults as a JSON body.

mod decode;
mod encode;
mod envelope;
#[cfg(test)]
mod fixtures;
mod layout;
mod special;
#[cfg(test)]
mod tests;
mod wire;

pub use encode::encode;
pub(crate) use encode::{list, watch_event};
pub(crate) use envelope::{MEDIA_TYPE, STREAM_TYPE};
pub use envelope::{ProtobufError, decode};
