use serde_json::json;

use super::*;

// STAT-03, STW-1, SW-2
#[test]
fn values_that_mean_the_same_are_not_written() {
    for (old, new) in [
        (json!({"a": 1}), json!({"a": 1.0, "b": [], "c": {}, "d": null})),
        (json!({"t": "2026-01-01T00:00:00Z"}), json!({"t": "2026-01-01T01:00:00+01:00"})),
        (
            json!({"conditions": [{"type": "A", "lastTransitionTime": "2026-01-01T00:00:00Z"}]}),
            json!({"conditions": [{"type": "A", "lastTransitionTime": "2026-02-01T00:00:00Z"}]}),
        ),
    ] {
        assert_eq!(diff(&old, &new), None, "{old} {new}");
    }
    assert!(diff(&json!({"a": "1"}), &json!({"a": 1})).is_some());
}

// STAT-06, SW-2
#[test]
fn removed_and_emptied_fields_are_nulls_and_lists_are_whole() {
    let old = json!({"gone": 1, "emptied": [1], "list": [1, 2], "map": {"x": 1, "y": 2}, "same": true});
    let new = json!({"emptied": [], "list": [1, 3], "map": {"x": 1, "y": 0}, "same": true, "new": "n"});
    let expected = json!({"gone": null, "emptied": null, "list": [1, 3], "map": {"y": 0}, "new": "n"});
    assert_eq!(diff(&old, &new), Some(expected));
}

// STAT-11
#[test]
fn an_absent_status_is_written_whole() {
    let new = json!({"a": {"b": 1}});
    assert_eq!(diff(&json!(null), &new), Some(new));
}

// STW-3, SW-3
#[test]
fn our_change_is_made_to_the_live_status_of_a_co_writer() {
    let start = json!({"ours": 1, "theirs": 1, "dropped": 1, "conditions": [{"type": "Ready", "status": "False"}, {"type": "Old", "status": "True"}]});
    let new = json!({"ours": 2, "theirs": 1, "conditions": [{"type": "Ready", "status": "True"}]});
    let live = json!({"ours": 1, "theirs": 5, "dropped": 1, "conditions": [
        {"type": "Foreign", "status": "True"}, {"type": "Ready", "status": "False"}, {"type": "Old", "status": "True"}]});
    let expected = json!({"ours": 2, "theirs": 5, "conditions": [{"type": "Foreign", "status": "True"}, {"type": "Ready", "status": "True"}]});
    assert_eq!(rebase(&start, &new, &live), expected);
}
