//! Names of resources.

use kubewright::machinery::object::GroupVersionKind;
use kubewright::prelude::*;
use kubewright::runtime::leadership::Leadership;
use kubewright_testing::TestCluster;

/// A kind whose plural no rule tells.
#[derive(CustomResource, Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[kube(group = "test.kubewright.dev", version = "v1", kind = "Ox", plural = "oxen", namespaced, status = "OxStatus")]
struct OxSpec {
    pulls: u32,
}

#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
struct OxStatus {
    pulled: Option<u32>,
}

struct Oxen;

#[reconciler(kind = Ox)]
impl Oxen {
    #[inject]
    fn new() -> Self {
        Self
    }

    async fn reconcile(&self, _: &Context<Ox>, object: &Ox, status: &mut OxStatus) -> Flow {
        status.pulled = Some(object.spec.pulls);
        Ok(())
    }

    async fn finalize(&self, _: &Context<Ox>, _: &Ox) -> Flow {
        Ok(())
    }
}

// HLP-3
#[tokio::test]
async fn the_plural_is_that_of_the_type_or_of_discovery() {
    let cluster = TestCluster::start().await;
    let operator = Operator::new("oxen.test.kubewright.dev").leadership(Leadership::off()).controller(Oxen::new);
    let operator = Operator::from(operator);
    let mut resources: Vec<String> = operator.declarations().rules().iter().map(|rule| rule.resource.clone()).collect();
    resources.sort();
    assert_eq!(resources, ["events", "oxen", "oxen/status"]);
    let operator = cluster.run(operator).await;
    cluster
        .apply(json!({"apiVersion": "test.kubewright.dev/v1", "kind": "Ox", "metadata": {"name": "a"}, "spec": {"pulls": 3}}))
        .await;
    cluster.expect::<Ox>("a").matching("it pulled", |ox| ox["status"]["pulled"] == 3).await;
    let writes: Vec<String> =
        cluster.journal().all().of("test.kubewright.dev", "oxen").writes().iter().map(ToString::to_string).collect();
    assert_eq!(writes.len(), 2, "finalizer and status: {writes:?}");
    let connection = cluster.connect(cluster.tasks()).await;
    let found = connection.discovery().resolve_gvk(&GroupVersionKind::new("test.kubewright.dev", "v1", "Ox")).await.unwrap();
    assert_eq!(found.unwrap().plural, "oxen");
    cluster.delete::<Ox>("a").await;
    cluster.expect::<Ox>("a").to_be_gone().await;
    operator.stop().await;
    cluster.stop().await;
}
