//! Use of other clusters by a reconciler.

use std::time::Duration;

use k8s_openapi::api::core::v1::ConfigMap;
use kubewright::prelude::*;
use kubewright_middleware::Verb;
use kubewright_middleware::journal::Records;

use super::far_clusters::{ANNOTATION, Connectivity, Places, Remotes, configured, kubeconfig};
use super::widget::Widget;

fn lines(records: Records) -> Vec<String> {
    records.iter().map(ToString::to_string).collect()
}

fn message_of(widget: &Value, kind: &str) -> String {
    let conditions = widget["status"]["conditions"].as_array().cloned().unwrap_or_default();
    let condition = conditions.into_iter().find(|condition| condition["type"] == kind).unwrap_or_default();
    condition["message"].as_str().unwrap_or_default().to_owned()
}

// CLU-1, CLU-3, CLU-5, CLU-6
#[tokio::test]
async fn stores_triggers_and_trackers_may_be_of_another_cluster() {
    let places = Places::start(1).await;
    let world = &places.world;
    world.create("near", 0).await;
    world.create("demo", 1).await;
    let demo = places.ready("demo").await;
    assert!(demo["status"]["note"].as_str().unwrap().starts_with("target-"), "{demo}");
    places.ready("near").await;
    // A tracked object.
    places.put(0, "demo", json!({"a": "1"}), json!({})).await;
    places.until("demo", "one entry", |widget| widget["status"]["size"] == 1).await;
    places.put(0, "demo", json!({"a": "1", "b": "2"}), json!({})).await;
    places.until("demo", "two entries", |widget| widget["status"]["size"] == 2).await;
    world.idle(Duration::from_secs(3)).await;
    // A trigger queues only the keys that use the cluster.
    let calls = (places.calls("demo"), places.calls("near"));
    let of = |name: &str| json!({ANNOTATION: format!("{}/{name}", world.cluster.namespace())});
    places.put(0, "marked", json!({}), of("near")).await;
    places.put(0, "marked", json!({}), of("demo")).await;
    world.until("the trigger starts a pass", || places.calls("demo") > calls.0).await;
    let why = world.why("demo").pop().unwrap();
    assert!(why.contains("ConfigMap") && why.contains("marked"), "{why}");
    world.idle(Duration::from_secs(3)).await;
    assert_eq!(places.calls("near"), calls.1);
    if world.cluster.is_embedded() {
        // An object of the same name in the operator's own cluster is another object.
        let calls = places.calls("demo");
        world.cluster.apply(configured("demo", json!({"c": "3"}))).await;
        world.idle(Duration::from_secs(3)).await;
        assert_eq!(places.calls("demo"), calls);
    }
    world.cluster.delete::<Widget>("demo").await;
    world.cluster.expect::<Widget>("demo").to_be_gone().await;
    // A deleted object is no longer queued.
    world.idle(Duration::from_secs(3)).await;
    let calls = places.calls("demo");
    places.put(0, "demo", json!({"a": "2"}), of("demo")).await;
    world.idle(Duration::from_secs(3)).await;
    assert_eq!(places.calls("demo"), calls);
    places.stop().await;
}

// CLU-2
#[tokio::test]
async fn a_kubeconfig_that_is_refused_blocks_its_object_and_is_not_shown() {
    let places = Places::start(1).await;
    places.configure(2, "apiVersion: v1\nkind: s3cr3t\nclusters: s3cr3t\n").await;
    places.configure(3, &kubeconfig("far-1", "t").replace("token: t", "exec: {command: s3cr3t}")).await;
    for (size, expected) in
        [(2, "its fields are not those of a kubeconfig"), (3, "sets users[0].user.exec, which runs a program")]
    {
        let name = format!("demo-{size}");
        places.world.create(&name, size).await;
        let widget = places.world.condition(&name, "Stalled", "True", "CredentialsRefused").await;
        let message = message_of(&widget, "Ready");
        assert!(message.contains(expected) && !message.contains("s3cr3t"), "{message}");
        places.configure(size, &kubeconfig("far-1", "t")).await;
        places.ready(&name).await;
    }
    places.stop().await;
}

// CLU-2, CLU-4
#[tokio::test]
async fn a_cluster_that_is_away_degrades_only_the_objects_that_need_it() {
    let places = Places::start(2).await;
    let world = &places.world;
    places.far[0].line.send_replace(Connectivity::Down);
    world.create("near", 0).await;
    world.create("other", 2).await;
    // The number of objects exceeds the number of workers.
    for number in 0..5 {
        world.create(&format!("far-{number}"), 1).await;
    }
    for number in 0..5 {
        let widget = world.condition(&format!("far-{number}"), "Ready", "False", "TargetUnreachable").await;
        let message = message_of(&widget, "Ready");
        assert!(
            message.starts_with("the target cluster target-") && message.contains("the cluster is not reachable"),
            "{message}"
        );
    }
    places.ready("near").await;
    places.ready("other").await;
    world.idle(Duration::from_secs(30)).await;
    let (calls, mark, there) =
        ((places.calls("near"), places.calls("other")), world.cluster.journal().mark(), places.far[1].cluster.journal().mark());
    assert!(places.world.unready().is_empty(), "the operator is ready: {:?}", places.world.unready());
    let note = places.world.note("targets of widget").unwrap();
    assert!(note.contains("target-") && note.contains("the cluster is not reachable"), "{note}");
    world.idle(Duration::from_secs(60)).await;
    assert_eq!((places.calls("near"), places.calls("other")), calls);
    assert_eq!(lines(world.cluster.journal().since(mark).writes()), [""; 0], "nothing new is told");
    let asked = places.far[1].cluster.journal().since(there).filter(|record| record.target.verb() != Some(Verb::Watch));
    assert_eq!(lines(asked), [""; 0]);
    // The cluster becomes available, unavailable, and available again.
    places.far[0].line.send_replace(Connectivity::Up);
    for number in 0..5 {
        places.ready(&format!("far-{number}")).await;
    }
    assert_eq!(places.world.note("targets of widget"), None);
    let calls = (places.calls("near"), places.calls("other"));
    places.far[0].line.send_replace(Connectivity::Down);
    for number in 0..5 {
        world.condition(&format!("far-{number}"), "Ready", "False", "TargetUnreachable").await;
    }
    places.far[0].line.send_replace(Connectivity::Up);
    for number in 0..5 {
        places.ready(&format!("far-{number}")).await;
    }
    assert_eq!((places.calls("near"), places.calls("other")), calls);
    places.put(0, "far-3", json!({"a": "1"}), json!({})).await;
    places.until("far-3", "one entry", |widget| widget["status"]["size"] == 1).await;
    places.stop().await;
}

// CLU-1
#[tokio::test]
async fn an_object_may_be_in_two_clusters_at_once() {
    let places = Places::start(1).await;
    let far = places.net.add("far-10").await;
    drop(
        far.cluster
            .create(json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": places.world.cluster.namespace()}}))
            .await,
    );
    let places = Places { far: places.far.into_iter().chain([far]).collect(), ..places };
    places.configure(100, &kubeconfig("far-1", "a")).await;
    places.configure(10, &kubeconfig("far-10", "a")).await;
    places.world.create("demo", 100).await;
    let demo = places.ready("demo").await;
    let note = demo["status"]["note"].as_str().unwrap();
    assert!(note.ends_with(": false") && note.matches("target-").count() == 2, "{note}");
    places.put(1, "demo", json!({}), json!({})).await;
    places
        .until("demo", "the object in the second cluster", |widget| {
            widget["status"]["note"].as_str().is_some_and(|note| note.ends_with(": true"))
        })
        .await;
    places.put(0, "demo", json!({"a": "1"}), json!({})).await;
    places.until("demo", "the object in the first cluster", |widget| widget["status"]["size"] == 1).await;
    places.stop().await;
}

// CLU-6: TGT-4
#[tokio::test]
async fn a_new_kubeconfig_is_a_new_target_and_the_former_one_ends_after_a_quarter_of_an_hour() {
    let places = Places::start(2).await;
    let world = &places.world;
    world.create("demo", 1).await;
    let first = places.ready("demo").await["status"]["note"].clone();
    assert_eq!(world.clients(), (1, 1));
    // An object that has selected another cluster has left the former one, even if the new one cannot be reached.
    places.far[1].line.send_replace(Connectivity::Down);
    places.configure(1, &kubeconfig("far-2", "a")).await;
    world.condition("demo", "Ready", "False", "TargetUnreachable").await;
    places.put(0, "demo", json!({"a": "1"}), json!({})).await;
    world.idle(Duration::from_secs(3)).await;
    let (why, tracked) = (world.why("demo"), format!("ConfigMap {}/demo", world.cluster.namespace()));
    assert!(!why.iter().any(|pass| pass.contains(&tracked)), "{why:?}");
    places.far[1].line.send_replace(Connectivity::Up);
    let last = first.clone();
    let moved = places.until("demo", "in the second cluster", move |widget| widget["status"]["note"] != last).await;
    assert_eq!(world.clients(), (2, 2));
    // The same cluster with another token is another target.
    let last = moved["status"]["note"].clone();
    places.configure(1, &kubeconfig("far-2", "b")).await;
    places.until("demo", "with another token", move |widget| widget["status"]["note"] != last).await;
    assert_eq!(world.clients(), (3, 3));
    // Objects in the former clusters queue nothing.
    let calls = places.calls("demo");
    let of = json!({ANNOTATION: format!("{}/demo", world.cluster.namespace())});
    places.put(0, "demo", json!({"a": "1"}), of).await;
    world.idle(Duration::from_secs(3)).await;
    assert_eq!(places.calls("demo"), calls);
    if world.cluster.is_embedded() {
        world.idle(Duration::from_mins(13)).await;
        assert_eq!(world.clients(), (3, 3));
        world.idle(Duration::from_mins(4)).await;
        assert_eq!(world.clients(), (3, 1));
        // Watches end a minute after their last user; running ones are renewed every five minutes.
        world.idle(Duration::from_mins(6)).await;
        let mark = places.far[0].cluster.journal().mark();
        world.idle(Duration::from_mins(30)).await;
        assert_eq!(lines(places.far[0].cluster.journal().since(mark)), [""; 0]);
        places.put(1, "demo", json!({"a": "1"}), json!({})).await;
        places.until("demo", "one entry", |widget| widget["status"]["size"] == 1).await;
        // An object that no longer needs a target leaves it.
        world.cluster.patch::<Widget>("demo", json!({"spec": {"size": 0}})).await;
        world.idle(Duration::from_mins(20)).await;
        assert_eq!(world.clients(), (3, 0));
    }
    places.stop().await;
}

// CLU-4, CLU-7
#[tokio::test]
async fn an_object_is_not_finalized_while_its_cluster_is_away() {
    let places = Places::start(1).await;
    let world = &places.world;
    world.create("demo", 1).await;
    places.ready("demo").await;
    places.far[0].line.send_replace(Connectivity::Down);
    world.condition("demo", "Ready", "False", "TargetUnreachable").await;
    world.cluster.delete::<ConfigMap>("kubeconfig-1").await;
    world.cluster.delete::<Widget>("demo").await;
    let waiting = places
        .until("demo", "waiting for the cluster", |widget| {
            widget["metadata"]["deletionTimestamp"].is_string()
                && widget["status"]["observedGeneration"] == widget["metadata"]["generation"]
        })
        .await;
    assert!(message_of(&waiting, "Ready").contains("the target cluster target-"), "{waiting}");
    places.far[0].line.send_replace(Connectivity::Up);
    world.cluster.expect::<Widget>("demo").to_be_gone().await;
    let maps = kube::Api::<ConfigMap>::namespaced(places.far[0].cluster.client().clone(), world.cluster.namespace());
    assert!(maps.get_opt("written").await.unwrap().is_none());
    places.stop().await;
}

// CLU-3, CLU-4
#[tokio::test]
async fn a_cluster_that_hangs_holds_workers_for_a_limited_time() {
    let places = Places::start(1).await;
    let world = &places.world;
    world.create("near", 0).await;
    for name in ["a", "b", "c"] {
        world.create(name, 1).await;
        places.ready(name).await;
    }
    places.ready("near").await;
    world.idle(Duration::from_secs(3)).await;
    places.far[0].line.send_replace(Connectivity::Hangs);
    // Each of their passes creates it again.
    let maps = kube::Api::<ConfigMap>::namespaced(places.far[0].cluster.client().clone(), world.cluster.namespace());
    maps.delete("written", &kube::api::DeleteParams::default()).await.unwrap();
    for name in ["a", "b", "c"] {
        places.put(0, name, json!({"a": "1"}), json!({})).await;
    }
    world.idle(Duration::from_secs(1)).await;
    let (began, calls) = (world.cluster.clock().moment(), places.calls("near"));
    world.cluster.patch::<Widget>("near", json!({"metadata": {"labels": {"a": "b"}}})).await;
    world.until("the other object is looked at", || places.calls("near") > calls).await;
    assert!(world.cluster.clock().moment().since(began) < Duration::from_secs(40));
    for name in ["a", "b", "c"] {
        world.condition(name, "Ready", "False", "TargetUnreachable").await;
    }
    places.far[0].line.send_replace(Connectivity::Up);
    for name in ["a", "b", "c"] {
        places.ready(name).await;
    }
    places.stop().await;
}

// CLU-3
#[tokio::test]
async fn kinds_and_permissions_that_a_cluster_lacks_are_waited_for() {
    let places = Places::start(1).await;
    places.configure(6, &kubeconfig("far-1", "a")).await;
    places.world.create("gadgets", 6).await;
    let widget = places.world.condition("gadgets", "Ready", "False", "KindNotServed").await;
    assert!(message_of(&widget, "Ready").contains("does not serve Gadget.later.kubewright.dev"), "{widget}");
    let rule = places.far[0].cluster.faults().on(Verb::List).of("", "configmaps").forbidden();
    places.world.create("demo", 1).await;
    let widget = places.world.condition("demo", "Ready", "False", "WatchForbidden").await;
    assert!(message_of(&widget, "Ready").starts_with("grant get, list and watch of ConfigMap in "), "{widget}");
    rule.remove();
    places.ready("demo").await;
    let crd = json!({
        "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "metadata": {"name": "gadgets.later.kubewright.dev"},
        "spec": {
            "group": "later.kubewright.dev", "scope": "Namespaced",
            "names": {"kind": "Gadget", "plural": "gadgets", "singular": "gadget"},
            "versions": [{"name": "v1", "served": true, "storage": true, "schema": {"openAPIV3Schema":
                {"type": "object", "x-kubernetes-preserve-unknown-fields": true}}}],
        },
    });
    places.far[0].cluster.install_crd(&crd).await;
    places.ready("gadgets").await;
    places.stop().await;
}

// CLU-4
#[tokio::test]
async fn objects_stay_ready_when_the_operator_starts_again() {
    let mut places = Places::start(1).await;
    for name in ["a", "b", "c", "d"] {
        places.world.create(name, 1).await;
    }
    for name in ["a", "b", "c", "d"] {
        places.ready(name).await;
    }
    let operator = Remotes::operator(&places.world.script, &places.net);
    let mark = places.world.cluster.journal().mark();
    places.world.restart_with(operator).await;
    let calls = places.calls("d");
    places.world.until("all are looked at", || places.calls("d") > calls).await;
    places.world.idle(Duration::from_secs(10)).await;
    let written = places.world.cluster.journal().since(mark).writes().of("test.kubewright.dev", "widgets");
    assert_eq!(lines(written), [""; 0]);
    places.put(0, "d", json!({"a": "1"}), json!({})).await;
    places.until("d", "one entry", |widget| widget["status"]["size"] == 1).await;
    places.stop().await;
}

// CLU-1: connections are real here, so time is real, too.
#[tokio::test(flavor = "multi_thread")]
async fn a_kubeconfig_leads_to_its_cluster() {
    let places = Places::start(1).await;
    let text = places.far[0].cluster.kubeconfig().await;
    places.configure(7, &text).await;
    places.world.create("demo", 7).await;
    places.ready("demo").await;
    places.put(0, "demo", json!({"a": "1"}), json!({})).await;
    places.until("demo", "one entry", |widget| widget["status"]["size"] == 1).await;
    assert_eq!(places.world.unready(), Vec::<String>::new());
    places.stop().await;
}
