//! A journal of requests and fault rules, for tests of Kubernetes clients: layers in front of any Kubernetes endpoint, a real API server behind a
//! client as well as an embedded one.
//!
//! * [`Journal`] records every request and offers selections and assertions.
//! * [`Faults`] makes requests fail by rule.
//!
//! Both are [`tower::Layer`]s over `http::Request` and `http::Response`. The target of a request ([`RequestTarget`]) is read from its method and its URL, so
//! neither layer depends on the server or the client behind it. The journal is the outer layer, so that it records the effects of the faults.
//!
//! ```
//! # futures::executor::block_on(async {
//! use bytes::Bytes;
//! use http::{Request, Response};
//! use http_body_util::Full;
//! use kubewright_middleware::{BoxError, Clock, Faults, Journal, Seed, Verb};
//! use tower::{Layer, ServiceExt, service_fn};
//!
//! // The endpoint: in a test of an operator, a client of a cluster.
//! let endpoint = service_fn(async |_: Request<Full<Bytes>>| Ok::<_, BoxError>(Response::new(Full::<Bytes>::default())));
//!
//! let journal = Journal::new(Clock::system());
//! let faults = Faults::new(Clock::system(), Seed::new(7));
//! let service = journal.layer().layer(faults.layer().layer(endpoint));
//!
//! faults.on(Verb::Get).of("", "configmaps").times(1).unavailable();
//! for code in [503, 200] {
//!     let request = Request::get("/api/v1/namespaces/demo/configmaps/a").body(Full::default())?;
//!     assert_eq!(service.clone().oneshot(request).await?.status(), code);
//! }
//! journal.all().verb(Verb::Get).exactly(2)?;
//! journal.all().no_writes()?;
//! # Ok::<(), BoxError>(())
//! # })?;
//! # Ok::<(), Box<dyn std::error::Error + Send + Sync>>(())
//! ```
//!
//! A server behind the layers can report what no request shows, through extensions: the user ([`Identity`]) in the request; the effect on its store
//! ([`journal::Effect`]) in the response; notes and changes through the [`journal::RecordNote`] that it finds in the request. The crate is no server
//! and no client: it opens no connection, starts no task, and knows neither stored objects nor kinds.
//!
//! Modules, from low to high: `clock`, `error`, `identity`, `verb`, `status`, `target`, `faults`, `journal`.

mod clock;
mod error;
pub mod faults;
mod identity;
pub mod journal;
pub mod status;
pub mod target;
mod verb;

pub use clock::{Clock, Seed};
pub use error::BoxError;
pub use faults::Faults;
pub use identity::Identity;
pub use journal::Journal;
pub use status::Status;
pub use target::{RequestTarget, ResourceTarget};
pub use verb::Verb;
