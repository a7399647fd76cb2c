//! The time of a plan when every object is in sync (PERF-11), and its growth with the number of objects.
//!
//! `cargo bench -p kubewright-core --bench plan [-- <objects>...]`, by default 1000 10000. One thread, no I/O. The budget is 5 ms for 1,000 objects
//! on one core, and a time that grows linearly.

#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stdout, reason = "a benchmark that fails has failed")]
#![allow(clippy::disallowed_methods, reason = "a benchmark measures real time")]

use std::hint::black_box;
use std::sync::Arc;
use std::time::Instant;

use jiff::Timestamp;
use kubewright_core::dependents::{
    Action, Desired, Engine, Inventory, Memory, Observed, Plan, PrepareContext, Projection, ProjectionContext, Request, Response,
    Verdict, plan, prepare,
};
use kubewright_core::manifest::{DependentPolicies, OperatorName, OwnerId};
use kubewright_machinery::object::{ObjectExt as _, ObjectKey, Scope};
use serde_json::{Value, json};

const OPERATOR: &str = "demo-operator.example.com";
/// The number of measurements of each size. The quickest one counts, because disturbances can only make a run slower.
const RUNS: usize = 50;

/// A component whose objects are all in sync.
struct Scene {
    engine: Engine,
    desired: Desired,
    inventory: Inventory,
    memory: Memory,
    live: Vec<(ObjectKey, Arc<Projection>)>,
    now: Timestamp,
}

impl Scene {
    fn of(objects: usize) -> Self {
        let context = ProjectionContext::new(OperatorName::new(OPERATOR).unwrap());
        let engine = Engine::new(context, OwnerId::new("cluster/demo/component"));
        let manifests = (0..objects).map(manifest).collect();
        let desired = prepare(
            manifests,
            &PrepareContext {
                operator: &engine.context.operator,
                policies: &DependentPolicies::default(),
                namespace: "demo",
                component_digest: "k1:component",
                scope: &|_| Some(Scope::Namespaced),
            },
        )
        .unwrap();
        let now = "2026-01-01T00:00:00Z".parse().unwrap();
        let mut scene =
            Self { engine, desired, inventory: Inventory::default(), memory: Memory::default(), live: Vec::new(), now };
        scene.install();
        scene
    }

    /// Creates all objects, and answers as a server would.
    fn install(&mut self) {
        let mut observed = Observed::new(&self.inventory);
        loop {
            let plan = self.plan(&observed);
            (self.inventory, self.memory) = (plan.inventory, plan.memory);
            if plan.actions.is_empty() {
                assert_eq!(plan.verdict, Verdict::Complete);
                return;
            }
            for action in plan.actions {
                match action {
                    Action::Persist(inventory) => observed.record_persisted(&inventory),
                    Action::Send(action) => {
                        let Request::Create(body) = &action.request else { panic!("an install only creates") };
                        let live = created(body.clone(), self.live.len());
                        let projection = Projection::of(&live, &self.engine.context);
                        self.live.push((action.key.clone(), Arc::new(projection)));
                        observed.record(&self.engine, &action, Response::Success(&live), &mut self.memory, self.now);
                    }
                    _ => panic!("an install only creates"),
                }
            }
        }
    }

    /// Returns the observations that a pass begins with.
    fn observed(&self) -> Observed {
        let mut observed = Observed::new(&self.inventory);
        for (key, projection) in &self.live {
            observed.observe(key.clone(), Arc::clone(projection));
        }
        observed
    }

    fn plan(&self, observed: &Observed) -> Plan {
        plan(&self.engine, &self.desired, &self.inventory, observed, &self.memory, self.now)
    }
}

/// Returns a manifest of one of four types, about as large as usual ones.
fn manifest(n: usize) -> Value {
    let kind = ["ConfigMap", "Secret", "Service", "ServiceAccount"][n % 4];
    let data: serde_json::Map<String, Value> = (0..8).map(|key| (format!("key-{key}"), "dmFsdWU=".into())).collect();
    let metadata = json!({ "name": format!("object-{n}"), "namespace": format!("namespace-{}", n % 3) });
    match kind {
        "Service" => json!({ "apiVersion": "v1", "kind": kind, "metadata": metadata, "spec": { "ports": [{ "port": 80 }] } }),
        "ServiceAccount" => json!({ "apiVersion": "v1", "kind": kind, "metadata": metadata }),
        _ => json!({ "apiVersion": "v1", "kind": kind, "metadata": metadata, "data": data }),
    }
}

/// Returns an object as the server stores it.
fn created(mut object: Value, n: usize) -> Value {
    let fields = json!({ "f:data": { "f:key-0": {}, "f:key-1": {} }, "f:metadata": { "f:labels": {} } });
    let metadata = object.metadata_mut();
    metadata.insert("uid".to_owned(), format!("00000000-0000-4000-8000-{n:012x}").into());
    metadata.insert("resourceVersion".to_owned(), (n + 1).to_string().into());
    metadata.insert(
        "managedFields".to_owned(),
        json!([{ "manager": OPERATOR, "operation": "Update", "fieldsType": "FieldsV1", "fieldsV1": fields }]),
    );
    object
}

/// Returns the milliseconds that one plan takes.
fn measure(objects: usize) -> f64 {
    let scene = Scene::of(objects);
    let observed = scene.observed();
    let runs = (0..RUNS).map(|_| {
        let begun = Instant::now();
        let plan = black_box(scene.plan(black_box(&observed)));
        let took = begun.elapsed();
        assert!(plan.actions.is_empty() && plan.verdict == Verdict::Complete, "nothing is to be done");
        took.as_secs_f64() * 1e3
    });
    runs.fold(f64::INFINITY, f64::min)
}

fn main() {
    // Arguments that cargo adds begin with a dash.
    let mut sizes: Vec<usize> = std::env::args().skip(1).filter_map(|argument| argument.parse().ok()).collect();
    if sizes.is_empty() {
        sizes = vec![1000, 10_000];
    }
    println!("objects in sync     ms   us each   times the first");
    let mut first = None;
    for objects in sizes {
        let took = measure(objects);
        let each = took * 1e3 / objects as f64;
        let growth = each / *first.get_or_insert(each);
        println!("{objects:>15} {took:>6.2} {each:>9.2} {growth:>17.2}");
    }
}
