use std::time::Duration;

use kubewright::prelude::*;
use kubewright::render::Generator;
use kubewright_middleware::journal::{Journal, Mark};
use kubewright_middleware::{RequestTarget, Verb};

use crate::kinds::Kinds;
use crate::types::{Bundle, bundle, config_map};
use crate::world::{OPERATOR, World};

/// Returns the requests of the operator that are neither events nor watches, as `verb resource/subresource name`.
fn requests(journal: &Journal, mark: Mark) -> Vec<String> {
    let counts = |target: &RequestTarget| {
        target.resource().is_some_and(|resource| resource.resource != "events" && resource.verb != Verb::Watch)
    };
    let records = journal.since(mark).filter(|record| counts(&record.target));
    let line = |target: &RequestTarget| {
        let resource = target.resource().unwrap();
        format!("{:?} {}/{} {}", resource.verb, resource.resource, resource.subresource, resource.name)
    };
    records.iter().map(|record| line(&record.target)).collect()
}

fn is_read(line: &str) -> bool {
    line.starts_with("Get ") || line.starts_with("List ")
}

fn config_maps(count: usize, value: &str) -> Vec<Value> {
    (0..count).map(|n| config_map(&format!("map-{n}"), value)).collect()
}

async fn costs(count: usize) {
    let world = World::start().await;
    world.pass(Duration::from_secs(1)).await;
    let mark = world.journal().mark();
    world.set(&bundle("demo", &config_maps(count, "a"))).await;
    world.until_ready("demo").await;
    world.idle(Duration::from_secs(10)).await;
    let seen = requests(world.journal(), mark);
    let writes: Vec<_> = seen.iter().filter(|line| !is_read(line)).collect();
    assert_eq!(writes.len(), count + 3, "{writes:#?}");
    assert_eq!(writes[0], "Patch bundles/ demo");
    assert_eq!(writes[1], "Patch bundles/status demo");
    assert!(writes[2..count + 2].iter().all(|line| *line == "Create configmaps/ "), "{writes:#?}");
    assert_eq!(writes[count + 2], "Patch bundles/status demo");
    let reads: Vec<_> = seen.iter().filter(|line| line.starts_with("Get ")).collect();
    assert!(reads.is_empty(), "{reads:#?}");

    let mark = world.journal().mark();
    world.delete(&bundle("demo", &[])).await;
    world.until_gone(&bundle("demo", &[])).await;
    let seen = requests(world.journal(), mark);
    let writes: Vec<_> = seen.iter().filter(|line| !is_read(line)).collect();
    let all: Vec<_> = world
        .journal()
        .since(mark)
        .filter(|record| record.target.verb() != Some(Verb::Delete))
        .iter()
        .map(|record| format!("{record} {:?}", record.body))
        .collect();
    assert_eq!(writes.len(), count + 1, "{all:#?}");
    assert!(writes[..count].iter().all(|line| line.starts_with("Delete configmaps/ map-")), "{writes:#?}");
    assert_eq!(*writes[count], "Patch bundles/ demo");
}

// PERF-6, DEL-2
#[tokio::test]
async fn one_object_costs_four_writes_and_its_deletion_two() {
    costs(1).await;
}

// PERF-6, DEL-2
#[tokio::test]
async fn ten_objects_cost_thirteen_writes_and_their_deletion_eleven() {
    costs(10).await;
}

// PERF-1, DEL-2
#[tokio::test]
async fn fifty_objects_cost_fifty_three_writes_and_their_deletion_fifty_one() {
    costs(50).await;
}

// PERF-6, DEL-2
#[tokio::test]
async fn a_hundred_objects_cost_a_hundred_and_three_writes_and_their_deletion_a_hundred_and_one() {
    costs(100).await;
}

// PERF-1
#[tokio::test]
async fn at_most_sixteen_requests_of_a_component_are_in_flight() {
    let world = World::start().await;
    world.faults().on(Verb::Create).of("", "configmaps").delay(Duration::from_millis(300));
    let mark = world.journal().mark();
    world.set(&bundle("demo", &config_maps(50, "a"))).await;
    world.until_ready("demo").await;
    let records = world.journal().since(mark).verb(Verb::Create).of("", "configmaps");
    let spans: Vec<_> = records.iter().map(|record| (record.time, record.time + record.latency.unwrap())).collect();
    let in_flight = |at| spans.iter().filter(|(start, end)| *start <= at && at < *end).count();
    let most = spans.iter().map(|(start, _)| in_flight(*start)).max().unwrap();
    assert_eq!((spans.len(), most), (50, 16));
}

// PERF-3, STA-5
#[tokio::test]
async fn a_healthy_component_costs_nothing() {
    let world = World::start().await;
    world.set(&bundle("demo", &config_maps(5, "a"))).await;
    world.until_ready("demo").await;
    world.idle(Duration::from_secs(10)).await;
    let mark = world.journal().mark();
    world.idle(Duration::from_mins(10)).await;
    let records = world.journal().since(mark);
    records.filter(|record| record.target.verb() != Some(Verb::Watch)).exactly(0).unwrap();
}

// PERF-4, PERF-5, PASS-9
#[tokio::test]
async fn a_change_costs_requests_only_for_the_objects_it_touches() {
    let world = World::start().await;
    world.set(&bundle("demo", &config_maps(5, "a"))).await;
    world.until_ready("demo").await;
    let mut changed = config_maps(5, "a");
    changed[1] = config_map("map-1", "b");
    changed[3] = config_map("map-3", "b");
    let mark = world.journal().mark();
    world.set(&bundle("demo", &changed)).await;
    world.until_ready("demo").await;
    assert_eq!(requests(world.journal(), mark).len(), 4, "{:#?}", requests(world.journal(), mark));

    let mark = world.journal().mark();
    world.patch(&bundle("demo", &[]), json!({ "metadata": { "annotations": { "note": "hello" } } })).await;
    world.until("demo", "at revision 3", |component| component["status"]["revision"] == 3).await;
    assert_eq!(requests(world.journal(), mark).len(), 1, "{:#?}", requests(world.journal(), mark));
}

// PERF-7
#[tokio::test]
async fn a_restart_writes_nothing() {
    let mut world = World::start().await;
    world.set(&bundle("demo", &config_maps(3, "a"))).await;
    world.until_ready("demo").await;
    world.idle(Duration::from_secs(10)).await;
    world.kill().await;
    let mark = world.journal().mark();
    world.run(|builder| builder).await;
    world.idle(Duration::from_mins(1)).await;
    world.journal().since(mark).no_writes().unwrap();
}

/// Waits until the operator sends such a request, and returns the time since the change on the shared clock.
async fn reaction(world: &World, mark: Mark, verb: Verb, (group, plural): (&str, &str)) -> Duration {
    let changed = world.cluster.clock().now();
    world.pass(Duration::from_secs(1)).await;
    let sent = world.journal().since(mark).verb(verb).of(group, plural);
    let first = sent.iter().next().unwrap_or_else(|| panic!("nothing of this was sent: {:#?}", world.journal().since(mark)));
    Duration::try_from(first.time.duration_since(changed)).unwrap()
}

// PERF-8: virtual time advances only for a task that waits for a timer.
#[tokio::test]
async fn changes_of_a_dependent_are_handled_without_waiting_for_a_timer() {
    const BUDGET: Duration = Duration::from_millis(100);
    let world = World::start().await;
    if !world.cluster.is_embedded() {
        println!("skipped: only virtual time tells who waits for a timer");
        return;
    }
    for n in 0..20 {
        let objects: Vec<_> = (0..5).map(|index| config_map(&format!("other-{n}-{index}"), "a")).collect();
        world.set(&bundle(&format!("other-{n}"), &objects)).await;
    }
    let kinds = Kinds::install(&world).await;
    world.set(&kinds.component(&[kinds.foo(), config_map("one", "a"), config_map("two", "a")])).await;
    world.until_state("demo", "Processing", "Processing").await;
    world.idle(Duration::from_secs(10)).await;

    let mark = world.journal().mark();
    world.observe(&kinds.foo()).await;
    let took = reaction(&world, mark, Verb::Patch, ("test.kubewright.dev", "bundles")).await;
    assert!(took < BUDGET, "{took:?} after it became ready");
    world.until_ready("demo").await;
    world.idle(Duration::from_secs(10)).await;

    let mark = world.journal().mark();
    world.patch(&config_map("one", ""), json!({ "data": { "value": "edited" } })).await;
    let took = reaction(&world, mark, Verb::Update, ("", "configmaps")).await;
    assert!(took < BUDGET, "{took:?} after it was edited");

    let mark = world.journal().mark();
    world.delete(&config_map("two", "")).await;
    let took = reaction(&world, mark, Verb::Create, ("", "configmaps")).await;
    assert!(took < BUDGET, "{took:?} after it was deleted");
}

/// A generator that looks up three ConfigMaps.
struct LooksUp {
    cluster: Cluster,
    namespace: String,
}

const LOOKED_UP: [&str; 3] = ["answer-0", "answer-1", "answer-2"];

impl Generator<Bundle> for LooksUp {
    async fn render(&self, cx: &RenderContext<Bundle>) -> Result<Vec<Manifest>, RenderError> {
        let maps = kube::Api::<k8s_openapi::api::core::v1::ConfigMap>::namespaced(self.cluster.client().clone(), &self.namespace);
        let mut manifests = crate::types::objects(cx).await?;
        for name in LOOKED_UP {
            let data = maps.get(name).await?.data.unwrap_or_default();
            let copy =
                json!({ "apiVersion": "v1", "kind": "ConfigMap", "metadata": { "name": format!("copy-{name}") }, "data": data });
            manifests.push(Manifest::from_json(copy)?);
        }
        Ok(manifests)
    }
}

// PERF-12, GEN-5
#[tokio::test]
async fn objects_that_a_generator_looks_up_are_read_once_per_digest_and_not_with_each_pass() {
    let mut world = World::new().await;
    for name in LOOKED_UP {
        world.create(&config_map(name, "a")).await;
    }
    let cluster = world.cluster.connect(world.cluster.tasks()).await;
    let generator = LooksUp { cluster, namespace: world.namespace().to_owned() };
    world.run_other(Operator::new(OPERATOR).component::<Bundle>(generator)).await;
    let lookups = |mark| world.journal().since(mark).verb(Verb::Get).of("", "configmaps").len();

    let mark = world.journal().mark();
    let mut component = bundle("demo", &[config_map("one", "a")]);
    component["spec"]["requeueInterval"] = "1m".into();
    world.set(&component).await;
    world.until_ready("demo").await;
    assert_eq!(lookups(mark), 3, "the first rendering");

    let mark = world.journal().mark();
    world.idle(Duration::from_hours(1)).await;
    world.patch(&component, json!({ "metadata": { "labels": { "note": "hello" } } })).await;
    world.idle(Duration::from_secs(1)).await;
    assert_eq!(lookups(mark), 0, "passes that change nothing");

    let mark = world.journal().mark();
    component["spec"]["objects"] = json!([config_map("one", "b")]);
    world.set(&component).await;
    world.until_object(&config_map("one", ""), "changed", |map| map["data"]["value"] == "b").await;
    world.until_ready("demo").await;
    assert_eq!(lookups(mark), 3, "another digest");
}
