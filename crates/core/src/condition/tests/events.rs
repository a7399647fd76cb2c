use super::*;

fn notes(mode: ConditionEvents, before: &[Condition], change: impl FnOnce(&mut Updater)) -> Vec<String> {
    let mut updater = Updater::new(before, Timestamp::UNIX_EPOCH, Keep::Untouched);
    change(&mut updater);
    let (conditions, changes) = updater.finish();
    let events = mode.of(&changes, &conditions);
    assert!(events.iter().all(|event| event.reason.as_str() == "ConditionChanged" && event.action.as_str() == "UpdateStatus"));
    events.into_iter().map(|event| event.note).collect()
}

fn before() -> Vec<Condition> {
    ["Bound", "Gone", "Kept", "Sized"].map(|type_| Condition::new(type_, ConditionStatus::False, "Tested", "")).to_vec()
}

fn changed(updater: &mut Updater) {
    updater.set("Sized", ConditionStatus::True, "", "").set("Bound", ConditionStatus::True, "", "");
    updater.set("New", ConditionStatus::Unknown, "", "").set("Kept", ConditionStatus::False, "Other", "told anew").remove("Gone");
}

// COND-07, CND-8
#[test]
fn events_are_counted_by_their_mode() {
    let per_condition =
        ["condition Bound became True", "condition New became Unknown", "condition Sized became True", "condition Gone vanished"];
    assert_eq!(notes(ConditionEvents::PerCondition, &before(), changed), per_condition);
    let per_status = ["conditions became True: Bound, Sized", "condition became Unknown: New", "condition vanished: Gone"];
    assert_eq!(notes(ConditionEvents::PerStatus, &before(), changed), per_status);
    assert_eq!(notes(ConditionEvents::Once, &before(), changed), ["conditions changed: Bound, New, Sized, Gone"]);
    assert_eq!(notes(ConditionEvents::Never, &before(), changed), Vec::<String>::new());
}

// COND-07, CND-8
#[test]
fn without_a_change_of_status_there_is_no_event() {
    for mode in [ConditionEvents::PerCondition, ConditionEvents::PerStatus, ConditionEvents::Once] {
        let same = |updater: &mut Updater| {
            updater.set("Kept", ConditionStatus::False, "Other", "told anew");
        };
        assert_eq!(notes(mode, &before(), same), Vec::<String>::new());
    }
}
