//! Objects with very deep nesting: parts that are not stored may be nested as deeply as on the real server.

use serde_json::{Value, json};

use crate::cluster::{Answer, Cluster, MAPS, widgets};

const WIDGETS: &str = "/apis/ex.io/v1/namespaces/default/widgets";

fn lists(depth: usize) -> String {
    "[".repeat(depth) + &"]".repeat(depth)
}

fn objects(depth: usize) -> String {
    "{\"a\":".repeat(depth) + "1" + &"}".repeat(depth)
}

async fn cluster() -> Cluster {
    let cluster = Cluster::start();
    let keep = json!({"type": "object", "x-kubernetes-preserve-unknown-fields": true});
    let spec = json!({"type": "object", "properties": {"a": {"type": "string"}, "keep": keep}});
    let definition = widgets(json!({"type": "object", "properties": {"spec": spec}}));
    assert_eq!(cluster.post("/apis/apiextensions.k8s.io/v1/customresourcedefinitions", definition).await.code, 201);
    cluster
}

fn widget(rest: &str) -> String {
    format!(r#"{{"apiVersion":"ex.io/v1","kind":"Widget","metadata":{{"name":"w"}},{rest}}}"#)
}

async fn post(cluster: &Cluster, path: &str, body: String) -> Answer {
    cluster.send_text("POST", path, body, &[("content-type", "application/json")]).await
}

async fn patch(cluster: &Cluster, kind: &str, body: String) -> Answer {
    let path = format!("{WIDGETS}/w?fieldManager=m");
    cluster.send_text("PATCH", &path, body, &[("content-type", kind)]).await
}

fn is_refusal(answer: &Answer) -> bool {
    answer.code == 400
        && answer.body["message"] == "Widget \"w\" would be stored nested deeper than 100 levels, which this server does not keep"
}

// REQ-5
#[tokio::test]
async fn an_unknown_field_may_be_nested_to_the_maximum_depth_of_a_document() {
    let cluster = cluster().await;
    // One level of nesting is the object itself.
    for (path, name, head) in [
        (MAPS, "ConfigMap", r#""metadata":{"generateName":"m"},"data":{"a":"b"}"#),
        (WIDGETS, "Widget", r#""apiVersion":"ex.io/v1","kind":"Widget","metadata":{"generateName":"w"}"#),
    ] {
        let body = |deep: String| format!("{{{head},\"deep\":{deep}}}");
        for deep in [lists(9_999), objects(9_999)] {
            let answer = post(&cluster, path, body(deep)).await;
            assert_eq!((answer.code, &answer.body["deep"]), (201, &Value::Null), "{}", answer.body);
            assert_eq!(answer.headers["warning"], "299 - \"unknown field \\\"deep\\\"\"");
        }
        let answer = post(&cluster, path, body(lists(10_000))).await;
        let message = answer.body["message"].as_str().unwrap_or_default();
        let problem = format!(
            "the object provided is unrecognized (must be of type {name}): couldn't get version/kind; json parse error: \
             invalid character '[' exceeded max depth"
        );
        assert!(answer.code == 400 && message.starts_with(&problem), "{message}");
    }
}

// REQ-5
#[tokio::test]
async fn a_field_nested_too_deep_to_be_stored_is_refused() {
    let cluster = cluster().await;
    for depth in [99, 120, 126, 150, 9_000] {
        for deep in [objects(depth), format!("{{\"a\":{}}}", lists(depth - 1))] {
            let answer = post(&cluster, WIDGETS, widget(&format!("\"spec\":{{\"keep\":{deep}}}"))).await;
            assert!(is_refusal(&answer), "{depth}: {}", answer.body);
        }
    }
    let kept = post(&cluster, WIDGETS, widget(&format!("\"spec\":{{\"keep\":{}}}", objects(98)))).await;
    assert_eq!(kept.code, 201, "{}", kept.body);
    for depth in [150, 9_000] {
        let deep = objects(depth);
        let moved = format!(
            r#"[{{"op":"add","path":"/spec/keep","value":{deep}}},{{"op":"move","from":"/spec/keep{}","path":"/spec/keep"}}]"#,
            "/a".repeat(90)
        );
        for (kind, body) in [
            ("application/merge-patch+json", format!("{{\"spec\":{{\"keep\":{deep}}}}}")),
            ("application/json-patch+json", format!(r#"[{{"op":"add","path":"/spec/keep","value":{deep}}}]"#)),
            ("application/json-patch+json", moved),
            ("application/apply-patch+yaml", widget(&format!("\"spec\":{{\"keep\":{deep}}}"))),
        ] {
            let answer = patch(&cluster, kind, body).await;
            assert!(is_refusal(&answer), "{depth} {kind}: {}", answer.body);
        }
    }
}

// REQ-5: the schema of a schema is one of the few types that go as deep as the text does.
#[tokio::test]
async fn definitions_that_are_nested_too_deep_are_refused() {
    let cluster = Cluster::start();
    for depth in [46, 60, 5_000] {
        let schema = r#"{"type":"object","properties":{"a":"#.repeat(depth) + r#"{"type":"string"}"# + &"}}".repeat(depth);
        let mut definition = widgets(json!("SCHEMA")).to_string();
        definition = definition.replace("\"SCHEMA\"", &schema);
        let path = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
        let answer = cluster.send_text("POST", path, definition, &[("content-type", "application/json")]).await;
        assert_eq!(answer.code, if depth == 46 { 201 } else { 400 }, "{depth}: {}", answer.body);
    }
}
