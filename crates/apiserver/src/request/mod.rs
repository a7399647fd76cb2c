//! The HTTP pipeline: it translates requests into calls of the [`api`](crate::api), and their outcomes into answers.
//!
//! `service` receives a request, reads its body, and authorizes it. Requests for resources go to `verbs`, which finds the addressed kind and calls
//! the function of the verb, or on to `subresources` and `reviews`; all other paths go to `nonresource`. `wire` negotiates the representation,
//! decodes bodies and encodes answers. `user_service` stands in front of `service` and finds the user of a request, by `authenticate` and `impersonate`.

mod authenticate;
mod impersonate;
mod nonresource;
mod openapi;
mod reviews;
mod service;
mod state;
mod subresources;
mod user_service;
mod verbs;
pub(crate) mod wire;

pub use service::Service;
pub(crate) use state::{AfterWrite, DerivedDocuments, RequestState};
pub use user_service::UserService;
pub use wire::body::ResponseBody;
