//! The content of a status after a pass.

use kubewright::prelude::*;
use kubewright_middleware::Verb;

use super::widget::{Script, Widget, Widgets};
use super::world::World;

// STAT-09, SW-7, SW-8
#[tokio::test]
async fn the_seen_generation_advances_with_each_pass_and_the_applied_one_with_success() {
    let script = Script::default().reconcile(|_, widget, status| {
        status.size = Some(widget.spec.size);
        status.conditions.mark_true("Sized");
        let size = widget.spec.size;
        Box::pin(async move {
            match size {
                2 => Failure::terminal("Lost", "it is lost").into(),
                3 => Wait::for_event("Electing").into(),
                4 => Err(Halt::Done),
                _ => Ok(()),
            }
        })
    });
    let world = World::start(script).await;
    world.create("demo", 1).await;
    for (size, applied) in [(1, 1), (2, 1), (3, 1), (4, 4), (5, 5)] {
        world.cluster.patch::<Widget>("demo", json!({"spec": {"size": size}})).await;
        let seen = |widget: &Value| {
            let status = &widget["status"];
            status["size"] == size && status["observedGeneration"] == widget["metadata"]["generation"]
        };
        let widget = world.cluster.expect::<Widget>("demo").matching("the generation is seen", seen).await;
        assert_eq!(widget["status"]["observedGeneration"], size, "{widget:#}");
        assert_eq!(widget["status"]["appliedGeneration"], applied, "size {size}: {widget:#}");
    }
    world.stop().await;
}

// STAT-08, SW-9: the operator's mask and the default masks, in conditions, events, and on the page of the admin server
#[tokio::test]
async fn confidential_text_is_masked_by_the_redactor_of_the_operator() {
    let script = Script::default().reconcile(|_, _, status| {
        status.conditions.mark_true_with("Sized", "Sized", "by shop-token-7f3 of Bearer canary");
        Box::pin(async {
            Failure::after(Delay::minutes::<5>(), "refused shop-token-7f3 and Bearer canary").reason("Refused").into()
        })
    });
    let mask = |text: &str| text.contains("shop-token-7f3").then(|| text.replace("shop-token-7f3", "(token)"));
    let operator = Widgets::operator(&script).redactor(Redactor::default().masking(mask));
    let world = World::start_operator(script, operator).await;
    world.create("demo", 1).await;
    let widget = world.condition("demo", "Ready", "False", "Refused").await;
    world.until_told("demo", "Warning Refused").await;
    let events = world.events("demo").await;
    let text = format!("{widget} {events:?} {}", world.why_page("demo"));
    assert!(!text.contains("shop-token-7f3") && !text.contains("canary"), "{text}");
    assert!(widget["status"].to_string().contains("refused (token) and Bearer ***"), "{widget:#}");
    assert!(widget["status"].to_string().contains("by (token) of Bearer ***"), "{widget:#}");
    assert!(events.iter().any(|event| event.contains("refused (token) and Bearer ***")), "{events:?}");
    world.stop().await;
}

// STAT-04, STAT-11, SW-4, SW-5: an object that is gone gets no status, and that hides no failure
#[tokio::test]
async fn a_status_of_an_object_that_is_gone_is_no_failure_and_hides_none() {
    let client: std::sync::Arc<parking_lot::Mutex<Option<kube::Client>>> = std::sync::Arc::default();
    let shared = std::sync::Arc::clone(&client);
    let script = Script::default().reconcile(move |cx, widget, status| {
        let client = shared.lock().clone();
        Box::pin(async move {
            if let Some(client) = client {
                let api = kube::Api::<Widget>::namespaced(client, cx.key().namespace());
                api.delete(cx.key().name(), &kube::api::DeleteParams::default()).await?;
                // The event of the deletion arrives before the status is written.
                cx.cluster().clock().sleep(std::time::Duration::from_secs(1)).await;
            }
            status.size = Some(widget.spec.size);
            status.conditions.mark_true("Sized");
            if widget.spec.size == 2 { Failure::terminal("Lost", "it is lost").into() } else { Ok(()) }
        })
    });
    let operator = Widgets::operator_with(&script, |controller| controller);
    let world = World::start_operator(script, operator).await;
    *client.lock() = Some(world.cluster.client().clone());
    let count = |result: &str| {
        world.metric("kubewright_reconcile_total", &[("controller", "widget"), ("result", result)]).unwrap_or_default()
    };
    world.create("demo", 1).await;
    world.until("the pass counts as done", || count("done") >= 1.0).await;
    assert!(count("error") < 1.0, "{:#?}", world.why("demo"));
    world.create("other", 2).await;
    world.until("the failure counts", || count("terminal") >= 1.0).await;
    // The store shows that they are gone.
    let reads = world.cluster.journal().all().of("test.kubewright.dev", "widgets").verb(Verb::Get);
    assert_eq!(reads.iter().map(ToString::to_string).collect::<Vec<_>>(), Vec::<String>::new());
    world.stop().await;
}
