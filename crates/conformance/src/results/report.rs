//! The report about the results of all scripts (EVD-10).

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

use crate::answers::{Difference, compare};
use crate::library::{Deviations, Level, Library, Row, tests_naming_rules};
use crate::script::{NormalAnswer, Script};

/// The result of one script.
#[derive(Debug)]
pub struct ScriptResult {
    /// The id of the script.
    pub script: String,
    /// The reasons why the script did not run or has failed.
    pub failures: Vec<String>,
    /// The steps with differences that fail.
    pub failed_steps: Vec<String>,
    /// The known differences.
    pub known: Vec<Difference>,
    /// The differences of texts that need not agree.
    pub weak: Vec<Difference>,
}

/// The result for one rule.
#[derive(Debug)]
pub struct RowResult<'a> {
    /// The rule.
    pub row: &'a Row,
    /// The number of steps that prove the rule.
    pub steps: usize,
    /// The number of these steps that fail.
    pub failed: usize,
    /// The number of Rust tests that name the rule.
    pub tests: usize,
}

/// The results of all scripts.
#[derive(Debug)]
pub struct Report {
    /// The results of the scripts, in order.
    pub results: Vec<ScriptResult>,
    /// The deviations whose script does not exist.
    pub without_script: Vec<String>,
}

impl ScriptResult {
    /// Compares the answers of a run with the expected ones.
    pub fn new(script: &Script, expected: &[NormalAnswer], found: &[NormalAnswer], deviations: &Deviations) -> Self {
        let steps = script.steps.iter().zip(expected.iter().zip(found));
        let all: Vec<Difference> = steps.flat_map(|(step, (expected, found))| compare(step, expected, found)).collect();
        let (unknown, known, gone) = deviations.split(&script.id, all);
        let (weak, strong): (Vec<_>, Vec<_>) = unknown.into_iter().partition(|difference| difference.is_weak);
        let mut failures: Vec<String> = strong.iter().map(ToString::to_string).collect();
        for deviation in gone {
            failures
                .push(format!("step {}: the deviation at {} is gone; remove it from the list", deviation.step, deviation.what));
        }
        let mut failed_steps: Vec<String> = strong.into_iter().map(|difference| difference.step).collect();
        failed_steps.dedup();
        Self { script: script.id.clone(), failures, failed_steps, known, weak }
    }

    /// Returns the result of a script that did not run.
    pub fn broken(script: &Script, problem: impl Into<String>) -> Self {
        let all = script.steps.iter().map(|step| step.id.clone()).collect();
        Self { script: script.id.clone(), failures: vec![problem.into()], failed_steps: all, known: Vec::new(), weak: Vec::new() }
    }
}

impl Report {
    /// Collects results. `is_whole` is true if no script was left out.
    pub fn new(library: &Library, results: Vec<ScriptResult>, is_whole: bool) -> Self {
        let ids: Vec<&str> = library.scripts.iter().map(|file| file.script.id.as_str()).collect();
        let without_script = if is_whole { library.deviations.without_script(&ids) } else { Vec::new() };
        let without_script =
            without_script.iter().map(|deviation| format!("{} step {}", deviation.script, deviation.step)).collect();
        Self { results, without_script }
    }

    /// Returns all failures as text; empty if nothing failed.
    pub fn failures(&self) -> String {
        let mut text = String::new();
        for result in &self.results {
            for failure in &result.failures {
                let _ = writeln!(text, "{}: {failure}", result.script);
            }
        }
        for deviation in &self.without_script {
            let _ = writeln!(text, "a deviation names a script that is not there: {deviation}");
        }
        text
    }

    /// Returns the result of each rule. The tests are those of all crates of the workspace.
    pub fn rows<'a>(&self, library: &'a Library) -> Vec<RowResult<'a>> {
        let tests = tests_naming_rules(&Path::new(env!("CARGO_MANIFEST_DIR")).join(".."));
        let mut steps: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
        for file in &library.scripts {
            let result = self.results.iter().find(|result| result.script == file.script.id);
            for step in &file.script.steps {
                let is_failed = result.is_none_or(|result| result.failed_steps.contains(&step.id));
                for row in file.script.rows_of(step) {
                    let count = steps.entry(row).or_default();
                    count.0 += 1;
                    count.1 += usize::from(is_failed);
                }
            }
        }
        let result = |row: &'a Row| {
            let (steps, failed) = steps.get(row.id.as_str()).copied().unwrap_or_default();
            RowResult { row, steps, failed, tests: tests.get(&row.id).copied().unwrap_or_default() }
        };
        library.rows.iter().map(result).collect()
    }

    /// Returns the report as Markdown. `versus` names the server with which the embedded one was compared.
    pub fn markdown(&self, library: &Library, versus: &str) -> String {
        let rows = self.rows(library);
        let mut text = format!("# The embedded API server, compared with {versus}\n\n");
        let untested = rows.iter().filter(|row| row.row.level == Level::M && row.steps + row.tests == 0);
        let untested: Vec<&str> = untested.map(|row| row.row.id.as_str()).collect();
        let _ = writeln!(text, "M rows without any script or test: {}\n", list(&untested));
        let without_script = rows.iter().filter(|row| row.row.level == Level::M && row.steps == 0);
        let without_script: Vec<&str> = without_script.map(|row| row.row.id.as_str()).collect();
        let _ = writeln!(text, "M rows without a script: {}\n", list(&without_script));
        text.push_str("| row | level | steps | differ | tests |\n| --- | --- | --- | --- | --- |\n");
        for row in &rows {
            let _ = writeln!(text, "| {} | {:?} | {} | {} | {} |", row.row.id, row.row.level, row.steps, row.failed, row.tests);
        }
        let known: usize = self.results.iter().map(|result| result.known.len()).sum();
        let _ = writeln!(text, "\n## Known deviations\n\n{known} differences are covered by these:\n");
        for deviation in library.deviations.iter() {
            let rule = if deviation.rule.is_empty() { String::new() } else { format!(" ({})", deviation.rule) };
            let _ = writeln!(text, "* {} {} `{}`: {}{rule}", deviation.script, deviation.step, deviation.what, deviation.reason);
        }
        text.push_str("\n## Texts that differ\n\n");
        for result in &self.results {
            for difference in &result.weak {
                let _ = writeln!(
                    text,
                    "* {} {}\n  * {}\n  * {}",
                    result.script, difference.step, difference.expected, difference.found
                );
            }
        }
        text
    }
}

fn list(ids: &[&str]) -> String {
    if ids.is_empty() { "none".to_owned() } else { ids.join(", ") }
}
