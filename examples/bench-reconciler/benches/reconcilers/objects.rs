//! The objects in the cluster, and the writes to them.

use std::time::{Duration, Instant};

use bench_reconciler::recorder::now;
use bench_reconciler::{Gadget, Widget, WidgetSpec, Wish, Written};
use futures::{Stream, StreamExt as _, stream};
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use kube::api::{Api, Patch, PatchParams, PostParams, Request};
use kube::core::CustomResourceExt as _;
use kube::{Client, Resource as _};
use serde_json::{Value, json};

/// The namespace of the objects.
const NAMESPACE: &str = "default";
/// The number of parallel requests.
const PARALLEL: usize = 16;
/// The number of entries that give an object its size.
const SETTINGS: usize = 12;

/// The objects of the driver.
pub(crate) struct Objects {
    client: Client,
    count: u32,
    /// The latest batch of writes.
    batch: u32,
}

impl Objects {
    pub(crate) fn new(client: Client, count: u32) -> Self {
        Self { client, count, batch: 0 }
    }

    /// Creates the kinds, and waits until they are served.
    pub(crate) async fn define(&self) {
        let definitions = Api::<CustomResourceDefinition>::all(self.client.clone());
        for definition in [Widget::crd(), Gadget::crd()] {
            definitions.create(&PostParams::default(), &definition).await.unwrap();
        }
        for path in [Widget::url_path(&(), None), Gadget::url_path(&(), None)] {
            let request = || Request::new(path.clone()).list(&kube::api::ListParams::default()).unwrap();
            while self.client.request_text(request()).await.is_err() {
                tokio::time::sleep(Duration::from_millis(50)).await;
            }
        }
    }

    /// Creates the objects.
    pub(crate) async fn create(&self) {
        let begun = Instant::now();
        let create = |number| async move {
            let body = serde_json::to_vec(&widget(number)).unwrap();
            self.client.request_text(requests().create(&PostParams::default(), body).unwrap()).await.unwrap().len()
        };
        let size = stream::iter(0..self.count).map(create).buffer_unordered(PARALLEL).fold(0, async |sum, size| sum + size).await;
        let each = size / self.count as usize;
        println!("{} objects of {each} bytes created in {:.0} s", self.count, begun.elapsed().as_secs_f64());
    }

    /// Writes a batch to this number of objects, beginning with the object `from`, at this rate per second or as fast as the server accepts it.
    /// Returns the number of the batch.
    pub(crate) async fn write(&mut self, from: u32, writes: u32, rate: Option<u32>) -> u32 {
        self.batch += 1;
        let batch = self.batch;
        let write = |index: u32| {
            let number = (from + index) % self.count;
            self.patch(number, move || json!({ "written": Written { batch, of: writes, at: now() } }))
        };
        paced(writes, rate).map(write).buffer_unordered(PARALLEL).for_each(|()| async {}).await;
        batch
    }

    /// Writes a batch to other objects than the previous batch, so that no round writes to those of the round before.
    pub(crate) async fn write_next(&mut self, writes: u32, rate: Option<u32>) -> u32 {
        let from = (u64::from(self.batch) * u64::from(writes) % u64::from(self.count)) as u32;
        self.write(from, writes, rate).await
    }

    /// Sets the behaviour of the disturbed reconciler for this number of objects, beginning with the object `from`.
    pub(crate) async fn wish(&self, wish: Wish, from: u32, objects: u32) {
        let write = |number: u32| self.patch(number, move || json!({ "wish": wish }));
        stream::iter(from..from + objects).map(write).buffer_unordered(PARALLEL).for_each(|()| async {}).await;
    }

    async fn patch(&self, number: u32, spec: impl Fn() -> Value) {
        let patch = Patch::Merge(json!({ "spec": spec() }));
        let request = requests().patch(&Widget::name_of(number), &PatchParams::default(), &patch).unwrap();
        self.client.request_text(request).await.unwrap();
    }
}

/// Yields the numbers from 0 on, each at its scheduled time.
fn paced(count: u32, rate: Option<u32>) -> impl Stream<Item = u32> {
    let begun = tokio::time::Instant::now();
    stream::iter(0..count).then(move |index| async move {
        if let Some(rate) = rate {
            tokio::time::sleep_until(begun + Duration::from_secs(1) * index / rate).await;
        }
        index
    })
}

fn requests() -> Request {
    Request::new(Widget::url_path(&(), Some(NAMESPACE)))
}

fn widget(number: u32) -> Widget {
    let setting =
        |index| (format!("setting-{index}"), format!("the value of setting {index} of object {number}, as long as most"));
    let spec = WidgetSpec { number, settings: (0..SETTINGS).map(setting).collect(), ..WidgetSpec::default() };
    let mut widget = Widget::new(&Widget::name_of(number), spec);
    let labels = [("name", "widget"), ("instance", "bench"), ("managed-by", "bench-driver"), ("part-of", "bench")];
    let labels = labels.map(|(key, value)| (format!("app.kubernetes.io/{key}"), value.to_owned()));
    widget.metadata.labels = Some(labels.into());
    widget
}
