//! The definitions that operators print, as accepted by a server.

use kubewright::component::custom_resource_definition;
use kubewright::prelude::*;
use kubewright_testing::TestCluster;

use crate::common::Web;
use crate::documentation::Documented;
use crate::types::{Bundle, Site};

/// A type with every width of numbers, and times.
#[derive(CustomResource, Component, Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[kube(group = "test.kubewright.dev", version = "v1", kind = "Wide", namespaced, status = "WideStatus")]
#[serde(rename_all = "camelCase")]
pub(crate) struct WideSpec {
    tiny: i8,
    small: i16,
    usual: i32,
    large: i64,
    own: isize,
    tiny_count: u8,
    port: u16,
    count: u32,
    large_count: u64,
    own_count: Option<usize>,
    single: f32,
    double: f64,
    letter: char,
    ports: Vec<u16>,
    counts: std::collections::BTreeMap<String, Option<u32>>,
    network: std::net::IpAddr,
}

/// Its status, with a number of its own.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub(crate) struct WideStatus {
    #[serde(flatten)]
    component: ComponentStatus,
    replicas: Option<u32>,
}

impl EmbedsStatus for WideStatus {
    fn component_status(&self) -> &ComponentStatus {
        &self.component
    }

    fn component_status_mut(&mut self) -> &mut ComponentStatus {
        &mut self.component
    }
}

fn operator<C: Component>() -> Operator {
    Operator::new("definitions.test.kubewright.dev").component::<C>(Empty).into()
}

// COM-2
#[tokio::test]
async fn a_server_has_nothing_to_warn_about_in_the_definitions_that_operators_print() {
    let cluster = TestCluster::start().await;
    for operator in [operator::<Bundle>(), operator::<Site>(), operator::<Documented>(), operator::<Web>(), operator::<Wide>()] {
        assert_eq!(cluster.crd_warnings(&operator).await, [""; 0], "{:?}", operator.declarations().crds().next());
    }
    cluster.stop().await;
}

#[test]
fn the_bounds_of_a_number_are_those_of_its_rust_type() {
    let definition = custom_resource_definition::<Wide>().unwrap();
    let spec = &definition["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]["spec"]["properties"];
    let bounds = |field: &str| (spec[field]["minimum"].as_f64(), spec[field]["maximum"].as_f64());
    assert_eq!(bounds("port"), (Some(0.0), Some(65535.0)));
    assert_eq!(bounds("count"), (Some(0.0), Some(4_294_967_295.0)));
    assert_eq!(bounds("small"), (Some(-32768.0), Some(32767.0)));
}
