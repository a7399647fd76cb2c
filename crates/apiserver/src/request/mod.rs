//! The HTTP pipeline: it translates requests into calls of the [`api`](crate::api), and their outcomes into answers.
//!
//! `service` receives a request, reads its body, and authorizes it. Requests for resources go to `verbs`, which finds the addressed kind and calls
//! the function of the verb, or on to `subresources` and `reviews`; all other paths go to `nonresource`. `wire` negotiates the representation,
//! decodes bodies and encodes answers. `authenticate` and `impersonate` are services in front of `service`, which find the user of a request.

mod authenticate;
mod impersonate;
mod nonresource;
mod openapi;
mod reviews;
mod service;
mod state;
mod subresources;
mod verbs;
pub(crate) mod wire;

pub use authenticate::Authenticating;
pub use impersonate::Impersonating;
pub use service::Service;
pub(crate) use state::{AfterWrite, DerivedDocuments, RequestState};
pub use wire::body::ResponseBody;
