//! The requests of an installation without anybody who decides on them: no operator is faster on the same API server.

use std::error::Error;
use std::ffi::OsString;
use std::process::ExitCode;
use std::time::Duration;

use clap::Parser;
use futures::{StreamExt as _, TryStreamExt as _, stream};
use kubewright::machinery::object::GroupVersionKind;
use kubewright::runtime::cluster::{ApiError, ApiRequest, ApiResource, Cluster, ClusterOptions, PatchKind, infer_config};
use kubewright::runtime::task::Tasks;
use kubewright::serde_json::{Value, json};

/// Requests at once.
const PARALLEL: usize = 16;
/// Who writes.
const MANAGER: &str = "bench-floor";
/// What keeps a Bench until its dependents are gone.
const FINALIZER: &str = "bench.kubewright.dev/floor";

/// Sends the writes of an installation, 16 at a time, and prints how long they took
///
/// Per component: a finalizer, a status with the inventory, the dependents, a status that says Ready, an event. The CRD must be
/// installed. What is written is removed again, and neither that nor creating the components counts.
#[derive(Debug, Parser)]
#[command(name = "floor")]
struct Floor {
    /// Number of components
    #[arg(long, value_name = "NUMBER", default_value_t = 100)]
    components: usize,
    /// Number of dependents of each
    #[arg(long, value_name = "NUMBER", default_value_t = 10)]
    dependents: usize,
    /// Where they go; created when missing
    #[arg(long, value_name = "NAME", default_value = "bench-floor")]
    namespace: String,
}

/// Runs the command; the first word is its name.
pub(crate) async fn main(args: impl Iterator<Item = OsString>) -> ExitCode {
    let floor = match Floor::try_parse_from(args) {
        Ok(floor) => floor,
        Err(error) => {
            // Nobody can be told when the output is closed.
            let _ = error.print();
            return ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(2));
        }
    };
    match floor.run().await {
        Ok(seconds) => {
            let writes = floor.components * (floor.dependents + 3);
            println!("{seconds:.3} s for {writes} writes and {} events", floor.components);
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("error: failed to {error}");
            ExitCode::FAILURE
        }
    }
}

impl Floor {
    async fn run(&self) -> Result<f64, Box<dyn Error>> {
        let tasks = Tasks::new();
        let cluster = Cluster::connect(infer_config().await?, ClusterOptions::system(tasks.clone()))?;
        let namespace = json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": self.namespace}});
        let create = ApiRequest::create(&resource("", "v1", "Namespace", "namespaces"), &namespace);
        unless(cluster.send(&create).await, ApiError::is_already_exists)?;
        let names: Vec<String> = (0..self.components).map(|number| format!("floor-{number}")).collect();
        self.each(&names, |name| self.prepare(&cluster, name)).await?;
        let begin = cluster.clock().moment();
        let installed = self.each(&names, |name| self.install(&cluster, name)).await;
        let took = cluster.clock().moment().since(begin);
        let removed = self.each(&names, |name| self.remove(&cluster, name)).await;
        installed.and(removed)?;
        tasks.stop(Duration::from_secs(1)).await;
        Ok(took.as_secs_f64())
    }

    async fn each<'a, F>(&self, names: &'a [String], action: impl Fn(&'a str) -> F) -> Result<(), Box<dyn Error>>
    where
        F: Future<Output = Result<(), Box<dyn Error>>>,
    {
        stream::iter(names).map(|name| action(name)).buffer_unordered(PARALLEL).try_collect().await
    }

    async fn prepare(&self, cluster: &Cluster, name: &str) -> Result<(), Box<dyn Error>> {
        let bench = json!({
            "apiVersion": "bench.kubewright.dev/v1alpha1",
            "kind": "Bench",
            "metadata": {"name": name, "namespace": self.namespace},
            "spec": {"count": self.dependents},
        });
        unless(cluster.send(&ApiRequest::create(&benches(), &bench)).await, ApiError::is_already_exists)
    }

    async fn install(&self, cluster: &Cluster, name: &str) -> Result<(), Box<dyn Error>> {
        let finalizers = json!({"metadata": {"finalizers": [FINALIZER]}});
        cluster.send(&self.patch(name, &finalizers)).await?;
        self.status(cluster, name, "Processing").await?;
        for number in 0..self.dependents {
            cluster.send(&ApiRequest::create(&config_maps(), &self.dependent(name, number)).field_manager(MANAGER)).await?;
        }
        self.status(cluster, name, "Ready").await?;
        let events = resource("events.k8s.io", "v1", "Event", "events");
        cluster.send(&ApiRequest::create(&events, &self.event(name)).field_manager(MANAGER)).await?;
        Ok(())
    }

    async fn status(&self, cluster: &Cluster, name: &str, state: &str) -> Result<(), Box<dyn Error>> {
        let item = |number| {
            json!({
                "group": "", "version": "v1", "kind": "ConfigMap", "namespace": self.namespace, "name": format!("{name}-{number}"),
                "managedBy": MANAGER, "digest": DIGEST, "phase": state, "status": "Current",
            })
        };
        let inventory: Vec<Value> = (0..self.dependents).map(item).collect();
        let status = json!({"status": {"state": state, "observedGeneration": 1, "inventory": inventory}});
        cluster.send(&self.patch(name, &status).subresource("status")).await?;
        Ok(())
    }

    async fn remove(&self, cluster: &Cluster, name: &str) -> Result<(), Box<dyn Error>> {
        for number in 0..self.dependents {
            let delete = ApiRequest::delete(&config_maps(), &self.namespace, &format!("{name}-{number}"));
            unless(cluster.send(&delete).await, ApiError::is_not_found)?;
        }
        cluster.send(&self.patch(name, &json!({"metadata": {"finalizers": null}}))).await?;
        cluster.send(&ApiRequest::delete(&benches(), &self.namespace, name)).await?;
        Ok(())
    }

    fn patch(&self, name: &str, patch: &Value) -> ApiRequest {
        ApiRequest::patch(&benches(), &self.namespace, name, PatchKind::Merge, patch).field_manager(MANAGER)
    }

    fn dependent(&self, name: &str, number: usize) -> Value {
        json!({
            "apiVersion": "v1",
            "kind": "ConfigMap",
            "metadata": {
                "name": format!("{name}-{number}"),
                "namespace": self.namespace,
                "labels": {"bench.kubewright.dev/owner-id": "floor"},
                "annotations": {"bench.kubewright.dev/owner-id": name, "bench.kubewright.dev/digest": DIGEST},
            },
            "data": {"payload": "first"},
        })
    }

    fn event(&self, name: &str) -> Value {
        json!({
            "apiVersion": "events.k8s.io/v1",
            "kind": "Event",
            "metadata": {"generateName": format!("{name}-"), "namespace": self.namespace},
            "eventTime": "2026-01-01T00:00:00.000000Z",
            "reportingController": MANAGER,
            "reportingInstance": MANAGER,
            "action": "Reconcile",
            "reason": "Ready",
            "note": "written without an operator",
            "type": "Normal",
            "regarding": {
                "apiVersion": "bench.kubewright.dev/v1alpha1", "kind": "Bench", "namespace": self.namespace, "name": name,
            },
        })
    }
}

/// What a run that broke off has left or has not left is no error.
fn unless(answer: Result<Value, ApiError>, harmless: impl Fn(&ApiError) -> bool) -> Result<(), Box<dyn Error>> {
    match answer {
        Err(error) if !harmless(&error) => Err(error.into()),
        _ => Ok(()),
    }
}

/// As long as a digest is.
const DIGEST: &str = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";

fn benches() -> ApiResource {
    resource("bench.kubewright.dev", "v1alpha1", "Bench", "benches")
}

fn config_maps() -> ApiResource {
    resource("", "v1", "ConfigMap", "configmaps")
}

fn resource(group: &str, version: &str, kind: &str, plural: &str) -> ApiResource {
    ApiResource::known(&GroupVersionKind::new(group, version, kind), plural, kind != "Namespace")
}
