//! Passes at the end of their term.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use kube::api::{Api, Patch, PatchParams};
use kubewright::prelude::*;
use kubewright_testing::TestCluster;
use parking_lot::Mutex;

use super::replicas::{LEASE, Replica, create, leases, ready};
use crate::reconcile::widget::{Script, Widget};
use crate::reconcile::world::until;

// LDR-30
#[tokio::test]
async fn a_pass_that_outlives_its_term_cannot_write() {
    let cluster = TestCluster::start().await;
    let (is_open, error) = (Arc::new(AtomicBool::new(false)), Arc::new(Mutex::new(None)));
    let (gate, seen) = (Arc::clone(&is_open), Arc::clone(&error));
    // It does not care for its cancellation, and writes in the end.
    let script = Script::default().reconcile(move |cx, widget, _| {
        let (gate, seen) = (Arc::clone(&gate), Arc::clone(&seen));
        let api: Api<Widget> = Api::namespaced(cx.client().clone(), cx.key().namespace());
        let name = widget.metadata.name.clone().unwrap_or_default();
        Box::pin(async move {
            while !gate.load(Ordering::SeqCst) {
                cx.clock().sleep(std::time::Duration::from_millis(100)).await;
            }
            let late = json!({"metadata": {"annotations": {"late": "write"}}});
            let written = api.patch(&name, &PatchParams::default(), &Patch::Merge(late)).await;
            *seen.lock() = Some(written.map(drop).map_err(|error| error.to_string()));
            Ok(())
        })
    });
    let first = Replica::start(&cluster, "first", script, leases(1)).await;
    let second = Replica::start(&cluster, "second", Script::default(), leases(1)).await;
    let names = create(&cluster, 1).await;
    until(&cluster, || "the pass runs".to_owned(), || first.called("reconcile") == names).await;

    let cut = cluster.faults().cut_after(0).by_user_agent(&first.agent()).start();
    until(&cluster, || "the term of the first has ended".to_owned(), || first.held().is_empty()).await;
    is_open.store(true, Ordering::SeqCst);
    until(&cluster, || "the pass has tried to write".to_owned(), || error.lock().is_some()).await;
    let widgets = ready(&cluster, &names).await;
    cut.resume();
    let told = error.lock().clone();
    assert!(
        matches!(&told, Some(Err(error)) if error.contains("this replica does not lead the bucket") && error.contains("was not sent")),
        "{told:?}"
    );
    assert_eq!(widgets[0]["metadata"]["annotations"]["late"], Value::Null);
    assert_eq!(second.called("reconcile"), names);
    cluster.pass(LEASE).await;
    assert_eq!(first.script.count("reconcile"), 1, "the first campaigns again and leads nothing");
    first.operator.stop().await;
    second.operator.stop().await;
    cluster.stop().await;
}
