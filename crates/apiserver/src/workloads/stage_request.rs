//! The annotations by which an object controls its stages (STG-3).

use std::time::Duration;

use kubewright_machinery::object::ObjectExt;
use kubewright_machinery::quantity::GoDuration;
use serde_json::Value;

use super::mode::StageDelays;
use super::read::at;

/// The annotation with the time until the object is ready.
pub const READY_AFTER: &str = "testing.kubewright.dev/ready-after";
/// The annotation with the outcome of the object.
pub const OUTCOME: &str = "testing.kubewright.dev/outcome";

/// The outcome of a workload.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum WorkloadOutcome {
    /// The workload becomes ready.
    #[default]
    Ready,
    /// The workload stays in the last state before ready.
    Never,
    /// The containers crash; a Job fails.
    Fail,
    /// The stages never change the workload; the test writes its status.
    Manual,
}

/// The settings that the annotations of one object request.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StageRequest {
    /// The outcome of the object.
    pub outcome: WorkloadOutcome,
    /// The time until ready, which replaces the delay of the server.
    pub ready_after: Option<Duration>,
}

impl StageRequest {
    /// Returns the settings of a pod or a workload; the annotations of a workload's pod template take precedence over its own.
    pub fn of(object: &Value) -> Self {
        Self {
            outcome: requested(object, OUTCOME).and_then(parse_outcome).unwrap_or_default(),
            ready_after: requested(object, READY_AFTER).and_then(parse_duration),
        }
    }

    /// Returns the delays for an object with these settings.
    pub fn apply(&self, delays: &StageDelays) -> StageDelays {
        StageDelays { ready: self.ready_after.unwrap_or(delays.ready), ..*delays }
    }
}

/// Returns warnings about annotations that cannot be parsed and are ignored.
pub fn warnings(object: &Value) -> Vec<String> {
    let mut warnings = Vec::new();
    for annotations in [object.annotations(), template_of(object).annotations()] {
        if let Some(value) = annotations.get(OUTCOME).and_then(Value::as_str).filter(|value| parse_outcome(value).is_none()) {
            warnings.push(format!("annotation {OUTCOME}: {value:?} is ignored: must be ready, never, fail or manual"));
        }
        if let Some(value) = annotations.get(READY_AFTER).and_then(Value::as_str).filter(|value| parse_duration(value).is_none())
        {
            warnings.push(format!("annotation {READY_AFTER}: {value:?} is ignored: must be a duration such as 30s or 1m30s"));
        }
    }
    warnings
}

/// Returns the settings of a workload that its template does not override, as annotations for its pods.
pub(super) fn inherited<'a>(owner: &'a Value, template: &'a Value) -> impl Iterator<Item = (&'static str, &'a str)> {
    let missing = move |key: &&'static str| template.annotation(key).is_none();
    [READY_AFTER, OUTCOME].into_iter().filter(missing).filter_map(|key| Some((key, owner.annotation(key)?)))
}

fn requested<'a>(object: &'a Value, key: &str) -> Option<&'a str> {
    template_of(object).annotation(key).or_else(|| object.annotation(key))
}

fn template_of(object: &Value) -> &Value {
    match at(object, "/spec/jobTemplate/spec/template") {
        Value::Null => at(object, "/spec/template"),
        template => template,
    }
}

fn parse_outcome(text: &str) -> Option<WorkloadOutcome> {
    match text {
        "ready" => Some(WorkloadOutcome::Ready),
        "never" => Some(WorkloadOutcome::Never),
        "fail" => Some(WorkloadOutcome::Fail),
        "manual" => Some(WorkloadOutcome::Manual),
        _ => None,
    }
}

/// Parses a duration in Go's notation: `1m30s`, `500ms`.
fn parse_duration(text: &str) -> Option<Duration> {
    GoDuration::parse(text).ok()?.to_std()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    // STG-3
    #[test]
    fn the_template_wins_over_the_workload() {
        let workload = json!({
            "metadata": {"annotations": {READY_AFTER: "30s", OUTCOME: "fail"}},
            "spec": {"template": {"metadata": {"annotations": {READY_AFTER: "1m30s"}}}},
        });
        let request = StageRequest::of(&workload);
        assert_eq!(request, StageRequest { outcome: WorkloadOutcome::Fail, ready_after: Some(Duration::from_secs(90)) });
        let inherited: Vec<_> = inherited(&workload, at(&workload, "/spec/template")).collect();
        assert_eq!(inherited, [(OUTCOME, "fail")]);
    }

    // STG-3
    #[test]
    fn unreadable_stage_annotations_are_ignored_with_a_warning() {
        let workload = json!({"metadata": {"annotations": {READY_AFTER: "soon", OUTCOME: "maybe"}}});
        assert_eq!(StageRequest::of(&workload), StageRequest::default());
        assert_eq!(warnings(&workload).len(), 2);
    }

    #[test]
    fn durations_are_those_of_go() {
        assert_eq!(parse_duration("1m30s"), Some(Duration::from_secs(90)));
        for wrong in ["", "5", "-5s", "5d"] {
            assert_eq!(parse_duration(wrong), None, "{wrong:?}");
        }
    }
}
