//! The Kubernetes API without HTTP: the stored objects, the kinds that are served, and the verbs on them.
//!
//! [`ObjectApi`] owns the store, the registry of kinds and the definitions in force, the clock and the source of randomness, and it decides what a
//! user may do. Create, update, patch, apply, delete, get, list and watch are functions of it. The HTTP pipeline
//! ([`request`](crate::request)) translates requests into calls of these functions; controllers call them through a [`Writer`]. What has to happen
//! around their calls, such as entries in a journal, is a hook ([`ControllerGate`], [`Remarks`]) that the assembled server provides.
//!
//! The API can be used alone. It then has no controllers: dependents are not deleted, and a new definition is not served. Each verb takes the kind
//! ([`KindSpec`](crate::kinds::KindSpec)) of its objects, from [`ObjectApi::registry`], and fails with the [`Status`](crate::Status) that a client
//! would get over HTTP. A write has a [`WriteContext`] with its author and its options.
//!
//! ```
//! # futures::executor::block_on(async {
//! use std::{pin::pin, sync::Arc};
//!
//! use futures::StreamExt as _;
//! use kubewright_apiserver::api::{
//!     ApplyRequest, DeleteOptions, ListQuery, ObjectApi, PatchRequest, Selection, Update, WatchEventType, WatchOutput,
//!     WatchQuery, WatchStart, WriteContext,
//! };
//! use kubewright_apiserver::{Clock, Identity, Seed, store::ObjectName};
//! use kubewright_machinery::selector::LabelSelector;
//! use serde_json::json;
//!
//! let api = Arc::new(ObjectApi::new(Clock::system(), Seed::new(7)));
//! let user = Identity::admin();
//! let registry = api.registry();
//! let namespaces = registry.kind_of("v1", "Namespace").ok_or("the kind is not served")?;
//! let secrets = registry.kind_of("v1", "Secret").ok_or("the kind is not served")?;
//! let (mut context, name) = (WriteContext::new(&user, "example".to_owned()), ObjectName::new("demo", "a"));
//!
//! // Create and read.
//! api.create(&mut context, namespaces, "", None, json!({"metadata": {"name": "demo"}})).await?;
//! let secret = json!({"metadata": {"name": "a", "labels": {"app": "shop"}}, "stringData": {"password": "x"}});
//! assert!(api.create(&mut context, secrets, "demo", None, secret).await?.created);
//! assert_eq!(api.get(secrets, &name, None).await?.value()["data"]["password"], "eA==");
//!
//! // List the objects with a label, and watch all later changes.
//! let shop = Selection::by_labels(LabelSelector::parse("app=shop")?);
//! let (items, page) = api.list(secrets, &ListQuery::default().in_namespace("demo").selecting(shop)).await?;
//! assert_eq!(items.len(), 1);
//! let mut watch = pin!(api.watch(secrets, WatchQuery::new(WatchStart::After(page.revision)), None));
//!
//! // Patch, and read the change from the watch.
//! let update = Update::of(secrets, &name);
//! let patch = PatchRequest::merge(r#"{"data": {"password": "eQ=="}}"#);
//! let patched = api.patch(&mut context, update, &patch).await?;
//! let Some(WatchOutput::Changed { event, event_type, .. }) = watch.next().await else { return Err("the watch ended".into()) };
//! assert_eq!((event.revision, event_type), (patched.object.revision(), WatchEventType::Modified));
//!
//! // Apply: another field manager owns the field that it declares.
//! let mut context = WriteContext::new(&user, "other".to_owned());
//! let declared = json!({"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "a"}, "data": {"user": "eg=="}});
//! let applied = api.apply(&mut context, update.or_create(), &ApplyRequest::new(declared, false)).await?;
//! assert_eq!(applied.object.value()["data"], json!({"password": "eQ==", "user": "eg=="}));
//!
//! assert!(api.delete(&mut context, secrets, &name, &DeleteOptions::default()).await?.gone);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! # })?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod access;
mod apply;
mod bearer_token;
pub(crate) mod convert;
pub(crate) mod create;
mod definitions;
pub(crate) mod delete;
mod disturbances;
mod list;
pub(crate) mod metadata;
mod model;
mod object_api;
mod options;
pub(crate) mod ownership;
pub(crate) mod patch;
mod remarks;
mod scale;
mod scaler;
mod selection;
mod size;
mod strategy;
pub(crate) mod token;
mod update;
pub(crate) mod update_checks;
pub(crate) mod warnings;
pub(crate) mod watch;
pub(crate) mod write;
mod writer;

pub use apply::ApplyRequest;
pub(crate) use create::resource_of;
pub use delete::{DeleteOptions, Deleted};
pub(crate) use disturbances::Disturbances;
pub use list::{ListQuery, ListVersion, PageMetadata};
pub(crate) use model::model_of;
pub(crate) use object_api::ApiCheckpoint;
pub use object_api::ObjectApi;
pub(crate) use options::ApiOptions;
pub use options::Names;
pub use patch::PatchRequest;
pub use remarks::Remarks;
pub use selection::Selection;
pub use update::Update;
pub use watch::{WatchEventType, WatchOutput, WatchQuery, WatchStart};
pub use write::{FieldValidation, WriteContext, WriteOutcome};
pub use writer::{ControllerGate, ControllerWrite, Writer};
