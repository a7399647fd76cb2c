//! Tests of confidential values in errors of requests.

use kubewright_machinery::object::GroupVersionKind;
use serde_json::json;

use super::super::{ApiError, ApiRequest, ApiResource, PatchKind};
use crate::testing::{Fault, Server};

// SW-9
#[tokio::test(start_paused = true)]
async fn confidential_values_that_a_server_echoes_are_absent_from_errors() {
    let server = Server::new();
    let cluster = server.cluster();
    let secrets = ApiResource::known(&GroupVersionKind::new("", "v1", "Secret"), "secrets", true);
    let secret = json!({
        "kind": "Secret", "metadata": {"namespace": "demo", "name": "shop"}, "stringData": {"value": "correct horse"},
    });
    let patch = json!({"data": {"value": "Y29ycmVjdCBob3JzZQ=="}});
    let widget = json!({"kind": "Widget", "metadata": {"name": "w"}, "spec": {"adminPassword": "correct horse"}});
    let widgets = ApiResource::known(&GroupVersionKind::new("example.dev", "v1", "Widget"), "widgets", false);
    for request in [
        ApiRequest::create(&secrets, &secret),
        ApiRequest::patch(&secrets, "demo", "shop", PatchKind::Merge, &patch),
        ApiRequest::create(&widgets, &widget),
    ] {
        for as_status in [true, false] {
            server.fail_next(request.path(), Fault::Echo { as_status });
            let error = cluster.send(&request).await.unwrap_err();
            let told = format!("{error} {error:?} {:?} {:?}", error.status(), error.classification());
            assert!(!told.contains("correct horse") && !told.contains("Y29ycmVjdCBob3JzZQ"), "{told}");
            assert_eq!(told.contains("***"), as_status, "{told}");
            assert_eq!(told.contains("502 Bad Gateway: the body is not a Kubernetes Status"), !as_status, "{told}");
        }
    }
}

// SW-9a
#[tokio::test(start_paused = true)]
async fn errors_of_the_client_for_users_do_not_quote_confidential_values() {
    let server = Server::new();
    server.put("ns", "a", "1");
    let cluster = server.cluster();
    let api = kube::Api::<k8s_openapi::api::core::v1::Secret>::namespaced(cluster.client().clone(), "ns");
    let secret = serde_json::from_value(json!({"metadata": {"name": "a"}, "stringData": {"key": "correct horse"}})).unwrap();
    for as_status in [true, false] {
        server.fail_next("/api/v1/namespaces/ns/secrets", Fault::Echo { as_status });
        let error = api.create(&kube::api::PostParams::default(), &secret).await.unwrap_err();
        let told = format!("{error} {error:?}");
        assert!(!told.contains("correct horse") && !told.contains("Y29ycmVjdCBob3JzZQ"), "{told}");
        assert_eq!(told.contains("***"), as_status, "{told}");
        assert_eq!(told.contains("502 Bad Gateway: the body is not a Kubernetes Status"), !as_status, "{told}");
    }
    let served = kube::Api::<k8s_openapi::api::core::v1::ConfigMap>::all(cluster.client().clone())
        .list(&kube::api::ListParams::default())
        .await;
    assert_eq!(served.unwrap().items.len(), 1);
}

// SW-9
#[test]
fn kubeconfig_credentials_are_masked_in_messages_of_the_server() {
    let auth = json!({"username": "shop", "password": "correct horse", "token": "battery-staple"});
    let credentials = super::super::connect::credentials(&serde_json::from_value(auth).unwrap());
    let told = "got battery-staple and correct horse and Basic c2hvcDpjb3JyZWN0IGhvcnNl";
    assert_eq!(credentials.mask(told), "got *** and *** and Basic ***");
}

// SW-9
#[tokio::test(start_paused = true)]
async fn an_undecodable_answer_is_not_quoted_in_the_error() {
    let decoded = serde_json::from_str::<Vec<u8>>("[\"correct horse\"]").unwrap_err();
    let error = ApiError::undecodable("get /apis".to_owned(), &decoded);
    assert_eq!(
        error.to_string(),
        "get /apis: the answer cannot be decoded: a field of another type than expected at line 1 column 16"
    );
}
