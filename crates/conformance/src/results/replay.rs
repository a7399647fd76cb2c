//! Scripts on the embedded server, compared with the answers of a real one.

use super::report::ScriptResult;
use crate::answers::normalise;
use crate::execution::run_embedded;
use crate::library::Deviations;
use crate::script::{NormalAnswer, Script};

/// Runs a script on an embedded server of its own, and compares its answers with the recorded ones. Must not be called inside a tokio runtime.
pub fn replay(script: &Script, deviations: &Deviations) -> ScriptResult {
    let recorded: Vec<NormalAnswer> = script.steps.iter().map(|step| step.expect.clone().unwrap_or_default()).collect();
    compare_embedded(script, &recorded, deviations)
}

/// Runs a script on an embedded server of its own, and compares its answers with those of another server. Must not be called inside a tokio runtime.
pub fn compare_embedded(script: &Script, expected: &[NormalAnswer], deviations: &Deviations) -> ScriptResult {
    match run_embedded(script) {
        Ok(run) => ScriptResult::new(script, expected, &normalise(script, &run.id, &run.answers), deviations),
        Err(error) => ScriptResult::broken(script, format!("failed to {error}")),
    }
}
