use jiff::Timestamp;
use serde_json::json;

use super::{ComponentSnapshot, ObjectSnapshot, ReplicaRow, ReplicaState, Screen, lines, replicas, table};
use crate::kinds::Tells;

fn component(state: &str, deployment_phase: &str, deployment_status: &str) -> ComponentSnapshot {
    ComponentSnapshot::of(&json!({
        "kind": "Podinfo",
        "metadata": {"name": "demo", "namespace": "default", "generation": 1},
        "status": {
            "observedGeneration": 1,
            "state": state,
            "conditions": [{"type": "Ready", "message": "Working"}],
            "inventory": [
                {"kind": "Deployment", "name": "demo", "applyOrder": 1, "phase": deployment_phase, "status": deployment_status,
                 "message": "1/2 ready", "lastAppliedAt": "2026-01-01T00:00:00Z"},
                {"kind": "ConfigMap", "name": "demo", "applyOrder": 0, "phase": "Ready", "status": "Current",
                 "lastAppliedAt": "2026-01-01T00:00:00Z"},
            ],
        },
    }))
}

/// Returns a component as the argument of the screen.
fn view(component: ComponentSnapshot) -> ObjectSnapshot {
    let object = json!({"status": {}});
    ObjectSnapshot { component: Some(component.clone()), ..ObjectSnapshot::of(&object, Tells::Dependents, component.title) }
}

fn now() -> Timestamp {
    "2026-01-01T00:00:05Z".parse().unwrap()
}

#[test]
fn the_table_shows_waves_in_order_with_action_health_and_age() {
    let text = table::table(&component("Processing", "Creating", "InProgress"), now(), None, 10);
    let lines: Vec<Vec<&str>> = text.lines().map(|line| line.split_whitespace().collect()).collect();
    assert_eq!(lines[0].join(" "), "Podinfo default/demo: Processing (Working)");
    assert_eq!(lines[2], ["OBJECT", "WAVE", "ACTION", "HEALTH", "AGE"]);
    assert_eq!(lines[3], ["ConfigMap", "demo", "0", "done", "Current", "5s"]);
    assert_eq!(lines[4], ["Deployment", "demo", "1", "create", "InProgress:", "1/2", "ready", "5s"]);
}

#[test]
fn a_long_message_is_cut_to_the_width_of_the_terminal() {
    let mut view = component("Processing", "Creating", "InProgress");
    view.message = "long ".repeat(100);
    let text = table::table(&view, now(), Some(80), 10);
    assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
    assert!(text.lines().next().unwrap().ends_with('…'));
}

#[test]
fn a_terminal_without_a_size_shows_the_table_all_the_same() {
    let text = table::table(&component("Processing", "Creating", "InProgress"), now(), Some(0), 10);
    assert!(text.starts_with("Podinfo default/demo: Processing (Working)") && text.contains("ConfigMap"), "{text}");
}

#[test]
fn only_changes_become_lines() {
    let first = view(component("Processing", "Creating", "InProgress"));
    assert_eq!(lines::changes(None, &first).len(), 3);
    assert!(lines::changes(Some(&first), &first).is_empty());
    let ready = view(component("Ready", "Ready", "Current"));
    assert_eq!(
        lines::changes(Some(&first), &ready),
        ["Deployment demo (wave 1): done, Current: 1/2 ready", "Podinfo default/demo: Ready: Working"]
    );
}

#[test]
fn a_dependent_that_left_the_inventory_is_gone() {
    let first = component("Ready", "Ready", "Current");
    let mut second = first.clone();
    second.rows.remove(0);
    assert_eq!(lines::changes(Some(&view(first)), &view(second)), ["ConfigMap demo (wave 0): gone"]);
}

#[test]
fn a_terminal_is_redrawn_in_place() {
    let mut out = Vec::new();
    let mut screen = Screen::new(&mut out, true, || None);
    screen.show(view(component("Processing", "Creating", "InProgress")), now()).unwrap();
    screen.show(view(component("Ready", "Ready", "Current")), now()).unwrap();
    drop(screen);
    let text = String::from_utf8(out).unwrap();
    let (before, after) = text.split_once("\x1b[6A\x1b[J").unwrap();
    assert!(before.contains("Processing") && after.contains(": Ready"), "{text}");
}

#[test]
fn a_component_of_another_generation_is_not_ready() {
    assert!(component("Ready", "Ready", "Current").ready);
    let stale = json!({"metadata": {"generation": 2}, "status": {"state": "Ready", "observedGeneration": 1}});
    assert!(!ComponentSnapshot::of(&stale).ready);
}

/// Returns a component whose last dependents are not finished.
fn large(rows: usize, busy: usize) -> ComponentSnapshot {
    let mut view = component("Processing", "Ready", "Current");
    let row = view.rows[0].clone();
    view.rows = (0..rows)
        .map(|n| {
            let action = if n < rows - busy { "done" } else { "create" };
            super::rows::DependentRow { key: format!("{n}"), object: format!("ConfigMap c{n}"), action, ..row.clone() }
        })
        .collect();
    view
}

#[test]
fn a_table_never_exceeds_the_terminal() {
    for (rows, busy) in [(40, 3), (40, 40), (3, 0)] {
        let mut out = Vec::new();
        let mut screen = Screen::new(&mut out, true, || Some(24));
        screen.show(view(large(rows, busy)), now()).unwrap();
        drop(screen);
        let text = String::from_utf8(out).unwrap();
        assert!(text.lines().count() < 24, "{text}");
        for n in rows - busy.min(10)..rows {
            assert!(busy > 10 || text.contains(&format!("ConfigMap c{n} ")), "{text}");
        }
    }
    let text = table::table(&large(40, 3), now(), None, 10);
    assert!(text.ends_with("\n... 30 more, all done\n"), "{text}");
    let text = table::table(&large(40, 40), now(), None, 10);
    assert!(text.ends_with("\n... 30 more\n"), "{text}");
}

#[test]
fn dependents_that_differ_in_group_or_namespace_are_distinguished() {
    let seen = |status: &str| {
        view(ComponentSnapshot::of(&json!({
            "kind": "Podinfo",
            "metadata": {"name": "demo", "namespace": "default"},
            "status": {"state": "Processing", "inventory": [
                {"group": "", "kind": "ConfigMap", "namespace": "default", "name": "demo", "status": "Current"},
                {"group": "", "kind": "ConfigMap", "namespace": "other", "name": "demo", "status": status},
                {"group": "a.example.com", "kind": "ConfigMap", "namespace": "default", "name": "demo", "status": "Current"},
            ]},
        })))
    };
    let first = seen("InProgress");
    assert!(lines::changes(Some(&first), &first).is_empty());
    assert_eq!(lines::changes(Some(&first), &seen("Current")), ["ConfigMap other/demo (wave 0): , Current"]);
}

fn addressable(ready: &str, reason: &str, message: &str) -> serde_json::Value {
    json!({
        "metadata": {"generation": 2},
        "status": {"observedGeneration": 2, "conditions": [
            {"type": "Other", "status": "True"},
            {"type": "Ready", "status": ready, "reason": reason, "message": message},
        ]},
    })
}

// CMD-2
#[test]
fn an_object_is_ready_by_its_condition_or_by_being_there() {
    let stale = json!({"metadata": {"generation": 3}, "status": {"observedGeneration": 2, "conditions": [{"type": "Ready", "status": "True"}]}});
    let succeeded = json!({"status": {"conditions": [{"type": "Succeeded", "status": "True", "reason": "Done"}]}});
    for (object, tells, ready, is_ready) in [
        (addressable("True", "", ""), Tells::Conditions, "True", true),
        (addressable("False", "ServiceUnavailable", "no"), Tells::Conditions, "False", false),
        (addressable("True", "", ""), Tells::Nothing, "True", true),
        (addressable("False", "", ""), Tells::Nothing, "False", false),
        (stale, Tells::Conditions, "True", false),
        (succeeded, Tells::Conditions, "True", true),
        (json!({"metadata": {"name": "new"}}), Tells::Conditions, "Unknown", false),
        (json!({"metadata": {"name": "plain"}}), Tells::Nothing, "-", true),
    ] {
        let view = ObjectSnapshot::of(&object, tells, "Object default/one".to_owned());
        assert_eq!((view.ready.as_str(), view.is_ready), (ready, is_ready), "{object}");
    }
}

// CMD-2
#[test]
fn objects_without_dependents_share_one_table() {
    let waiting = ObjectSnapshot::of(
        &addressable("False", "ServiceUnavailable", &"long ".repeat(50)),
        Tells::Conditions,
        "Address default/a".into(),
    );
    let plain = ObjectSnapshot::of(&json!({}), Tells::Nothing, "Plain default/b".into());
    let text = table::objects(&[&waiting, &plain], Some(80), 20);
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines[0].split_whitespace().collect::<Vec<_>>(), ["OBJECT", "READY", "REASON", "MESSAGE"]);
    assert!(lines[1].contains("Address default/a") && lines[1].contains("ServiceUnavailable"), "{text}");
    assert_eq!(lines[2].split_whitespace().collect::<Vec<_>>(), ["Plain", "default/b", "-"], "{text}");
    assert!(lines.iter().all(|line| line.chars().count() <= 80), "{text}");
    let crowded: Vec<&ObjectSnapshot> = std::iter::repeat_n(&plain, 20).chain([&waiting]).collect();
    let text = table::objects(&crowded, Some(80), 10);
    assert!(text.contains("Address default/a") && text.contains("... 14 more") && text.lines().count() <= 10, "{text}");
}

// CMD-2
#[test]
fn a_changed_condition_becomes_a_line() {
    let view = |object| ObjectSnapshot::of(&object, Tells::Conditions, "Address default/a".to_owned());
    let waiting = view(addressable("False", "ServiceUnavailable", "no Service"));
    assert_eq!(lines::changes(None, &waiting), ["Address default/a: ready False, ServiceUnavailable: no Service"]);
    assert!(lines::changes(Some(&waiting), &waiting).is_empty());
    assert_eq!(lines::changes(Some(&waiting), &view(addressable("True", "", ""))), ["Address default/a: ready True"]);
}

fn replica(number: usize, state: ReplicaState, buckets: &[&str]) -> ReplicaRow {
    let buckets = buckets.iter().map(|bucket| (*bucket).to_owned()).collect();
    ReplicaRow { name: format!("replica-{number}"), state, buckets, passes: 7 }
}

// CMD-2a
#[test]
fn the_table_of_replicas_shows_state_buckets_and_passes_and_the_keys() {
    let rows = [
        replica(1, ReplicaState::Leading, &["00-of-03", "02-of-03"]),
        replica(2, ReplicaState::Leading, &["one.01-of-03", "two.01-of-03", "a-lease"]),
        replica(3, ReplicaState::Killed, &[]),
    ];
    let text = replicas::table(&rows, Some("1 to 3: kill"), Some(80));
    let lines: Vec<Vec<&str>> = text.lines().map(|line| line.split_whitespace().collect()).collect();
    assert_eq!(lines[0], ["REPLICA", "STATE", "BUCKETS", "PASSES"]);
    assert_eq!(lines[1], ["replica-1", "leading", "00,02-of-03", "7"]);
    assert_eq!(lines[2], ["replica-2", "leading", "a-lease", "one.01-of-03", "two.01-of-03", "7"]);
    assert_eq!(lines[3], ["replica-3", "killed", "7"]);
    assert_eq!(lines[4].join(" "), "1 to 3: kill");
    assert_eq!(replicas::table(&[], None, Some(80)), "", "one replica alone is not shown");
}

// CMD-2a
#[test]
fn an_increased_pass_count_alone_prints_no_replica_line() {
    let first = [replica(1, ReplicaState::Leading, &["00-of-02"]), replica(2, ReplicaState::Standby, &[])];
    assert_eq!(replicas::changes(&[], &first), ["replica-1: leading 00-of-02", "replica-2: standby"]);
    let mut second = first.clone();
    second[0].passes += 1;
    assert!(replicas::changes(&first, &second).is_empty());
    let third = [replica(1, ReplicaState::Killed, &[]), replica(2, ReplicaState::Leading, &["00-of-02"])];
    assert_eq!(replicas::changes(&second, &third), ["replica-1: killed", "replica-2: leading 00-of-02"]);
}

// CMD-2a
#[test]
fn replicas_and_objects_together_never_exceed_the_terminal() {
    let mut out = Vec::new();
    let mut screen = Screen::new(&mut out, true, || Some(24));
    screen.tell_keys(Some("1 to 9: kill".to_owned()));
    screen.show(view(large(40, 3)), now()).unwrap();
    screen.show_replicas((1..=9).map(|number| replica(number, ReplicaState::Standby, &[])).collect(), now()).unwrap();
    drop(screen);
    let text = String::from_utf8(out).unwrap();
    let (_, last) = text.rsplit_once("\x1b[J").unwrap();
    assert!(last.lines().count() < 24, "{last}");
    assert!(last.contains("replica-9") && last.contains("1 to 9: kill") && last.contains("ConfigMap c39 "), "{last}");
}
