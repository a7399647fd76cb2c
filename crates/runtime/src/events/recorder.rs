//! The recorder: a handle for everybody, one task that sends.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use kubewright_core::events::{Correlator, Decision, Occurrence, Reference};
use kubewright_core::flow::Event;
use tokio::sync::{mpsc, oneshot};
use tokio_util::sync::CancellationToken;

use super::object;
use crate::cluster::{ApiError, ApiRequest, Cluster};
use crate::metrics::{EventLabels, Metrics};
use crate::task::Tasks;

/// Events that may wait to be sent.
const BUFFER: usize = 1000;
/// Tries to send an event ...
const TRIES: u32 = 12;
/// ... and the time between them.
const PAUSE: Duration = Duration::from_secs(10);

/// Records events on the objects of one cluster. Cheap to clone; recording never blocks and never fails.
#[derive(Clone)]
pub struct Recorder {
    reporter: Arc<str>,
    instance: Arc<str>,
    sender: mpsc::Sender<Message>,
    metrics: Metrics,
}

/// Who reports.
#[derive(Clone, Debug)]
pub struct RecorderOptions {
    /// The controller: a qualified name, usually the operator's name.
    pub reporter: String,
    /// The instance, usually the pod's name; not empty.
    pub instance: String,
}

enum Message {
    Occurred(Box<Occurrence>),
    Flush(oneshot::Sender<()>),
}

impl Recorder {
    /// Starts the task that sends.
    pub fn start(cluster: &Cluster, options: RecorderOptions, tasks: &Tasks, metrics: &Metrics) -> Self {
        let (sender, receiver) = mpsc::channel(BUFFER);
        let correlator = Correlator::new(cluster.random().next_u64());
        let sending = Sending {
            cluster: cluster.clone(),
            manager: options.reporter.clone(),
            instance: options.instance.clone(),
            metrics: metrics.clone(),
            correlator,
            receiver,
        };
        tasks.spawn("events", sending.run(tasks.stopping())).detach();
        Self { reporter: options.reporter.into(), instance: options.instance.into(), sender, metrics: metrics.clone() }
    }

    /// A recorder of the same reporter for objects of another cluster. It sends until its last clone is gone.
    #[must_use]
    pub fn on(&self, cluster: &Cluster, tasks: &Tasks) -> Self {
        let options = RecorderOptions { reporter: self.reporter.to_string(), instance: self.instance.to_string() };
        Self::start(cluster, options, tasks, &self.metrics)
    }

    /// The same recorder for another controller.
    #[must_use]
    pub fn reporter(&self, reporter: &str) -> Self {
        Self { reporter: reporter.into(), ..self.clone() }
    }

    /// Records an event on an object.
    pub fn record(&self, regarding: &Reference, event: Event) {
        self.record_with(regarding, None, BTreeMap::new(), event);
    }

    /// Records an event on an object, with another object that has to do with it and annotations.
    pub fn record_with(
        &self,
        regarding: &Reference,
        related: Option<Reference>,
        annotations: BTreeMap<String, String>,
        event: Event,
    ) {
        tracing::debug!(
            kind = regarding.kind, namespace = regarding.namespace, name = regarding.name,
            r#type = event.kind.as_str(), reason = %event.reason, note = event.note,
            "event"
        );
        let reporter = self.reporter.to_string();
        let occurrence = Occurrence { reporter, regarding: regarding.clone(), related, event, annotations };
        if self.sender.try_send(Message::Occurred(Box::new(occurrence))).is_err() {
            dropped(&self.metrics, "buffer");
        }
    }

    /// Ends when all events that were recorded until now are sent or given up.
    pub async fn flush(&self) {
        let (done, flushed) = oneshot::channel();
        if self.sender.send(Message::Flush(done)).await.is_ok() {
            // An error means that the sending task has ended: then there is nothing to wait for.
            let _ = flushed.await;
        }
    }
}

impl fmt::Debug for Recorder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Recorder").field("reporter", &self.reporter).finish_non_exhaustive()
    }
}

struct Sending {
    cluster: Cluster,
    manager: String,
    instance: String,
    metrics: Metrics,
    correlator: Correlator,
    receiver: mpsc::Receiver<Message>,
}

impl Sending {
    async fn run(mut self, stopping: CancellationToken) {
        let clock = self.cluster.clock().clone();
        loop {
            let due = self.correlator.next_due();
            let silent = async {
                match due {
                    Some(due) => clock.sleep_until(due).await,
                    None => std::future::pending().await,
                }
            };
            tokio::select! {
                biased;
                () = stopping.cancelled() => return,
                message = self.receiver.recv() => match message {
                    Some(Message::Occurred(occurrence)) => {
                        let decision = self.correlator.observe(*occurrence, clock.now(), clock.moment());
                        self.act(decision, &stopping).await;
                    }
                    Some(Message::Flush(done)) => drop(done.send(())),
                    None => return,
                },
                () = silent => {
                    for decision in self.correlator.flush(clock.moment()) {
                        self.act(decision, &stopping).await;
                    }
                }
            }
        }
    }

    async fn act(&self, decision: Decision, stopping: &CancellationToken) {
        let resource = object::resource();
        let request = match decision {
            Decision::Create(record) => object::create(&resource, &record, &self.instance),
            Decision::Count { namespace, name, count, last } => object::count(&resource, &namespace, &name, count, last),
            Decision::Dropped => return dropped(&self.metrics, "budget"),
            _ => return,
        };
        let request = request.field_manager(&self.manager);
        tokio::select! {
            biased;
            () = stopping.cancelled() => dropped(&self.metrics, "shutdown"),
            () = self.send(&request) => {}
        }
    }

    async fn send(&self, request: &ApiRequest) {
        for tries in 1..=TRIES {
            match self.cluster.send(request).await {
                Ok(_) => {
                    self.metrics.standard().events_sent.inc();
                    return;
                }
                // The first answer was lost, the event is there.
                Err(error) if tries > 1 && error.is_already_exists() => return,
                Err(error) if tries < TRIES && may_pass(&error) => {
                    tracing::debug!(%request, %error, "an event is sent again");
                    self.cluster.clock().sleep(PAUSE).await;
                }
                Err(error) => {
                    tracing::debug!(%request, %error, "an event is dropped");
                    dropped(&self.metrics, "refused");
                    return;
                }
            }
        }
    }
}

/// Network errors, 429 and 5xx. Anything else, such as a namespace that is going away, stays as it is.
fn may_pass(error: &ApiError) -> bool {
    match error {
        ApiError::Connection { .. } | ApiError::TimedOut { .. } => true,
        error => error.code().is_some_and(|code| code == 429 || code >= 500),
    }
}

fn dropped(metrics: &Metrics, cause: &'static str) {
    metrics.standard().events_dropped.get_or_create(&EventLabels { cause }).inc();
}
