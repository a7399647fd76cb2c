//! The objects of the operator's kinds, as they change.

use std::time::Duration;

use futures::stream::{SelectAll, Stream, StreamExt as _};
use kube::api::{Api, DynamicObject};
use kube::runtime::watcher;
use serde_json::Value;

use crate::kinds::ShownKind;

/// A change of an object: it was created, changed or deleted.
pub(crate) enum ObservedChange {
    Now(Value),
    Gone(Value),
}

/// Returns the stream of all objects of these kinds.
pub(crate) fn objects(
    client: &kube::Client,
    kinds: &[ShownKind],
) -> SelectAll<futures::stream::BoxStream<'static, ObservedChange>> {
    kinds.iter().map(|kind| of_kind(client, kind).boxed()).collect()
}

fn of_kind(client: &kube::Client, kind: &ShownKind) -> impl Stream<Item = ObservedChange> + use<> {
    let api: Api<DynamicObject> = Api::all_with(client.clone(), &kind.resource);
    watcher(api, watcher::Config::default()).filter_map(|event| async move {
        match event {
            Ok(watcher::Event::Apply(object) | watcher::Event::InitApply(object)) => Some(ObservedChange::Now(value(&object))),
            Ok(watcher::Event::Delete(object)) => Some(ObservedChange::Gone(value(&object))),
            Ok(watcher::Event::Init | watcher::Event::InitDone) => None,
            // The watcher continues by itself.
            Err(error) => {
                tracing::warn!(%error, "the view of the objects is behind");
                tokio::time::sleep(Duration::from_secs(1)).await;
                None
            }
        }
    })
}

fn value(object: &DynamicObject) -> Value {
    serde_json::to_value(object).unwrap_or_default()
}
