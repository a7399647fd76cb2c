use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use kubewright_apiserver::{ApiServer, Identity, Verb};
use kubewright_core::flow::{BoxError, Flow, Wait};
use kubewright_machinery::object::{GroupKind, GroupVersionKind, ObjectReference};
use kubewright_runtime::clock::{Clock, Random};
use kubewright_runtime::cluster::{ApiRequest, ApiResource, PatchKind};
use kubewright_runtime::controller::{Conclusion, PassContext, RunPass, Runner};
use kubewright_runtime::events::Event;
use kubewright_runtime::leadership::Leadership;
use kubewright_runtime::operator::{
    ConstructedPart, Declarations, Operator, OperatorContext, OperatorPhase, Registration, Rule, RunningOperator,
};
use kubewright_runtime::task::Tasks;
use kubewright_runtime::trigger::StoreTrigger;
use kubewright_runtime::watch::{ProjectedStore, WatchSpec, project_with};
use serde_json::{Value, json};

use super::{cluster, config_map, config_maps, create, server, widgets};

/// A controller that greets every config map: it writes a text into it and records an event.
struct Greeter;

struct Greeting {
    context: OperatorContext,
    store: ProjectedStore<Value>,
}

#[async_trait]
impl Registration for Greeter {
    fn name(&self) -> &'static str {
        "greeter"
    }

    fn declare(&self, declarations: &mut Declarations) {
        declarations.kind(GroupVersionKind::new("", "v1", "ConfigMap"));
        declarations.rule(Rule::new("", "configmaps", &["list", "watch", "patch"]));
    }

    async fn construct(self: Box<Self>, context: OperatorContext) -> Result<Box<dyn ConstructedPart>, BoxError> {
        let spec = WatchSpec::new(GroupKind::new("", "ConfigMap"));
        let store = context.cluster.watches().subscribe(spec, project_with(Value::clone));
        let greeting = Greeting { context: context.clone(), store: store.clone() };
        let controller = context.controller("greeter", Arc::new(greeting));
        Ok(Box::new(ConstructedGreeter { store, controller, tasks: context.tasks }))
    }
}

struct ConstructedGreeter {
    store: ProjectedStore<Value>,
    controller: Runner,
    tasks: Tasks,
}

#[async_trait]
impl ConstructedPart for ConstructedGreeter {
    async fn synced(&mut self) -> Result<(), BoxError> {
        self.store.synced().await;
        Ok(())
    }

    fn run(self: Box<Self>) -> Vec<Runner> {
        StoreTrigger::of_objects(self.store).start("greeter triggers", self.controller.enqueue(), &self.tasks);
        vec![self.controller]
    }
}

impl Greeting {
    async fn greet(&self, pass: &PassContext) -> Flow {
        let key = pass.key();
        // A controller of the server restores this config map at once, so that the two would change it for ever.
        if key.name() == "kube-root-ca.crt" {
            return Ok(());
        }
        let Some(object) = self.store.find(key.namespace(), key.name()) else {
            pass.forget();
            return Ok(());
        };
        if object.pointer("/data/text") == Some(&json!("shy")) {
            return Wait::for_event("Shy").into();
        }
        if object.pointer("/data/greeting").is_none() {
            let patch = json!({"data": {"greeting": "hello"}});
            let (namespace, name) = (key.namespace(), key.name());
            let request = ApiRequest::patch(&config_maps(), namespace, name, PatchKind::Merge, &patch);
            let written = self.context.cluster.send(&request).await?;
            self.store.record_write(&written);
            let event = Event::normal("Greeted", "said hello");
            self.context.recorder.record(&ObjectReference::of(&written), event);
        }
        Ok(())
    }
}

#[async_trait]
impl RunPass for Greeting {
    async fn run(&self, pass: &Arc<PassContext>) -> Conclusion {
        let flow = self.greet(pass).await;
        pass.end(&flow)
    }
}

fn greeter(server: &ApiServer) -> RunningOperator {
    let operator = Operator::new("greeter.example.com")
        .clock(Clock::virtual_from(super::EPOCH.parse().unwrap()))
        .random(Random::seeded(1))
        .leadership(Leadership::off())
        .register(Box::new(Greeter));
    operator.start(server.client(Identity::admin())).unwrap()
}

fn events() -> ApiResource {
    let gvk = GroupVersionKind::new("events.k8s.io", "v1", "Event");
    ApiResource::known(&gvk, "events", true)
}

async fn greeting(server: &ApiServer, name: &str) -> Value {
    let request = ApiRequest::get(&config_maps(), "default", name);
    let object = cluster(server).send(&request).await.unwrap();
    object["data"]["greeting"].clone()
}

async fn seconds(seconds: u64) {
    tokio::time::sleep(Duration::from_secs(seconds)).await;
}

#[tokio::test(start_paused = true)]
async fn an_operator_processes_existing_and_later_created_objects() {
    let server = server();
    let kubectl = cluster(&server);
    create(&kubectl, &config_map("early", "")).await;
    let running = greeter(&server);
    running.working().await.unwrap();
    create(&kubectl, &config_map("late", "")).await;
    seconds(1).await;
    assert_eq!(greeting(&server, "early").await, "hello");
    assert_eq!(greeting(&server, "late").await, "hello");
    running.stop().await.unwrap();
    assert_eq!(*running.phase().borrow(), OperatorPhase::Stopped);
}

// EMIT-1, EMIT-8
#[tokio::test(start_paused = true)]
async fn the_server_accepts_its_events() {
    let server = server();
    let kubectl = cluster(&server);
    create(&kubectl, &config_map("a", "")).await;
    let running = greeter(&server);
    running.working().await.unwrap();
    seconds(1).await;
    running.stop().await.unwrap();
    let list = ApiRequest::list(&events(), Some("default"));
    let list = kubectl.send(&list).await.unwrap();
    let items = list["items"].as_array().unwrap();
    let about_a: Vec<&Value> = items.iter().filter(|event| event["regarding"]["name"] == "a").collect();
    let [event] = about_a.as_slice() else { panic!("{list}") };
    assert_eq!(event["note"], "said hello");
    assert_eq!(event["reportingController"], "greeter.example.com");
}

#[tokio::test(start_paused = true)]
async fn an_idle_operator_sends_nothing_but_watch_renewals() {
    let server = server();
    let kubectl = cluster(&server);
    create(&kubectl, &config_map("a", "")).await;
    create(&kubectl, &config_map("b", "shy")).await;
    let running = greeter(&server);
    running.working().await.unwrap();
    seconds(30).await;
    let mark = server.journal().mark();
    seconds(600).await;
    let calls = server.journal().since(mark).filter(|call| call.target.verb() != Some(Verb::Watch));
    assert!(calls.is_empty(), "{calls:#?}");
    running.stop().await.unwrap();
}

// SHT-4
#[tokio::test(start_paused = true)]
async fn a_killed_operator_stops_at_once_and_another_takes_over() {
    let server = server();
    let kubectl = cluster(&server);
    let running = greeter(&server);
    running.working().await.unwrap();
    running.kill().await;
    create(&kubectl, &config_map("a", "")).await;
    seconds(60).await;
    assert_eq!(greeting(&server, "a").await, Value::Null);
    let again = greeter(&server);
    again.working().await.unwrap();
    seconds(1).await;
    assert_eq!(greeting(&server, "a").await, "hello");
    again.stop().await.unwrap();
}

// CHK-2
#[tokio::test(start_paused = true)]
async fn an_operator_waits_for_its_crd() {
    struct Widgets;
    #[async_trait]
    impl Registration for Widgets {
        fn name(&self) -> &'static str {
            "widgets"
        }
        fn declare(&self, declarations: &mut Declarations) {
            declarations.kind(GroupVersionKind::new("example.dev", "v1", "Widget"));
        }
        async fn construct(self: Box<Self>, _: OperatorContext) -> Result<Box<dyn ConstructedPart>, BoxError> {
            Ok(self)
        }
    }
    #[async_trait]
    impl ConstructedPart for Widgets {
        fn run(self: Box<Self>) -> Vec<Runner> {
            Vec::new()
        }
    }
    let server = server();
    let operator = Operator::new("widgets.example.com").register(Box::new(Widgets));
    let operator = operator.leadership(Leadership::off()).clock(Clock::virtual_from(super::EPOCH.parse().unwrap()));
    let running = operator.start(server.client(Identity::admin())).unwrap();
    seconds(10).await;
    assert_eq!(*running.phase().borrow(), OperatorPhase::Preflight);
    let gvk = GroupVersionKind::new("apiextensions.k8s.io", "v1", "CustomResourceDefinition");
    let crds = ApiResource::known(&gvk, "customresourcedefinitions", false);
    cluster(&server).send(&ApiRequest::create(&crds, &widgets())).await.unwrap();
    running.working().await.unwrap();
    running.stop().await.unwrap();
}
