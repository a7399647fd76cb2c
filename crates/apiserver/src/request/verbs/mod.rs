//! Requests for objects and collections: from the route over the options of the verb to the call of the API.

pub(in crate::request) mod apply;
mod component_statuses;
pub(in crate::request) mod delete_options;
mod list_query;
pub(in crate::request) mod options;
mod patch_request;
pub(in crate::request) mod resource;
mod route;
mod selection;
mod watch_query;
