use std::time::Duration;

use jiff::Timestamp;
use kubewright_machinery::object::ObjectKey;
use serde_json::{Value, json};

use super::{ComponentState, ComponentStatus, PassEndContext, READY, RecordedEnd, STALLED};
use crate::condition::ConditionStatus;
use crate::dependents::Waiting;
use crate::health::Health;

const MINUTE: i64 = 60;

fn at(seconds: i64) -> PassEndContext {
    PassEndContext {
        deleting: false,
        generation: 3,
        started: Timestamp::from_second(1_700_000_000 + seconds).unwrap(),
        timeout: Duration::from_mins(5),
    }
}

fn deleting(seconds: i64) -> PassEndContext {
    PassEndContext { deleting: true, ..at(seconds) }
}

fn waiting() -> Vec<Waiting> {
    let one = |name: &str| Waiting {
        key: ObjectKey::new("apps", "Deployment", "ns", name),
        status: Health::InProgress,
        message: "0 of 1 ready".to_owned(),
    };
    ["a", "b", "c", "d", "e"].map(one).to_vec()
}

fn wait(reason: Option<&str>) -> RecordedEnd {
    RecordedEnd::Wait { reason: reason.map(str::to_owned), message: "secret is missing".to_owned() }
}

fn failed(stalled: Option<&str>) -> RecordedEnd {
    RecordedEnd::Failed { reason: None, message: "it broke".to_owned(), stalled: stalled.map(str::to_owned) }
}

fn blocked(reason: &str) -> RecordedEnd {
    RecordedEnd::Blocked { reason: reason.to_owned(), message: "a user must change the spec".to_owned() }
}

fn shown(status: &ComponentStatus) -> (ComponentState, String, ConditionStatus, Option<String>) {
    let stalled = status.condition(STALLED).map(|condition| condition.reason.clone());
    (status.state.unwrap(), status.reason().to_owned(), status.condition(READY).unwrap().status, stalled)
}

// STA-1
#[test]
fn an_empty_status_has_only_an_observed_generation() {
    assert_eq!(serde_json::to_value(ComponentStatus::default()).unwrap(), json!({"observedGeneration": -1}));
    let read: ComponentStatus = serde_json::from_value(json!({})).unwrap();
    assert_eq!(read, ComponentStatus::default());
}

// STA-2, STA-4, STA-10, OUT-1, OUT-4
#[test]
fn every_ending_has_its_state_reason_and_conditions() {
    use ConditionStatus::{False, True, Unknown};
    type Row = (RecordedEnd, PassEndContext, ComponentState, &'static str, ConditionStatus, Option<&'static str>);
    let rows: Vec<Row> = vec![
        (RecordedEnd::FirstSeen, at(0), ComponentState::Pending, "FirstSeen", Unknown, None),
        (RecordedEnd::Suspended, at(0), ComponentState::Pending, "Suspended", Unknown, None),
        (RecordedEnd::Restarting, at(0), ComponentState::Processing, "Restarting", Unknown, None),
        (RecordedEnd::Incomplete(waiting()), at(0), ComponentState::Processing, "Processing", Unknown, None),
        (RecordedEnd::Ready, at(0), ComponentState::Ready, "Ready", True, None),
        (wait(None), at(0), ComponentState::Pending, "Retrying", Unknown, None),
        (wait(Some("LicenceMissing")), at(0), ComponentState::Pending, "LicenceMissing", Unknown, None),
        (failed(None), at(0), ComponentState::Error, "Error", False, None),
        (failed(Some("InvalidManifest")), at(0), ComponentState::Error, "Error", False, Some("InvalidManifest")),
        (blocked("DependentFailed"), at(0), ComponentState::Error, "DependentFailed", False, Some("DependentFailed")),
        (blocked("DeletionBlocked"), at(0), ComponentState::Error, "DeletionBlocked", False, Some("DeletionBlocked")),
        (blocked("OwnerConflict"), at(0), ComponentState::Error, "Error", False, Some("OwnerConflict")),
        (blocked("Licence"), at(0), ComponentState::Error, "Licence", False, Some("Licence")),
        (wait(None), deleting(0), ComponentState::DeletionPending, "DeletionRetrying", Unknown, None),
        (blocked("DeletionBlocked"), deleting(0), ComponentState::Deleting, "DeletionBlocked", Unknown, Some("DeletionBlocked")),
        (RecordedEnd::Incomplete(waiting()), deleting(0), ComponentState::Deleting, "DeletionProcessing", Unknown, None),
        (failed(None), deleting(0), ComponentState::Error, "Error", False, None),
    ];
    for (end, context, state, reason, ready, stalled) in rows {
        let mut status = ComponentStatus::default();
        status.conclude(&end, &context);
        let expected = (state, reason.to_owned(), ready, stalled.map(str::to_owned));
        assert_eq!(shown(&status), expected, "{end:?}");
        assert_eq!(status.observed_generation, 3);
    }
}

// STA-10, TIME-5
#[test]
fn after_the_timeout_the_reason_is_timeout_but_for_failed_dependents() {
    let mut status = ComponentStatus::default();
    status.conclude(&RecordedEnd::Incomplete(waiting()), &at(0));
    let late = at(5 * MINUTE);
    for (end, state, reason) in [
        (RecordedEnd::Incomplete(waiting()), ComponentState::Error, "Timeout"),
        (wait(Some("Own")), ComponentState::Pending, "Timeout"),
        (failed(None), ComponentState::Error, "Timeout"),
        (blocked("DependentFailed"), ComponentState::Error, "DependentFailed"),
        (RecordedEnd::Ready, ComponentState::Ready, "Ready"),
    ] {
        let mut status = status.clone();
        status.conclude(&end, &late);
        assert_eq!((status.state.unwrap(), status.reason()), (state, reason));
    }
}

// TIME-1, TIME-2
#[test]
fn the_countdown_starts_with_the_first_incomplete_apply_and_ends_with_ready_or_a_change() {
    let mut status = ComponentStatus::default();
    status.process("k1:a", 3);
    status.conclude(&wait(None), &at(0));
    assert_eq!(status.processing_since, None);
    status.conclude(&RecordedEnd::Incomplete(waiting()), &at(MINUTE));
    let since = status.processing_since;
    status.conclude(&failed(None), &at(2 * MINUTE));
    status.conclude(&RecordedEnd::Incomplete(waiting()), &at(3 * MINUTE));
    assert_eq!((since.is_some(), status.processing_since), (true, since));
    assert!(status.process("k1:b", 3));
    assert_eq!(status.processing_since, None);
    status.conclude(&RecordedEnd::Incomplete(waiting()), &at(4 * MINUTE));
    status.conclude(&RecordedEnd::Ready, &at(5 * MINUTE));
    assert_eq!(status.processing_since, None);
}

// PASS-4
#[test]
fn the_revision_counts_digests() {
    let mut status = ComponentStatus::default();
    assert!(!status.process("k1:a", 1));
    assert_eq!(status.revision, 1);
    assert!(!status.process("k1:a", 1));
    assert_eq!(status.revision, 1);
    assert!(status.process("k1:b", 2));
    assert_eq!(status.revision, 2);
}

// TAKE-3
#[test]
fn a_digest_of_the_go_framework_is_replaced_without_a_new_revision() {
    let taken_over = || ComponentStatus {
        observed_generation: 4,
        processing_digest: "ab".repeat(32),
        last_processing_digest: "ab".repeat(32),
        revision: 7,
        ..ComponentStatus::default()
    };
    let mut status = taken_over();
    assert!(!status.process("k1:a", 4));
    assert_eq!((status.revision, status.last_processing_digest.as_str()), (7, "k1:a"));
    let mut status = taken_over();
    assert!(status.process("k1:a", 5));
    assert_eq!(status.revision, 8);
}

// STA-6
#[test]
fn transition_times_change_only_with_the_status_of_the_condition() {
    let mut status = ComponentStatus::default();
    let since = |status: &ComponentStatus| status.condition(READY).unwrap().last_transition_time;
    status.conclude(&RecordedEnd::Suspended, &at(0));
    status.conclude(&wait(None), &at(MINUTE));
    assert_eq!(since(&status), at(0).started);
    status.conclude(&RecordedEnd::Ready, &at(2 * MINUTE));
    assert_eq!(since(&status), at(2 * MINUTE).started);
}

// STA-10
#[test]
fn messages_name_three_objects_and_keep_their_first_letter() {
    let mut status = ComponentStatus::default();
    status.conclude(&RecordedEnd::Incomplete(waiting()), &at(0));
    assert_eq!(
        status.message(),
        "Reconcilation of dependent resources triggered; waiting until all dependent resources are ready: \
         Deployment.apps ns/a: 0 of 1 ready; Deployment.apps ns/b: 0 of 1 ready; Deployment.apps ns/c: 0 of 1 ready and 2 more"
    );
    status.conclude(&wait(None), &at(0));
    assert_eq!(status.message(), "secret is missing");
}

// STA-1
#[test]
fn the_fields_stand_in_their_order_and_conditions_have_five() {
    let mut status = ComponentStatus::default();
    status.process("k1:a", 3);
    status.conclude(&RecordedEnd::Ready, &at(0));
    let text = serde_json::to_string(&status).unwrap();
    let positions: Vec<_> =
        ["observedGeneration", "appliedGeneration", "lastAppliedAt", "processingDigest", "revision", "conditions", "state"]
            .map(|field| text.find(&format!("\"{field}\"")).unwrap())
            .to_vec();
    assert!(positions.is_sorted(), "{text}");
    let json: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(json["conditions"][0].as_object().unwrap().len(), 5);
    assert_eq!(json["lastAppliedAt"], "2023-11-14T22:13:20Z");
}

// OUT-1
#[test]
fn a_pass_that_user_code_ends_early_counts_for_no_generation() {
    let mut status = ComponentStatus::default();
    status.conclude(&RecordedEnd::Kept, &at(0));
    assert_eq!((status.observed_generation, status.state), (-1, None));
    status.conclude(&RecordedEnd::Ready, &at(0));
    status.conclude(&RecordedEnd::Kept, &at(1));
    assert!(status.is_ready(Some(3)), "the same generation stays Ready");
    let next = PassEndContext { generation: 4, ..at(2) };
    let (mut restarted, mut removed) = (status.clone(), status);
    restarted.conclude(&RecordedEnd::Kept, &next);
    assert_eq!(restarted.observed_generation, 3);
    assert_eq!(shown(&restarted), (ComponentState::Processing, "Restarting".to_owned(), ConditionStatus::Unknown, None));
    removed.conclude(&RecordedEnd::Kept, &PassEndContext { deleting: true, ..next });
    assert_eq!(removed.observed_generation, 3);
    assert_eq!(shown(&removed), (ComponentState::DeletionPending, "DeletionRetrying".to_owned(), ConditionStatus::Unknown, None));
    // A state other than Ready is kept.
    restarted.conclude(&failed(None), &next);
    restarted.conclude(&RecordedEnd::Kept, &PassEndContext { generation: 5, ..at(3) });
    assert_eq!((restarted.observed_generation, restarted.state), (4, Some(ComponentState::Error)));
}

/// Returns true if `kubectl wait --for=condition=Ready` succeeds: the generation of the condition, or else that of the status, must not be older than
/// the object.
fn kubectl_waits_no_longer(status: &Value, generation: i64) -> bool {
    let conditions = status["conditions"].as_array().into_iter().flatten();
    let ready = conditions.filter(|condition| condition["type"] == READY).find(|condition| condition["status"] == "True");
    ready.is_some_and(|ready| {
        let observed = ready["observedGeneration"].as_i64().or_else(|| status["observedGeneration"].as_i64());
        observed.is_none_or(|observed| observed >= generation)
    })
}

// STA-11
#[test]
fn is_ready_and_kubectl_wait_agree_after_any_two_passes() {
    let endings = [
        RecordedEnd::Kept,
        RecordedEnd::FirstSeen,
        RecordedEnd::Restarting,
        RecordedEnd::Suspended,
        RecordedEnd::Ready,
        RecordedEnd::Incomplete(waiting()),
        wait(None),
        blocked("Licence"),
        failed(None),
    ];
    for (first, second) in endings.iter().flat_map(|first| endings.iter().map(move |second| (first, second))) {
        for (generation, deleting) in [(3, false), (4, false), (4, true)] {
            let mut status = ComponentStatus::default();
            status.conclude(first, &at(0));
            status.conclude(second, &PassEndContext { deleting, generation, ..at(1) });
            let written = serde_json::to_value(&status).unwrap();
            // The second round is right after the next change of the component, which no pass has processed yet.
            for present in [generation, generation + 1] {
                let ready = status.is_ready(Some(present));
                assert_eq!(ready, kubectl_waits_no_longer(&written, present), "{first:?}, {second:?}, {present}: {written}");
                let applied = *second == RecordedEnd::Ready
                    || *second == RecordedEnd::Kept && *first == RecordedEnd::Ready && generation == 3;
                assert_eq!(ready, applied && present == generation, "{first:?}, {second:?}, {present}");
            }
        }
    }
}
