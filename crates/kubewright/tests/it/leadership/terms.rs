//! Passes at the end of their term.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use k8s_openapi::api::coordination::v1::Lease;
use kube::api::{Api, Patch, PatchParams};
use kubewright::prelude::*;
use kubewright_testing::TestCluster;
use parking_lot::Mutex;

use super::replicas::{LEASE, RETRY, Replica, all_led, create, lease_names, leases, ready};
use crate::reconcile::widget::{Script, Widget};
use crate::reconcile::world::until;

// LDR-30
#[tokio::test]
async fn a_write_that_is_under_way_when_its_term_has_ended_is_given_up_when_another_replica_holds_the_lease() {
    let cluster = TestCluster::start().await;
    let given_up = Arc::new(Mutex::new(None));
    let seen = Arc::clone(&given_up);
    let script = Script::default().reconcile(move |cx, widget, _| {
        let seen = Arc::clone(&seen);
        let api: Api<Widget> = Api::namespaced(cx.client().clone(), cx.key().namespace());
        let name = widget.metadata.name.clone().unwrap_or_default();
        Box::pin(async move {
            let patch = json!({"metadata": {"annotations": {"slow": "write"}}});
            let written = api.patch(&name, &PatchParams::default(), &Patch::Merge(patch)).await;
            *seen.lock() = Some((cx.clock().moment(), written.map(drop).map_err(|error| error.to_string())));
            Ok(())
        })
    });
    let replica = Replica::start(&cluster, "only", script, leases(1)).await;
    all_led(&cluster, std::slice::from_ref(&replica), 1).await;
    // No renewal succeeds, and no answer arrives.
    let leases = cluster.faults().on_changes().of("coordination.k8s.io", "leases").by_user_agent(&replica.agent());
    let leases = leases.internal_error();
    let slow = |body: &Value| body["metadata"]["annotations"]["slow"] == "write";
    let patches = cluster.faults().on_changes().of("test.kubewright.dev", "widgets").with_body(slow);
    let patches = patches.delay(LEASE * 4);
    create(&cluster, 1).await;
    until(&cluster, || "the term has ended".to_owned(), || replica.held().is_empty()).await;
    assert_eq!(given_up.lock().clone(), None, "no other replica could write yet");
    leases.remove();
    let names = lease_names(&cluster).await;
    cluster.patch::<Lease>(&names[0], json!({"spec": {"holderIdentity": "other", "leaseTransitions": 1}})).await;
    let taken = cluster.clock().moment();
    until(&cluster, || "the write is given up".to_owned(), || given_up.lock().is_some()).await;
    let (at, told) = given_up.lock().clone().unwrap();
    assert!(at.since(taken) < RETRY, "given up {:?} after another replica took the lease", at.since(taken));
    assert!(matches!(&told, Err(error) if error.contains("the write may have been done")), "{told:?}");
    patches.remove();
    replica.operator.kill().await;
    cluster.stop().await;
}

// LDR-30
#[tokio::test]
async fn a_pass_that_outlives_its_term_cannot_write() {
    let cluster = TestCluster::start().await;
    let (is_open, error) = (Arc::new(AtomicBool::new(false)), Arc::new(Mutex::new(None)));
    let (gate, seen) = (Arc::clone(&is_open), Arc::clone(&error));
    // The pass ignores its cancellation, and writes in the end.
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
