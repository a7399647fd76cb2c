//! A table test as written by the authors of operators; the book shows it.

use k8s_openapi::api::core::v1::ConfigMap;
use kubewright::kube::Api;
use kubewright::kube::api::{Patch as Body, PatchParams};
use kubewright::prelude::*;
use kubewright::runtime::cluster::PatchKind;
use kubewright::runtime::reconcile::{Context, Controller, NoStatus, Reconcile};
use kubewright::runtime::store::Store;
use kubewright_testing::table::{Apply, ExpectedOutcome, Patch, TableRow, TableTest};
use kubewright_testing::{Tier, object_key};

#[derive(CustomResource, Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[kube(group = "demo.example.com", version = "v1", kind = "Greeting", namespaced)]
struct GreetingSpec {
    text: String,
}

/// A reconciler that keeps a config map with the text of a greeting.
struct Greeter {
    maps: Store<ConfigMap>,
}

impl Greeter {
    fn new(maps: Store<ConfigMap>) -> Self {
        Self { maps }
    }

    fn controller() -> Controller<Self> {
        Controller::new(Self::new).crd(serde_json::to_value(<Greeting as kube::CustomResourceExt>::crd()).ok())
    }
}

impl Reconcile for Greeter {
    type Kind = Greeting;
    type Status = NoStatus;

    async fn reconcile(&self, cx: &Context<Greeting>, greeting: &Greeting, _: &mut NoStatus) -> Flow {
        let maps = Api::<ConfigMap>::namespaced(cx.client().clone(), cx.key().namespace());
        let name = cx.key().name();
        match self.maps.get(cx.key()) {
            None => {
                let map = json!({
                    "apiVersion": "v1", "kind": "ConfigMap", "metadata": { "name": name }, "data": { "text": greeting.spec.text },
                });
                maps.patch(name, &PatchParams::apply("greeter"), &Body::Apply(map)).await?;
            }
            Some(map) if map.data.as_ref().and_then(|data| data.get("text")) != Some(&greeting.spec.text) => {
                let change = json!({ "data": { "text": greeting.spec.text } });
                maps.patch(name, &PatchParams::default(), &Body::Merge(change)).await?;
            }
            Some(_) => {}
        }
        Ok(())
    }
}

fn greeting() -> Greeting {
    let mut greeting = Greeting::new("book", GreetingSpec { text: "hello".to_owned() });
    greeting.metadata.namespace = Some("ns".to_owned());
    greeting
}

fn map(text: &str) -> Value {
    json!({
        "apiVersion": "v1", "kind": "ConfigMap", "metadata": { "name": "book", "namespace": "ns" }, "data": { "text": text },
    })
}

// TTBL-1, TTBL-2, TTBL-9, INJ-6
#[tokio::test]
async fn a_table_test_of_an_operator_checks_the_writes_of_each_pass() {
    if Tier::from_env().unwrap() == Tier::Kubeconfig {
        println!("skipped: rows write into fixed namespaces");
        return;
    }
    let row = |name: &str| TableRow::new(name).key(object_key(&greeting())).given([greeting()]);
    TableTest::of_controller(Greeter::controller)
        .row(row("the map is created").expect_apply(Apply::new("greeter", map("hello"))))
        .row(row("nothing to do").given([map("hello")]))
        .row(row("another text").given([map("goodbye")]).expect_patch(
            Patch::new(PatchKind::Merge, "configmaps", "ns", "book").body_json(json!({ "data": { "text": "hello" } })),
        ))
        .row(
            row("the server refuses")
                .induce_failure("patch", "configmaps")
                .expect_apply(Apply::new("greeter", map("hello")))
                .expect_outcome(ExpectedOutcome::failed().text("inducing failure for patch configmaps"))
                .expect_events(["Warning InternalError inducing failure for patch configmaps; next try in 5ms"]),
        )
        .run()
        .await;
}
