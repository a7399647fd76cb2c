//! Rows on the cluster that the environment variable names.

use kubewright_testing::Tier;
use kubewright_testing::table::{RowEnd, TableRow};
use serde_json::json;

use super::widget::{FINALIZER, Script, row, table_with_finalizer, widget};

// TTBL-9
#[tokio::test]
async fn rows_run_on_a_real_server_where_seeding_allows_it() {
    let sized = || {
        Script::new(|_, _, widget, status| {
            Box::pin(async move {
                status.size = Some(widget.spec.size);
                status.conditions.mark_true("Sized");
                Ok(())
            })
        })
    };
    let mut ready = widget();
    ready["status"]["size"] = json!(3);
    for condition in ready["status"]["conditions"].as_array_mut().unwrap() {
        condition["status"] = "True".into();
    }
    let [top, part] = [0, 1].map(|index| format!("/status/conditions/{index}"));
    ready.pointer_mut(&top).unwrap()["reason"] = "Reconciled".into();
    ready.pointer_mut(&part).unwrap()["reason"] = "Sized_True".into();
    ready.pointer_mut(&part).unwrap()["observedGeneration"] = json!(1);
    let mut forged = widget();
    forged["metadata"]["uid"] = "u-1".into();
    let events = ["Normal FinalizerUpdate Updated \"demo\" finalizers"];
    let expected = |row: TableRow<_>| row.expect_finalizer_added(FINALIZER).expect_status(ready.clone()).expect_events(events);
    let natural = expected(row("natural", sized()));
    let forged = expected(TableRow::new("forged").key("ns/demo").given([forged]).state(sized()));
    let report = table_with_finalizer().rows([natural, forged]).report().await;
    let tier = Tier::from_env().unwrap();
    let skipped = |text: &str| RowEnd::Skipped(text.to_owned());
    let ends = match tier {
        Tier::Real => {
            [RowEnd::Passed, skipped("Widget.table.kubewright.dev ns/demo states metadata.uid, which only a server sets")]
        }
        Tier::Kubeconfig => {
            let text = "rows write into fixed namespaces, which others may use in the cluster of a kubeconfig";
            [skipped(text), skipped(text)]
        }
        _ => [RowEnd::Passed, RowEnd::Passed],
    };
    let found: Vec<RowEnd> = report.rows().iter().map(|row| row.end.clone()).collect();
    assert_eq!(found, ends, "{report}");
}
