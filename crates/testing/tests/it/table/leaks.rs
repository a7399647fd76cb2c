//! Tasks that outlive their row (TCL-8).

use k8s_openapi::api::core::v1::ConfigMap;
use kubewright_runtime::inject::State;
use kubewright_runtime::reconcile::{Controller, Registered as _};
use kubewright_runtime::store::Store;
use kubewright_testing::table::TableTest;

use super::only;
use super::widget::{Script, Widgets, row, table};
use crate::leaks::Pump;

// TCL-8, INJ-8
#[tokio::test]
async fn a_task_of_a_dependency_that_does_not_stop_is_named() {
    if !super::is_embedded_tier() {
        return;
    }
    let constructor = |_: Pump, script: State<Script>, maps: Store<ConfigMap>| Widgets::new(script, maps);
    let table = TableTest::of_controller(move || Widgets::configure(Controller::new(constructor)));
    let report = table.row(row("pump", Script::nothing())).report().await;
    assert_eq!(only(&report), "Leaked task: pump did not end when asked to");
}

// TCL-8
#[tokio::test]
async fn a_task_that_still_runs_after_the_pass_fails_the_row() {
    if !super::is_embedded_tier() {
        return;
    }
    let script = Script::new(|_, _, _, _| {
        Box::pin(async {
            #[allow(clippy::disallowed_methods)] // the leak that the row must find
            drop(tokio::spawn(std::future::pending::<()>()));
            Ok(())
        })
    });
    let report = table().row(row("leak", script)).report().await;
    assert_eq!(only(&report), "Leaked task: 1 without a name still run when the pass is over");
}

// TCL-8
#[tokio::test]
async fn a_task_that_ends_soon_is_no_leak() {
    if !super::is_embedded_tier() {
        return;
    }
    let script = Script::new(|_, cx, _, _| {
        let clock = cx.clock().clone();
        Box::pin(async move {
            #[allow(clippy::disallowed_methods)] // the task that the row must tolerate
            drop(tokio::spawn(async move { clock.sleep(std::time::Duration::from_secs(1)).await }));
            Ok(())
        })
    });
    table().row(row("short", script)).run().await;
}
