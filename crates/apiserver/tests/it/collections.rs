//! Lists, pages, selectors and representations.

use serde_json::json;

use crate::cluster::{Cluster, MAPS};

async fn with_maps(count: usize) -> Cluster {
    let cluster = Cluster::start();
    cluster.delete(MAPS).await;
    cluster.post("/api/v1/namespaces", json!({"metadata": {"name": "lw"}})).await;
    for index in 0..count {
        let object = json!({"metadata": {"name": format!("p{index:02}"), "labels": {"i": index.to_string()}}});
        cluster.post("/api/v1/namespaces/lw/configmaps", object).await;
    }
    cluster
}

const LIST: &str = "/api/v1/namespaces/lw/configmaps";

// LIST-1, LIST-2, LIST-7
#[tokio::test(start_paused = true)]
async fn pages_show_the_first_pages_version_whatever_is_written_in_between() {
    let cluster = with_maps(9).await;
    let mut names = Vec::new();
    let mut page = cluster.get(&format!("{LIST}?limit=4")).await;
    let version = page.version().to_owned();
    assert_eq!(page.body["metadata"]["remainingItemCount"], 6);
    for round in 0.. {
        names.extend(page.names().into_iter().map(str::to_owned));
        let Some(token) = page.body["metadata"]["continue"].as_str().map(str::to_owned) else { break };
        cluster.post(LIST, json!({"metadata": {"name": format!("q{round}")}})).await;
        cluster.delete(&format!("{LIST}/p08")).await;
        page = cluster.get(&format!("{LIST}?limit=4&continue={token}")).await;
        assert_eq!(page.version(), version);
    }
    assert_eq!(names.len(), 10, "{names:?}");
    assert_eq!(names.last().unwrap(), "p08");
}

// LIST-4, LIST-5, STO-4
#[tokio::test(start_paused = true)]
async fn compaction_expires_tokens_and_exact_versions() {
    let cluster = with_maps(5).await;
    let page = cluster.get(&format!("{LIST}?limit=2")).await;
    let token = page.body["metadata"]["continue"].as_str().unwrap().to_owned();
    cluster.post(LIST, json!({"metadata": {"name": "z"}})).await;
    cluster.server.compact(cluster.server.revision());
    let expired = cluster.get(&format!("{LIST}?limit=2&continue={token}")).await;
    assert_eq!((expired.code, expired.reason()), (410, "Expired"));
    let fresh = expired.body["metadata"]["continue"].as_str().unwrap().to_owned();
    assert_eq!(cluster.get(&format!("{LIST}?continue={fresh}")).await.code, 200);
    let exact = cluster.get(&format!("{LIST}?resourceVersion={}&resourceVersionMatch=Exact", page.version())).await;
    assert_eq!((exact.code, exact.reason()), (410, "Expired"));
}

// CRUD-4, LIST-3, LIST-5, LIST-6
#[tokio::test(start_paused = true)]
async fn odd_versions_and_combinations_are_answered_as_the_real_server_does() {
    let cluster = with_maps(1).await;
    let cases = [
        ("resourceVersion=0", 200),
        ("resourceVersion=1", 200),
        ("resourceVersion=99999", 504),
        ("resourceVersion=junk", 400),
        ("limit=x", 400),
        ("resourceVersionMatch=Exact", 422),
        ("resourceVersionMatch=Exact&resourceVersion=0", 422),
        ("resourceVersionMatch=Foo&resourceVersion=1", 422),
        ("sendInitialEvents=true", 422),
        ("continue=junk", 400),
        ("labelSelector=%3Dx", 400),
        ("fieldSelector=spec.x%3D1", 400),
    ];
    for (query, code) in cases {
        let answer = cluster.get(&format!("{LIST}?{query}")).await;
        assert_eq!(answer.code, code, "{query}: {}", answer.body);
    }
    assert_eq!(cluster.get(&format!("{LIST}/p00?resourceVersion=junk")).await.code, 500);
}

// SEL-1, SEL-3
#[tokio::test(start_paused = true)]
async fn selectors_pick_by_label_and_field() {
    let cluster = with_maps(4).await;
    assert_eq!(cluster.get(&format!("{LIST}?labelSelector=i+in+(1,2)")).await.names(), ["p01", "p02"]);
    assert_eq!(cluster.get(&format!("{LIST}?fieldSelector=metadata.name%3Dp03")).await.names(), ["p03"]);
    assert_eq!(cluster.get("/api/v1/configmaps?labelSelector=i%3D3").await.names(), ["p03"]);
}

// META-13
#[tokio::test(start_paused = true)]
async fn items_of_built_in_kinds_do_not_repeat_their_kind() {
    let cluster = with_maps(1).await;
    let list = cluster.get(LIST).await.body;
    assert_eq!((&list["kind"], &list["apiVersion"]), (&json!("ConfigMapList"), &json!("v1")));
    assert!(list["items"][0].get("kind").is_none());
}

// NEG-1, NEG-2, NEG-5
#[tokio::test(start_paused = true)]
async fn objects_are_shown_as_asked_for() {
    let cluster = with_maps(1).await;
    let accept = |path: String, accept: &'static str| {
        let cluster = &cluster;
        async move { cluster.send("GET", &path, None, &[("accept", accept)]).await }
    };
    let object = format!("{LIST}/p00");
    let partial = accept(object.clone(), "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1").await;
    assert_eq!(partial.body["kind"], "PartialObjectMetadata");
    let list = accept(LIST.into(), "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1").await;
    assert_eq!(list.body["kind"], "PartialObjectMetadataList");
    let wrong = accept(LIST.into(), "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1").await;
    assert_eq!((wrong.code, wrong.reason()), (406, "NotAcceptable"));
    let table = accept(LIST.into(), "application/json;as=Table;g=meta.k8s.io;v=v1,application/json").await;
    assert_eq!((&table.body["kind"], &table.body["rows"][1]["cells"][0]), (&json!("Table"), &json!("p00")));
    assert_eq!(accept(object, "text/html").await.code, 406);
}
