//! Tests of each request as expected, missing, additional and different (TTBL-2 to TTBL-7).

use futures::future::BoxFuture;
use k8s_openapi::api::core::v1::ConfigMap;
use kube::Api;
use kube::api::{DeleteParams, ListParams, Patch as KubePatch, PatchParams, PostParams, Preconditions};
use kubewright_machinery::object::GroupVersionKind;
use kubewright_runtime::cluster::PatchKind;
use kubewright_testing::table::{Apply, Delete, DeleteCollection, Patch, RowEnd, TableRow};
use serde_json::{Value, json};

use super::widget::{Script, Widgets, map, row, table, widget};

type Sending = fn(Api<ConfigMap>) -> BoxFuture<'static, Result<(), kube::Error>>;

fn typed(map: Value) -> ConfigMap {
    serde_json::from_value(map).unwrap()
}

/// Returns a row whose pass sends requests about ConfigMaps; a ConfigMap `old` exists.
fn sending(name: &str, send: Sending) -> TableRow<Widgets> {
    let script = Script::sending(move |client| send(Api::namespaced(client, "ns")));
    row(name, script).given([map("old", "1")])
}

fn gvk() -> GroupVersionKind {
    GroupVersionKind::new("", "v1", "ConfigMap")
}

fn create(maps: Api<ConfigMap>) -> BoxFuture<'static, Result<(), kube::Error>> {
    Box::pin(async move { maps.create(&PostParams::default(), &typed(map("new", "1"))).await.map(drop) })
}

fn create_two(maps: Api<ConfigMap>) -> BoxFuture<'static, Result<(), kube::Error>> {
    Box::pin(async move {
        maps.create(&PostParams::default(), &typed(map("a", "1"))).await?;
        maps.create(&PostParams::default(), &typed(map("b", "1"))).await.map(drop)
    })
}

fn generate(maps: Api<ConfigMap>) -> BoxFuture<'static, Result<(), kube::Error>> {
    Box::pin(async move {
        let map = typed(json!({"metadata": {"generateName": "web-"}}));
        maps.create(&PostParams::default(), &map).await?;
        maps.create(&PostParams::default(), &map).await.map(drop)
    })
}

fn update(maps: Api<ConfigMap>) -> BoxFuture<'static, Result<(), kube::Error>> {
    Box::pin(async move {
        let mut old = maps.get("old").await?;
        old.data = Some([("key".to_owned(), "2".to_owned())].into());
        maps.replace("old", &PostParams::default(), &old).await.map(drop)
    })
}

fn patch(maps: Api<ConfigMap>) -> BoxFuture<'static, Result<(), kube::Error>> {
    Box::pin(async move {
        let body = KubePatch::Merge(json!({"data": {"key": "2"}}));
        maps.patch("old", &PatchParams::default(), &body).await.map(drop)
    })
}

fn apply(maps: Api<ConfigMap>) -> BoxFuture<'static, Result<(), kube::Error>> {
    Box::pin(async move {
        let body = KubePatch::Apply(map("old", "2"));
        maps.patch("old", &PatchParams::apply("us").force(), &body).await.map(drop)
    })
}

fn delete(maps: Api<ConfigMap>) -> BoxFuture<'static, Result<(), kube::Error>> {
    Box::pin(async move {
        let mut params = DeleteParams::background();
        params.preconditions = Some(Preconditions { uid: maps.get("old").await?.metadata.uid, resource_version: None });
        maps.delete("old", &params).await.map(drop)
    })
}

fn delete_collection(maps: Api<ConfigMap>) -> BoxFuture<'static, Result<(), kube::Error>> {
    Box::pin(async move {
        maps.delete_collection(&DeleteParams::default(), &ListParams::default().labels("app=web,tier=x")).await.map(drop)
    })
}

fn merge(body: &str) -> Patch {
    Patch::new(PatchKind::Merge, "configmaps", "ns", "old").body(body)
}

const BODY: &str = r#"{"data":{"key":"2"}}"#;

type Change = fn(TableRow<Widgets>) -> TableRow<Widgets>;

// TTBL-2, TTBL-3, TTBL-4, TTBL-5, TTBL-7
#[tokio::test]
async fn each_request_is_expected_once_and_compared() {
    if !super::is_embedded_tier() {
        return;
    }
    let rows: &[(&str, Sending, Change, &[&str])] = &[
        ("create", create, |row| row.expect_create(map("new", "1")), &[]),
        ("create, extra", create, |row| row, &["Extra create configmaps ns/new\n"]),
        (
            "create, twice expected",
            create,
            |row| row.expect_create(map("new", "1")).expect_create(map("new", "1")),
            &["Missing create configmaps ns/new\n--- expected\n"],
        ),
        (
            "create, another one expected",
            create,
            |row| row.expect_create(map("other", "1")),
            &["Missing create configmaps ns/other\n", "Extra create configmaps ns/new\n"],
        ),
        (
            "create, different",
            create,
            |row| row.expect_create(map("new", "2")),
            &["Different create configmaps ns/new\n--- expected\n+++ sent\n"],
        ),
        ("create, ignored", create, |row| row.expect_create(map("new", "2")).ignoring("/data/key"), &[]),
        ("order", create_two, |row| row.expect_create(map("a", "1")).expect_create(map("b", "1")), &[]),
        (
            "order, other",
            create_two,
            |row| row.expect_create(map("b", "1")).expect_create(map("a", "1")),
            &["Different order of create; `.unordered()` lifts it\n--- expected\n+++ sent\n"],
        ),
        ("order, any", create_two, |row| row.expect_create(map("b", "1")).expect_create(map("a", "1")).unordered(), &[]),
        (
            "generated",
            generate,
            |row| {
                let generated = |name: Option<&str>| {
                    let metadata = json!({"generateName": "web-", "namespace": "ns", "name": name});
                    json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata})
                };
                row.expect_create(generated(Some("web-00001"))).expect_create(generated(None))
            },
            &[],
        ),
        ("update", update, |row| row.expect_update(map("old", "2")), &[]),
        ("update, extra", update, |row| row, &["Extra update configmaps ns/old\n--- last known state\n"]),
        (
            "update, different",
            update,
            |row| row.expect_update(map("old", "3")),
            &["Different update configmaps ns/old\n--- expected\n"],
        ),
        (
            "update, missing",
            create,
            |row| row.expect_create(map("new", "1")).expect_update(map("old", "2")),
            &["Missing update configmaps ns/old\n--- expected\n+++ last known state\n"],
        ),
        ("patch", patch, |row| row.expect_patch(merge(BODY)), &[]),
        ("patch, as JSON", patch, |row| row.expect_patch(merge("").body_json(json!({"data": {"key": "2"}}))), &[]),
        (
            "patch, other bytes",
            patch,
            |row| row.expect_patch(merge(r#"{"data": {"key":"2"}}"#)),
            &["Different patch configmaps ns/old\n"],
        ),
        (
            "patch, other type",
            patch,
            |row| row.expect_patch(Patch::new(PatchKind::Json, "configmaps", "ns", "old").body(BODY)),
            &[
                "Different patch configmaps ns/old\ntype: expected \"application/json-patch+json\", found \"application/merge-patch+json\"\n",
            ],
        ),
        (
            "patch, other subresource",
            patch,
            |row| row.expect_patch(merge(BODY).subresource("scale")),
            &["Missing patch configmaps ns/old: subresource scale,", "Extra patch configmaps ns/old\n"],
        ),
        (
            "patch, other name",
            patch,
            |row| row.expect_patch(Patch::new(PatchKind::Merge, "configmaps", "ns", "new").body(BODY)),
            &["Missing patch configmaps ns/new: application/merge-patch+json\n", "Extra patch configmaps ns/old\n"],
        ),
        ("patch is no update", patch, |row| row.expect_update(map("old", "2")), &["Missing update", "Extra patch"]),
        ("apply", apply, |row| row.expect_apply(Apply::new("us", map("old", "2")).forced()), &[]),
        (
            "apply, other manager and no force",
            apply,
            |row| row.expect_apply(Apply::new("them", map("old", "2"))),
            &[
                "Different apply configmaps ns/old\nfield manager: expected \"them\", found \"us\"\nforce: expected \"false\", found \"true\"\n",
            ],
        ),
        (
            "apply, other body",
            apply,
            |row| row.expect_apply(Apply::new("us", map("old", "3")).forced()),
            &["Different apply configmaps ns/old\n--- expected\n"],
        ),
        ("apply, extra", apply, |row| row, &["Extra apply configmaps ns/old\n"]),
        ("delete", delete, |row| row.expect_delete((gvk(), "ns", "old")), &[]),
        ("delete, extra", delete, |row| row, &["Extra delete configmaps ns/old\n"]),
        (
            "delete, each request",
            delete,
            |row| row.expect_delete((gvk(), "ns", "old")).expect_delete((gvk(), "ns", "old")),
            &["Missing delete configmaps ns/old"],
        ),
        ("delete, propagation", delete, |row| row.expect_delete(Delete::new(gvk(), "ns", "old").propagation("Background")), &[]),
        (
            "delete, other options",
            delete,
            |row| row.expect_delete(Delete::new(gvk(), "ns", "old").propagation("Orphan").uid("x")),
            &[
                "Different delete configmaps ns/old\npropagation: expected \"Orphan\", found \"Background\"\nuid: expected \"x\", found ",
            ],
        ),
        (
            "delete collection",
            delete_collection,
            |row| row.expect_delete_collection(DeleteCollection::new(gvk(), "ns").labels("app=web,tier=x")),
            &[],
        ),
        (
            "delete collection, other selector",
            delete_collection,
            |row| row.expect_delete_collection(DeleteCollection::new(gvk(), "ns").labels("app=db")),
            &["Different deletecollection configmaps in ns\nlabel selector: expected \"app=db\", found \"app=web,tier=x\"\n"],
        ),
    ];
    let table = rows.iter().fold(table(), |table, (name, send, change, _)| table.row(change(sending(name, *send))));
    let report = table.report().await;
    for (name, _, _, beginnings) in rows {
        let found = report.differences(name);
        assert_eq!(found.len(), beginnings.len(), "{name}: {found:#?}");
        for (found, beginning) in found.iter().zip(*beginnings) {
            assert!(found.starts_with(beginning), "{name}: expected {beginning:?}, found {found}");
        }
    }
}

// TTBL-6
#[tokio::test]
async fn writes_outside_of_the_namespace_of_the_key_are_reported() {
    if !super::is_embedded_tier() {
        return;
    }
    let send: Sending = |maps| {
        Box::pin(async move {
            let client = maps.into_client();
            let mut other = typed(map("new", "1"));
            other.metadata.namespace = Some("other".to_owned());
            Api::namespaced(client.clone(), "other").create(&PostParams::default(), &other).await?;
            let namespace: k8s_openapi::api::core::v1::Namespace =
                serde_json::from_value(json!({"metadata": {"name": "third"}})).map_err(kube::Error::SerdeError)?;
            Api::all(client).create(&PostParams::default(), &namespace).await.map(drop)
        })
    };
    let other = || {
        let namespace = |name: &str| json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}});
        let mut map = map("new", "1");
        map["metadata"]["namespace"] = json!("other");
        move |row: TableRow<Widgets>| row.given([namespace("other")]).expect_create(map.clone()).expect_create(namespace("third"))
    };
    let rows = [other()(sending("told", send)), other()(sending("any", send)).any_namespace()];
    let report = table().rows(rows).report().await;
    let text =
        "Foreign namespace: create configmaps other/new, not in the namespace \"ns\" of the key; `.any_namespace()` allows it";
    assert_eq!(report.differences("told"), [text]);
    assert_eq!(report.rows()[1].end, RowEnd::Passed, "{report}");
}

// TTBL-2, TTBL-4
#[tokio::test]
async fn a_status_is_compared_as_it_is_stored() {
    if !super::is_embedded_tier() {
        return;
    }
    let sized = || {
        Script::new(|_, _, widget, status| {
            Box::pin(async move {
                status.size = Some(widget.spec.size);
                Ok(())
            })
        })
    };
    let with_size = |size: i64| {
        let mut widget = widget();
        widget["status"]["size"] = json!(size);
        widget
    };
    let body = r#"{"metadata":{"resourceVersion":"1"},"status":{"size":3}}"#;
    let as_patch = Patch::new(PatchKind::Merge, "widgets.table.kubewright.dev", "ns", "demo").subresource("status").body(body);
    let rows = [
        row("same", sized()).expect_status(with_size(3)),
        row("extra", sized()),
        row("different", sized()).expect_status(with_size(4)),
        row("missing", Script::nothing()).expect_status(with_size(3)),
        row("of a write that fails", sized()).induce_failure("patch", "widgets/status").expect_status(with_size(3)),
        row("as a patch", sized()).expect_patch(as_patch),
    ];
    let report = table().rows(rows).report().await;
    let only = |name: &str| report.differences(name).first().cloned().unwrap_or_default();
    assert_eq!(report.rows()[0].end, RowEnd::Passed, "{report}");
    assert!(only("extra").starts_with("Extra status widgets.table.kubewright.dev ns/demo (subresource status)\n"), "{report}");
    assert!(only("different").starts_with("Different status widgets.table.kubewright.dev ns/demo\n"), "{report}");
    assert!(only("different").contains("-  size: 4\n+  size: 3\n"), "{report}");
    let missing = "Missing status widgets.table.kubewright.dev ns/demo\n--- expected\n+++ last known state\n";
    assert!(only("missing").starts_with(missing), "{report}");
    let failed = report.differences("of a write that fails").join("\n");
    assert!(failed.contains("inducing failure for patch widgets/status") && !failed.contains("Missing"), "{report}");
    // Only the resource version of the object is not known in advance.
    let patched = report.differences("as a patch");
    assert!(patched.is_empty() || patched[0].contains("resourceVersion"), "{report}");
}
