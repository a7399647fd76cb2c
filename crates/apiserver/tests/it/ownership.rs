//! Field ownership over the wire.

use serde_json::{Value, json};

use crate::cluster::{Answer, Cluster, widgets};

const MAPS: &str = "/api/v1/namespaces/default/configmaps";

async fn apply(cluster: &Cluster, path: &str, body: Value) -> Answer {
    cluster.send("PATCH", path, Some(body), &[("content-type", "application/apply-patch+yaml")]).await
}

fn map(data: Value) -> Value {
    json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}, "data": data})
}

fn owned(object: &Value) -> Vec<(&str, &str, &Value)> {
    let entries = object["metadata"]["managedFields"].as_array().map(Vec::as_slice).unwrap_or_default();
    entries
        .iter()
        .map(|entry| (entry["manager"].as_str().unwrap(), entry["operation"].as_str().unwrap(), &entry["fieldsV1"]))
        .collect()
}

// SSA-1 to SSA-7, SSA-11
#[tokio::test(start_paused = true)]
async fn fields_are_applied_shared_and_taken() {
    let cluster = Cluster::start();
    let path = |query: &str| format!("{MAPS}/a?{query}");
    let anonymous = apply(&cluster, &format!("{MAPS}/a"), map(json!({}))).await;
    assert_eq!(anonymous.body["details"]["causes"][0]["field"], "fieldManager");
    let dry = apply(&cluster, &path("fieldManager=m1&dryRun=All"), map(json!({"a": "1"}))).await;
    assert_eq!((dry.code, cluster.get(&format!("{MAPS}/a")).await.code), (201, 404));
    let created = apply(&cluster, &path("fieldManager=m1"), map(json!({"a": "1"}))).await;
    assert_eq!((created.code, owned(&created.body)), (201, vec![("m1", "Apply", &json!({"f:data": {"f:a": {}}}))]));
    let again = apply(&cluster, &path("fieldManager=m1"), map(json!({"a": "1"}))).await;
    assert_eq!((again.code, &again.body), (200, &created.body));
    let refused = apply(&cluster, &path("fieldManager=m2"), map(json!({"a": "2"}))).await;
    assert_eq!(
        (refused.code, refused.body["message"].as_str()),
        (409, Some("Apply failed with 1 conflict: conflict with \"m1\": .data.a"))
    );
    assert_eq!(refused.body["details"]["causes"][0]["reason"], "FieldManagerConflict");
    let forced = apply(&cluster, &path("fieldManager=m2&force=true"), map(json!({"a": "2"}))).await;
    assert_eq!(owned(&forced.body), [("m2", "Apply", &json!({"f:data": {"f:a": {}}}))]);
    let other = apply(&cluster, &path("fieldManager=m2"), json!({"apiVersion": "v1", "kind": "Secret"})).await;
    assert_eq!((other.code, other.body["message"].as_str()), (400, Some("invalid object type: /v1, Kind=Secret")));
}

// SSA-8, SSA-10, SSA-13, SSA-14, SMD-11, SMD-18
#[tokio::test(start_paused = true)]
async fn whole_writes_move_owners_and_a_reset_forgets_them() {
    let cluster = Cluster::start();
    let path = format!("{MAPS}/a?fieldManager=m1");
    apply(&cluster, &path, map(json!({"a": "1"}))).await;
    let patched = cluster
        .send(
            "PATCH",
            &format!("{MAPS}/a"),
            Some(json!({"data": {"a": "2"}})),
            &[("content-type", "application/merge-patch+json"), ("user-agent", "probe/1.0 (linux)")],
        )
        .await;
    assert_eq!(owned(&patched.body), [("probe", "Update", &json!({"f:data": {"f:a": {}}}))]);
    let mut bogus = map(json!({}));
    bogus["bogus"] = json!(1);
    let bogus = apply(&cluster, &path, bogus).await;
    let text = "failed to create typed patch object (/a; /v1, Kind=ConfigMap): .bogus: field not declared in schema";
    assert_eq!((bogus.code, bogus.body["message"].as_str()), (500, Some(text)));
    let reset = cluster.merge(&format!("{MAPS}/a"), json!({"metadata": {"managedFields": [{}]}})).await;
    assert_eq!((reset.code, owned(&reset.body)), (200, vec![]));
    let refused = apply(&cluster, &path, map(json!({"a": "1"}))).await;
    assert_eq!(
        refused.body["message"].as_str(),
        Some("Apply failed with 1 conflict: conflict with \"before-first-apply\" using v1: .data.a")
    );
}

// SSA-9, CRD-5
#[tokio::test(start_paused = true)]
async fn a_field_that_no_schema_knows_counts_while_it_is_applied_and_is_not_stored() {
    let cluster = Cluster::start();
    let inner = json!({"type": "object", "maxProperties": 2, "properties": {"b": {"type": "string"}}});
    let spec = json!({"type": "object", "x-kubernetes-preserve-unknown-fields": true, "properties": {"o": inner}});
    let definition = widgets(json!({"type": "object", "properties": {"spec": spec}}));
    let answer = cluster.post("/apis/apiextensions.k8s.io/v1/customresourcedefinitions", definition).await;
    assert_eq!(answer.code, 201, "{}", answer.body);
    let widget =
        |o: Value| json!({"apiVersion": "ex.io/v1", "kind": "Widget", "metadata": {"name": "w"}, "spec": {"o": o, "free": 1}});
    let path = "/apis/ex.io/v1/namespaces/default/widgets/w?fieldManager=m&fieldValidation=Strict";
    let created = apply(&cluster, path, widget(json!({"b": "x", "u": 1}))).await;
    assert_eq!((created.code, &created.body["spec"]), (201, &json!({"o": {"b": "x"}, "free": 1})), "{}", created.body);
    assert_eq!(created.headers.get("warning"), None);
    let fields = json!({"f:spec": {"f:free": {}, "f:o": {"f:b": {}, "f:u": {}}}});
    assert_eq!(owned(&created.body), [("m", "Apply", &fields)]);
    let refused = apply(&cluster, path, widget(json!({"b": "x", "u": 1, "v": 2}))).await;
    assert_eq!(refused.code, 422, "{}", refused.body);
    assert!(refused.message().contains("spec.o: Too many: 3: must have at most 2 items"), "{}", refused.message());
}
