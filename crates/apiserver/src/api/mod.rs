//! The Kubernetes API without HTTP: the stored objects, the kinds that are served, and the verbs on them.
//!
//! [`ObjectApi`] owns the store, the registry of kinds and the definitions in force, the clock and the source of randomness, and it decides what a
//! user may do. Create, update, patch, apply, delete, get, list and watch are functions of it. The HTTP pipeline
//! ([`request`](crate::request)) translates requests into calls of these functions; controllers call them through a [`Writer`]. What has to happen
//! around their calls, such as entries in a journal, is a hook ([`ControllerGate`], [`Remarks`]) that the assembled server provides.
//!
//! The API can be used alone. It then has no controllers: nothing is collected, and a new definition is not served.
//!
//! ```
//! # futures::executor::block_on(async {
//! use kubewright_apiserver::{
//!     Clock, Identity,
//!     api::{ApiOptions, ObjectApi, WriteContext},
//!     clock::Seed,
//!     store::ObjectName,
//! };
//! use serde_json::json;
//!
//! let api = ObjectApi::new(Clock::system(), Seed::new(7), ApiOptions::default());
//! let user = Identity::admin();
//! let registry = api.registry();
//! let namespaces = registry.kind_of("v1", "Namespace").unwrap();
//! let secrets = registry.kind_of("v1", "Secret").unwrap();
//!
//! let mut context = WriteContext::new(&user, "example".to_owned());
//! api.create(&mut context, namespaces, "", None, json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "demo"}})).await?;
//! let object = json!({"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "a"}, "stringData": {"password": "x"}});
//! let written = api.create(&mut context, secrets, "demo", None, object).await?;
//! assert!(written.created);
//!
//! let found = api.find(secrets, &ObjectName::new("demo", "a"))?;
//! assert_eq!(found.value()["data"]["password"], "eA==");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! # }).unwrap();
//! ```

mod access;
pub(crate) mod apply;
mod authentication;
pub(crate) mod convert;
pub(crate) mod create;
mod definitions;
pub(crate) mod delete;
mod disturbances;
pub(crate) mod list;
pub(crate) mod metadata;
mod model;
mod object_api;
mod options;
pub(crate) mod ownership;
pub(crate) mod patch;
mod remarks;
mod scale;
mod scaler;
pub(crate) mod selection;
mod size;
mod strategy;
pub(crate) mod token;
pub(crate) mod update;
pub(crate) mod warnings;
pub(crate) mod watch;
pub(crate) mod write;
mod writer;

pub(crate) use create::resource_of;
pub use delete::{DeleteOptions, Propagation};
pub(crate) use disturbances::Disturbances;
pub(crate) use list::PageMetadata;
pub(crate) use model::model_of;
pub(crate) use object_api::ApiCheckpoint;
pub use object_api::ObjectApi;
pub use options::{ApiOptions, Names};
pub use remarks::Remarks;
pub use write::{WriteContext, WriteOutcome};
pub use writer::{ControllerGate, ControllerWrite, Writer};
