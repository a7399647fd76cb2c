//! The request pipeline, one file per step.
//!
//! `service` receives a request, `route` finds what it addresses, `negotiate` and `decode` read what the client wants and sends, `create`,
//! `update`, `patch`, `delete`, `list` and the watches do it, `encode` and `respond` answer.

mod apply;
pub(crate) mod body;
mod component_statuses;
pub(crate) mod convert;
pub(crate) mod create;
pub(crate) mod decode;
pub mod delete;
mod delete_options;
pub(crate) mod encode;
mod eviction;
mod json;
pub(crate) mod list;
mod metadata;
pub(crate) mod negotiate;
mod nonresource;
mod openapi;
mod options;
mod ownership;
mod patch;
mod pretty;
pub(crate) mod query;
mod resource;
mod respond;
mod reviews;
mod route;
mod scale;
mod scaler;
pub(crate) mod selection;
mod service;
mod size;
mod strategy;
mod subresource;
mod token;
mod token_request;
pub(crate) mod update;
mod warnings;
pub(crate) mod write;

pub use body::ResponseBody;
pub use service::Service;
