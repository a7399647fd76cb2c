//! Changes of a single annotation.

use k8s_openapi::api::core::v1::ConfigMap;
use kubewright::machinery::object::{AnnotationChange, ObjectExt as _};
use kubewright::prelude::*;

use super::world::{Log, requests};
use crate::reconcile::widget::{Script, Widgets};
use crate::reconcile::world::World;

// FMETA-03
#[tokio::test]
async fn an_annotation_is_patched_only_if_it_differs_and_other_annotations_stay() {
    let log = Log::default();
    let noted = log.clone();
    let script = Script::default().reconcile(move |cx, widget, status| {
        let log = noted.clone();
        Box::pin(async move {
            let Some(object): Option<ConfigMap> =
                kube::Api::namespaced(cx.client().clone(), cx.key().namespace()).get_opt(cx.key().name()).await?
            else {
                return Blocked::new("Absent", "there is no object").into();
            };
            let change = match widget.spec.size {
                1 => AnnotationChange::Set("v"),
                2 => AnnotationChange::Overwrite("v"),
                _ => AnnotationChange::Delete,
            };
            let outcome = cx.annotate(&object, "k", change).await;
            log.note(&outcome);
            status.size = Some(widget.spec.size);
            status.conditions.mark_true("Sized");
            outcome.map(drop).or_blocked("AnnotationExists")
        })
    });
    let operator = Widgets::operator_with(&script, Controller::creates::<ConfigMap>);
    let world = World::start_operator(script, operator).await;
    let namespace = world.cluster.namespace().to_owned();
    for (name, annotations, size, expected, sent) in [
        ("absent-set", json!({ "a": "b" }), 1, "true", 1),
        ("same-set", json!({ "a": "b", "k": "v" }), 1, "false", 0),
        ("other-set", json!({ "a": "b", "k": "w" }), 1, "", 0),
        ("other-overwrite", json!({ "a": "b", "k": "w" }), 2, "true", 1),
        ("present-delete", json!({ "a": "b", "k": "w" }), 3, "true", 1),
        ("absent-delete", json!({ "a": "b" }), 3, "false", 0),
    ] {
        let object = json!({ "apiVersion": "v1", "kind": "ConfigMap", "metadata": { "name": name, "annotations": annotations } });
        world.cluster.apply(object).await;
        world.create(name, size).await;
        super::world::told(&world, name, size).await;
        let patches = requests(&world, "configmaps")
            .into_iter()
            .filter(|request| request.contains(" patch ") && request.contains(&format!("{namespace}/{name}")))
            .count();
        assert_eq!(patches, sent, "{name}");
        if !expected.is_empty() {
            assert!(log.all().contains(&expected.to_owned()), "{name}: {:?}", log.all());
        }
        let live = world.cluster.get::<ConfigMap>(name).await.unwrap();
        let value = match size {
            3 => None,
            1 if name == "other-set" => Some("w"),
            _ => Some("v"),
        };
        assert_eq!((live.annotation("k"), live.annotation("a")), (value, Some("b")), "{name}");
    }
    let widget = world.condition("other-set", "Stalled", "True", "AnnotationExists").await;
    let text = widget["status"]["conditions"].to_string();
    assert!(text.contains("annotation already exists with other value"), "{text}");
    world.stop().await;
}
