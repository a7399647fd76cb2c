mod observability;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use kubewright_core::backoff::Timing;
use kubewright_core::config::{ConfigErrors, Field, FromConfigMap, LogLevel, Parsed, Reader};
use parking_lot::Mutex;
use serde_json::{Value, json};
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use super::*;
use crate::admin::{HealthChecks, PassHistories};
use crate::events::{Recorder, RecorderOptions};
use crate::inject::FromOperator as _;
use crate::leadership::LeadershipState;
use crate::metrics::Metrics;
use crate::operator::{OpenedStores, OperatorContext, Queues, States};
use crate::targets::{ControllerTargets, RemoteOptions};
use crate::task::Tasks;
use crate::testing::{Fault, Server};

#[derive(Clone, Debug, PartialEq)]
struct Pool {
    size: u32,
}

impl FromConfigMap for Pool {
    const NAME: &'static str = "config-pool";
    const REQUIRED: bool = true;
    const EXAMPLE_CHECKSUM: bool = false;

    fn from_data(data: &BTreeMap<String, String>) -> Result<Parsed<Self>, ConfigErrors> {
        let mut reader = Reader::new(data);
        let size = reader.read(&Field::new("size"));
        reader.finish(|| Ok(Self { size: size? }))
    }
}

/// A second type that is read from the same ConfigMap.
#[derive(Clone, Debug, PartialEq)]
struct Mode(String);

impl FromConfigMap for Mode {
    const NAME: &'static str = "config-pool";
    const REQUIRED: bool = false;
    const EXAMPLE_CHECKSUM: bool = false;

    fn from_data(data: &BTreeMap<String, String>) -> Result<Parsed<Self>, ConfigErrors> {
        let mut reader = Reader::new(data);
        let mode = reader.read(&Field::new("mode").default("plain"));
        reader.finish(|| Ok(Self(mode?)))
    }
}

#[derive(Clone, Debug, PartialEq)]
struct Limits {
    most: u32,
}

impl FromConfigMap for Limits {
    const NAME: &'static str = "config-limits";
    const REQUIRED: bool = false;
    const EXAMPLE_CHECKSUM: bool = false;

    fn from_data(data: &BTreeMap<String, String>) -> Result<Parsed<Self>, ConfigErrors> {
        let mut reader = Reader::new(data);
        let most = reader.read(&Field::new("most").default("10").range("1..=100"));
        reader.finish(|| Ok(Self { most: most? }))
    }
}

/// A server with ConfigMaps, and the context and events of an operator in the namespace `system`.
struct World {
    server: Server,
    context: OperatorContext,
    events: Arc<Mutex<Vec<String>>>,
    declared: DeclaredConfigs,
}

impl World {
    fn new(values: ConfigValues) -> Self {
        let server = Server::new();
        let cluster = server.cluster();
        let (tasks, metrics) = (Tasks::new(), Metrics::new("test"));
        let events: Arc<Mutex<Vec<String>>> = Arc::default();
        let told = Arc::clone(&events);
        let reporting = RecorderOptions { reporter: "demo".to_owned(), instance: "demo".to_owned() };
        let recorder = Recorder::start(&cluster, reporting, &tasks, &metrics).with_sink(Arc::new(move |occurrence| {
            told.lock().push(format!("{} {}", occurrence.regarding.name, occurrence.event.reason));
        }));
        let remote = RemoteOptions {
            cluster: cluster.clone(),
            tasks: tasks.clone(),
            operator: "demo".to_owned(),
            allow_exec: false,
            connector: None,
        };
        let context = OperatorContext {
            targets: ControllerTargets::new(remote, "system".into()),
            operator: "demo".into(),
            clock: cluster.clock().clone(),
            random: cluster.random().clone(),
            tasks,
            recorder,
            metrics,
            checks: HealthChecks::new(),
            shutdown: CancellationToken::new(),
            timing: Timing::default().into(),
            workers: None,
            watch_namespaces: Vec::new(),
            system_namespace: "system".into(),
            instance: "demo".into(),
            formats: Arc::default(),
            plan: None,
            leadership: watch::Sender::new(LeadershipState::default()).subscribe(),
            states: States::default(),
            opened: OpenedStores::default(),
            queues: Queues::default(),
            configs: Configs::default(),
            why: PassHistories::default(),
            waits: crate::admin::WaitCensus::default(),
            resync: None,
            startup_timeout: None,
            cluster,
        };
        Self { server, context, events, declared: DeclaredConfigs::with(values) }
    }

    fn asks<T: FromConfigMap>(mut self) -> Self {
        let declared = self.declared.declare::<T>(Some("shop"));
        assert_eq!(declared.problem, None);
        self
    }

    fn put(&self, name: &str, data: Value) {
        self.server.put_config("system", name, &data);
    }

    fn keeper(&self, levels: Option<(String, LevelSink)>) -> Keeper {
        Keeper::start(
            self.context.keeper_services(),
            KeeperOptions { entries: self.declared.enabled(&[]), levels, ..KeeperOptions::default() },
        )
    }

    /// Loads the configuration, which must be complete, and follows it.
    async fn load(&self) {
        let mut keeper = self.keeper(None);
        keeper.load().await;
        self.follow(keeper);
    }

    fn follow(&self, keeper: Keeper) {
        self.context.tasks.spawn("configuration", keeper.follow(CancellationToken::new())).detach();
    }

    fn config<T: FromConfigMap>(&self) -> Config<T> {
        Config::extract(&self.context).unwrap()
    }

    fn gauge(&self, config: &str) -> Option<String> {
        let text = self.context.metrics.encode().unwrap();
        let prefix = format!("test_config_last_reload_success{{config=\"{config}\"}} ");
        text.lines().find_map(|line| line.strip_prefix(&prefix)).map(str::to_owned)
    }

    async fn pass(&self, milliseconds: u64) {
        self.context.clock.sleep(Duration::from_millis(milliseconds)).await;
    }
}

// CFG-11, CFG-12, CFG-17: the constructor must only see the real values.
#[tokio::test(start_paused = true)]
async fn the_first_snapshot_waits_for_all_required_maps() {
    let world = World::new(ConfigValues::default()).asks::<Pool>().asks::<Limits>();
    world.put("config-limits", json!({"most": "20"}));
    let mut keeper = world.keeper(None);
    let waiting = keeper.waiting();
    assert_eq!(waiting.culprits(), [] as [&str; 0]);
    let loading = world.context.tasks.spawn("loading", async move {
        keeper.load().await;
        keeper
    });
    world.pass(1000).await;
    assert_eq!(waiting.culprits(), ["ConfigMap system/config-pool (it does not exist)"]);
    assert!(Config::<Limits>::extract(&world.context).is_err(), "there is no snapshot yet");
    world.put("config-pool", json!({"size": "many"}));
    world.pass(1000).await;
    let culprits = waiting.culprits().join(" ");
    assert!(culprits.starts_with("ConfigMap system/config-pool (failed to parse \"size\": "), "{culprits}");
    assert_eq!((world.gauge("config-pool").as_deref(), world.events.lock().len()), (Some("0"), 1));
    world.put("config-pool", json!({"size": "3"}));
    let _keeper = loading.await.unwrap();
    assert_eq!(waiting.culprits(), [] as [&str; 0]);
    assert_eq!((world.config::<Pool>().snapshot().size, world.config::<Limits>().snapshot().most), (3, 20));
    assert_eq!(world.gauge("config-pool").as_deref(), Some("1"));
}

// CFG-12: if the operator sets a default, it does not wait for a required map.
#[tokio::test(start_paused = true)]
async fn a_malformed_map_at_the_start_gives_way_to_the_default() {
    let mut values = ConfigValues::default();
    values.default_to(Pool { size: 7 });
    let world = World::new(values).asks::<Pool>();
    world.put("config-pool", json!({"size": "many"}));
    world.load().await;
    let config = world.config::<Pool>();
    assert_eq!(config.snapshot().size, 7);
    assert_eq!(*world.events.lock(), ["config-pool InvalidConfiguration"]);
    world.put("config-pool", json!({"size": "8"}));
    world.pass(1000).await;
    assert_eq!(config.snapshot().size, 8);
}

// CFG-11, CFG-13 to CFG-16
#[tokio::test(start_paused = true)]
async fn the_last_good_value_stays_until_there_is_a_better_one() {
    let world = World::new(ConfigValues::default()).asks::<Limits>().asks::<Mode>();
    world.load().await;
    let (limits, mode) = (world.config::<Limits>(), world.config::<Mode>());
    assert_eq!((limits.snapshot().most, &*mode.snapshot().0), (10, "plain"), "absent");
    world.put("config-limits", json!({"most": "20"}));
    world.pass(1000).await;
    assert_eq!(limits.snapshot().most, 20, "created");
    world.put("config-limits", json!({"most": "1000"}));
    world.pass(1000).await;
    assert_eq!((limits.snapshot().most, world.gauge("config-limits").as_deref()), (20, Some("0")), "malformed");
    assert_eq!(*world.events.lock(), ["config-limits InvalidConfiguration"]);
    world.server.delete("system", "config-limits");
    world.pass(1000).await;
    assert_eq!((limits.snapshot().most, world.gauge("config-limits").as_deref()), (10, Some("1")), "deleted");
}

// CFG-15: a required map that is deleted has no default.
#[tokio::test(start_paused = true)]
async fn the_value_of_a_deleted_map_without_default_stays() {
    let (log, _guard) = crate::testing::CapturedLog::start();
    let world = World::new(ConfigValues::default()).asks::<Pool>();
    world.put("config-pool", json!({"size": "3"}));
    world.load().await;
    world.server.delete("system", "config-pool");
    world.pass(1000).await;
    assert_eq!(world.config::<Pool>().snapshot().size, 3);
    assert!(log.text().contains("the configuration is gone"), "{}", log.text());
}

// CFG-20: changes within 100 ms of each other are swapped together, and after a second at the latest.
#[tokio::test(start_paused = true)]
async fn changes_that_come_together_are_swapped_together() {
    let world = World::new(ConfigValues::default()).asks::<Pool>().asks::<Limits>();
    world.put("config-pool", json!({"size": "0"}));
    world.load().await;
    let (pool, mut changes) = (world.config::<Pool>(), world.config::<Limits>().changes());
    world.put("config-pool", json!({"size": "1"}));
    world.pass(50).await;
    world.put("config-limits", json!({"most": "1"}));
    world.pass(90).await;
    assert_eq!(pool.snapshot().size, 0);
    assert!(!changes.has_changed().unwrap());
    world.pass(20).await;
    assert_eq!(pool.snapshot().size, 1);
    assert_eq!(changes.borrow_and_update().most, 1);
    for size in 2..20 {
        world.put("config-pool", json!({"size": size.to_string()}));
        world.pass(90).await;
    }
    assert!(pool.snapshot().size > 10, "they came for longer than a second");
}

// CFG-22
#[tokio::test(start_paused = true)]
async fn a_change_that_leaves_the_values_equal_is_none() {
    let world = World::new(ConfigValues::default()).asks::<Pool>().asks::<Mode>().asks::<Limits>();
    world.put("config-pool", json!({"size": "3", "mode": "fast"}));
    world.load().await;
    let before = world.context.configs.current();
    world.put("config-pool", json!({"size": " 3 ", "mode": "fast", "comment": "text"}));
    world.put("config-limits", json!({"most": "10"}));
    world.pass(2000).await;
    assert!(Arc::ptr_eq(&before, &world.context.configs.current()));
    world.put("config-pool", json!({"size": "4", "mode": "fast"}));
    world.pass(2000).await;
    assert!(!Arc::ptr_eq(&before, &world.context.configs.current()));
    // The map has two types, and only one of them has changed.
    assert!(Arc::ptr_eq(&before.get::<Mode>().unwrap(), &world.config::<Mode>().snapshot()));
}

// CFG-10
#[tokio::test(start_paused = true)]
async fn one_watch_sees_the_labelled_maps_of_the_system_namespace() {
    let world = World::new(ConfigValues::default()).asks::<Pool>().asks::<Mode>().asks::<Limits>();
    world.put("config-pool", json!({"size": "3"}));
    world.server.put_config("other", "config-limits", &json!({"most": "99"}));
    let options = KeeperOptions {
        entries: world.declared.enabled(&[]),
        label: Some("example.com/config".to_owned()),
        ..KeeperOptions::default()
    };
    let mut keeper = Keeper::start(world.context.keeper_services(), options);
    keeper.load().await;
    assert_eq!(world.config::<Limits>().snapshot().most, 10);
    let requests = world.server.journal();
    let lists: Vec<_> = requests.iter().filter(|line| line.contains("configmaps") && !line.contains("watch=")).collect();
    assert_eq!(lists.len(), 1, "{requests:?}");
    assert!(
        lists[0].contains("/namespaces/system/configmaps") && lists[0].contains("labelSelector=example.com/config"),
        "{lists:?}"
    );
}

// CFG-5
#[tokio::test(start_paused = true)]
async fn a_fixed_value_needs_no_watch() {
    let mut values = ConfigValues::default();
    values.fix(Pool { size: 5 });
    let world = World::new(values).asks::<Pool>();
    let mut keeper = world.keeper(None);
    assert!(!keeper.reads_types());
    keeper.load().await;
    assert_eq!(world.config::<Pool>().snapshot().size, 5);
    assert_eq!(world.server.journal(), [] as [&str; 0]);
    assert_eq!(Config::fixed(Pool { size: 6 }).snapshot().size, 6);
}

// CFG-11: an optional type has a value without its map.
#[test]
fn an_optional_type_needs_a_default() {
    #[derive(Clone, Debug, PartialEq)]
    struct Wrong(u32);

    impl FromConfigMap for Wrong {
        const NAME: &'static str = "config-wrong";
        const REQUIRED: bool = false;
        const EXAMPLE_CHECKSUM: bool = false;

        fn from_data(data: &BTreeMap<String, String>) -> Result<Parsed<Self>, ConfigErrors> {
            let mut reader = Reader::new(data);
            let number = reader.read(&Field::new("number"));
            reader.finish(|| Ok(Self(number?)))
        }
    }

    let problem = DeclaredConfigs::default().declare::<Wrong>(None).problem.unwrap();
    assert!(problem.contains("\"config-wrong\"") && problem.contains("\"number\""), "{problem}");
    let mut values = ConfigValues::default();
    values.default_to(Wrong(1));
    assert_eq!(DeclaredConfigs::with(values).declare::<Wrong>(None).problem, None);
}

#[test]
fn config_maps_declared_only_by_disabled_controllers_are_not_read() {
    let mut declared = DeclaredConfigs::default();
    declared.declare::<Pool>(Some("shop"));
    declared.declare::<Pool>(Some("cart"));
    declared.declare::<Limits>(Some("cart"));
    let enabled = declared.enabled(&["cart".to_owned()]);
    assert_eq!(enabled.iter().map(|entry| &*entry.map).collect::<Vec<_>>(), ["config-pool"]);
}

// LOG-3, LOG-6, CFG-16
#[tokio::test(start_paused = true)]
async fn log_levels_follow_their_map_and_delay_nothing() {
    let world = World::new(ConfigValues::default());
    world.server.fail_always("configmaps", Fault::Status(403, "Forbidden"));
    let told: Arc<Mutex<Vec<Option<LogLevel>>>> = Arc::default();
    let sink = Arc::clone(&told);
    let levels: LevelSink = Arc::new(move |levels| sink.lock().push(levels.controller("shop")));
    let mut keeper = world.keeper(Some(("config-logging".to_owned(), levels)));
    keeper.load().await;
    world.follow(keeper);
    world.pass(10_000).await;
    world.server.heal();
    world.put("config-logging", json!({"loglevel.demo": "warn", "loglevel.other": "loud", "zap-logger-config": "{}"}));
    world.pass(60_000).await;
    world.put("config-logging", json!({"loglevel.demo": "warn", "loglevel.demo.shop": "debug"}));
    world.pass(2000).await;
    assert_eq!(*world.events.lock(), [] as [&str; 0]);
    world.put("config-logging", json!({"loglevel.demo": "loud", "loglevel.demo.shop": "debug"}));
    world.pass(2000).await;
    assert_eq!(*world.events.lock(), ["config-logging InvalidConfiguration"]);
    world.server.delete("system", "config-logging");
    world.pass(2000).await;
    assert_eq!(*told.lock(), [Some(LogLevel::Warn), Some(LogLevel::Debug), None]);
}
