//! Tasks with a child task for each target (`flow-and-contract.md`, 16).

use std::time::Duration;

use kubewright::machinery::object::ObjectExt as _;
use kubewright::prelude::*;
use kubewright::runtime::definition::custom_resource_definition;
use kubewright_testing::fixtures::fan_out::{FanOutTask, FanOutTaskSpec, TargetTask, operator};
use kubewright_testing::{Calm, TestCluster, TestOperator};

use crate::package::world::condition;

struct World {
    cluster: TestCluster,
    operator: TestOperator,
    _calm: Calm,
}

impl World {
    async fn start() -> Self {
        let cluster = TestCluster::start().await;
        let calm = Calm::of(&cluster);
        cluster.install_crd(&custom_resource_definition::<TargetTask>().unwrap_or_default()).await;
        let operator = cluster.run(operator()).await;
        Self { cluster, operator, _calm: calm }
    }

    async fn stop(self) {
        self.operator.stop().await;
        self.cluster.stop().await;
    }

    async fn create(&self, targets: &[&str], sequential: bool, ttl_seconds: Option<u32>) {
        let targets = targets.iter().map(|target| (*target).to_owned()).collect();
        self.cluster.apply(FanOutTask::new("backup", FanOutTaskSpec { targets, sequential, ttl_seconds })).await;
    }

    /// Plays the controller of a child task.
    async fn play(&self, target: &str, condition: &str, times: Value) {
        let name = format!("backup-{target}");
        self.cluster.expect::<TargetTask>(&name).to_exist().await;
        let told = json!([{
            "type": condition, "status": "True", "reason": "Played", "message": "", "lastTransitionTime": "2026-01-01T00:00:00Z",
        }]);
        let mut status = times;
        status["conditions"] = told;
        self.cluster.patch_status::<TargetTask>(&name, status).await;
    }

    async fn complete(&self, target: &str) {
        let now = self.cluster.clock().now().to_string();
        self.play(target, "Complete", json!({ "startTime": now, "completionTime": now, "succeeded": 1, "active": 0 })).await;
    }

    async fn task(&self, what: &str, predicate: impl Fn(&Value) -> bool) -> Value {
        self.cluster.expect::<FanOutTask>("backup").matching(what, predicate).await
    }

    async fn idle(&self, time: Duration) {
        let longest = if self.cluster.is_embedded() { time } else { Duration::from_secs(3) };
        self.cluster.pass(time.min(longest)).await;
    }

    /// Returns the writes of the operator, without events.
    fn writes(&self) -> Vec<String> {
        let writes = self.cluster.journal().all().writes();
        let writes = writes.filter(|record| record.target.resource().is_none_or(|of| of.resource != "events"));
        writes.iter().map(ToString::to_string).collect()
    }

    /// Returns the child tasks that were created, in order.
    fn created(&self) -> Vec<String> {
        let creations = self.cluster.journal().all().of("fixtures.kubewright.dev", "targettasks").writes();
        let names = creations.iter().filter_map(|record| Some(record.body.as_ref()?["spec"]["target"].as_str()?.to_owned()));
        names.collect()
    }
}

fn conditions(task: &Value) -> [String; 3] {
    ["Running", "Failed", "Complete"].map(|type_| condition(task, type_)["status"].as_str().unwrap_or("absent").to_owned())
}

// TASK-01, FAN-2, FAN-3
#[tokio::test]
async fn a_task_sums_up_its_parts() {
    let world = World::start().await;
    world.create(&["a", "b", "c"], false, None).await;
    world
        .play(
            "a",
            "Complete",
            json!({ "startTime": "2026-01-01T00:00:05Z", "completionTime": "2026-01-01T00:01:00Z", "succeeded": 1 }),
        )
        .await;
    world.play("b", "Failed", json!({ "startTime": "2026-01-01T00:00:01Z", "failed": 1 })).await;
    world.play("c", "Running", json!({ "startTime": "2026-01-01T00:00:09Z", "active": 2 })).await;
    let is_summed = |task: &Value| {
        let status = &task["status"];
        status["active"] == 2 && status["failed"] == 1 && status["succeeded"] == 1
    };
    let task = world.task("its parts are summed up", is_summed).await;
    assert_eq!(conditions(&task), ["True", "True", "Unknown"]);
    assert_eq!(task["status"]["startTime"], "2026-01-01T00:00:01Z");
    assert!(task["status"].get("completionTime").is_none());

    world.play("b", "Complete", json!({ "completionTime": "2026-01-01T00:03:00Z", "succeeded": 1, "failed": 0 })).await;
    world.play("c", "Complete", json!({ "completionTime": "2026-01-01T00:02:00Z", "succeeded": 2, "active": 0 })).await;
    let task = world.task("it is complete", |task| conditions(task)[2] == "True").await;
    assert_eq!(conditions(&task), ["False", "False", "True"]);
    assert_eq!((&task["status"]["completionTime"], &task["status"]["succeeded"]), (&json!("2026-01-01T00:03:00Z"), &json!(4)));
    world.cluster.expect::<FanOutTask>("backup").ready().await;
    world.stop().await;
}

// TASK-02, FAN-4
#[tokio::test]
async fn an_invalid_specification_is_reported_and_not_retried_until_it_changes() {
    let world = World::start().await;
    world.create(&["a", "b", "a"], false, None).await;
    let task = world.cluster.expect::<FanOutTask>("backup").condition("Invalid", "True", "InvalidSpec").await;
    let message = "spec.targets[2]: \"a\" is named twice; allowed: each target once";
    assert_eq!(condition(&task, "Invalid")["message"], message);
    assert_eq!(condition(&task, "Stalled")["message"], message);
    let events = || world.cluster.list::<k8s_openapi::api::events::v1::Event>();
    while !events().await.iter().any(|event| event["reason"] == "InvalidSpec" && event["type"] == "Warning") {
        world.cluster.pass(Duration::from_millis(50)).await;
    }
    let blocked = || world.operator.metric("kubewright_reconcile_total", &[("controller", "fanouttask"), ("result", "blocked")]);
    let before = blocked();
    world.idle(Duration::from_mins(50)).await;
    assert_eq!(blocked(), before, "no pass until the specification changes");
    assert!(world.created().is_empty(), "{:?}", world.created());

    world.cluster.patch::<FanOutTask>("backup", json!({ "spec": { "targets": ["a", "b"] } })).await;
    world.cluster.expect::<FanOutTask>("backup").condition("Invalid", "False", "ValidSpec").await;
    assert_eq!(world.created(), ["a", "b"]);
    world.stop().await;
}

// TASK-03, FAN-6
#[tokio::test]
async fn a_complete_task_is_deleted_at_the_end_of_its_time() {
    let world = World::start().await;
    let ttl = if world.cluster.is_embedded() { 600 } else { 4 };
    world.create(&["a"], false, Some(ttl)).await;
    let completed = world.cluster.clock().now();
    world.complete("a").await;
    world.task("it is complete", |task| conditions(task)[2] == "True").await;
    world.cluster.expect::<FanOutTask>("backup").within(Duration::from_secs(u64::from(ttl) + 60)).to_be_gone().await;
    let took = world.cluster.clock().now().duration_since(completed).as_secs();
    assert!((i64::from(ttl) - 1..i64::from(ttl) + 30).contains(&took), "deleted {took} s after it was complete");
    world.cluster.expect::<TargetTask>("backup-a").to_be_gone().await;
    world.stop().await;
}

// TASK-04, FAN-1, FAN-5
#[tokio::test]
async fn parts_are_created_one_after_the_other_in_the_users_order_and_nothing_is_written_twice() {
    let world = World::start().await;
    world.create(&["c", "a", "b"], true, None).await;
    for (place, target) in ["c", "a", "b"].into_iter().enumerate() {
        world.cluster.expect::<TargetTask>(&format!("backup-{target}")).to_exist().await;
        world.idle(Duration::from_secs(30)).await;
        assert_eq!(world.created(), ["c", "a", "b"][..=place]);
        // A change of a child that does not concern the task changes no condition.
        let writes = world.writes().len();
        world
            .cluster
            .patch::<TargetTask>(&format!("backup-{target}"), json!({ "metadata": { "labels": { "seen": "1" } } }))
            .await;
        world.idle(Duration::from_secs(30)).await;
        assert_eq!(world.writes()[writes..], <[String; 0]>::default());
        world.complete(target).await;
    }
    let task = world.task("it is complete", |task| conditions(task)[2] == "True").await;
    assert_eq!(task["status"]["succeeded"], 3);
    assert!(task.generation().is_some());
    world.stop().await;
}

// TASK-04, FAN-1
#[tokio::test]
async fn a_part_that_failed_does_not_stop_those_after_it() {
    let world = World::start().await;
    world.create(&["b", "a"], true, None).await;
    world.play("b", "Failed", json!({ "failed": 1 })).await;
    world.complete("a").await;
    let task = world.task("both have ended", |task| task["status"]["succeeded"] == 1).await;
    assert_eq!(conditions(&task), ["False", "True", "Unknown"]);
    world.stop().await;
}
