//! The writes of a pass, and their order.

use std::time::Duration;

use k8s_openapi::api::core::v1::ConfigMap;
use kube::api::{Api, Patch, PatchParams};
use kubewright::prelude::*;

use super::widget::{FINALIZER, Script, Widget, Widgets};
use super::world::World;

// STAT-06, SW-2
#[tokio::test]
async fn fields_of_a_status_are_set_to_zero_emptied_and_removed() {
    let script = Script::default().reconcile(|_, widget, status| {
        Box::pin(async move {
            (status.size, status.note) = match widget.spec.size {
                1 => (Some(7), Some("text".to_owned())),
                2 => (Some(0), Some(String::new())),
                _ => (None, None),
            };
            status.conditions.mark_true("Sized");
            Ok(())
        })
    });
    let operator = Widgets::operator_with(&script, |controller| controller);
    let world = World::start_operator(script, operator).await;
    world.create("demo", 1).await;
    for (size, note, shown) in [(1, json!("text"), json!(7)), (2, json!(""), json!(0)), (3, Value::Null, Value::Null)] {
        world.cluster.patch::<Widget>("demo", json!({"spec": {"size": size}})).await;
        let is_shown = move |widget: &Value| widget["status"]["size"] == shown && widget["status"]["note"] == note;
        let widget = world.cluster.expect::<Widget>("demo").matching("the fields of this size", is_shown).await;
        let status = widget["status"].as_object().unwrap();
        assert_eq!(status.contains_key("size"), size < 3, "{status:?}");
    }
    world.stop().await;
}

// STAT-07, SW-3, RTY-22, ACT-3
#[tokio::test]
async fn a_change_of_the_spec_during_the_pass_loses_no_status_and_causes_one_more_pass() {
    let script = Script::default().reconcile(|cx, widget, status| {
        Box::pin(async move {
            if widget.spec.size == 1 {
                cx.clock().sleep(Duration::from_secs(2)).await;
                status.note = Some("of the first pass".to_owned());
            }
            status.size = Some(widget.spec.size);
            status.conditions.mark_true("Sized");
            Ok(())
        })
    });
    let operator = Widgets::operator_with(&script, |controller| controller);
    let world = World::start_operator(script, operator).await;
    world.create("demo", 1).await;
    world.until("the pass runs", || world.script.count("reconcile") == 1).await;
    world.cluster.patch::<Widget>("demo", json!({"spec": {"size": 2}})).await;
    world.cluster.patch::<Widget>("demo", json!({"metadata": {"labels": {"another": "change"}}})).await;
    let widget = world.cluster.expect::<Widget>("demo").matching("the new size", |widget| widget["status"]["size"] == 2).await;
    assert_eq!(widget["status"]["note"], "of the first pass");
    assert_eq!((&widget["spec"]["size"], &widget["status"]["observedGeneration"]), (&json!(2), &json!(2)));
    world.idle(Duration::from_secs(60)).await;
    assert_eq!(world.script.count("reconcile"), 2);
    assert!(world.writes().iter().all(|write| write.contains("status")), "{:?}", world.writes());
    world.stop().await;
}

// STAT-08, SW-9
#[tokio::test]
async fn credentials_in_an_error_are_in_no_condition_and_no_event() {
    let script = Script::default().reconcile(|_, _, status| {
        Box::pin(async move {
            status.conditions.mark_true("Sized");
            Failure::terminal("Refused", "https://admin:hunter2@registry refused Bearer abc.def.ghi").into()
        })
    });
    let operator = Widgets::operator_with(&script, |controller| controller);
    let world = World::start_operator(script, operator).await;
    world.create("demo", 1).await;
    let widget = world.condition("demo", "Ready", "False", "Refused").await;
    let told = format!("{widget} {:?}", world.until_event("demo").await);
    assert!(told.contains("registry refused"), "{told}");
    for secret in ["hunter2", "abc.def.ghi"] {
        assert!(!told.contains(secret), "{told}");
    }
    world.stop().await;
}

// STAT-12, ACT-5, ACT-16, SW-1, FZ-3
#[tokio::test]
async fn a_pass_writes_the_finalizer_then_children_then_one_status_and_then_the_event() {
    let script = Script::default().reconcile(|cx, widget, status| {
        Box::pin(async move {
            let maps = Api::<ConfigMap>::namespaced(cx.client().clone(), cx.key().namespace());
            let map = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "child"}});
            maps.patch("child", &PatchParams::apply("widgets").force(), &Patch::Apply(map)).await?;
            status.size = Some(widget.spec.size);
            status.conditions.mark_true("Sized");
            Wait::for_event("Event").into()
        })
    });
    let world = World::start(script).await;
    world.create("demo", 1).await;
    let widget = world.condition("demo", "Ready", "False", "Event").await;
    world.until_told("demo", "Normal Event").await;
    let writes: Vec<String> = world.cluster.journal().all().writes().iter().map(ToString::to_string).collect();
    let place =
        |part: &str| writes.iter().rposition(|write| write.contains(part)).unwrap_or_else(|| panic!("{part}: {writes:#?}"));
    let (own, status) = ("widgets.test.kubewright.dev ", "widgets.test.kubewright.dev/status ");
    let order = [place(own), place(" configmaps "), place(status), place(" events")];
    assert!(order.is_sorted(), "{order:?}: {writes:#?}");
    assert_eq!(writes.iter().filter(|write| write.contains(status)).count(), 1, "{writes:#?}");
    assert_eq!(widget["metadata"]["finalizers"], json!([FINALIZER]));
    let conditions = widget["status"]["conditions"].as_array().unwrap();
    assert!(conditions.iter().all(|condition| condition["observedGeneration"] == widget["metadata"]["generation"]), "{widget:#}");
    world.stop().await;
}

// FIN-08, FZ-3, FZ-11
#[tokio::test]
async fn an_apply_of_the_object_itself_does_not_strip_its_finalizer() {
    let script = Script::default().reconcile(|cx, widget, status| {
        Box::pin(async move {
            if !widget.labels().contains_key("seen") {
                let labelled =
                    json!({"apiVersion": "test.kubewright.dev/v1", "kind": "Widget", "metadata": {"labels": {"seen": "yes"}}});
                let params = PatchParams::apply("widget-operator.test.kubewright.dev").force();
                let widgets = Api::<Widget>::namespaced(cx.client().clone(), cx.key().namespace());
                widgets.patch(cx.key().name(), &params, &Patch::Apply(labelled)).await?;
            }
            status.size = Some(widget.spec.size);
            status.conditions.mark_true("Sized");
            Ok(())
        })
    });
    let world = World::start(script).await;
    world.create("demo", 1).await;
    let widget = world.condition("demo", "Ready", "True", "Reconciled").await;
    assert_eq!(widget["metadata"]["labels"]["seen"], "yes");
    assert_eq!(widget["metadata"]["finalizers"], json!([FINALIZER]));
    let managers = widget["metadata"]["managedFields"].as_array().unwrap();
    let of_finalizers: Vec<&Value> =
        managers.iter().filter(|entry| entry["fieldsV1"]["f:metadata"].get("f:finalizers").is_some()).collect();
    assert_eq!(of_finalizers.len(), 1, "{managers:#?}");
    assert_eq!(of_finalizers[0]["manager"], "widget-operator.test.kubewright.dev/self");
    world.stop().await;
}
