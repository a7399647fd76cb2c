//! Fields that are absent in an object.

use kubewright::prelude::*;
use kubewright_testing::TestCluster;

#[derive(CustomResource, Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[kube(group = "test.kubewright.dev", version = "v1", kind = "Lantern", namespaced, status = "LanternStatus")]
struct LanternSpec {
    color: Option<String>,
}

#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
struct LanternStatus {
    shines: Option<String>,
    ends: Option<String>,
}

impl Defaulted for Lantern {
    fn default_fields(&mut self) {
        self.spec.color.get_or_insert_with(|| "white".to_owned());
    }
}

struct Lanterns;

#[reconciler(kind = Lantern, defaults, finalizer = "test.kubewright.dev/lantern")]
impl Lanterns {
    #[inject]
    fn new() -> Self {
        Self
    }

    async fn reconcile(&self, _: &Context<Lantern>, object: &Lantern, status: &mut LanternStatus) -> Flow {
        status.shines.clone_from(&object.spec.color);
        Ok(())
    }

    async fn finalize(&self, _: &Context<Lantern>, object: &Lantern, status: &mut LanternStatus) -> Flow {
        status.ends.clone_from(&object.spec.color);
        Wait::for_event("Cooling").into()
    }
}

// STAGE-9
#[tokio::test]
async fn the_methods_are_given_a_copy_with_defaults_that_is_not_stored() {
    let cluster = TestCluster::start().await;
    let operator = cluster.run(Operator::new("lanterns.test.kubewright.dev").controller(Lanterns::new)).await;
    let lantern = |name: &str, spec: Value| json!({"apiVersion": "test.kubewright.dev/v1", "kind": "Lantern", "metadata": {"name": name}, "spec": spec});
    cluster.apply(lantern("plain", json!({}))).await;
    cluster.apply(lantern("red", json!({"color": "red"}))).await;
    let lit = cluster.expect::<Lantern>("plain").matching("is white", |lantern| lantern["status"]["shines"] == "white").await;
    assert_eq!(lit["spec"], json!({}), "the default is not stored");
    cluster.expect::<Lantern>("red").matching("is red", |lantern| lantern["status"]["shines"] == "red").await;
    cluster.delete::<Lantern>("plain").await;
    let ends = cluster.expect::<Lantern>("plain").matching("ends white", |lantern| lantern["status"]["ends"] == "white").await;
    assert_eq!(ends["spec"], json!({}));
    operator.stop().await;
    cluster.patch::<Lantern>("plain", json!({"metadata": {"finalizers": null}})).await;
    cluster.stop().await;
}
