//! Tests of the comparison and the report of a whole table.

use kubewright_testing::table::{RowEnd, TableRow};
use kubewright_testing::{assert_failed, assert_ongoing, assert_ready, object_key};

use super::only;
use super::widget::{Script, Widget, WidgetSpec, WidgetStatus, Widgets, row, table};

// TTBL-3
#[tokio::test]
async fn all_rows_are_reported_and_names_are_unique() {
    if !super::is_embedded_tier() {
        return;
    }
    let rows = [
        row("first", Script::nothing()).expect_events(["Normal A b"]),
        row("second", Script::nothing()),
        row("second", Script::nothing()),
        row("third", Script::nothing()).expect_events(["Normal C d"]),
    ];
    let report = table().rows(rows).report().await;
    assert!(report.has_failed());
    assert_eq!(report.rows()[1].end, RowEnd::Passed);
    let twice = "another row has the name \"second\" too; names of rows are unique";
    assert_eq!(report.rows()[2].end, RowEnd::Failed(vec![twice.to_owned()]));
    let text = report.to_string();
    assert!(text.starts_with("3 of 4 rows failed\n\nrow \"first\":\n  Missing event Normal A b\n"), "{text}");
    assert!(text.contains("\nrow \"third\":\n  Missing event Normal C d\n"), "{text}");
}

// TTBL-3
#[tokio::test]
#[should_panic(expected = "1 of 1 rows failed\n\nrow \"first\":\n  Missing event Normal A b\n")]
async fn a_failing_row_fails_the_test() {
    table().row(row("first", Script::nothing()).expect_events(["Normal A b"])).run().await;
}

// TTBL-1
#[tokio::test]
async fn whatever_runs_last_can_fail_the_row() {
    if !super::is_embedded_tier() {
        return;
    }
    let checked = TableRow::<Widgets>::new("post").key("ns/none").state(Script::nothing());
    let checked = checked.post(async |row, cluster, _| {
        assert_eq!((row.name(), cluster.namespace()), ("post", "ns"));
        panic!("not as it should be");
    });
    assert_eq!(only(&table().row(checked).report().await), "`post` failed: not as it should be");
}

// OPR-4
#[tokio::test]
async fn a_row_without_the_state_that_the_constructor_requires_names_the_missing_state() {
    if !super::is_embedded_tier() {
        return;
    }
    let report = table().row(TableRow::new("stateless").key("ns/demo")).report().await;
    assert!(only(&report).contains("State<"), "{report}");
}

#[test]
fn top_level_conditions_are_asserted() {
    let status = |ready: &str| -> WidgetStatus {
        let condition =
            serde_json::json!({"type": "Ready", "status": ready, "reason": "R", "lastTransitionTime": "2026-01-01T00:00:00Z"});
        serde_json::from_value(serde_json::json!({ "conditions": [condition] })).unwrap()
    };
    assert_ready!(status("True"));
    assert_failed!(status("False"));
    assert_ongoing!(status("Unknown"));
    assert_ongoing!(WidgetStatus::default());
    let panic = std::panic::catch_unwind(|| assert_ready!(status("False"))).unwrap_err();
    let text = panic.downcast_ref::<String>().unwrap();
    assert_eq!(text, "expected condition Ready to be True, found False; conditions:\n  Ready is False: R ");
}

#[test]
fn the_key_of_an_object_is_its_namespace_and_name() {
    let mut widget = Widget::new("demo", WidgetSpec::default());
    assert_eq!(object_key(&widget).to_string(), "demo");
    widget.metadata.namespace = Some("ns".to_owned());
    assert_eq!(object_key(&widget).to_string(), "ns/demo");
}
