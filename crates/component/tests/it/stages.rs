//! Objects that are applied while a component is deleted.

use std::time::Duration;

use kubewright::prelude::*;

use crate::kinds::Kinds;
use crate::types::{annotated, config_map};
use crate::world::{OPERATOR, World};

struct Scene {
    world: World,
    kinds: Kinds,
    pre: Value,
    post: Value,
}

/// Installs a component with an ordinary object and one of each stage, and waits until it is Ready.
async fn installed() -> Scene {
    let world = World::start().await;
    let kinds = Kinds::install(&world).await;
    let pre = annotated(kinds.object("Foo", "pre"), "lifecycle", "pre-delete");
    let post = annotated(kinds.object("Foo", "post"), "lifecycle", "post-delete");
    world.set(&component(&kinds, &pre, &post)).await;
    let ready = world.until_ready("demo").await;
    assert_eq!(ready["status"]["deletionHooks"], 2);
    Scene { world, kinds, pre, post }
}

fn component(kinds: &Kinds, pre: &Value, post: &Value) -> Value {
    kinds.component(&[config_map("one", "a"), pre.clone(), post.clone()])
}

// DEL-5
#[tokio::test]
async fn objects_of_deletion_stages_run_before_and_after_the_others_go() {
    let Scene { world, kinds, pre, post } = installed().await;
    assert!(world.get(&pre).await.is_none() && world.get(&post).await.is_none(), "they are not applied before");
    let demo = component(&kinds, &pre, &post);
    world.delete(&demo).await;
    world.until_present(&pre).await;
    world.idle(Duration::from_secs(5)).await;
    assert!(world.get(&config_map("one", "")).await.is_some() && world.get(&post).await.is_none());
    world.observe(&pre).await;
    world.until_present(&post).await;
    assert!(world.get(&config_map("one", "")).await.is_none());
    world.observe(&post).await;
    world.until_gone(&demo).await;
    assert!(world.get(&pre).await.is_none() && world.get(&post).await.is_none());
    for name in ["pre", "post"] {
        let creates = world.journal().all().verb(kubewright_middleware::Verb::Create);
        let of = creates.filter(|record| record.body.as_ref().is_some_and(|body| body["metadata"]["name"] == name));
        assert_eq!(of.iter().count(), 1, "{name} ran once");
    }
}

// DEL-5
#[tokio::test]
async fn an_annotation_leaves_deletion_stages_out() {
    let Scene { world, kinds, pre, post } = installed().await;
    let demo = component(&kinds, &pre, &post);
    let skip = json!({ "metadata": { "annotations": { format!("{OPERATOR}/skip-deletion-hooks"): "true" } } });
    world.patch(&demo, skip).await;
    world.until_ready("demo").await;
    world.delete(&demo).await;
    world.until_gone(&demo).await;
    assert!(world.get(&config_map("one", "")).await.is_none());
    world.journal().all().writes().of(pre["apiVersion"].as_str().unwrap().split('/').next().unwrap(), "foos").exactly(0).unwrap();
}

// DEL-5, READY-4
#[tokio::test]
async fn a_failed_deletion_stage_is_named_and_holds_back_the_deletion() {
    let Scene { world, kinds, pre, post } = installed().await;
    let demo = component(&kinds, &pre, &post);
    world.delete(&demo).await;
    world.until_present(&pre).await;
    let failed = json!({ "observedGeneration": 1, "conditions": [{ "type": "Stalled", "status": "True", "message": "licence is in use" }] });
    world.patch_status(&pre, failed).await;
    let stuck = world.until_state("demo", "Error", "DependentFailed").await;
    assert!(crate::world::message_of(&stuck).contains("licence is in use"));
    assert!(world.get(&config_map("one", "")).await.is_some());
    let skip = json!({ "metadata": { "annotations": { format!("{OPERATOR}/skip-deletion-hooks"): "true" } } });
    world.patch(&demo, skip).await;
    world.until_gone(&demo).await;
    assert!(world.get(&pre).await.is_none());
}

// DEL-6
#[tokio::test]
async fn an_object_may_belong_to_the_ordinary_set_and_to_a_stage() {
    let world = World::start().await;
    let both = |value: &str, stage: &str| {
        if stage.is_empty() { config_map("both", value) } else { annotated(config_map("both", value), "lifecycle", stage) }
    };
    let demo = crate::types::bundle("demo", &[both("install", ""), both("remove", "pre-delete"), config_map("one", "a")]);
    world.set(&demo).await;
    world.until_ready("demo").await;
    assert_eq!(world.get(&both("", "")).await.unwrap()["data"]["value"], "install");
    let mark = world.journal().mark();
    world.delete(&demo).await;
    world.until_gone(&demo).await;
    assert!(world.get(&both("", "")).await.is_none());
    let updates = world.journal().since(mark).verb(kubewright_middleware::Verb::Update).of("", "configmaps").named("both");
    assert_eq!(
        updates.iter().filter(|record| record.body.as_ref().is_some_and(|body| body["data"]["value"] == "remove")).count(),
        1
    );
}
