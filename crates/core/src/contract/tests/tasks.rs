use super::*;

// TASK-01, FAN-2, FAN-3
#[test]
fn children_are_summed_up() {
    let done =
        ChildTask { started: Some(at(5)), completed: Some(at(9)), succeeded: 1, is_complete: true, ..ChildTask::default() };
    let failed = ChildTask { started: Some(at(3)), failed: 1, has_failed: true, ..ChildTask::default() };
    let active = ChildTask { active: 2, is_running: true, ..ChildTask::default() };
    let summary = tasks(&[done, failed, active], 3);
    assert_eq!((summary.active, summary.failed, summary.succeeded), (2, 1, 1));
    assert_eq!((summary.started, summary.completed), (Some(at(3)), None));
    let conditions = (summary.running, summary.has_failed, summary.complete);
    assert_eq!(conditions, (ConditionStatus::True, ConditionStatus::True, ConditionStatus::Unknown));
}

// TASK-01, FAN-3
#[test]
fn a_task_is_complete_when_all_expected_children_are() {
    let done = |second| ChildTask { completed: Some(at(second)), is_complete: true, ..ChildTask::default() };
    let of = |children: &[ChildTask]| tasks(children, 2);
    assert_eq!(of(&[done(4)]).complete, ConditionStatus::Unknown);
    let all = of(&[done(8), done(4)]);
    assert_eq!((all.complete, all.completed, all.running), (ConditionStatus::True, Some(at(8)), ConditionStatus::False));
}
