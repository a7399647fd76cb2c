use kubewright_machinery::object::{GroupKind, GroupVersionKind, ObjectExt as _, Propagation};
use kubewright_runtime::cluster::{ApiRequest, PatchKind};
use serde_json::json;

use super::{cluster, config_map, config_maps, create, server};

#[tokio::test(start_paused = true)]
async fn objects_are_created_read_changed_and_deleted() {
    let server = server();
    let cluster = cluster(&server);
    let made = create(&cluster, &config_map("a", "1")).await;
    let merge = json!({"data": {"text": "2"}});
    let patch = ApiRequest::patch(&config_maps(), "default", "a", PatchKind::Merge, &merge);
    let changed = cluster.send(&patch.field_manager("test")).await.unwrap();
    assert_eq!(changed["data"]["text"], "2");
    assert_ne!(changed.resource_version(), made.resource_version());

    let stale = cluster.send(&ApiRequest::update(&config_maps(), &made)).await.unwrap_err();
    assert!(stale.is_conflict(), "{stale}");
    let again = cluster.send(&ApiRequest::create(&config_maps(), &config_map("a", "1"))).await.unwrap_err();
    assert!(again.is_already_exists(), "{again}");

    let delete = |uid: &str| {
        let at = ("default", "a");
        ApiRequest::delete_exactly(&config_maps(), at, (uid, None), Propagation::Background)
    };
    let other = cluster.send(&delete("00000000-0000-0000-0000-000000000000")).await.unwrap_err();
    assert!(other.is_conflict(), "{other}");
    cluster.send(&delete(made.uid())).await.unwrap();
    let gone = cluster.send(&ApiRequest::get(&config_maps(), "default", "a")).await.unwrap_err();
    assert!(gone.is_not_found(), "{gone}");
}

#[tokio::test(start_paused = true)]
async fn a_refused_object_names_the_fields() {
    let server = server();
    let cluster = cluster(&server);
    let error = cluster.send(&ApiRequest::create(&config_maps(), &config_map("Not_a_name", ""))).await.unwrap_err();
    let status = error.status().unwrap();
    assert_eq!((status.code, status.reason.as_str()), (422, "Invalid"));
    assert!(status.causes.iter().any(|cause| cause.field == "metadata.name"), "{status:?}");
}

// WATCH-10
#[tokio::test(start_paused = true)]
async fn built_in_types_are_discovered() {
    let server = server();
    let cluster = cluster(&server);
    let discovery = cluster.discovery();
    let deployments = discovery.resolve(&GroupKind::new("apps", "Deployment")).await.unwrap().unwrap();
    assert_eq!((deployments.plural.as_str(), deployments.version.as_str()), ("deployments", "v1"));
    assert!(deployments.has_subresource("status") && deployments.namespaced);
    let namespaces = discovery.require(&GroupVersionKind::new("", "v1", "Namespace")).await.unwrap();
    assert!(!namespaces.namespaced);
    assert_eq!(server.journal().all().len(), 2);
}
