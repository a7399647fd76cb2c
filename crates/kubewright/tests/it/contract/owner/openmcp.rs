//! An owner and its components in the format of the openmcp mcp-operator.

use k8s_openapi::api::core::v1::Namespace;
use kubewright::contract::{
    Architecture, ArchitectureVersion, ComponentType, Components, Contract, ContractComponent, ContractExt as _, ContractMember,
    ContractStatus, Format, NoInternal, NoPart, OpenmcpForm, OwnerStatus,
};
use kubewright::core::finalizer::InvalidFinalizerName;
use kubewright::machinery::object::ObjectExt as _;
use kubewright::prelude::*;
use kubewright_testing::TestCluster;

use super::world::{condition, conditions};

type LandscapeStatus = OwnerStatus<NoPart, OpenmcpForm>;

#[derive(CustomResource, Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[kube(group = "core.openmcp.cloud", version = "v1", kind = "Landscape", namespaced, status = "LandscapeStatus")]
struct LandscapeSpec {
    #[serde(default)]
    size: i64,
}

type OpenmcpStatus = ContractStatus<NoPart, NoPart, OpenmcpForm>;

#[derive(CustomResource, Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[kube(group = "core.openmcp.cloud", version = "v1", kind = "Garden", namespaced, status = "OpenmcpStatus")]
struct GardenSpec {
    #[serde(default)]
    size: i64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    former: Option<String>,
}

#[derive(CustomResource, Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[kube(group = "core.openmcp.cloud", version = "v1", kind = "Pond", namespaced, status = "OpenmcpStatus")]
struct PondSpec {}

struct Landscapes;

impl Contract for Landscapes {
    type Owner = Landscape;
    type Internal = NoInternal;
    type Form = OpenmcpForm;

    fn format() -> Result<Format, InvalidFinalizerName> {
        Ok(Format::openmcp())
    }

    fn components(components: &mut Components<Self>) {
        components.add::<Garden>().add::<Pond>();
    }

    fn architecture(component: ComponentType, _: Option<&NoInternal>) -> Architecture {
        let is_pond = component == Pond::TYPE;
        let version = if is_pond { ArchitectureVersion::V2 } else { ArchitectureVersion::V1 };
        Architecture { version, may_be_overridden: !is_pond }
    }
}

macro_rules! component {
    ($kind:ident, $spec:ident, $owner:ident => $convert:expr) => {
        impl ContractMember for $kind {
            type Contract = Landscapes;
            type Edges = ();

            const TYPE: ComponentType = ComponentType::new(stringify!($kind));
        }

        impl ContractComponent for $kind {
            type Spec = $spec;
            type External = NoPart;
            type Private = NoPart;

            fn configured(_: &Landscape) -> bool {
                true
            }

            fn convert($owner: &Landscape, _: Option<&NoInternal>) -> Result<$spec, Failure> {
                Ok($convert)
            }

            fn publish(_: NoPart, _: &mut NoPart) {}
        }
    };
}

component!(Garden, GardenSpec, owner => GardenSpec { size: owner.spec.size, former: None });
component!(Pond, PondSpec, _owner => PondSpec {});

async fn start() -> TestCluster {
    let cluster = TestCluster::start().await;
    let labels = json!({"core.openmcp.cloud/project": "demo", "core.openmcp.cloud/workspace": "dev"});
    cluster.patch::<Namespace>(cluster.namespace(), json!({"metadata": {"labels": labels}})).await;
    cluster
}

fn landscape(cluster: &TestCluster, name: &str) -> Value {
    json!({
        "apiVersion": "core.openmcp.cloud/v1", "kind": "Landscape",
        "metadata": {"name": name, "namespace": cluster.namespace()}, "spec": {"size": 1},
    })
}

fn operator() -> Operator {
    Operator::new("mcp-operator.openmcp.cloud").contract_owner::<Landscapes>().into()
}

/// Returns the status of a component as its controller writes it.
fn works(type_: &str) -> Value {
    let condition = |type_: String| json!({"type": type_, "status": "True", "reason": "Works", "message": "fine", "lastTransitionTime": "2026-01-01T00:00:00Z"});
    json!({"conditions": [condition(format!("{type_}Healthy")), condition(format!("{type_}Reconciliation")), condition("hidden".to_owned())]})
}

// PROV-02, PRE-1, 13.13, PAR-12
#[tokio::test]
async fn an_owner_and_its_components_have_the_labels_finalizers_and_status_of_the_preset() {
    let cluster = start().await;
    let operator = cluster.run(operator()).await;
    cluster.create(landscape(&cluster, "mcp")).await.unwrap();
    let waits = cluster.expect::<Landscape>("mcp").matching("its status", |owner| owner["status"]["status"] == "Not Ready").await;
    assert_eq!(conditions(&waits), ["Garden/Garden Unknown", "Pond/Pond Unknown", "/MCPSuccessful False"]);
    assert_eq!(waits["status"].get("message"), None);
    let heading = "The following components could not be reconciled successfully:\n\tGarden: [NotReconciledYet]";
    assert!(condition(&waits, "MCPSuccessful")["message"].as_str().unwrap().starts_with(heading));
    assert_eq!(waits["metadata"]["finalizers"], json!(["finalizer.landscape.openmcp.cloud"]));
    assert_eq!(waits["metadata"]["labels"], json!({"openmcp.cloud/mcp-project": "demo", "openmcp.cloud/mcp-workspace": "dev"}));
    let labels = |version: &str| {
        json!({
            "openmcp.cloud/mcp-name": "mcp", "openmcp.cloud/mcp-namespace": cluster.namespace(),
            "openmcp.cloud/mcp-project": "demo", "openmcp.cloud/mcp-workspace": "dev", "openmcp.cloud/mcp-generation": "1",
            "architecture.openmcp.cloud/version": version,
        })
    };
    assert_eq!(cluster.get::<Garden>("mcp").await.unwrap()["metadata"]["labels"], labels("v1"));
    assert_eq!(cluster.get::<Pond>("mcp").await.unwrap()["metadata"]["labels"], labels("v2"));
    cluster.patch_status::<Garden>("mcp", works("Garden")).await;
    cluster.patch_status::<Pond>("mcp", works("Pond")).await;
    let ready = cluster.expect::<Landscape>("mcp").matching("success", |owner| owner["status"]["status"] == "Ready").await;
    assert_eq!(conditions(&ready), ["Garden/GardenHealthy True", "Pond/PondHealthy True", "/MCPSuccessful True"]);
    assert_eq!(condition(&ready, "MCPSuccessful")["message"], "Garden: fine\nPond: fine");
    assert_eq!((&ready["status"]["observedGeneration"], ready["status"].get("appliedGeneration")), (&json!(1), None));
    cluster.delete::<Landscape>("mcp").await;
    cluster.expect::<Landscape>("mcp").to_be_gone().await;
    operator.stop().await;
}

// 13.13
#[tokio::test]
async fn an_owner_chooses_the_architecture_where_it_may_and_is_blocked_where_it_may_not() {
    let cluster = start().await;
    let operator = cluster.run(operator()).await;
    let mut owner = landscape(&cluster, "mcp");
    owner["metadata"]["labels"] =
        json!({"garden.architecture.openmcp.cloud/version": "v2", "pond.architecture.openmcp.cloud/version": "v1"});
    cluster.create(owner).await.unwrap();
    let message = "Pond: label pond.architecture.openmcp.cloud/version has the value \"v1\"; allowed: v2";
    cluster.expect::<Landscape>("mcp").matching("the refusal", |owner| owner["status"]["message"] == message).await;
    let garden = cluster.get::<Garden>("mcp").await.unwrap();
    assert_eq!(garden.label("architecture.openmcp.cloud/version"), Some("v2"));
    assert_eq!(cluster.get::<Pond>("mcp").await, None);
    let long = "m".repeat(37);
    cluster.create(landscape(&cluster, &long)).await.unwrap();
    let text = "the name has 37 characters; at most 36 are allowed, since components have it as a label";
    cluster.expect::<Landscape>(&long).matching("the refusal", |owner| owner["status"]["message"] == text).await;
    operator.stop().await;
}

// OL-1, PAR-06
#[tokio::test]
async fn components_of_a_former_operator_are_taken_over_with_the_fields_that_it_wrote() {
    let cluster = start().await;
    // This installs the definitions.
    cluster.run(operator()).await.stop().await;
    let owner = cluster.create(landscape(&cluster, "mcp")).await.unwrap();
    let garden = json!({
        "apiVersion": "core.openmcp.cloud/v1", "kind": "Garden",
        "metadata": {
            "name": "mcp", "namespace": cluster.namespace(),
            "labels": {
                "openmcp.cloud/mcp-name": "mcp", "openmcp.cloud/mcp-namespace": cluster.namespace(), "openmcp.cloud/mcp-generation": "1",
                "architecture.openmcp.cloud/version": "v2", "team": "a",
            },
            "ownerReferences": [{
                "apiVersion": "core.openmcp.cloud/v1", "kind": "Landscape", "name": "mcp", "uid": owner.uid(), "controller": true,
                "blockOwnerDeletion": true,
            }],
        },
        "spec": {"size": 1, "former": "left over"},
    });
    let before = cluster.create(garden).await.unwrap();
    let mark = cluster.journal().mark();
    let operator = cluster.run(operator()).await;
    let taken = cluster.expect::<Garden>("mcp").matching("the conversion", |garden| garden["spec"] == json!({"size": 1})).await;
    assert_eq!((taken.uid(), taken.label("team")), (before.uid(), Some("a")));
    assert_eq!(taken.label("architecture.openmcp.cloud/version"), Some("v2"));
    cluster.expect::<Landscape>("mcp").matching("its status", |owner| owner["status"]["status"] == "Not Ready").await;
    cluster.journal().since(mark).of("core.openmcp.cloud", "gardens").writes().exactly(1).unwrap();
    operator.stop().await;
}
