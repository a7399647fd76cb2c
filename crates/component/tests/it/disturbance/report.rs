//! Comparing runs.

use kubewright::prelude::*;

use super::run::{Disturbance, Outcome};

/// What a disturbed run left otherwise than the undisturbed one.
pub(super) fn differences(plain: &Outcome, disturbed: &Outcome, disturbance: &Disturbance) -> Vec<String> {
    let mut found = Vec::new();
    for (object, expected) in &plain.objects {
        let actual = disturbed.objects.get(object).unwrap_or(&Value::Null);
        if actual != expected {
            found.push(format!("{disturbance}: {object} is {actual}, not {expected}"));
        }
    }
    found.extend(
        disturbed.touched.iter().map(|object| format!("{disturbance}: {object} belongs to somebody else and was written")),
    );
    let operators = if *disturbance == Disturbance::TwoOperators { 2 } else { 1 };
    for (object, writes) in &disturbed.writes {
        // A pass that is repeated writes the same again, a conflict is retried five times.
        let most = 2 * operators * plain.writes_of(object) + 8;
        if *writes > most {
            found.push(format!("{disturbance}: {object} was written {writes} times, more than {most}"));
        }
    }
    found
}
