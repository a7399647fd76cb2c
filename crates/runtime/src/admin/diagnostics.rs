//! The pages `/debug/state` and `/debug/queue/<controller>`.

use std::fmt;
use std::sync::Arc;

use kubewright_core::queue::Lane;
use kubewright_machinery::object::Key;
use parking_lot::RwLock;
use serde_json::{Map, Value, json};
use tokio::sync::watch;

use super::{CheckKind, HealthChecks};
use crate::config::ObservabilityControl;
use crate::metrics::{Metrics, QueueStatistics};
use crate::phase::OperatorPhase;
use crate::watch::Watched;

/// The number of keys of a queue that are read before workers get their turn.
const PORTION: usize = 1024;

/// The content of the pages about a running operator. Cheap to clone.
#[derive(Clone)]
pub struct Diagnostics(Arc<Sources>);

struct Sources {
    phase: watch::Receiver<OperatorPhase>,
    checks: HealthChecks,
    watched: Watched,
    metrics: Metrics,
    observability: ObservabilityControl,
    sections: RwLock<Vec<(&'static str, Section)>>,
}

/// The function that makes one section of the page about the state.
type Section = Box<dyn Fn() -> Value + Send + Sync>;

/// The errors of the page about a queue.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum QueueError {
    /// Pages that name objects are turned off.
    #[error("this page names objects, and is turned off: set runtime-profiling to enabled in the ConfigMap config-observability")]
    TurnedOff,
    /// No controller has this name.
    #[error("no controller has the name {name:?}; there are: {}", known.join(", "))]
    UnknownController {
        /// The requested name.
        name: String,
        /// The names of the controllers.
        known: Vec<String>,
    },
}

impl Diagnostics {
    /// Returns the diagnostics of the operator that has this phase and these checks, watches and metrics.
    pub(crate) fn new(
        phase: watch::Receiver<OperatorPhase>,
        checks: HealthChecks,
        watched: Watched,
        metrics: Metrics,
        observability: ObservabilityControl,
    ) -> Self {
        Self(Arc::new(Sources { phase, checks, watched, metrics, observability, sections: RwLock::default() }))
    }

    /// Adds a field to the page about the state; `tell` makes its value for each request. It must be quick, and must not include names of objects or their
    /// values.
    pub(crate) fn section(&self, name: &'static str, tell: impl Fn() -> Value + Send + Sync + 'static) {
        self.0.sections.write().push((name, Box::new(tell)));
    }

    /// Returns the settings of `config-observability`.
    pub fn observability(&self) -> &ObservabilityControl {
        &self.0.observability
    }

    /// Returns the state of the operator. It omits names of objects, values, and the reasons of checks, which may contain either. The objects of watches are
    /// summed up for each call, in portions, so that no other task waits for long.
    pub async fn state(&self) -> Value {
        let Sources { phase, checks, watched, metrics, sections, .. } = &*self.0;
        let mut page = Map::new();
        page.insert("phase".to_owned(), phase.borrow().as_str().into());
        page.insert("checks".to_owned(), checks_of(checks));
        page.insert("watches".to_owned(), watches_of(watched).await);
        page.insert("queues".to_owned(), sorted(metrics.queues()).iter().map(|queue| queue_of(queue.as_ref())).collect());
        for (name, tell) in &*sections.read() {
            page.insert((*name).to_owned(), tell());
        }
        Value::Object(page)
    }

    /// Returns the keys of a controller's queue with their ages in seconds, by lane in the order in which they are served, and the keys of the running
    /// passes. The depths also count keys that are just being queued in portions.
    pub async fn queue(&self, controller: &str) -> Result<Value, QueueError> {
        if !self.0.observability.profiles() {
            return Err(QueueError::TurnedOff);
        }
        let queues = sorted(self.0.metrics.queues());
        let Some(queue) = queues.iter().find(|queue| queue.name() == controller) else {
            let known = queues.iter().map(|queue| queue.name().to_owned()).collect();
            return Err(QueueError::UnknownController { name: controller.to_owned(), known });
        };
        let mut lanes = Map::new();
        for lane in Lane::ALL {
            let (mut keys, mut next) = (Vec::new(), 0);
            loop {
                let portion = queue.queued(lane, next, PORTION);
                keys.extend(portion.iter().map(|queued| key_of(&queued.key, queued.age.as_secs_f64())));
                match portion.last() {
                    Some(last) if portion.len() == PORTION => next = last.ticket + 1,
                    _ => break,
                }
                tokio::task::yield_now().await;
            }
            lanes.insert(lane.as_str().to_owned(), json!({ "depth": queue.depth(lane), "keys": keys }));
        }
        let running: Vec<Value> = queue.running().iter().map(|(key, age)| key_of(key, age.as_secs_f64())).collect();
        Ok(json!({ "controller": controller, "lanes": lanes, "running": running, "waiting": queue.waiting() }))
    }
}

impl fmt::Debug for Diagnostics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Diagnostics").field("phase", &*self.0.phase.borrow()).finish_non_exhaustive()
    }
}

fn checks_of(checks: &HealthChecks) -> Value {
    let kinds = [(CheckKind::Live, "live"), (CheckKind::Ready, "ready"), (CheckKind::Note, "note")];
    let of_kind = |(kind, word)| {
        let results = checks.results(kind).into_iter();
        results.map(move |(name, result)| json!({ "name": name, "kind": word, "ok": result.is_ok() }))
    };
    kinds.into_iter().flat_map(of_kind).collect()
}

async fn watches_of(watched: &Watched) -> Value {
    let told = watched.inspect().await.into_iter().map(|watch| {
        json!({
            "cluster": watch.health.cluster,
            "kind": watch.health.spec.kind().to_string(),
            "scope": watch.health.spec.scope(),
            "state": watch.health.status.state.as_str(),
            "objects": watch.health.objects,
            "lastEventAge": watch.idle.as_secs_f64(),
            "checksum": format!("{:016x}", watch.checksum),
        })
    });
    told.collect()
}

fn queue_of(queue: &dyn QueueStatistics) -> Value {
    let depth: Map<String, Value> = Lane::ALL.iter().map(|lane| (lane.as_str().to_owned(), queue.depth(*lane).into())).collect();
    json!({ "controller": queue.name(), "depth": depth, "inFlight": queue.running().len(), "waiting": queue.waiting() })
}

fn key_of(key: &Key, age: f64) -> Value {
    json!({ "key": key.to_string(), "age": age })
}

fn sorted(mut queues: Vec<Arc<dyn QueueStatistics>>) -> Vec<Arc<dyn QueueStatistics>> {
    queues.sort_by(|one, other| one.name().cmp(other.name()));
    queues
}
