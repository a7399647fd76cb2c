use kubewright_middleware::Identity;
use serde_json::{Value, json};

use super::ApiServer;
use crate::api::WriteContext;

fn definition(default: Option<i64>) -> Value {
    let mut size = json!({"type": "integer"});
    if let Some(default) = default {
        size["default"] = default.into();
    }
    let spec = json!({"type": "object", "default": {}, "properties": {"size": size}});
    json!({
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": "widgets.ex.io"},
        "spec": {
            "group": "ex.io",
            "scope": "Namespaced",
            "names": {"plural": "widgets", "kind": "Widget"},
            "versions": [{
                "name": "v1", "served": true, "storage": true,
                "schema": {"openAPIV3Schema": {"type": "object", "properties": {"spec": spec}}},
            }],
        },
    })
}

// CRD-9
#[tokio::test(start_paused = true)]
async fn an_object_that_was_written_under_a_replaced_schema_is_read_under_the_present_one() {
    let server = ApiServer::builder().seed(7).crds([definition(None)]).build().unwrap();
    let api = &server.state().api;
    let before = api.registry().resource("ex.io", "v1", "widgets").unwrap().clone();
    server.seed([definition(Some(3))]).unwrap();
    // This request found the kind before the definition changed, and commits after that.
    let user = Identity::admin();
    let mut context = WriteContext::new(&user, "late".to_owned());
    let widget = json!({"apiVersion": "ex.io/v1", "kind": "Widget", "metadata": {"name": "w", "namespace": "default"}});
    let written = api.create(&mut context, &before, "default", None, widget).await.unwrap();
    assert_eq!(written.object.value()["spec"].get("size"), None);
    let present = api.registry().resource("ex.io", "v1", "widgets").unwrap().clone();
    assert_eq!(api.view(&present, &written.object).value()["spec"]["size"], 3);
}
