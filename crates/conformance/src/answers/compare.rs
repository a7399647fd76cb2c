//! The comparison of normalised answers (DFT-3). No I/O.

use std::fmt;

use serde_json::Value;

use crate::script::{NormalAnswer, ScriptStep};

/// A difference between two answers.
#[derive(Clone, Debug, PartialEq)]
pub struct Difference {
    /// The id of the step.
    pub step: String,
    /// The part that differs: `code`, `type`, `messages`, a path into the body such as `body/spec/replicas`, ...
    pub what: String,
    /// The value of the real server.
    pub expected: Value,
    /// The value that was found.
    pub found: Value,
    /// True for a text that need not agree: the difference is reported, but is no failure.
    pub is_weak: bool,
}

/// Returns the differences between an answer and the expected one.
pub fn compare(step: &ScriptStep, expected: &NormalAnswer, found: &NormalAnswer) -> Vec<Difference> {
    let mut differences = OutcomeDifferences { step: &step.id, found: Vec::new() };
    let mut scalar = |what: &str, expected: Value, found: Value| differences.value(what, &expected, &found);
    scalar("code", expected.code.into(), found.code.into());
    scalar("protocol", expected.protocol.as_str().into(), found.protocol.as_str().into());
    scalar("lines", expected.lines.into(), found.lines.into());
    scalar("type", expected.content_type.as_str().into(), found.content_type.as_str().into());
    scalar("warnings", expected.warnings.clone().into(), found.warnings.clone().into());
    scalar("retryAfter", expected.retry_after.as_str().into(), found.retry_after.as_str().into());
    scalar("location", expected.location.as_str().into(), found.location.as_str().into());
    scalar("cacheControl", expected.cache_control.as_str().into(), found.cache_control.as_str().into());
    scalar("etag", expected.etag.into(), found.etag.into());
    scalar("ended", expected.ended.into(), found.ended.into());
    differences.value("body", &expected.body, &found.body);
    differences.value("events", &expected.events, &found.events);
    if expected.messages != found.messages {
        differences.found.push(Difference {
            step: step.id.clone(),
            what: "messages".to_owned(),
            expected: expected.messages.clone().into(),
            found: found.messages.clone().into(),
            is_weak: !step.message,
        });
    }
    differences.found
}

struct OutcomeDifferences<'a> {
    step: &'a str,
    found: Vec<Difference>,
}

impl OutcomeDifferences<'_> {
    /// Compares two values recursively as long as both have the same form.
    fn value(&mut self, what: &str, expected: &Value, found: &Value) {
        match (expected, found) {
            (Value::Object(left), Value::Object(right)) => {
                let keys: std::collections::BTreeSet<&String> = left.keys().chain(right.keys()).collect();
                for key in keys {
                    let what = format!("{what}/{}", key.replace('~', "~0").replace('/', "~1"));
                    match (left.get(key), right.get(key)) {
                        (Some(left), Some(right)) => self.value(&what, left, right),
                        (left, right) => self.push(what, absent(left), absent(right)),
                    }
                }
            }
            (Value::Array(left), Value::Array(right)) if left.len() == right.len() => {
                for (index, (left, right)) in left.iter().zip(right).enumerate() {
                    self.value(&format!("{what}/{index}"), left, right);
                }
            }
            _ if expected == found => {}
            _ => self.push(what.to_owned(), expected.clone(), found.clone()),
        }
    }

    fn push(&mut self, what: String, expected: Value, found: Value) {
        self.found.push(Difference { step: self.step.to_owned(), what, expected, found, is_weak: false });
    }
}

/// Replaces an absent member by a marker, since it must differ from one that is null.
fn absent(member: Option<&Value>) -> Value {
    member.cloned().unwrap_or_else(|| "<absent>".into())
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "step {}: {}\n    real {}\n    ours {}", self.step, self.what, self.expected, self.found)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn outcome(body: Value) -> NormalAnswer {
        NormalAnswer { code: 200, body, ..NormalAnswer::default() }
    }

    fn whats(expected: Value, found: Value) -> Vec<String> {
        let step = ScriptStep { id: "s".into(), ..ScriptStep::default() };
        compare(&step, &outcome(expected), &outcome(found)).into_iter().map(|difference| difference.what).collect()
    }

    // DFT-3
    #[test]
    fn differences_are_named_by_their_path() {
        assert!(whats(json!({"a": [1]}), json!({"a": [1]})).is_empty());
        assert_eq!(whats(json!({"a": [1, 2]}), json!({"a": [1, 3]})), ["body/a/1"]);
        assert_eq!(whats(json!({"a/b": null}), json!({})), ["body/a~1b"]);
        assert_eq!(whats(json!([1]), json!([1, 2])), ["body"]);
    }

    // DFT-3
    #[test]
    fn message_differences_are_weak_unless_the_step_compares_messages() {
        let mut step = ScriptStep { id: "s".into(), ..ScriptStep::default() };
        let (left, right) = (NormalAnswer { messages: vec!["a".into()], ..NormalAnswer::default() }, NormalAnswer::default());
        assert!(compare(&step, &left, &right)[0].is_weak);
        step.message = true;
        assert!(!compare(&step, &left, &right)[0].is_weak);
    }
}
