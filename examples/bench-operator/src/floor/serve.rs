//! An operator without decisions: it sends the writes for the Benches of others as soon as they are created, changed or deleted.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

use futures::stream::FuturesUnordered;
use futures::{FutureExt as _, StreamExt as _, future};
use kubewright::machinery::object::{GroupVersionKind, ObjectExt as _};
use kubewright::runtime::cluster::Cluster;
use kubewright::runtime::watch::{WatchSpec, project_with};
use kubewright::serde_json::Value;

use super::PARALLEL;
use super::writes::{Answered, Wanted, Writer};

/// A Bench as reported by the watch.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Told {
    wanted: Wanted,
    goes: bool,
}

impl Told {
    fn of(bench: &Value) -> Self {
        let spec = &bench["spec"];
        let wanted = Wanted {
            namespace: bench.namespace().to_owned(),
            name: bench.name().to_owned(),
            generation: bench["metadata"]["generation"].as_i64().unwrap_or_default(),
            dependents: spec["count"].as_u64().unwrap_or_default(),
            payload: spec["payload"].as_str().unwrap_or_default().to_owned(),
        };
        Self { wanted, goes: bench["metadata"]["deletionTimestamp"].is_string() }
    }
}

/// A Bench, and the last processed state.
#[derive(Default)]
struct Entry {
    /// The last reported state. `None` if the Bench is gone.
    told: Option<Arc<Told>>,
    done: Option<Arc<Told>>,
    is_busy: bool,
}

/// Follows the Benches of a namespace, or of all namespaces, until a request fails.
///
/// # Errors
/// A request that failed for good.
pub async fn serve(cluster: &Cluster, namespace: Option<&str>) -> Answered {
    let writer = &Writer::new(cluster.clone());
    let kind = GroupVersionKind::new("bench.kubewright.dev", "v1alpha1", "Bench");
    let everywhere = WatchSpec::of_version(&kind);
    let watched = match namespace {
        Some(namespace) => everywhere.in_namespace(namespace),
        None => everywhere,
    };
    let mut changes = cluster.watches().subscribe(watched, project_with(Told::of)).changes();
    let mut entries: HashMap<String, Entry> = HashMap::new();
    let mut waiting = VecDeque::new();
    let mut work = FuturesUnordered::new();
    loop {
        let finished = if work.is_empty() { future::pending().left_future() } else { work.next().right_future() };
        tokio::select! {
            Some(change) = changes.next() => {
                let key = format!("{}/{}", change.key.namespace(), change.key.name());
                entries.entry(key.clone()).or_default().told = change.new;
                waiting.push_back(key);
            }
            Some((key, done)) = finished => {
                let (key, done): (String, Result<Arc<Told>, _>) = (key, done);
                let entry = entries.entry(key.clone()).or_default();
                (entry.is_busy, entry.done) = (false, Some(done?));
                waiting.push_back(key);
            }
            else => return Ok(()),
        }
        while work.len() < PARALLEL
            && let Some(key) = waiting.pop_front()
        {
            let Some(entry) = entries.get_mut(&key).filter(|entry| !entry.is_busy) else { continue };
            let Some(told) = entry.told.clone() else {
                entries.remove(&key);
                continue;
            };
            if entry.done.as_ref() == Some(&told) {
                continue;
            }
            entry.is_busy = true;
            let is_new = entry.done.is_none();
            work.push(async move {
                let answered = match &*told {
                    Told { wanted, goes: true } => writer.remove(wanted).await,
                    Told { wanted, .. } if is_new => writer.install(wanted).await,
                    Told { wanted, .. } => writer.upgrade(wanted).await,
                };
                (key, answered.map(|()| told))
            });
        }
    }
}
