//! Branches that run in parallel.

use k8s_openapi::api::core::v1::ConfigMap;
use kube::Api;
use kube::api::PostParams;
use kubewright::prelude::*;

use crate::reconcile::widget::{Script, Widget, Widgets};
use crate::reconcile::world::World;

async fn branch(cx: &Context<Widget>, name: &str) -> Flow {
    let child = json!({ "apiVersion": "v1", "kind": "ConfigMap", "metadata": { "name": name } });
    let children = Api::<ConfigMap>::namespaced(cx.client().clone(), cx.key().namespace());
    if children.get_opt(name).await?.is_none() {
        children.create(&PostParams::default(), &serde_json::from_value(child)?).await?;
    }
    Ok(())
}

// JOIN-08, BR-1, BR-5
#[tokio::test]
async fn a_branch_that_fails_stops_no_other_one() {
    let script = Script::default().reconcile(|cx, _, status| {
        status.conditions.mark_true("Sized");
        Box::pin(async move {
            // The name of the first branch is invalid.
            join_all(2, ["Not_A_Name", "second", "third"].into_iter().map(|name| (name, branch(cx, name)))).await?;
            Ok(())
        })
    });
    let operator = Widgets::operator_with(&script, |controller| controller);
    let world = World::start_operator(script, operator).await;
    world.create("demo", 1).await;
    for child in ["second", "third"] {
        world.cluster.expect::<ConfigMap>(child).matching("being there", |_| true).await;
    }
    let widget = world.condition("demo", "Ready", "False", "Invalid").await;
    let conditions = widget["status"]["conditions"].as_array().unwrap();
    let ready = conditions.iter().find(|condition| condition["type"] == "Ready").unwrap();
    assert!(ready["message"].as_str().unwrap().starts_with("Not_A_Name: "), "{ready:#}");
    world.stop().await;
}
