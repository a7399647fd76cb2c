use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use kubewright_core::backoff::Timing;
use kubewright_core::filter::{Cause, Change, differs};
use kubewright_core::flow::{Delay, Failure};
use kubewright_core::queue::Lane;
use kubewright_machinery::object::{GroupKind, Key};
use parking_lot::Mutex;
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use super::*;
use crate::clock::Random;
use crate::cluster::Cluster;
use crate::controller::{Conclusion, PassContext, QueueHandle, RunPass, Runner, RunnerServices};
use crate::metrics::Metrics;
use crate::task::Tasks;
use crate::testing::{Fault, Server};
use crate::watch::{ProjectedStore, WatchSpec, WatchState, project_with};

/// A reconciler that records the keys that ran.
#[derive(Clone, Default)]
struct Ran(Arc<Mutex<Vec<String>>>);

#[async_trait]
impl RunPass for Ran {
    async fn run(&self, pass: &Arc<PassContext>) -> Conclusion {
        self.0.lock().push(pass.key().to_string());
        pass.end(&Ok(()))
    }
}

struct Scene {
    server: Server,
    store: ProjectedStore<String>,
    ran: Ran,
    queue: QueueHandle,
    controller: Option<Runner>,
    tasks: Tasks,
}

/// Returns a store of the texts of config maps.
fn store(cluster: &Cluster) -> ProjectedStore<String> {
    let text = |object: &Value| object.pointer("/data/text").and_then(Value::as_str).unwrap_or_default().to_owned();
    cluster.watches().subscribe(WatchSpec::new(GroupKind::new("", "ConfigMap")), project_with(text))
}

impl Scene {
    async fn new() -> Self {
        let server = Server::new();
        server.put("demo", "early", "x");
        let (cluster, tasks, ran) = (server.cluster(), Tasks::new(), Ran::default());
        let store = store(&cluster);
        store.synced().await;
        let services = RunnerServices {
            clock: cluster.clock().clone(),
            random: Random::seeded(1),
            tasks: tasks.clone(),
            metrics: Metrics::new("test"),
            timing: Timing::default().into(),
        };
        let controller = Runner::new("widgets", Arc::new(ran.clone()), services).workers(1);
        Self { server, store, ran, queue: controller.enqueue(), controller: Some(controller), tasks }
    }

    /// Starts the trigger, and then the controller.
    async fn start(&mut self, trigger: StoreTrigger<String>) -> CancellationToken {
        let stop = trigger.start("test", self.queue.clone(), &self.tasks);
        settle().await;
        if let Some(controller) = self.controller.take() {
            self.tasks.spawn("run", controller.run(CancellationToken::new(), Duration::ZERO)).detach();
        }
        settle().await;
        stop
    }

    /// Returns the keys that ran since the last call.
    async fn ran(&self) -> Vec<String> {
        settle().await;
        std::mem::take(&mut self.ran.0.lock())
    }
}

async fn settle() {
    tokio::time::sleep(Duration::from_millis(1)).await;
}

/// Returns a mapper that reads keys from the text.
fn named() -> impl Fn(&Key, &String) -> Vec<Key> {
    |_, text| text.split(' ').map(|name| Key::new("other", name)).collect()
}

// MAP-1
#[tokio::test(start_paused = true)]
async fn an_object_queues_its_own_key_when_it_is_created_changed_or_deleted() {
    let mut scene = Scene::new().await;
    scene.start(StoreTrigger::of_objects(scene.store.clone())).await;
    assert_eq!(scene.ran().await, ["demo/early"]);
    scene.server.put("demo", "a", "1");
    assert_eq!(scene.ran().await, ["demo/a"]);
    scene.server.put("demo", "a", "2");
    assert_eq!(scene.ran().await, ["demo/a"]);
    scene.server.delete("demo", "a");
    assert_eq!(scene.ran().await, ["demo/a"]);
}

// WHY-1, WHY-2
#[tokio::test(start_paused = true)]
async fn the_cause_of_a_pass_names_the_object_and_its_change() {
    let mut scene = Scene::new().await;
    let history = scene.controller.as_ref().unwrap().history();
    scene.start(StoreTrigger::of_objects(scene.store.clone())).await;
    scene.server.put("demo", "a", "1");
    scene.ran().await;
    scene.server.put("demo", "a", "2");
    scene.ran().await;
    scene.server.delete("demo", "a");
    scene.ran().await;
    let causes =
        |name: &str| -> Vec<String> { history.of(&Key::new("demo", name)).iter().map(|pass| pass.causes.to_string()).collect() };
    assert_eq!(causes("early"), ["first list"]);
    assert_eq!(causes("a"), ["ConfigMap demo/a came", "ConfigMap demo/a changed", "ConfigMap demo/a went"]);
}

// MAP-7, MAP-10
#[tokio::test(start_paused = true)]
async fn a_mapper_sees_the_old_and_the_new_state_and_each_key_is_queued_once() {
    let mut scene = Scene::new().await;
    scene.start(StoreTrigger::mapped(scene.store.clone(), named()).at_first(AtFirst::Skipped)).await;
    assert!(scene.ran().await.is_empty());
    scene.server.put("demo", "a", "x y");
    assert_eq!(scene.ran().await, ["other/x", "other/y"]);
    scene.server.put("demo", "a", "y z");
    assert_eq!(scene.ran().await, ["other/x", "other/y", "other/z"]);
    scene.server.delete("demo", "a");
    assert_eq!(scene.ran().await, ["other/y", "other/z"]);
}

// TRF-1, EF-1, FILT-09
#[tokio::test(start_paused = true)]
async fn a_change_that_does_not_pass_queues_nothing_and_is_in_the_store() {
    let mut scene = Scene::new().await;
    let filter = differs(|text: &String| text.len());
    scene.start(StoreTrigger::of_objects(scene.store.clone()).at_first(AtFirst::Skipped).filter(filter)).await;
    scene.server.put("demo", "early", "y");
    assert!(scene.ran().await.is_empty());
    assert_eq!(*scene.store.find("demo", "early").unwrap(), "y");
    scene.server.put("demo", "early", "longer");
    assert_eq!(scene.ran().await, ["demo/early"]);
}

#[tokio::test(start_paused = true)]
async fn a_mapper_that_panics_loses_one_change_and_no_other() {
    let mut scene = Scene::new().await;
    let careful = |key: &Key, text: &String| {
        assert_ne!(text, "poison", "this mapper takes no poison");
        vec![key.clone()]
    };
    scene.start(StoreTrigger::mapped(scene.store.clone(), careful).at_first(AtFirst::Skipped)).await;
    scene.server.put("demo", "a", "poison");
    assert!(scene.ran().await.is_empty());
    scene.server.put("demo", "b", "fine");
    assert_eq!(scene.ran().await, ["demo/b"]);
}

// QUE-7, MAP-8
#[tokio::test(start_paused = true)]
async fn initial_objects_use_the_slow_lane_and_later_changes_the_lane_of_the_trigger() {
    let mut scene = Scene::new().await;
    let urgent = StoreTrigger::of_objects(scene.store.clone()).lane(Lane::Urgent);
    urgent.start("urgent", scene.queue.clone(), &scene.tasks);
    let slow = StoreTrigger::mapped(scene.store.clone(), |key, _| vec![Key::new("slow", key.name())]).lane(Lane::Slow);
    slow.start("slow", scene.queue.clone(), &scene.tasks);
    settle().await;
    scene.server.put("demo", "later", "1");
    settle().await;
    scene.queue.now(Key::new("", "fast"));
    let nothing = StoreTrigger::of_objects(scene.store.clone()).at_first(AtFirst::Skipped);
    scene.start(nothing).await;
    assert_eq!(scene.ran().await, ["demo/later", "fast", "demo/early", "slow/early", "slow/later"]);
}

// QUE-10
#[tokio::test(start_paused = true)]
async fn changes_join_the_first_one_that_waits_and_do_not_extend_its_wait() {
    let mut scene = Scene::new().await;
    let debounced = StoreTrigger::of_objects(scene.store.clone()).at_first(AtFirst::Skipped).debounce(Delay::secs::<10>());
    scene.start(debounced).await;
    for second in 0..10 {
        scene.server.put("demo", "a", &second.to_string());
        assert!(scene.ran.0.lock().is_empty(), "after {second} s");
        tokio::time::sleep(Duration::from_secs(1)).await;
    }
    assert_eq!(scene.ran().await, ["demo/a"]);
    tokio::time::sleep(Duration::from_secs(60)).await;
    assert!(scene.ran().await.is_empty());
}

#[tokio::test(start_paused = true)]
async fn a_trigger_that_is_stopped_queues_nothing_and_holds_no_store() {
    let mut scene = Scene::new().await;
    let stop = scene.start(StoreTrigger::of_objects(scene.store.clone()).at_first(AtFirst::Skipped)).await;
    stop.cancel();
    settle().await;
    scene.server.put("demo", "a", "1");
    assert!(scene.ran().await.is_empty());
}

#[tokio::test(start_paused = true)]
async fn a_follower_gets_the_states_of_the_watch_and_the_completion_of_the_first_list() {
    let server = Server::new();
    server.put("demo", "a", "1");
    server.fail_always("configmaps", Fault::Status(403, "Forbidden"));
    let cluster = server.cluster();
    let store = store(&cluster);
    assert_eq!(store.settled().await, WatchState::Forbidden);
    let told: Arc<Mutex<Vec<String>>> = Arc::default();
    let (tasks, stop, lines) = (Tasks::new(), CancellationToken::new(), Arc::clone(&told));
    follow(store, "test", &tasks, stop.clone(), move |news| {
        lines.lock().push(match news {
            News::Turned(status) => status.state.as_str().to_owned(),
            News::Synced => "synced".to_owned(),
            News::Changed(Change { key, cause: Cause::Initial, .. }) => format!("{key} is there"),
            News::Changed(change) => format!("{} {:?}", change.key, change.update().is_some()),
        });
    });
    settle().await;
    assert_eq!(std::mem::take(&mut *told.lock()), ["forbidden"]);
    server.heal();
    tokio::time::sleep(Duration::from_secs(70)).await;
    let mut first = std::mem::take(&mut *told.lock());
    first.sort();
    first.dedup();
    assert_eq!(first, ["demo/a is there", "synced", "watching"]);
    server.put("demo", "a", "2");
    settle().await;
    assert_eq!(std::mem::take(&mut *told.lock()), ["demo/a true"]);
    stop.cancel();
    settle().await;
    server.put("demo", "a", "3");
    settle().await;
    assert!(told.lock().is_empty());
}

/// A reconciler that always fails, and records the number of earlier failures.
#[derive(Clone, Default)]
struct Failing(Arc<Mutex<Vec<u32>>>);

#[async_trait]
impl RunPass for Failing {
    async fn run(&self, pass: &Arc<PassContext>) -> Conclusion {
        self.0.lock().push(pass.failures());
        pass.end(&Failure::backoff("broken").into())
    }
}

// EF-2, BO-5
#[tokio::test(start_paused = true)]
async fn retries_and_failures_of_a_deleted_object_are_forgotten_even_if_a_filter_drops_the_deletion() {
    let scene = Scene::new().await;
    let failing = Failing::default();
    let services = RunnerServices {
        clock: crate::clock::Clock::virtual_from(jiff::Timestamp::UNIX_EPOCH),
        random: Random::seeded(1),
        tasks: scene.tasks.clone(),
        metrics: Metrics::new("test"),
        timing: Timing::default().without_jitter().into(),
    };
    let controller = Runner::new("failing", Arc::new(failing.clone()), services);
    let stays = |change: &Change<String>| change.new.is_some();
    let trigger = StoreTrigger::of_objects(scene.store.clone()).forgetting().filter(stays);
    let _stop = trigger.start("test", controller.enqueue(), &scene.tasks);
    scene.tasks.spawn("run", controller.run(CancellationToken::new(), Duration::ZERO)).detach();
    tokio::time::sleep(Duration::from_millis(50)).await;
    let failed = std::mem::take(&mut *failing.0.lock());
    assert_eq!(failed, [0, 1, 2, 3], "it is retried after 5, 10 and 20 ms");
    scene.server.delete("demo", "early");
    tokio::time::sleep(Duration::from_hours(1)).await;
    assert!(failing.0.lock().is_empty(), "its retries have gone with it");
    scene.server.put("demo", "early", "y");
    settle().await;
    assert_eq!(*failing.0.lock(), [0], "the failures of the object before it do not count");
}
