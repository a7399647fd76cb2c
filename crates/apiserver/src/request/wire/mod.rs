//! Bodies: negotiation of media types, decoding and encoding of JSON, YAML and protobuf, and the construction of answers.

pub(crate) mod body;
pub(in crate::request) mod decode;
pub(in crate::request) mod encode;
pub(in crate::request) mod negotiate;
pub(in crate::request) mod pretty;
pub(in crate::request) mod respond;
pub(in crate::request) mod watch_events;
