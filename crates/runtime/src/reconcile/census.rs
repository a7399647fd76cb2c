use std::sync::Arc;

use kubewright_core::class::{ClassCensus, ClassFilter};
use parking_lot::Mutex;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use tokio::sync::oneshot;

use crate::metrics::ControllerLabels;
use crate::operator::OperatorContext;
use crate::store::Kept;
use crate::trigger::{News, follow};
use crate::watch::ProjectedStore;

/// The gauge of objects that are not of the class of their controller.
#[derive(Clone, Debug, Default)]
struct Filtered(Family<ControllerLabels, Gauge>);

/// Counts the objects that are not of the class, and warns once if no object is of the class (CLS-4).
pub(super) fn count_classes<T: Send + Sync + 'static>(
    controller: &str,
    class: ClassFilter,
    store: ProjectedStore<Kept<T>>,
    context: &OperatorContext,
) {
    let family = context.metrics.shared(|registry| {
        let filtered = Filtered::default();
        registry.register("class_filtered_objects", "Objects that are not of the class of their controller", filtered.0.clone());
        filtered
    });
    let gauge = family.0.get_or_create(&ControllerLabels { controller: controller.to_owned() }).clone();
    let census = Arc::new(Mutex::new(ClassCensus::new(class)));
    let (synced, told) = oneshot::channel();
    let (counted, clock, mut synced) = (Arc::clone(&census), context.clock.clone(), Some(synced));
    let stop = context.tasks.stopping();
    follow(store, format!("classes of {controller}"), &context.tasks, stop.clone(), move |news| {
        let mut census = counted.lock();
        match news {
            News::Changed(change) => census.changed(change.old.as_deref(), change.new.as_deref()),
            News::Synced => {
                census.synced(clock.moment());
                if let Some(synced) = synced.take() {
                    // There is no receiver any more when the operator stops.
                    _ = synced.send(());
                }
            }
            News::Turned(_) => {}
        }
        gauge.set(i64::try_from(census.filtered()).unwrap_or(i64::MAX));
    });
    let (clock, name) = (context.clock.clone(), controller.to_owned());
    let check = async move {
        let due = async {
            drop(told.await);
            let due = census.lock().due();
            if let Some(due) = due {
                clock.sleep_until(due).await;
            }
        };
        tokio::select! {
            () = stop.cancelled() => return,
            () = due => {}
        }
        if let Some(mismatch) = census.lock().check(clock.moment()) {
            tracing::warn!(controller = name, "{mismatch}");
        }
    };
    context.tasks.spawn(format!("check of the classes of {controller}"), check).detach();
}
