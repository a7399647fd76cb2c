//! The components of the operator, as they change.

use std::time::Duration;

use futures::stream::{SelectAll, Stream, StreamExt as _};
use kube::api::{Api, ApiResource, DynamicObject};
use kube::core::GroupVersionKind;
use kube::runtime::watcher;
use serde_json::Value;

/// A component came or changed, or went.
pub(crate) enum Seen {
    Now(Value),
    Gone(Value),
}

/// All components of the kinds that these CRDs define.
pub(crate) fn components(client: &kube::Client, crds: &[Value]) -> SelectAll<futures::stream::BoxStream<'static, Seen>> {
    crds.iter().map(|crd| kind(client, crd).boxed()).collect()
}

fn kind(client: &kube::Client, crd: &Value) -> impl Stream<Item = Seen> + use<> {
    let text = |pointer: &str| crd.pointer(pointer).and_then(Value::as_str).unwrap_or_default();
    let versions = crd.pointer("/spec/versions").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    let storage = versions.iter().find(|version| version["storage"] == true).and_then(|version| version["name"].as_str());
    let gvk = GroupVersionKind::gvk(text("/spec/group"), storage.unwrap_or_default(), text("/spec/names/kind"));
    let resource = ApiResource::from_gvk_with_plural(&gvk, text("/spec/names/plural"));
    let api: Api<DynamicObject> = Api::all_with(client.clone(), &resource);
    watcher(api, watcher::Config::default()).filter_map(|event| async move {
        match event {
            Ok(watcher::Event::Apply(object) | watcher::Event::InitApply(object)) => Some(Seen::Now(value(&object))),
            Ok(watcher::Event::Delete(object)) => Some(Seen::Gone(value(&object))),
            Ok(watcher::Event::Init | watcher::Event::InitDone) => None,
            // The watcher goes on by itself.
            Err(error) => {
                tracing::warn!(%error, "the view of the components is behind");
                tokio::time::sleep(Duration::from_secs(1)).await;
                None
            }
        }
    })
}

fn value(object: &DynamicObject) -> Value {
    serde_json::to_value(object).unwrap_or_default()
}
