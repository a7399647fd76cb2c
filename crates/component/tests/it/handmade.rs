//! A component type without the derive.

use kubewright::component::{Parameters, ReferenceRules, References, Resolved};
use kubewright::prelude::*;

use crate::types::config_map;
use crate::world::World;

/// Copies a ConfigMap.
#[derive(CustomResource, Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[kube(group = "test.kubewright.dev", version = "v1", kind = "Handmade", namespaced, status = "ComponentStatus")]
pub(crate) struct HandmadeSpec {
    from: ConfigMapRef,
}

impl Component for Handmade {
    fn settings(&self) -> Settings {
        Settings::default()
    }

    fn references(&self) -> References {
        let mut references = References::default();
        references.field(Some("from"), ReferenceRules::default(), &self.spec.from);
        references
    }

    fn parameters(&self, references: &Resolved) -> Parameters {
        let data = references.config_map(&self.spec.from).into_iter().flatten();
        data.map(|(key, value)| (key.clone(), json!(value))).collect()
    }
}

async fn copy(cx: &RenderContext<Handmade>) -> Result<Vec<Manifest>, RenderError> {
    let map = json!({ "apiVersion": "v1", "kind": "ConfigMap", "metadata": { "name": "copy" }, "data": cx.parameters() });
    Ok(vec![Manifest::from_json(map)?])
}

// COM-3, COM-1
#[tokio::test]
async fn rendering_parameters_hold_the_data_of_referenced_config_maps() {
    let mut world = World::new().await;
    world.run_other(Operator::new("handmade-operator.test.kubewright.dev").component::<Handmade>(copy)).await;
    world.create(&config_map("source", "a")).await;
    let component = json!({
        "apiVersion": "test.kubewright.dev/v1", "kind": "Handmade", "metadata": { "name": "demo" },
        "spec": { "from": { "name": "source" } },
    });
    world.create(&component).await;
    world.until_object(&component, "ready", |component| component["status"]["state"] == "Ready").await;
    assert_eq!(world.get(&config_map("copy", "")).await.unwrap()["data"], json!({ "value": "a" }));
    world.patch(&config_map("source", ""), json!({ "data": { "value": "b" } })).await;
    world.until_object(&config_map("copy", ""), "copied again", |map| map["data"]["value"] == "b").await;
    world.delete(&component).await;
    world.until_gone(&component).await;
    assert!(world.get(&config_map("copy", "")).await.is_none());
}
