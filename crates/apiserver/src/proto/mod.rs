//! Protobuf bodies of built-in kinds, to JSON and back (6.10 of the behaviour).
//!
//! There are no generated structs: `data/protobuf.txt` has the field numbers, the OpenAPI definitions say what the fields hold. What is
//! read here goes through the same normal form and defaults as a JSON body.

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
