//! A fake node for clusters without kubelet: binds pods and reports them ready, by the same rule as the embedded server.

use std::collections::BTreeMap;
use std::thread::JoinHandle;
use std::time::Duration;

use futures::StreamExt as _;
use jiff::Timestamp;
use k8s_openapi::api::core::v1::{Node, Pod};
use kube::api::{Api, ApiResource, DeleteParams, DynamicObject, Patch, PatchParams, PostParams};
use kube::runtime::watcher;
use kubewright_apiserver::workloads::node::{node, pod_address};
use kubewright_apiserver::workloads::pod::{DuePodChange, PodChange, next};
use kubewright_apiserver::workloads::{Nodes, StageDelays};
use kubewright_runtime::clock::Clock;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use crate::objects::value;
use crate::task::on_own_thread;

/// Pause after a request that failed for a reason other than the pod's own state.
const PAUSE: Duration = Duration::from_millis(200);

/// A running fake node. Dropping it stops it.
#[derive(Debug)]
pub struct NodePlayer {
    stop: CancellationToken,
    thread: Option<JoinHandle<()>>,
}

impl NodePlayer {
    /// Starts a fake node on the cluster of a kubeconfig (its text), on a thread of its own, independent of the runtimes of the tests.
    pub fn start(kubeconfig: String) -> Self {
        let stop = CancellationToken::new();
        let stopping = stop.clone();
        let thread = on_own_thread("node", move || async move {
            let play = async {
                loop {
                    if let Err(error) = play(&kubeconfig).await {
                        tracing::warn!(%error, "the fake node starts again");
                    }
                    tokio::time::sleep(PAUSE).await;
                }
            };
            tokio::select! {
                () = stopping.cancelled() => {}
                () = play => {}
            }
        });
        Self { stop, thread: thread.ok() }
    }
}

impl Drop for NodePlayer {
    fn drop(&mut self) {
        self.stop.cancel();
        if let Some(thread) = self.thread.take() {
            // The panic of a node shows in the tests that waited for pods.
            let _ = thread.join();
        }
    }
}

type Error = Box<dyn std::error::Error + Send + Sync>;

async fn play(kubeconfig: &str) -> Result<(), Error> {
    let kubeconfig = kube::config::Kubeconfig::from_yaml(kubeconfig)?;
    let mut config = kube::Config::from_custom_kubeconfig(kubeconfig, &kube::config::KubeConfigOptions::default()).await?;
    config.default_retry = false;
    let client = kube::Client::try_from(config)?;
    let clock = Clock::system();
    let node = register(&client, clock.now()).await?;

    let pods: Api<DynamicObject> = Api::all_with(client.clone(), &ApiResource::erase::<Pod>(&()));
    let mut events = std::pin::pin!(watcher(pods, watcher::Config::default()));
    let mut player = SimulatedNode { client, node, pods: BTreeMap::new(), addresses: 0, clock };
    loop {
        let due = player.act().await;
        let wait = async {
            match due {
                Some(wait) => tokio::time::sleep(wait).await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            event = events.next() => match event {
                Some(Ok(event)) => player.see(event),
                Some(Err(error)) => return Err(error.into()),
                None => return Ok(()),
            },
            () = wait => {}
        }
    }
}

/// Creates the node with a status that lets pods in.
async fn register(client: &kube::Client, now: Timestamp) -> Result<Value, Error> {
    let nodes: Api<DynamicObject> = Api::all_with(client.clone(), &ApiResource::erase::<Node>(&()));
    let wanted = node(0, now);
    match nodes.create(&PostParams::default(), &serde_json::from_value(wanted.clone())?).await {
        Ok(_) => {}
        Err(kube::Error::Api(status)) if status.reason == "AlreadyExists" => {}
        Err(error) => return Err(error.into()),
    }
    let name = wanted["metadata"]["name"].as_str().unwrap_or_default();
    // The node lifecycle controller, which would remove the taint of a new node, does not run here.
    nodes.patch(name, &PatchParams::default(), &Patch::Merge(json!({"spec": {"taints": null}}))).await?;
    let status = json!({"status": wanted["status"]});
    Ok(value(&nodes.patch_status(name, &PatchParams::default(), &Patch::Merge(status)).await?))
}

struct SimulatedNode {
    client: kube::Client,
    node: Value,
    pods: BTreeMap<(String, String), Value>,
    addresses: u32,
    clock: Clock,
}

impl SimulatedNode {
    fn see(&mut self, event: watcher::Event<DynamicObject>) {
        match event {
            watcher::Event::Apply(pod) | watcher::Event::InitApply(pod) => {
                self.pods.insert(key(&pod), value(&pod));
            }
            watcher::Event::Delete(pod) => {
                self.pods.remove(&key(&pod));
            }
            watcher::Event::Init => self.pods.clear(),
            watcher::Event::InitDone => {}
        }
    }

    /// Applies every change of a pod that is due; returns the time until the next change is due.
    async fn act(&mut self) -> Option<Duration> {
        let now = self.clock.now();
        let all = [&self.node];
        let mut wait: Option<Duration> = None;
        let mut done = Vec::new();
        for (key, pod) in &self.pods {
            let nodes = Nodes { all: &all, next_address: pod_address(self.addresses) };
            let Some(change) = next(pod, nodes, now, &StageDelays::NONE) else {
                continue;
            };
            if change.is_due(now) {
                self.addresses +=
                    u32::from(matches!(change.what, PodChange::Status(_)) && pod.pointer("/status/podIP").is_none());
                done.push((key.clone(), self.apply(key, change).await));
            } else {
                let until = Duration::try_from(change.due.duration_since(now)).unwrap_or(PAUSE);
                wait = Some(wait.map_or(until, |wait| wait.min(until)));
            }
        }
        for (key, outcome) in done {
            match outcome {
                // The response is newer than the pod of the watch.
                Ok(Some(pod)) => {
                    self.pods.insert(key, pod);
                    wait = Some(Duration::ZERO);
                }
                // The pod is gone, or another writer was faster: the watch brings the new state.
                Ok(None) => {
                    self.pods.remove(&key);
                }
                Err(error) => {
                    tracing::debug!(%error, "the fake node tries again");
                    wait = Some(wait.map_or(PAUSE, |wait| wait.min(PAUSE)));
                }
            }
        }
        wait
    }

    async fn apply(&self, (namespace, name): &(String, String), change: DuePodChange) -> Result<Option<Value>, kube::Error> {
        let pods: Api<DynamicObject> = Api::namespaced_with(self.client.clone(), namespace, &ApiResource::erase::<Pod>(&()));
        let outcome = match change.what {
            PodChange::Bind(node) => {
                let binding = json!({
                    "apiVersion": "v1", "kind": "Binding",
                    "metadata": {"name": name, "namespace": namespace},
                    "target": {"apiVersion": "v1", "kind": "Node", "name": node},
                });
                let answer: Result<Value, _> = pods.create_subresource("binding", name, &PostParams::default(), &binding).await;
                match answer {
                    Ok(_) => pods.get(name).await.map(|pod| Some(value(&pod))),
                    Err(error) => Err(error),
                }
            }
            PodChange::Status(status) => {
                let patch = Patch::Merge(json!({ "status": status }));
                pods.patch_status(name, &PatchParams::default(), &patch).await.map(|pod| Some(value(&pod)))
            }
            PodChange::Delete => pods.delete(name, &DeleteParams::default().grace_period(0)).await.map(|_| None),
            _ => Ok(None),
        };
        match outcome {
            Err(kube::Error::Api(status)) if matches!(status.code, 404 | 409) => Ok(None),
            outcome => outcome,
        }
    }
}

fn key(pod: &DynamicObject) -> (String, String) {
    (pod.metadata.namespace.clone().unwrap_or_default(), pod.metadata.name.clone().unwrap_or_default())
}
