//! A cluster with an operator of widgets, each of which has a child.

use std::fmt::Debug;
use std::sync::Arc;

use k8s_openapi::api::core::v1::ConfigMap;
use kubewright::prelude::*;
use kubewright::runtime::ensure::Ensure;
use kubewright::runtime::reconcile::{Context, Controller};
use kubewright_testing::TestCluster;
use parking_lot::Mutex;

use crate::reconcile::widget::{Script, Widget, Widgets};
use crate::reconcile::world::World;

/// The domain of the marks, which is the name of the operator.
pub(crate) const DOMAIN: &str = "widget-operator.test.kubewright.dev";

/// The outcome for the child in each pass: the change, or the reason of the halt.
#[derive(Clone, Default)]
pub(crate) struct Log(Arc<Mutex<Vec<String>>>);

impl Log {
    pub(crate) fn note<T: Debug>(&self, outcome: &Flow<T>) {
        let text = match outcome {
            Ok(change) => format!("{change:?}"),
            Err(halt) => halt.summary().reason.map(|reason| reason.to_string()).unwrap_or_default(),
        };
        self.0.lock().push(text);
    }

    pub(crate) fn all(&self) -> Vec<String> {
        self.0.lock().clone()
    }

    pub(crate) fn last(&self) -> String {
        self.0.lock().last().cloned().unwrap_or_default()
    }

    pub(crate) fn count(&self, text: &str) -> usize {
        self.0.lock().iter().filter(|noted| *noted == text).count()
    }
}

/// Returns the usual child of a widget: a ConfigMap with the widget's name that contains its size.
pub(crate) fn child_of(name: &str, size: i64) -> ConfigMap {
    let mut child = ConfigMap::default();
    child.metadata.name = Some(name.to_owned());
    child.data = Some([("size".to_owned(), size.to_string())].into());
    child
}

/// Returns a reconciler that ensures one child in each pass and notes the outcome. It sets the size in the widget's status when the child is as
/// desired.
pub(crate) fn ensuring<D>(child: impl Fn(&Context<Widget>, &Widget) -> Ensure<D> + Send + Sync + 'static) -> (Script, Log)
where
    D: serde::de::DeserializeOwned + Send + Sync + 'static,
{
    let (log, child) = (Log::default(), Arc::new(child));
    let noted = log.clone();
    let script = Script::default().reconcile(move |cx, widget, status| {
        let (log, child) = (noted.clone(), Arc::clone(&child));
        Box::pin(async move {
            let change = child(cx, widget).await.map(|ensured| ensured.change);
            log.note(&change);
            change?;
            status.size = Some(widget.spec.size);
            status.conditions.mark_true("Sized");
            Ok(())
        })
    });
    (script, log)
}

/// Makes the widgets of an operator own ConfigMaps.
pub(crate) fn owning(controller: Controller<Widgets>) -> Controller<Widgets> {
    controller.owns::<ConfigMap>().creates::<ConfigMap>()
}

/// Starts a cluster with an operator of widgets that own ConfigMaps.
pub(crate) async fn start(script: Script) -> World {
    start_on(TestCluster::start().await, script).await
}

pub(crate) async fn start_on(cluster: TestCluster, script: Script) -> World {
    let operator = Widgets::operator_with(&script, owning);
    World::start_on(cluster, script, operator).await
}

/// Returns the requests of the operator about children, such as `patch configmaps demo`.
pub(crate) fn requests(world: &World, plural: &str) -> Vec<String> {
    let records = world.cluster.journal().all().filter(|record| {
        record.target.resource().is_some_and(|resource| resource.resource == plural && !resource.name.is_empty())
            || (record.is_write() && record.target.resource().is_some_and(|resource| resource.resource == plural))
    });
    records.iter().map(ToString::to_string).collect()
}

/// Waits until the child of a widget contains this size.
pub(crate) async fn holds(world: &World, name: &str, size: i64) -> Value {
    let size = size.to_string();
    world.cluster.expect::<ConfigMap>(name).matching("its size", |child| child["data"]["size"] == size.as_str()).await
}

/// Waits until the status of a widget shows this size, which ends the pass for it.
pub(crate) async fn told(world: &World, name: &str, size: i64) -> Value {
    world.cluster.expect::<Widget>(name).matching("the size", |widget| widget["status"]["size"] == size).await
}
