//! The request pipeline, one file per step.
//!
//! `service` receives a request, `route` finds the addressed kind, `negotiate` chooses the representation and `decode` reads the body. `create`,
//! `update`, `patch`, `delete`, `list` and the watches execute the request; `encode` and `respond` build the answer.

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
pub(crate) mod list;
mod metadata;
pub(crate) mod negotiate;
mod nonresource;
mod openapi;
mod options;
mod ownership;
mod patch;
mod pretty;
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
