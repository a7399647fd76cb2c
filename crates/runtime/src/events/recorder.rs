//! The recorder of events.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Weak};

use futures::future::join_all;
use kubewright_core::events::Occurrence;
use kubewright_core::flow::{Event, Redactor};
use kubewright_machinery::object::ObjectReference;
use parking_lot::Mutex;

use super::post::EventPost;
use super::sending::Sending;
use crate::cluster::Cluster;
use crate::metrics::Metrics;
use crate::task::Tasks;

/// The recorder of events on the objects of one cluster. Cheap to clone; recording never blocks and never fails.
#[derive(Clone)]
pub struct Recorder {
    reporter: Arc<str>,
    instance: Arc<str>,
    outlet: Outlet,
    metrics: Metrics,
    redactor: Redactor,
    /// The posts of all recorders of this process.
    posts: Arc<Mutex<Vec<Weak<EventPost>>>>,
}

/// A function that takes events in place of the API server. It is called inside passes, so it must not block.
pub type EventSink = Arc<dyn Fn(Occurrence) + Send + Sync>;

/// The destination of recorded events.
#[derive(Clone)]
enum Outlet {
    /// The API server of one cluster.
    Server(Arc<Handle>),
    /// A function, for the events of all clusters.
    Sink(EventSink),
}

/// The reporter of events.
#[derive(Clone, Debug)]
pub struct RecorderOptions {
    /// The controller: a qualified name, usually the operator's name.
    pub reporter: String,
    /// The instance, usually the name of the pod; not empty.
    pub instance: String,
}

/// A handle of the post. When the last one is dropped, the post is abandoned.
struct Handle(Arc<EventPost>);

impl Drop for Handle {
    fn drop(&mut self) {
        self.0.abandon();
    }
}

impl Recorder {
    /// Creates a recorder and starts the task that sends its events.
    pub fn start(cluster: &Cluster, options: RecorderOptions, tasks: &Tasks, metrics: &Metrics) -> Self {
        Self::start_with(cluster, options, tasks, metrics, Arc::default())
    }

    fn start_with(
        cluster: &Cluster,
        options: RecorderOptions,
        tasks: &Tasks,
        metrics: &Metrics,
        posts: Arc<Mutex<Vec<Weak<EventPost>>>>,
    ) -> Self {
        let post = Arc::new(EventPost::new(cluster.clock().clone(), cluster.random().next_u64(), metrics.clone()));
        let RecorderOptions { reporter, instance } = options;
        let sending = Sending::new(cluster.clone(), reporter.clone(), instance.clone(), post.clone());
        tasks.spawn("events", sending.run(tasks.stopping())).detach();
        {
            let mut posts = posts.lock();
            posts.retain(|post| post.strong_count() > 0);
            posts.push(Arc::downgrade(&post));
        }
        let outlet = Outlet::Server(Arc::new(Handle(post)));
        Self {
            reporter: reporter.into(),
            instance: instance.into(),
            outlet,
            metrics: metrics.clone(),
            redactor: cluster.redactor().clone(),
            posts,
        }
    }

    /// Returns a recorder of the same reporter for objects of another cluster. It sends until its last clone is dropped, and then the waiting events.
    #[must_use]
    pub fn on(&self, cluster: &Cluster, tasks: &Tasks) -> Self {
        if let Outlet::Sink(_) = &self.outlet {
            return self.clone();
        }
        let options = RecorderOptions { reporter: self.reporter.to_string(), instance: self.instance.to_string() };
        let recorder = Self::start_with(cluster, options, tasks, &self.metrics, self.posts.clone());
        Self { redactor: self.redactor.clone(), ..recorder }
    }

    /// Returns the same recorder for another controller.
    #[must_use]
    pub fn reporter(&self, reporter: &str) -> Self {
        Self { reporter: reporter.into(), ..self.clone() }
    }

    /// Returns the same recorder with a function in place of the API server: for this cluster, and for those of [`on`](Self::on).
    #[must_use]
    pub fn with_sink(&self, sink: EventSink) -> Self {
        Self { outlet: Outlet::Sink(sink), ..self.clone() }
    }

    /// Records an event on an object. Credentials in its note are masked as in the status.
    pub fn record(&self, regarding: &ObjectReference, event: Event) {
        self.record_with(regarding, None, BTreeMap::new(), event);
    }

    /// Records an event on an object, with a related object and annotations.
    pub fn record_with(
        &self,
        regarding: &ObjectReference,
        related: Option<ObjectReference>,
        annotations: BTreeMap<String, String>,
        mut event: Event,
    ) {
        if let Cow::Owned(masked) = self.redactor.redact(&event.note) {
            event.note = masked;
        }
        tracing::debug!(
            kind = regarding.kind, namespace = regarding.namespace, name = regarding.name,
            r#type = event.kind.as_str(), reason = %event.reason, note = event.note,
            "event"
        );
        let reporter = self.reporter.to_string();
        let occurrence = Occurrence { reporter, regarding: regarding.clone(), related, event, annotations };
        match &self.outlet {
            Outlet::Server(handle) => handle.0.put(occurrence),
            Outlet::Sink(sink) => sink(occurrence),
        }
    }

    /// Waits until all events that were recorded until now are sent or abandoned.
    pub async fn flush(&self) {
        if let Outlet::Server(handle) = &self.outlet {
            handle.0.flush().await;
        }
    }

    /// Sends also the counts of running series, for this cluster and all others, and waits until all events are sent or abandoned.
    pub async fn finish(&self) {
        let posts: Vec<Arc<EventPost>> = self.posts.lock().iter().filter_map(Weak::upgrade).collect();
        for post in &posts {
            post.close_series();
        }
        join_all(posts.iter().map(|post| post.flush())).await;
    }
}

impl fmt::Debug for Recorder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Recorder").field("reporter", &self.reporter).finish_non_exhaustive()
    }
}
