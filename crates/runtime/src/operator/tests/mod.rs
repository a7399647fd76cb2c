mod background;
mod parts;
mod process;
mod starts;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use async_trait::async_trait;
use kubewright_core::flow::{BoxError, Conclusion};
use kubewright_machinery::object::{GroupVersionKind, ObjectReference};
use parking_lot::Mutex;
use serde_json::{Value, json};

use super::*;
use crate::clock::{Clock, Random};
use crate::controller::{PassContext, RunPass, Runner};
use crate::events::{Event, Recorder};
use crate::leadership::Leadership;
use crate::testing::{ScriptedCall, client_of};

/// A part with a controller that runs passes for one key.
struct ControllerPart {
    name: &'static str,
    full_name: Option<&'static str>,
    seen: Arc<Mutex<Vec<String>>>,
    fails: bool,
    hangs: bool,
    stubborn: bool,
}

impl ControllerPart {
    fn new(name: &'static str) -> Self {
        Self { name, full_name: None, seen: Arc::default(), fails: false, hangs: false, stubborn: false }
    }
}

struct Noting(Arc<Mutex<Vec<String>>>);

/// A reconciler that records an event on its object and never ends its pass.
struct Stubborn(Recorder);

#[async_trait]
impl RunPass for Stubborn {
    async fn run(&self, _: &Arc<PassContext>) -> Conclusion {
        self.0.record(
            &ObjectReference::of(&json!({"kind": "Widget", "metadata": {"name": "a"}})),
            Event::normal("Started", "it started"),
        );
        std::future::pending().await
    }
}

#[async_trait]
impl RunPass for Noting {
    async fn run(&self, pass: &Arc<PassContext>) -> Conclusion {
        self.0.lock().push(pass.key().to_string());
        pass.end(&Ok(()))
    }
}

#[async_trait]
impl Registration for ControllerPart {
    fn name(&self) -> &str {
        self.name
    }

    fn use_full_name(&mut self) {
        self.name = self.full_name.unwrap_or(self.name);
    }

    fn declare(&self, declarations: &mut Declarations) {
        declarations.crd(json!({"kind": "CustomResourceDefinition", "metadata": {"name": "widgets.demo.example.com"}}));
        declarations.rule(Rule::new("demo.example.com", "widgets", &["list", "watch"]));
        declarations.rule(Rule::new("demo.example.com", "widgets", &["get"]));
        declarations.kind(GroupVersionKind::new("demo.example.com", "v1", "Widget"));
    }

    async fn construct(self: Box<Self>, context: OperatorContext) -> Result<Box<dyn ConstructedPart>, BoxError> {
        if self.fails {
            return Err("no licence".into());
        }
        if self.hangs {
            std::future::pending::<()>().await;
        }
        let reconciler: Arc<dyn RunPass> =
            if self.stubborn { Arc::new(Stubborn(context.recorder.clone())) } else { Arc::new(Noting(self.seen)) };
        let controller = context.controller(self.name, reconciler);
        controller.enqueue().now("a".parse()?);
        Ok(Box::new(Ready(controller)))
    }
}

/// A part that has no caches to wait for.
struct Ready(Runner);

#[async_trait]
impl ConstructedPart for Ready {
    fn run(self: Box<Self>) -> Vec<Runner> {
        vec![self.0]
    }
}

/// The answers of a test's server.
#[derive(Clone)]
struct World {
    version: &'static str,
    served: Arc<AtomicBool>,
    allowed: bool,
    up: Arc<AtomicBool>,
    /// The number of access reviews that are answered by 429.
    busy: Arc<AtomicUsize>,
}

impl Default for World {
    fn default() -> Self {
        Self {
            version: "v1.36.0",
            served: Arc::new(AtomicBool::new(true)),
            allowed: true,
            up: Arc::new(AtomicBool::new(true)),
            busy: Arc::default(),
        }
    }
}

impl World {
    fn answer(&self, call: &ScriptedCall) -> (u16, Value) {
        if !self.up.load(Ordering::Relaxed) {
            return (503, json!({"kind": "Status", "code": 503, "message": "down"}));
        }
        match call.path.as_str() {
            "/version" => (200, json!({"gitVersion": self.version})),
            "/apis" => {
                let resource = json!({"resource": "widgets", "scope": "Namespaced", "verbs": ["list"],
                    "responseKind": {"group": "demo.example.com", "version": "v1", "kind": "Widget"}});
                let group =
                    json!({"metadata": {"name": "demo.example.com"}, "versions": [{"version": "v1", "resources": [resource]}]});
                let items = if self.served.load(Ordering::Relaxed) { vec![group] } else { vec![] };
                (200, json!({"kind": "APIGroupDiscoveryList", "apiVersion": "apidiscovery.k8s.io/v2", "items": items}))
            }
            "/api" => (200, json!({"kind": "APIGroupDiscoveryList", "apiVersion": "apidiscovery.k8s.io/v2", "items": []})),
            path if path.ends_with("/events") => (503, json!({"kind": "Status", "code": 503, "message": "busy"})),
            path if path.ends_with("selfsubjectaccessreviews") => {
                let busy = self.busy.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(1));
                if busy.is_ok() {
                    return (429, json!({"kind": "Status", "code": 429, "message": "too many requests"}));
                }
                let verb = call.body["spec"]["resourceAttributes"]["verb"].as_str();
                (201, json!({"status": {"allowed": self.allowed || verb != Some("watch")}}))
            }
            _ => (404, json!({"kind": "Status", "code": 404, "reason": "NotFound", "message": "not found"})),
        }
    }

    fn client(&self) -> kube::Client {
        let world = self.clone();
        client_of(move |call| world.answer(&call))
    }
}

fn operator(parts: Vec<ControllerPart>) -> Operator {
    let start = Operator::new("demo.example.com")
        .clock(Clock::virtual_from("2026-01-01T00:00:00Z".parse().unwrap()))
        .random(Random::seeded(1))
        .leadership(Leadership::off())
        .options(|options| options.startup_timeout = Some(Duration::from_secs(20)));
    parts.into_iter().fold(start, |operator, part| operator.register(Box::new(part)))
}

async fn failure(parts: Vec<ControllerPart>, world: World) -> String {
    let running = operator(parts).start(world.client()).unwrap();
    running.wait().await.unwrap_err().to_string()
}

// OPR-1, PHA-1
#[tokio::test(start_paused = true)]
async fn an_operator_starts_works_and_stops() {
    let part = ControllerPart::new("widget");
    let seen = part.seen.clone();
    let running = operator(vec![part]).start(World::default().client()).unwrap();
    running.working().await.unwrap();
    assert_eq!(*running.phase().borrow(), OperatorPhase::Leading);
    assert!(running.checks().results(crate::admin::CheckKind::Ready).iter().all(|(_, result)| result.is_ok()));
    tokio::time::sleep(Duration::from_secs(1)).await;
    assert_eq!(*seen.lock(), ["a"]);
    running.stop().await.unwrap();
    assert_eq!(*running.phase().borrow(), OperatorPhase::Stopped);
}

// HLT-3
#[tokio::test(start_paused = true)]
async fn an_operator_that_ends_is_alive_and_not_ready() {
    let running = operator(vec![ControllerPart::new("widget")]).start(World::default().client()).unwrap();
    running.working().await.unwrap();
    running.stop().await.unwrap();
    let ready = running.checks().results(crate::admin::CheckKind::Ready);
    assert!(ready.contains(&("shutdown".to_owned(), Err("received SIGTERM from kubelet".to_owned()))), "{ready:?}");
    assert!(running.checks().results(crate::admin::CheckKind::Live).iter().all(|(_, result)| result.is_ok()));
}

// OPR-1
#[tokio::test(start_paused = true)]
async fn an_operator_that_is_stopped_before_it_works_never_worked() {
    let world = World::default();
    world.served.store(false, Ordering::Relaxed);
    let running = operator(vec![ControllerPart::new("widget")]).start(world.client()).unwrap();
    tokio::time::sleep(Duration::from_secs(1)).await;
    let (working, stopped) = tokio::join!(running.working(), running.stop());
    stopped.unwrap();
    assert!(matches!(&*working.unwrap_err(), OperatorError::Stopped));
    assert!(matches!(&*running.working().await.unwrap_err(), OperatorError::Stopped));
    let running = operator(vec![ControllerPart::new("widget")]).start(World::default().client()).unwrap();
    running.working().await.unwrap();
    running.stop().await.unwrap();
    running.working().await.unwrap();
}

// SHT-4
#[tokio::test(start_paused = true)]
async fn a_killed_operator_leaves_nothing_behind() {
    let running = operator(vec![ControllerPart::new("widget")]).start(World::default().client()).unwrap();
    running.working().await.unwrap();
    running.kill().await;
    assert!(matches!(&*running.wait().await.unwrap_err(), OperatorError::Killed));
    assert!(running.phase().has_changed().is_err(), "the driver is gone");
}

// CHK-2, CHK-4
#[tokio::test(start_paused = true)]
async fn a_kind_that_comes_late_is_waited_for() {
    let world = World::default();
    world.served.store(false, Ordering::Relaxed);
    let running = operator(vec![ControllerPart::new("widget")]).start(world.client()).unwrap();
    tokio::time::sleep(Duration::from_secs(7)).await;
    assert_eq!(*running.phase().borrow(), OperatorPhase::Preflight);
    world.served.store(true, Ordering::Relaxed);
    running.working().await.unwrap();
    running.stop().await.unwrap();
}

// CHK-2, CHK-3
#[tokio::test(start_paused = true)]
async fn missing_kinds_and_permissions_are_named_together() {
    let world = World { allowed: false, ..World::default() };
    world.served.store(false, Ordering::Relaxed);
    let error = failure(vec![ControllerPart::new("widget")], world).await;
    assert_eq!(
        error,
        "start: the cluster does not serve demo.example.com/v1 Widget; apply what the command `crds` of this program prints; \
         and permissions are missing: cannot watch widgets.demo.example.com; apply the roles that the command `rbac` of this \
         program prints, and bind them to its service account"
    );
}

// CHK-1
#[tokio::test(start_paused = true)]
async fn an_old_cluster_is_refused() {
    let error = failure(vec![], World { version: "v1.30.2", ..World::default() }).await;
    assert!(
        error.ends_with("kubernetes version v1.30.2 is too old, need at least v1.34.0 (override with KUBERNETES_MIN_VERSION)"),
        "{error}"
    );
    let unreadable = failure(vec![], World { version: "latest", ..World::default() }).await;
    assert!(unreadable.contains("\"latest\" is not a version"), "{unreadable}");
}

// PHA-3
#[tokio::test(start_paused = true)]
async fn a_cluster_that_is_away_is_waited_for_until_the_deadline() {
    let world = World::default();
    world.up.store(false, Ordering::Relaxed);
    let running = operator(vec![]).start(world.client()).unwrap();
    tokio::time::sleep(Duration::from_secs(15)).await;
    world.up.store(true, Ordering::Relaxed);
    running.working().await.unwrap();
    running.stop().await.unwrap();
    world.up.store(false, Ordering::Relaxed);
    let error = failure(vec![], world).await;
    assert!(error.contains("down"), "{error}");
}

// CHK-3: an answer that the server is busy does not permit anything.
#[tokio::test(start_paused = true)]
async fn permissions_are_asked_for_again_when_the_server_was_busy() {
    let world = World { allowed: false, ..World::default() };
    world.busy.store(1, Ordering::Relaxed);
    let error = failure(vec![ControllerPart::new("widget")], world).await;
    assert!(error.contains("cannot watch widgets.demo.example.com;"), "{error}");
    let world = World::default();
    world.busy.store(1, Ordering::Relaxed);
    let running = operator(vec![ControllerPart::new("widget")]).start(world.client()).unwrap();
    running.working().await.unwrap();
    running.stop().await.unwrap();
}

// SHT-3: the kubelet kills a pod after 30 s.
#[tokio::test(start_paused = true)]
async fn an_orderly_end_takes_no_longer_than_it_may() {
    let part = ControllerPart { stubborn: true, ..ControllerPart::new("widget") };
    let running = operator(vec![part]).start(World::default().client()).unwrap();
    running.working().await.unwrap();
    tokio::time::sleep(Duration::from_secs(1)).await;
    let before = tokio::time::Instant::now();
    running.stop().await.unwrap();
    let took = (tokio::time::Instant::now() - before).as_secs();
    assert!((20..=25).contains(&took), "{took}");
}

// PHA-3
#[tokio::test(start_paused = true)]
async fn a_part_that_does_not_start_is_named() {
    let failing = ControllerPart { fails: true, ..ControllerPart::new("widget") };
    assert_eq!(failure(vec![failing], World::default()).await, "start controller widget: no licence");
    let hanging = ControllerPart { hangs: true, ..ControllerPart::new("widget") };
    let error = failure(vec![hanging], World::default()).await;
    assert_eq!(error, "pass the phase CachesSynced within 20s: still waiting for the construction of the controller \"widget\"");
}

// OPR-3, OPR-4
#[test]
fn all_mistakes_of_an_operator_are_reported_at_once() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    let _inside = runtime.enter();
    let wrong = Operator::new("Not A Name")
        .leadership(Leadership::leases().buckets(0))
        .register(Box::new(ControllerPart::new("widget")))
        .register(Box::new(ControllerPart::new("widget")))
        .ready_check("x", || Ok(()))
        .ready_check("x", || Ok(()));
    let error = wrong.start(World::default().client()).unwrap_err();
    let OperatorError::Invalid(problems) = &error else { panic!("{error}") };
    assert_eq!(problems.len(), 5, "{problems:?}");
    let leadership: Vec<&String> = problems.iter().filter(|problem| problem.contains("leadership")).collect();
    assert_eq!(
        leadership,
        [
            "leadership needs the namespace that the operator runs in, and none is known; name it with --system-namespace (or \
             SYSTEM_NAMESPACE), or run a single replica with --disable-ha",
            "the number of buckets of the leadership is 0; it must be at least 1",
        ]
    );
    assert_eq!(error.responsible(), Responsible::Bug);
}

// OPT-1a
#[test]
fn parts_of_one_name_use_their_full_names() {
    let part = |name, full_name| ControllerPart { full_name: Some(full_name), ..ControllerPart::new(name) };
    let three = operator(vec![part("shop", "shop.a"), part("cart", "cart.a"), part("shop", "shop.b"), part("shop", "shop.c")]);
    assert!(format!("{three:?}").contains(r#"["shop.a", "cart", "shop.b", "shop.c"]"#), "{three:?}");
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    let _inside = runtime.enter();
    let error = operator(vec![part("shop", "shop.a"), part("shop", "shop.a")]).start(World::default().client()).unwrap_err();
    assert!(error.to_string().contains("two controllers have the name \"shop.a\""), "{error}");
}

// OPT-1a
#[test]
fn a_second_claim_to_a_name_is_a_problem_that_names_both_parts() {
    let mut declarations = Declarations::default();
    assert!(declarations.claim("name", "shop", "Greeting", "use another"));
    assert!(declarations.claim("finalizer", "shop", "Greeting", "use another"));
    assert!(!declarations.claim("name", "shop", "Farewell", "use another"));
    assert_eq!(declarations.problems(), ["Greeting and Farewell have the same name \"shop\"; use another"]);
}

#[test]
fn an_unknown_controller_cannot_be_disabled() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    let _inside = runtime.enter();
    let operator =
        operator(vec![ControllerPart::new("widget")]).options(|options| options.disabled_controllers = vec!["wigdet".to_owned()]);
    let error = operator.start(World::default().client()).unwrap_err();
    assert_eq!(error.to_string(), "disable the controller or task \"wigdet\": it does not exist; existing: widget");
    assert_eq!(error.exit_code(), 2);
}

// PHA-7
#[tokio::test(start_paused = true)]
async fn a_blocked_start_can_be_stopped() {
    let running =
        operator(vec![ControllerPart { hangs: true, ..ControllerPart::new("widget") }]).start(World::default().client()).unwrap();
    tokio::time::sleep(Duration::from_secs(1)).await;
    running.stop().await.unwrap();
    assert_eq!(*running.phase().borrow(), OperatorPhase::Stopped);
}

// CMD-4
#[test]
fn rbac_roles_contain_the_declared_rules() {
    let mut declarations = operator(vec![ControllerPart::new("widget")]).declarations();
    declarations.rule(Rule::new("", "configmaps", &["get"]).in_namespace("system"));
    let documents = rbac_documents(&declarations, "demo");
    assert_eq!(
        documents,
        [
            json!({"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRole", "metadata": {"name": "demo"}, "rules": [
                {"apiGroups": ["demo.example.com"], "resources": ["widgets"], "verbs": ["get", "list", "watch"]},
                {"apiGroups": ["events.k8s.io"], "resources": ["events"], "verbs": ["create", "patch"]},
            ]}),
            json!({"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "Role", "metadata": {"name": "demo", "namespace": "system"},
                "rules": [{"apiGroups": [""], "resources": ["configmaps"], "verbs": ["get"]}]}),
        ]
    );
}

// CMD-4
#[test]
fn rights_to_act_as_others_and_rights_on_names_are_rules_of_their_own() {
    let mut declarations = Declarations::default();
    declarations.rule(Rule::new("rbac.authorization.k8s.io", "roles", &["get", "create"]));
    declarations.rule(Rule::new("rbac.authorization.k8s.io", "roles", &["bind", "escalate"]));
    declarations.rule(Rule::new("", "serviceaccounts", &["get"]));
    declarations.optional_rule(Rule::new("", "serviceaccounts", &["impersonate"]).named(["b", "a"]));
    let documents = rbac_documents(&declarations, "demo");
    assert_eq!(
        documents[0]["rules"],
        json!([
            {"apiGroups": [""], "resources": ["serviceaccounts"], "verbs": ["get"]},
            {"apiGroups": [""], "resources": ["serviceaccounts"], "verbs": ["impersonate"], "resourceNames": ["a", "b"]},
            {"apiGroups": ["rbac.authorization.k8s.io"], "resources": ["roles"], "verbs": ["bind", "escalate"]},
            {"apiGroups": ["rbac.authorization.k8s.io"], "resources": ["roles"], "verbs": ["create", "get"]},
        ])
    );
}

// CMD-4
#[test]
fn an_operator_of_one_namespace_needs_no_cluster_role_unless_something_is_needed_everywhere() {
    let mut declarations = Declarations::default();
    declarations.rule(Rule::new("", "configmaps", &["get"]));
    declarations.rule(Rule::new("", "namespaces", &["get"]).named(["kube-system"]));
    declarations.rule_unless_confined(Rule::new("", "namespaces", &["get", "list"]));
    let kinds = |declarations: &Declarations| {
        let text = |document: &Value| format!("{} {}", document["kind"], document["metadata"]["namespace"]).replace('"', "");
        rbac_documents(declarations, "demo").iter().map(text).collect::<Vec<_>>()
    };
    let confined = declarations.clone().confined(&["a".to_owned()]);
    assert_eq!(kinds(&confined), ["Role a", "Role kube-system"]);
    assert_eq!(kinds(&declarations.clone().confined(&[])), ["ClusterRole null"]);
    declarations.rule_everywhere(Rule::new("demo.example.com", "widgets", &["list"]));
    assert_eq!(kinds(&declarations.confined(&["a".to_owned()])), ["ClusterRole null", "Role a", "Role kube-system"]);
}

// CMD-4
#[test]
fn an_operator_of_some_namespaces_needs_nothing_of_others() {
    let mut declarations = operator(vec![ControllerPart::new("widget")]).declarations();
    let cluster = json!({
        "metadata": {"name": "sites.demo.example.com"},
        "spec": {"group": "demo.example.com", "scope": "Cluster", "names": {"plural": "sites"}},
    });
    declarations.crd(cluster);
    declarations.rule(Rule::new("", "namespaces", &["get"]));
    declarations.rule(Rule::new("demo.example.com", "sites/status", &["patch"]));
    declarations.rule(Rule::new("", "configmaps", &["get"]).in_namespace("system"));
    declarations.optional_rule(Rule::new("", "serviceaccounts", &["impersonate"]));
    declarations.optional_rule(Rule::new("", "users", &["impersonate"]));
    let declarations = declarations.confined(&["a".to_owned(), "b".to_owned()]);
    let line = |rule: Rule| format!("{} {}", rule.namespace.as_deref().unwrap_or("-"), rule.resource);
    let lines: Vec<String> = declarations.all_rules().into_iter().map(line).collect();
    assert_eq!(
        lines,
        [
            "- namespaces",
            "- users",
            "- sites/status",
            "a serviceaccounts",
            "a widgets",
            "a events",
            "b serviceaccounts",
            "b widgets",
            "b events",
            // Events about sites, which have no namespace, are created there.
            "default events",
            "system configmaps",
        ]
    );
}
