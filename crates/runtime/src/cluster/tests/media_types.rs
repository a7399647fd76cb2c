//! Tests of the media types that a client accepts.

use std::sync::Arc;
use std::time::Duration;

use serde_json::json;

use super::super::ApiRequest;
use super::{config_maps, list};

#[tokio::test(start_paused = true)]
async fn an_api_without_metadata_only_answers_is_asked_for_whole_objects() {
    let accepted: Arc<parking_lot::Mutex<Vec<String>>> = Arc::default();
    let notes = accepted.clone();
    let service = tower::service_fn(move |request: http::Request<kube::client::Body>| {
        let accept = request.headers()["accept"].to_str().unwrap().to_owned();
        let code = if accept == "application/json" { 200 } else { 406 };
        notes.lock().push(accept);
        async move {
            let body = json!({"kind": "ConfigMapList", "metadata": {}, "items": [], "code": code}).to_string();
            let response = http::Response::builder().status(code).body(kube::client::Body::from(body.into_bytes()));
            Ok::<_, std::convert::Infallible>(response.unwrap())
        }
    });
    let cluster = crate::testing::cluster_of(kube::Client::new(service, "default"), &crate::task::Tasks::new());
    let answer = cluster.send(&list().metadata_only()).await.unwrap();
    assert_eq!(answer["kind"], "ConfigMapList");
    let asked = std::mem::take(&mut *accepted.lock());
    // A server that understands the alternatives of a media type needs no second request.
    assert!(asked[0].ends_with(";v=v1,application/json"), "{asked:?}");
    assert_eq!((asked.len(), asked[1].as_str()), (2, "application/json"));
    let watch = ApiRequest::watch(&config_maps(), None, "1", Duration::from_secs(1)).metadata_only();
    assert!(cluster.connection.open(&watch).await.is_ok());
    assert_eq!(accepted.lock().len(), 2);
    // A request for another media type gets the refusal.
    assert_eq!(cluster.send(&list().accept("text/plain")).await.unwrap_err().code(), Some(406));
}
