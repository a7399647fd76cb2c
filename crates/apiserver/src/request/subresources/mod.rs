//! Requests for paths below an object (apiserver.md, 2.14).

mod eviction;
mod scale;
pub(in crate::request) mod subresource;
mod token_request;
