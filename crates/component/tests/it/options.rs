//! Operators that set the options of a component type. Only the options' own types are imported from outside of the prelude.

use std::future::ready;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use k8s_openapi::api::core::v1::ConfigMap;
use kube::client::Body;
use kubewright::machinery::yaml;
use kubewright::prelude::*;
use kubewright_middleware::Verb;
use kubewright_testing::{TestCluster, TestOptions};
use parking_lot::Mutex;
use tokio::sync::Barrier;

use crate::types::{Bundle, bundle, config_map, objects};
use crate::world::{OPERATOR, World, is_unowned, message_of};

fn managers(object: &Value) -> Vec<&str> {
    let entries = object["metadata"]["managedFields"].as_array().map(Vec::as_slice).unwrap_or_default();
    let mut managers: Vec<&str> = entries.iter().filter_map(|entry| entry["manager"].as_str()).collect();
    managers.sort_unstable();
    managers.dedup();
    managers
}

// OPT-4
#[tokio::test]
async fn the_field_manager_writes_dependents_and_its_self_the_component() {
    let world = World::start_with(|builder| builder.field_manager("deployer")).await;
    let mut component = bundle("demo", &[config_map("one", "a")]);
    component["spec"]["updatePolicy"] = "SsaOverride".into();
    world.set(&component).await;
    let ready = world.until_ready("demo").await;
    assert!(managers(&ready).contains(&"deployer/self"), "{:?}", managers(&ready));
    assert_eq!(managers(&world.get(&config_map("one", "")).await.unwrap()), ["deployer"]);
}

#[tokio::test]
async fn the_finalizer_has_the_name_that_the_option_gives_it() {
    let world = World::start_with(|builder| builder.finalizer("example.com/own")).await;
    world.set(&bundle("demo", &[config_map("one", "a")])).await;
    let ready = world.until_ready("demo").await;
    assert_eq!(ready["metadata"]["finalizers"], json!(["example.com/own"]));
    world.delete(&bundle("demo", &[])).await;
    world.until_gone(&bundle("demo", &[])).await;
    assert!(world.get(&config_map("one", "")).await.is_none());
}

// COM-7
#[tokio::test]
async fn policies_of_the_operator_hold_where_the_component_sets_none() {
    let policies = PolicySettings {
        adoption_policy: Some(AdoptionPolicy::Never),
        update_policy: Some(UpdatePolicy::SsaMerge),
        delete_policy: Some(DeletePolicy::Orphan),
        missing_namespaces_policy: Some(MissingNamespacesPolicy::DoNotCreate),
    };
    let world = World::start_with(|builder| builder.policies(policies)).await;
    world.set(&bundle("demo", &[config_map("merged", "a"), config_map("orphan", "a")])).await;
    world.until_ready("demo").await;
    // Update: a field that another manager added survives a change; a replacement would drop it.
    let mut more = config_map("merged", "a");
    more["data"] = json!({ "more": "x" });
    world.apply_as("other", &more).await;
    world.set(&bundle("demo", &[config_map("merged", "b")])).await;
    let merged = world.until_object(&config_map("merged", ""), "changed", |map| map["data"]["value"] == "b").await;
    assert_eq!(merged["data"]["more"], "x");
    world.until_ready("demo").await;
    // Deletion.
    assert!(is_unowned(&world.get(&config_map("orphan", "")).await.unwrap()));
    // Adoption: the orphan has no owner now, and is not taken.
    world.set(&bundle("adopts", &[config_map("orphan", "b")])).await;
    world.until("adopts", "refused", |component| message_of(component).contains("without owner")).await;
    assert_eq!(world.get(&config_map("orphan", "")).await.unwrap()["data"]["value"], "a");
    // The policy of the component takes precedence.
    let mut own = bundle("adopts", &[config_map("orphan", "b")]);
    own["spec"]["adoptionPolicy"] = "IfUnowned".into();
    world.patch(&own, json!({ "spec": own["spec"] })).await;
    world.until_ready("adopts").await;
    // Missing namespaces.
    let missing = format!("{}-missing", world.namespace());
    let mut elsewhere = config_map("elsewhere", "a");
    elsewhere["metadata"]["namespace"] = missing.clone().into();
    world.set(&bundle("far", &[elsewhere])).await;
    let far = world.until_state("far", "Pending", "Retrying").await;
    assert!(message_of(&far).contains(&missing), "{}", message_of(&far));
    let namespace = json!({ "apiVersion": "v1", "kind": "Namespace", "metadata": { "name": missing } });
    assert!(world.get(&namespace).await.is_none());
}

/// Creates a component whose ConfigMap two managers extend. Returns the ConfigMap after a reapply was due.
async fn extended(world: &World, due: impl Fn(&Value) -> bool) -> Value {
    let mut component = bundle("demo", &[config_map("one", "a")]);
    component["spec"]["updatePolicy"] = "SsaOverride".into();
    component["spec"]["requeueInterval"] = "1s".into();
    world.set(&component).await;
    world.until_ready("demo").await;
    for manager in ["kubectl-edit", "actor-1"] {
        let mut more = config_map("one", "a");
        more["data"] = json!({ manager: "x" });
        world.apply_as(manager, &more).await;
    }
    world.until_object(&config_map("one", ""), "reclaimed", due).await
}

// WRITE-5, COM-6
#[tokio::test]
async fn the_reapply_interval_of_the_operator_removes_fields_added_by_kubectl() {
    // The default of an hour is longer than any test waits.
    let world = World::start_with(|builder| builder.reapply_interval(Duration::from_secs(5))).await;
    let map = extended(&world, |map| map["data"].get("kubectl-edit").is_none()).await;
    assert_eq!(map["data"], json!({ "value": "a", "actor-1": "x" }));
}

// WRITE-5
#[tokio::test]
async fn only_the_fields_of_reclaimed_managers_are_taken_back() {
    let world =
        World::start_with(|builder| builder.reapply_interval(Duration::from_secs(5)).reclaimed_managers(["actor-*"])).await;
    let map = extended(&world, |map| map["data"].get("actor-1").is_none()).await;
    assert_eq!(map["data"], json!({ "value": "a", "kubectl-edit": "x" }));
}

// TGT-3
#[tokio::test]
async fn the_default_service_account_writes_the_dependents_of_components_that_name_none() {
    let mut world = World::on(TestCluster::start_with(TestOptions::default().rbac()).await);
    world.run(|builder| builder.default_service_account("deployer")).await;
    world.set(&bundle("demo", &[config_map("one", "a")])).await;
    let account = format!("system:serviceaccount:{}:deployer", world.namespace());
    let refused = world.until("demo", "refused", |component| message_of(component).contains("forbidden")).await;
    assert!(message_of(&refused).contains(&account), "{}", message_of(&refused));
    let rbac =
        |kind: &str| json!({ "apiVersion": "rbac.authorization.k8s.io/v1", "kind": kind, "metadata": { "name": "deployer" } });
    let (mut role, mut binding) = (rbac("Role"), rbac("RoleBinding"));
    role["rules"] = json!([{ "apiGroups": [""], "resources": ["configmaps"], "verbs": ["*"] }]);
    binding["roleRef"] = json!({ "apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": "deployer" });
    binding["subjects"] = json!([{ "kind": "ServiceAccount", "name": "deployer", "namespace": world.namespace() }]);
    world.create(&role).await;
    world.create(&binding).await;
    world.until_ready("demo").await;
}

// PERF-1
#[tokio::test]
async fn no_more_requests_of_a_component_are_in_flight_than_the_option_allows() {
    let world = World::start_with(|builder| builder.parallel_requests(3)).await;
    world.faults().on(Verb::Create).of("", "configmaps").delay(Duration::from_millis(300));
    let mark = world.journal().mark();
    let maps: Vec<Value> = (0..9).map(|number| config_map(&format!("map-{number}"), "a")).collect();
    world.set(&bundle("demo", &maps)).await;
    world.until_ready("demo").await;
    let records = world.journal().since(mark).verb(Verb::Create).of("", "configmaps");
    let spans: Vec<_> = records.iter().map(|record| (record.time, record.time + record.latency.unwrap())).collect();
    let in_flight = |at| spans.iter().filter(|(start, end)| *start <= at && at < *end).count();
    assert_eq!((spans.len(), spans.iter().map(|(start, _)| in_flight(*start)).max()), (9, Some(3)));
}

/// The number of passes that are in a hook now, and the maximum so far.
#[derive(Default)]
struct Passes {
    now: AtomicUsize,
    most: AtomicUsize,
}

#[tokio::test]
async fn parallel_passes_limits_the_number_of_components_processed_at_once() {
    let passes = Arc::new(Passes::default());
    let (seen, together) = (Arc::clone(&passes), Arc::new(Barrier::new(3)));
    let world = World::start_with(|builder| {
        // The first passes end only if three of them run at once.
        let hook = move |_: &ReadContext<Bundle>, _: &Bundle, status: &mut ComponentStatus| {
            let (passes, together, first) = (Arc::clone(&seen), Arc::clone(&together), status.observed_generation < 1);
            async move {
                let now = passes.now.fetch_add(1, Ordering::SeqCst) + 1;
                passes.most.fetch_max(now, Ordering::SeqCst);
                if first {
                    together.wait().await;
                }
                passes.now.fetch_sub(1, Ordering::SeqCst);
                Ok(())
            }
        };
        builder.parallel_passes(3).post_read(hook)
    })
    .await;
    for number in 0..6 {
        world.create(&bundle(&format!("demo-{number}"), &[config_map(&format!("map-{number}"), "a")])).await;
    }
    for number in 0..6 {
        world.until_ready(&format!("demo-{number}")).await;
    }
    assert_eq!(passes.most.load(Ordering::SeqCst), 3);
}

/// Returns a kubeconfig that gets the credentials of another one from a program, which prints this file.
fn with_program(kubeconfig: &str, file: &std::path::Path) -> String {
    let mut config = yaml::documents(kubeconfig).unwrap().remove(0);
    let user = config["users"][0]["user"].take();
    let text = |key: &str| user[key].as_str().map(|text| String::from_utf8(STANDARD.decode(text).unwrap()).unwrap());
    let status = json!({
        "token": user["token"],
        "clientCertificateData": text("client-certificate-data"), "clientKeyData": text("client-key-data"),
    });
    let status: Map<String, Value> =
        status.as_object().unwrap().clone().into_iter().filter(|(_, value)| !value.is_null()).collect();
    assert!(!status.is_empty(), "no credentials");
    let credential = json!({ "apiVersion": "client.authentication.k8s.io/v1", "kind": "ExecCredential", "status": status });
    std::fs::write(file, credential.to_string()).unwrap();
    config["users"][0]["user"] = json!({ "exec": {
        "apiVersion": "client.authentication.k8s.io/v1", "interactiveMode": "Never", "command": "/bin/cat", "args": [file],
    } });
    config.to_string()
}

// TGT-5
#[tokio::test(flavor = "multi_thread")]
async fn a_kubeconfig_may_name_a_program_where_the_operator_allows_it() {
    let world = World::start_with(ComponentBuilder::allow_exec_credentials).await;
    let other = TestCluster::start_with(TestOptions::default().exclusive()).await;
    let file = std::env::temp_dir().join(format!("kubewright-exec-{}.json", std::process::id()));
    let config = with_program(&other.kubeconfig().await, &file);
    let secret = json!({
        "apiVersion": "v1", "kind": "Secret", "metadata": { "name": "target" }, "data": { "value": STANDARD.encode(config) },
    });
    world.create(&secret).await;
    let mut component = bundle("demo", &[config_map("one", "a")]);
    component["spec"]["namespace"] = other.namespace().into();
    component["spec"]["kubeConfig"] = json!({ "secretRef": { "name": "target" } });
    world.set(&component).await;
    world.until_ready("demo").await;
    assert!(other.get::<ConfigMap>("one").await.is_some());
    world.delete(&component).await;
    world.until_gone(&component).await;
    std::fs::remove_file(&file).unwrap();
    world.kill_and_stop(other).await;
}

/// Returns a client that notes the method and the path of each request.
fn noting(client: kube::Client, seen: &Arc<Mutex<Vec<String>>>) -> kube::Client {
    let (namespace, seen) = (client.default_namespace().to_owned(), Arc::clone(seen));
    let service = tower::service_fn(move |request: http::Request<Body>| {
        seen.lock().push(format!("{} {}", request.method(), request.uri().path()));
        let client = client.clone();
        async move { client.send(request).await }
    });
    kube::Client::new(service, namespace)
}

#[tokio::test]
async fn the_client_layer_sees_component_writes_and_hook_requests_but_no_dependent_writes() {
    let seen: Arc<Mutex<Vec<String>>> = Arc::default();
    let layer = Arc::clone(&seen);
    let world = World::start_with(|builder| builder.client_layer(move |client| noting(client, &layer)).pre_reconcile(look)).await;
    world.set(&bundle("demo", &[config_map("one", "a")])).await;
    world.until_ready("demo").await;
    let seen = std::mem::take(&mut *seen.lock());
    let any = |method: &str, end: &str| seen.iter().any(|line| line.starts_with(method) && line.ends_with(end));
    assert!(any("PATCH ", "/bundles/demo"), "the finalizer: {seen:?}");
    assert!(any("PATCH ", "/bundles/demo/status"), "the status: {seen:?}");
    assert!(any("GET ", "/configmaps/from-the-hook"), "the hook: {seen:?}");
    assert!(!seen.iter().any(|line| line.starts_with("POST ") && line.ends_with("/configmaps")), "no dependent: {seen:?}");
}

/// Reads a ConfigMap that does not exist.
async fn look(cx: &HookContext<Bundle>, _: &Bundle, _: &mut ComponentStatus) -> Flow {
    kube::Api::<ConfigMap>::namespaced(cx.client(), cx.namespace()).get_opt("from-the-hook").await?;
    Ok(())
}

// EVT-1, EVT-3
#[tokio::test]
async fn a_recorder_gets_all_events_and_the_server_none() {
    let told: Arc<Mutex<Vec<Occurrence>>> = Arc::default();
    let recorder = Arc::clone(&told);
    let world = World::start_with(|builder| {
        builder.dependent_events(DependentEvents::All).recorder(move |occurrence| recorder.lock().push(occurrence))
    })
    .await;
    let mark = world.journal().mark();
    world.set(&bundle("demo", &[config_map("one", "a")])).await;
    world.until_ready("demo").await;
    let heard = |kind: &str, name: &str, reason: &str| {
        told.lock().iter().any(|occurrence| {
            let about = &occurrence.regarding;
            about.kind == kind
                && about.name == name
                && occurrence.event.reason.as_str() == reason
                && occurrence.reporter == OPERATOR
        })
    };
    world.until_true("the recorder hears of the component", || heard("Bundle", "demo", "Ready")).await;
    assert!(heard("ConfigMap", "one", "Created"));
    world.idle(Duration::from_secs(10)).await;
    let events = world.journal().since(mark).of("events.k8s.io", "events");
    events.exactly(0).unwrap();
}

// MET-1
#[tokio::test]
async fn metrics_have_the_prefix_that_the_operator_gives_them() {
    let mut world = World::new().await;
    let operator = Operator::new(OPERATOR).metrics_prefix("component_operator_runtime");
    world.run_other(operator.component::<Bundle>(objects)).await;
    world.set(&bundle("demo", &[])).await;
    world.until_ready("demo").await;
    let metrics = world.metrics();
    assert!(metrics.contains("\ncomponent_operator_runtime_component_state{controller=\"bundle\""), "{metrics}");
    assert!(!metrics.contains("kubewright_"), "{metrics}");
}

// READY-7
#[tokio::test]
async fn a_rule_of_readiness_holds_for_built_in_kinds_too() {
    let rule = |map: &Value| {
        let done = map["data"]["value"] == "done";
        Some(if done { Readiness::current() } else { Readiness::in_progress("not done") })
    };
    let world = World::start_with(|builder| builder.readiness("", "ConfigMap", rule)).await;
    world.set(&bundle("demo", &[config_map("one", "a")])).await;
    world.until("demo", "waiting by the rule", |component| message_of(component).contains("not done")).await;
    world.set(&bundle("demo", &[config_map("one", "done")])).await;
    world.until_ready("demo").await;
}

/// Compiles with imports only from the prelude and the standard library: the prelude contains every type that users name.
#[allow(dead_code)] // compiling is the test
fn the_prelude_names_what_an_operator_needs(builder: ComponentBuilder<Bundle>) -> Operator {
    let trigger: Trigger<Bundle> = builder.trigger();
    let concerns =
        |map: &ConfigMap| -> Vec<Key> { vec![Key::new(map.metadata.namespace.as_deref().unwrap_or_default(), "demo")] };
    let licence = |cx: &HookContext<Bundle>, component: &Bundle, _: &mut ComponentStatus| {
        let cluster: &Cluster = cx.cluster();
        let waits = cluster.name() != "local"
            || component.component_status().is_none_or(|status| status.state == Some(ComponentState::Ready));
        ready(if waits { Ok(()) } else { Err(Halt::Done) })
    };
    trigger.queue("default", "demo");
    let operator: Operator = builder
        .foreign_watch(concerns)
        .pre_reconcile(licence)
        .dependent_events(DependentEvents::None)
        .readiness("apps", "Deployment", |_| Some(Readiness::current()))
        .into();
    operator.options(|options: &mut OperatorOptions| options.workers = Some(1))
}
