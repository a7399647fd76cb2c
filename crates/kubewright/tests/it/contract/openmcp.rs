//! Components in the format of the openmcp mcp-operator.

use kubewright::contract::{
    ApplyContext, CleanupContext, ComponentController, ComponentType, Components, Contract, ContractComponent, ContractExt as _,
    ContractMember, ContractStatus, DeclaredCondition, Format, Maybe, NoInternal, NoPart, OpenmcpForm, Ready,
};
use kubewright::core::condition::{ConditionPolarity, ConditionStatus, ConditionVisibility};
use kubewright::core::finalizer::InvalidFinalizerName;
use kubewright::prelude::*;
use kubewright_testing::TestCluster;

use super::platform::{Platform, PlatformPublished};
use super::world::told_by;

type GatewayStatus = ContractStatus<NoPart, NoPart, OpenmcpForm>;

#[derive(CustomResource, Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[kube(group = "core.openmcp.cloud", version = "v1", kind = "Gateway", namespaced, status = "GatewayStatus")]
struct GatewaySpec {}

struct Mcp;

impl Contract for Mcp {
    type Owner = Platform;
    type Internal = NoInternal;
    type Form = OpenmcpForm;

    fn format() -> Result<Format, InvalidFinalizerName> {
        Ok(Format::openmcp())
    }

    fn components(components: &mut Components<Self>) {
        components.add::<Gateway>();
    }
}

impl ContractMember for Gateway {
    type Contract = Mcp;
    type Edges = ();

    const TYPE: ComponentType = ComponentType::new("Gateway");
}

impl ContractComponent for Gateway {
    type Spec = GatewaySpec;
    type External = NoPart;
    type Private = NoPart;

    const CONDITIONS: &'static [DeclaredCondition] = &[DeclaredCondition {
        type_: "GatewayRouted",
        visibility: ConditionVisibility::Internal,
        polarity: ConditionPolarity::Normal,
    }];

    fn configured(_: &Platform) -> bool {
        true
    }

    fn convert(_: &Platform, _: Option<&NoInternal>) -> Result<GatewaySpec, Failure> {
        Ok(GatewaySpec::default())
    }

    fn publish(_: NoPart, _: &mut PlatformPublished) {}
}

struct Gateways;

impl ComponentController for Gateways {
    type Component = Gateway;

    async fn apply(&self, cx: &ApplyContext<Gateway>, _: Ready<Gateway>) -> Flow {
        cx.healthy();
        cx.condition("GatewayRouted", ConditionStatus::True, "Routed", "");
        Ok(())
    }

    async fn cleanup(&self, _: &CleanupContext<Gateway>, _: Maybe<Gateway>) -> Flow {
        Ok(())
    }
}

// PROV-02, PRE-1, FZ-8
#[tokio::test]
async fn a_component_has_the_finalizers_status_and_conditions_of_the_preset() {
    let cluster = TestCluster::start().await;
    let operator = cluster.run(Operator::new("mcp-operator.openmcp.cloud").component_controller(|| Gateways)).await;
    for (name, found, held) in [
        ("new", json!([]), json!(["gateway.openmcp.cloud"])),
        ("former", json!(["openmcp.cloud.gateway"]), json!(["openmcp.cloud.gateway"])),
    ] {
        let gateway = json!({
            "apiVersion": "core.openmcp.cloud/v1", "kind": "Gateway",
            "metadata": {
                "name": name, "namespace": cluster.namespace(), "finalizers": found,
                "labels": { "openmcp.cloud/mcp-generation": "3", "openmcp.cloud/ic-generation": "2" },
            },
            "spec": {},
        });
        cluster.create(gateway).await.unwrap();
        let told = cluster.expect::<Gateway>(name).condition("GatewayHealthy", "True", "GatewayHealthy_True").await;
        assert_eq!(told["metadata"]["finalizers"], held);
        let seen = json!({"resource": 1, "managedControlPlane": 3, "internalConfiguration": 2});
        assert_eq!(told["status"]["observedGenerations"], seen);
        assert_eq!(told["status"].get("appliedGenerations"), None);
        let types: Vec<&str> =
            told["status"]["conditions"].as_array().unwrap().iter().filter_map(|one| one["type"].as_str()).collect();
        assert_eq!(types, ["GatewayHealthy", "GatewayReconciliation", "gatewayRouted"]);
        assert_eq!(told_by(&told, "gatewayRouted"), Some(("True".to_owned(), "Routed".to_owned())));
        cluster.delete::<Gateway>(name).await;
        cluster.expect::<Gateway>(name).to_be_gone().await;
    }
    operator.stop().await;
}
