use super::*;
use crate::backoff::Timing;
use crate::condition::{ConditionPolarity, ConditionVisibility};
use crate::flow::{ApiStatus, Blocked, Failure, Flow, Halt, KeyMemory, Prior, Redactor, Wait, WaitingMark, WaitingSince, report};

const REACHABLE: DeclaredCondition =
    DeclaredCondition { type_: "Reachable", visibility: ConditionVisibility::Public, polarity: ConditionPolarity::Normal };

/// A pass of a Server that was healthy, with the special inputs of a test.
struct Case {
    outcome: Flow,
    end: Option<ComponentLoopEnd>,
    statements: Statements,
    before: Vec<Condition>,
    declared: Vec<DeclaredCondition>,
    is_deleting: bool,
    is_held: bool,
    is_paused: Option<bool>,
    waiting: WaitingMark,
    format: Format,
}

impl Case {
    fn of(outcome: Flow) -> Self {
        Self {
            outcome,
            end: None,
            statements: Statements::default(),
            before: vec![true_("ServerReconciliation"), true_("ServerHealthy")],
            declared: Vec::new(),
            is_deleting: false,
            is_held: false,
            is_paused: None,
            waiting: WaitingMark::Keep,
            format: format(),
        }
    }

    fn ended(end: ComponentLoopEnd) -> Self {
        let outcome = Err(Halt::Wait(end.wait().unwrap()));
        Self { end: Some(end), ..Self::of(outcome) }
    }

    fn stating(mut self, condition: Condition) -> Self {
        self.statements.conditions.push(condition);
        self
    }

    fn status(&self) -> CommonStatus {
        let prior = Prior::Conditions { ready: None, stalled: None };
        let report = report(&self.outcome, &KeyMemory::default(), &prior, &Timing::default());
        let pass = EndedPass {
            type_: SERVER,
            declared: &self.declared,
            before: &self.before,
            now: at(100),
            generation: 3,
            provenance: Some(Provenance::new(2, None)),
            end: self.end.as_ref(),
            inputs: EndConditionInputs {
                outcome: &self.outcome,
                report: &report,
                is_deleting: self.is_deleting,
                is_held: self.is_held,
                redactor: &Redactor::default(),
            },
            statements: &self.statements,
            is_paused: self.is_paused,
            waiting: &self.waiting,
        };
        pass.status(&self.format)
    }

    /// Returns the status, reason and message of a condition.
    fn told(&self, type_: &str) -> Option<(ConditionStatus, String, String)> {
        let found = self.status().conditions.into_iter().find(|condition| condition.type_ == type_)?;
        Some((found.status, found.reason, found.message))
    }

    fn tells(&self, type_: &str, status: ConditionStatus, reason: &str, message: &str) {
        assert_eq!(self.told(type_), Some((status, reason.to_owned(), message.to_owned())), "{type_}");
    }

    fn keeps(&self, type_: &str) {
        self.tells(type_, ConditionStatus::True, "Tested", "as the test says");
    }
}

fn quota() -> Flow {
    Failure::backoff("quota exceeded").reason("Internal Error").into()
}

fn waiting(why: NotReady) -> ComponentLoopEnd {
    ComponentLoopEnd::Dependencies(vec![Unready { type_: DATABASE, why }])
}

// Table of 13.6, first row; STH-4, STAT-02
#[test]
fn a_success_without_a_word_about_health_leaves_it_unknown() {
    for outcome in [Ok(()), Err(Halt::Done)] {
        let case = Case::of(outcome);
        case.tells("ServerReconciliation", ConditionStatus::True, "Reconciled", "");
        case.tells("ServerHealthy", ConditionStatus::Unknown, "MissingExpectedCondition", "");
        case.tells("Ready", ConditionStatus::Unknown, "MissingExpectedCondition", "");
    }
}

// STH-9, LOOP-06
#[test]
fn ready_follows_health_and_required_conditions_after_a_success() {
    let healthy = Case::of(Ok(())).stating(true_("ServerHealthy"));
    healthy.tells("Ready", ConditionStatus::True, "Reconciled", "");
    let unhealthy = Case::of(Ok(())).stating(condition("ServerHealthy", ConditionStatus::False));
    unhealthy.tells("Ready", ConditionStatus::False, "Tested", "as the test says");
    let incomplete = Case { declared: vec![REACHABLE], ..Case::of(Ok(())).stating(true_("ServerHealthy")) };
    incomplete.tells("Reachable", ConditionStatus::Unknown, "MissingExpectedCondition", "");
    incomplete.tells("Ready", ConditionStatus::Unknown, "MissingExpectedCondition", "");
}

// Table of 13.6, waits; CL-2, DEP-01
#[test]
fn a_wait_is_no_error_of_the_controller() {
    let case = Case::of(Wait::for_event("Restoring").message("restoring a backup").into());
    case.tells("ServerReconciliation", ConditionStatus::True, "Restoring", "restoring a backup");
    case.tells("ServerHealthy", ConditionStatus::False, "Restoring", "restoring a backup");
    case.tells("Ready", ConditionStatus::False, "Restoring", "restoring a backup");
    let case = Case::ended(waiting(NotReady::Absent));
    assert_eq!(
        case.told("ServerReconciliation").map(|told| (told.0, told.1)),
        Some((ConditionStatus::True, "WaitingForDependencies".into()))
    );
    assert_eq!(
        case.told("ServerHealthy").map(|told| (told.0, told.1)),
        Some((ConditionStatus::False, "WaitingForDependencies".into()))
    );
}

// Table of 13.6, row of lagging generations; DEP-16
#[test]
fn health_does_not_flap_while_a_dependency_only_lags() {
    for why in [NotReady::Lags, NotReady::OtherRevision, NotReady::Ignored] {
        Case::ended(waiting(why.clone())).keeps("ServerHealthy");
        let fresh = Case { before: Vec::new(), ..Case::ended(waiting(why)) };
        assert_eq!(
            fresh.told("ServerHealthy").map(|told| (told.0, told.1)),
            Some((ConditionStatus::Unknown, "WaitingForDependencies".into()))
        );
    }
}

// Table of 13.6, row of 5b; DEP-08, FZ-14
#[test]
fn health_is_kept_while_depending_components_hold_up_a_deletion() {
    let end = ComponentLoopEnd::Depending(["portal".to_owned()].into());
    let case = Case { is_deleting: true, is_held: true, ..Case::ended(end) };
    case.keeps("ServerHealthy");
    let text = "the deletion waits for depending components: portal";
    let reason = "DeletionWaitingForDependingComponents";
    case.tells("ServerReconciliation", ConditionStatus::True, reason, text);
    case.tells("ServerDeletionBlocked", ConditionStatus::True, reason, text);
}

// Table of 13.6, Blocked
#[test]
fn a_blocked_component_is_not_healthy() {
    let case = Case::of(Blocked::new("InvalidSpec", "spec.size: too big").into());
    for type_ in ["ServerReconciliation", "ServerHealthy", "Ready"] {
        case.tells(type_, ConditionStatus::False, "InvalidSpec", "spec.size: too big");
    }
    case.tells("Stalled", ConditionStatus::True, "InvalidSpec", "spec.size: too big");
}

// STAT-01, STH-1
#[test]
fn a_failure_reports_the_message_of_the_author_and_the_error() {
    let mut case = Case::of(quota()).stating(true_("Extra"));
    case.statements.reconciliation = ("Resizing".to_owned(), "resizing".to_owned());
    case.tells("ServerReconciliation", ConditionStatus::False, "Internal_Error", "resizing\nquota exceeded");
    let text = "the reconciliation failed, see condition ServerReconciliation";
    case.tells("ServerHealthy", ConditionStatus::False, "ReconciliationError", text);
    case.keeps("Extra");
    Case::of(quota()).stating(true_("ServerHealthy")).keeps("ServerHealthy");
}

// Table of 13.6, last row; ACT-10
#[test]
fn a_quiet_conflict_changes_nothing() {
    let failure = Failure::unclassified(ApiStatus { code: 409, reason: "Conflict".to_owned(), ..ApiStatus::default() });
    let case = Case::of(failure.into());
    case.keeps("ServerHealthy");
    case.keeps("ServerReconciliation");
}

// STH-3, LOOP-06
#[test]
fn the_conditions_of_the_author_count_in_their_order() {
    let case = Case::of(Ok(()))
        .stating(condition("ServerReconciliation", ConditionStatus::False))
        .stating(condition("ServerHealthy", ConditionStatus::False))
        .stating(true_("ServerHealthy"));
    case.keeps("ServerHealthy");
    case.tells("ServerReconciliation", ConditionStatus::False, "Tested", "as the test says");
}

// STH-5, LOOP-06
#[test]
fn untouched_conditions_are_removed_only_after_a_success() {
    let with = |outcome: Flow| {
        let mut case = Case::of(outcome);
        case.before.extend([true_("Former"), true_("Paused")]);
        case
    };
    assert_eq!(with(Ok(())).told("Former"), None);
    with(Ok(())).keeps("Paused");
    for outcome in [Wait::for_event("Later").into(), Blocked::new("No", "no").into(), quota()] {
        with(outcome).keeps("Former");
    }
}

// STH-6, STAT-09
#[test]
fn generations_are_seen_always_and_applied_on_success() {
    let generations = Generations { resource: 3, provenance: Provenance::new(2, None) };
    let success = Case::of(Ok(())).status();
    assert_eq!((success.seen, success.applied), (generations, Some(generations)));
    for outcome in [Wait::for_event("Later").into(), quota()] {
        let status = Case::of(outcome).status();
        assert_eq!((status.seen, status.applied), (generations, None));
    }
}

// FZ-14, FDEL-10
#[test]
fn a_deletion_is_blocked_while_the_cleanup_fails_and_no_longer_when_it_waits() {
    let deleting = |outcome: Flow| {
        let mut case = Case { is_deleting: true, ..Case::of(outcome) };
        case.before.push(true_("ServerDeletionBlocked"));
        case
    };
    deleting(quota()).tells("ServerDeletionBlocked", ConditionStatus::True, "Internal_Error", "quota exceeded");
    deleting(Blocked::new("Locked", "locked").into()).tells("ServerDeletionBlocked", ConditionStatus::True, "Locked", "locked");
    assert_eq!(deleting(Wait::for_event("Draining").into()).told("ServerDeletionBlocked"), None);
    assert_eq!(Case { is_deleting: false, ..deleting(quota()) }.told("ServerDeletionBlocked"), None);
}

// PROV-02
#[test]
fn the_preset_openmcp_has_no_conditions_of_the_framework_and_marks_internal_ones() {
    let internal = DeclaredCondition { visibility: ConditionVisibility::Internal, ..REACHABLE };
    let case = Case { format: Format::openmcp(), declared: vec![internal], ..Case::of(Ok(())).stating(true_("Reachable")) };
    let status = case.status();
    let types: Vec<&str> = status.conditions.iter().map(|condition| condition.type_.as_str()).collect();
    assert_eq!(types, ["ServerHealthy", "ServerReconciliation", "reachable"]);
    assert!(status.conditions.iter().all(|condition| condition.observed_generation.is_none()));
    assert_eq!(status.applied, None);
}

// 13.6, STEP-8, STEP-9
#[test]
fn paused_and_waiting_are_reported_as_framework_conditions() {
    let waiting = WaitingSince { reason: "Electing".to_owned(), since: at(40), generation: Some(3) };
    let mark = WaitingMark::Set { waiting: waiting.clone(), message: "a leader is elected".to_owned() };
    let wait = || Err(Wait::for_event("Electing").message("a leader is elected").into());
    let halted = Case { is_paused: Some(true), waiting: mark.clone(), ..Case::of(wait()) };
    assert_eq!(
        halted.told("Paused").map(|(status, reason, _)| (status, reason)),
        Some((ConditionStatus::True, "Paused".to_owned()))
    );
    let conditions = halted.status().conditions;
    let told = conditions.iter().find(|condition| condition.type_ == "Waiting").unwrap();
    assert_eq!(WaitingSince::told_by(told, None), Some(waiting));
    assert_eq!(told.message, "a leader is elected");

    // Later passes keep the same start; at last both conditions are removed.
    let later = Case { before: conditions.clone(), waiting: WaitingMark::Keep, ..Case::of(wait()) };
    assert_eq!(later.status().conditions.iter().find(|condition| condition.type_ == "Waiting"), Some(told));
    let over = Case { before: conditions, is_paused: Some(false), waiting: WaitingMark::Remove, ..Case::of(Ok(())) };
    assert_eq!(over.told("Waiting"), None);
    assert_eq!(over.told("Paused").map(|(status, ..)| status), Some(ConditionStatus::False));

    // An object that was never paused has no condition `Paused`, and a preset without such conditions has neither.
    assert_eq!(Case { is_paused: Some(false), ..Case::of(Ok(())) }.told("Paused"), None);
    let preset = Case { is_paused: Some(true), waiting: mark, format: Format::openmcp(), ..Case::of(wait()) };
    assert_eq!((preset.told("Paused"), preset.told("Waiting")), (None, None));
}
