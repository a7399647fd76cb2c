//! Typed configuration of reconcilers, which follows ConfigMaps.

use std::sync::Arc;
use std::time::Duration;

use k8s_openapi::api::core::v1::{ConfigMap, Secret, ServiceAccount};
use kubewright::core::config::LogLevel;
use kubewright::machinery::object::{GroupKind, Key};
use kubewright::prelude::*;
use kubewright::runtime::admin::CheckKind;
use kubewright::runtime::config::Config;
use kubewright::runtime::leadership::Leadership;
use kubewright::runtime::operator::{OperatorPhase, Responsible};
use kubewright::runtime::reconcile::{Context, Controller, NoStatus, Reconcile};
use kubewright_testing::{TestCluster, TestOperator};
use parking_lot::Mutex;
use tokio::sync::Notify;

#[derive(FromConfigMap, Clone, Debug, PartialEq)]
#[config(name = "config-pool")]
struct Pool {
    size: u32,
}

#[derive(FromConfigMap, Clone, Debug, PartialEq)]
#[config(name = "config-limits", optional)]
struct Limits {
    #[config(default = "10", range = "1..=100")]
    most: u32,
}

/// The state that a test shares with its reconcilers.
#[derive(Clone, Default)]
struct Shared {
    /// The passes, such as `one 3 10`: object, size of the pool, limit.
    passes: Arc<Mutex<Vec<String>>>,
    config: Arc<Mutex<Option<Config<Pool>>>>,
    /// The gate at which a pass waits between its two reads of the configuration, if it is set.
    gate: Arc<Mutex<Option<Arc<Notify>>>>,
}

struct Secrets {
    pool: Config<Pool>,
    limits: Config<Limits>,
    shared: Shared,
}

impl Secrets {
    fn new(pool: Config<Pool>, limits: Config<Limits>, State(shared): State<Shared>) -> Self {
        *shared.config.lock() = Some(pool.clone());
        shared.note(&format!("constructed {}", pool.snapshot().size));
        Self { pool, limits, shared }
    }
}

impl Reconcile for Secrets {
    type Kind = Secret;
    type Status = NoStatus;

    async fn reconcile(&self, cx: &Context<Secret>, _: &Secret, _: &mut NoStatus) -> Flow {
        let name = cx.key().name();
        self.shared.note(&format!("{name} {} {}", self.pool.snapshot().size, self.limits.snapshot().most));
        let gate = self.shared.gate.lock().clone();
        if let Some(gate) = gate {
            gate.notified().await;
            self.shared.note(&format!("{name} later {} {}", self.pool.snapshot().size, cx.config::<Pool>()?.size));
        }
        Ok(())
    }
}

/// A reconciler without configuration.
struct Accounts(Shared);

impl Reconcile for Accounts {
    type Kind = ServiceAccount;
    type Status = NoStatus;

    async fn reconcile(&self, cx: &Context<ServiceAccount>, _: &ServiceAccount, _: &mut NoStatus) -> Flow {
        self.0.note(&format!("account {}", cx.key().name()));
        Ok(())
    }
}

impl Shared {
    fn note(&self, line: &str) {
        self.passes.lock().push(line.to_owned());
    }

    fn has(&self, line: &str) -> bool {
        self.passes.lock().iter().any(|pass| pass == line)
    }

    fn take(&self) -> Vec<String> {
        std::mem::take(&mut *self.passes.lock())
    }

    fn size(&self) -> Option<u32> {
        Some(self.config.lock().as_ref()?.snapshot().size)
    }
}

fn operator(shared: &Shared) -> Operator {
    Operator::new("shop.test.kubewright.dev")
        .state(shared.clone())
        .add_controller(Controller::new(Secrets::new).named("secrets"))
        .add_controller(Controller::new(|State(shared): State<Shared>| Accounts(shared)).named("accounts"))
}

async fn put(cluster: &TestCluster, name: &str, data: Value) {
    cluster.apply(json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}, "data": data})).await;
}

async fn until(cluster: &TestCluster, what: &str, holds: impl Fn() -> bool) {
    let deadline = cluster.clock().moment() + Duration::from_secs(60);
    while !holds() {
        assert!(cluster.clock().moment() < deadline, "expected that {what}");
        cluster.pass(Duration::from_millis(20)).await;
    }
}

/// Returns the result of the readiness check `config`.
fn readiness(running: &TestOperator) -> String {
    let checks = running.running().checks().results(CheckKind::Ready);
    let config = checks.into_iter().find(|(name, _)| name == "config").map(|(_, result)| result);
    config.map_or_else(|| "no check".to_owned(), |result| result.err().unwrap_or_default())
}

/// Returns the Warning events about a ConfigMap.
async fn warnings(cluster: &TestCluster, name: &str) -> Vec<String> {
    let events = cluster.list::<k8s_openapi::api::events::v1::Event>().await;
    let about = events.iter().filter(|event| event["regarding"]["name"] == name && event["type"] == "Warning");
    about.map(|event| format!("{}: {}", event["reason"], event["note"]).replace('"', "")).collect()
}

// PHA-3
#[tokio::test]
async fn a_required_map_that_is_absent_is_named_until_the_deadline() {
    let cluster = TestCluster::start().await;
    let operator = operator(&Shared::default()).options(|options| options.startup_timeout = Some(Duration::from_secs(5)));
    let running = cluster.start_operator(operator).await;
    let culprit = format!("ConfigMap {}/config-pool (it does not exist", cluster.namespace());
    until(&cluster, "readiness names the map", || readiness(&running).contains(&culprit)).await;
    assert_eq!(*running.running().phase().borrow(), OperatorPhase::ConfigLoaded);
    assert!(running.running().checks().results(CheckKind::Live).iter().all(|(_, result)| result.is_ok()));
    let error = running.ended().await.unwrap_err();
    assert_eq!(error.responsible(), Responsible::Configuration);
    let error = error.to_string();
    assert!(
        error.starts_with("pass the phase ConfigLoaded within 5s: still waiting for ") && error.contains(&culprit),
        "{error}"
    );
}

// CFG-12, CFG-14, PHA-4
#[tokio::test]
async fn a_malformed_map_is_named_and_its_correction_taken_up_at_once() {
    let cluster = TestCluster::start().await;
    let shared = Shared::default();
    put(&cluster, "config-pool", json!({"size": "many"})).await;
    let running = cluster.start_operator(operator(&shared)).await;
    until(&cluster, "readiness names the key", || readiness(&running).contains("failed to parse \"size\"")).await;
    let text = running.running().metrics().encode().unwrap();
    assert!(text.contains("kubewright_config_last_reload_success{config=\"config-pool\"} 0"), "{text}");
    assert_eq!(shared.take(), [] as [&str; 0], "no constructor ran");
    put(&cluster, "config-pool", json!({"size": "3"})).await;
    running.running().working().await.unwrap();
    assert_eq!(readiness(&running), "");
    assert!(shared.has("constructed 3"));
    let told = warnings(&cluster, "config-pool").await;
    assert!(told.len() == 1 && told[0].starts_with("InvalidConfiguration: failed to parse"), "{told:?}");
    running.stop().await;
}

// CFG-11, CFG-13, CFG-14, CFG-15, CFG-16
#[tokio::test]
async fn an_optional_config_map_is_used_while_valid_and_the_default_returns_after_its_deletion() {
    let cluster = TestCluster::start().await;
    let shared = Shared::default();
    put(&cluster, "config-pool", json!({"size": "3"})).await;
    cluster.apply(json!({"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "one"}})).await;
    let running = cluster.run(operator(&shared)).await;
    until(&cluster, "the default is used", || shared.has("one 3 10")).await;
    put(&cluster, "config-limits", json!({"most": "20"})).await;
    until(&cluster, "the new map is used", || shared.has("one 3 20")).await;
    shared.take();
    put(&cluster, "config-limits", json!({"most": "200"})).await;
    let gauge = |value: &str| {
        let text = running.running().metrics().encode().unwrap();
        text.contains(&format!("kubewright_config_last_reload_success{{config=\"config-limits\"}} {value}"))
    };
    until(&cluster, "the failure is told", || gauge("0")).await;
    cluster.pass(Duration::from_secs(2)).await;
    let told = warnings(&cluster, "config-limits").await;
    assert!(told.len() == 1 && told[0].contains("most"), "{told:?}");
    assert_eq!((shared.take(), readiness(&running)), (Vec::new(), String::new()), "the last good value stays");
    cluster.delete::<ConfigMap>("config-limits").await;
    until(&cluster, "the default is back", || shared.has("one 3 10")).await;
    assert!(gauge("1"));
    // A required map has no default.
    shared.take();
    cluster.delete::<ConfigMap>("config-pool").await;
    cluster.pass(Duration::from_secs(2)).await;
    assert_eq!((shared.take(), shared.size()), (Vec::new(), Some(3)));
    running.stop().await;
}

// CFG-20, CFG-22, WHY-1
#[tokio::test]
async fn simultaneous_config_changes_cause_one_swap_and_one_resync_of_the_requesting_controllers() {
    let cluster = TestCluster::start().await;
    let shared = Shared::default();
    put(&cluster, "config-pool", json!({"size": "3"})).await;
    put(&cluster, "config-limits", json!({"most": "20"})).await;
    for name in ["one", "two"] {
        cluster.apply(json!({"apiVersion": "v1", "kind": "Secret", "metadata": {"name": name}})).await;
    }
    cluster.apply(json!({"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": "other"}})).await;
    let running = cluster.run(operator(&shared)).await;
    until(&cluster, "all were looked at", || ["one 3 20", "two 3 20", "account other"].iter().all(|pass| shared.has(pass))).await;
    cluster.pass(Duration::from_secs(2)).await;
    shared.take();
    put(&cluster, "config-pool", json!({"size": "4"})).await;
    put(&cluster, "config-limits", json!({"most": "30"})).await;
    cluster.pass(Duration::from_secs(3)).await;
    let mut passes = shared.take();
    passes.sort();
    assert_eq!(passes, ["one 4 30", "two 4 30"]);
    let causes = |name: &str| {
        let passes = running.running().why().of(&GroupKind::new("", "Secret"), &Key::new(cluster.namespace(), name));
        passes.last().map(|pass| pass.causes.to_string())
    };
    assert_eq!(causes("one").as_deref(), Some("configuration config-limits, config-pool changed"));
    // The same values in another notation, and a key that is not read.
    put(&cluster, "config-pool", json!({"size": " 4", "comment": "text"})).await;
    cluster.pass(Duration::from_secs(3)).await;
    assert_eq!(shared.take(), [] as [&str; 0]);
    running.stop().await;
}

// STAGE-3, CFG-21
#[tokio::test]
async fn a_pass_sees_one_configuration_and_the_next_one_the_new() {
    let cluster = TestCluster::start().await;
    let shared = Shared::default();
    let gate = Arc::new(Notify::new());
    *shared.gate.lock() = Some(Arc::clone(&gate));
    put(&cluster, "config-pool", json!({"size": "3"})).await;
    cluster.apply(json!({"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "one"}})).await;
    let running = cluster.run(operator(&shared)).await;
    until(&cluster, "the pass waits", || shared.has("one 3 10")).await;
    put(&cluster, "config-pool", json!({"size": "4"})).await;
    until(&cluster, "the value is swapped", || shared.size() == Some(4)).await;
    *shared.gate.lock() = None;
    gate.notify_waiters();
    until(&cluster, "the next pass ran", || shared.has("one 4 10")).await;
    assert!(shared.has("one later 3 3"), "{:?}", shared.take());
    running.stop().await;
}

// CFG-5, CFG-10: the permission is restricted to the system namespace, and declared only if a map is read.
#[tokio::test]
async fn maps_are_declared_unless_their_values_are_fixed() {
    let rules = |operator: Operator| {
        let operator =
            operator.leadership(Leadership::off()).options(|options| options.system_namespace = Some("system".to_owned()));
        let rules = operator.declarations().rules();
        let of_maps = rules.into_iter().filter(|rule| rule.resource == "configmaps");
        of_maps.map(|rule| rule.namespace.unwrap_or_default()).collect::<Vec<_>>()
    };
    let shared = Shared::default();
    assert_eq!(rules(operator(&shared)), ["system"]);
    let fixed = operator(&shared).config_fixed(Pool { size: 5 }).config_fixed(Limits { most: 6 });
    assert_eq!(rules(fixed), [] as [&str; 0]);
    let cluster = TestCluster::start().await;
    let fixed = operator(&shared).config_fixed(Pool { size: 5 }).config_fixed(Limits { most: 6 });
    let running = cluster.run(fixed).await;
    assert_eq!(shared.size(), Some(5));
    cluster.journal().all().of("", "configmaps").exactly(0).unwrap();
    running.stop().await;
    // CFG-11: a default makes a required map optional.
    let running = cluster.run(operator(&shared).config_default(Pool { size: 7 })).await;
    assert_eq!(shared.size(), Some(7));
    running.stop().await;
    // 2.2: without a system namespace the maps cannot be read.
    let error = operator(&shared).start(cluster.client().clone()).unwrap_err().to_string();
    assert!(error.contains("the configuration \"config-") && error.contains("--system-namespace"), "{error}");
}

// LOG-3, LOG-6, CFG-16
#[tokio::test]
async fn log_levels_follow_a_map_that_comes_after_the_start() {
    let cluster = TestCluster::start().await;
    let told: Arc<Mutex<Vec<Option<LogLevel>>>> = Arc::default();
    // A map that cannot be read does not delay the start.
    let refusal = cluster.faults().on_resources().of("", "configmaps").forbidden();
    let sink = Arc::clone(&told);
    let operator = Operator::new("shop.test.kubewright.dev")
        .options(|options| options.config_logging = Some("config-levels".to_owned()))
        .on_log_levels(move |levels| sink.lock().push(levels.controller("secrets")));
    let running = cluster.run(operator).await;
    until(&cluster, "the read is refused", || refusal.hits() > 0).await;
    refusal.remove();
    put(&cluster, "config-levels", json!({"loglevel.shop.test.kubewright.dev": "debug"})).await;
    until(&cluster, "the level is told", || told.lock().contains(&Some(LogLevel::Debug))).await;
    put(&cluster, "config-levels", json!({"loglevel.shop.test.kubewright.dev": "loud"})).await;
    cluster.pass(Duration::from_secs(2)).await;
    assert_eq!(warnings(&cluster, "config-levels").await.len(), 1);
    put(&cluster, "config-levels", json!({"loglevel.shop.test.kubewright.dev.secrets": "warn"})).await;
    until(&cluster, "the levels are told", || told.lock().last() == Some(&Some(LogLevel::Warn))).await;
    cluster.delete::<ConfigMap>("config-levels").await;
    until(&cluster, "the base level returns", || told.lock().last() == Some(&None)).await;
    assert_eq!(told.lock().len(), 3);
    running.stop().await;
}
