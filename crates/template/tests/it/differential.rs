//! Random templates, rendered here and by Go's text/template with sprig.
//!
//! Outputs are equal bytes; where one fails, the other fails at the same place. `KUBEWRIGHT_TEMPLATES_CASES` sets the number of cases,
//! `KUBEWRIGHT_TEMPLATES_SEED` the number of the first one.

use std::fmt::Write as _;
use std::sync::Arc;

use kubewright_template::{Delimiters, FunctionSet, GoValue, TemplateError, TemplateLimits, TemplateSet};

use crate::functions::functions;
use crate::go_program::GoProgram;
use crate::grammar::RandomCase;
use crate::host::CountingHost;

/// The variable that enables the program in Go. It is built only if it is set, so that `cargo test` needs only Rust.
const WANTED: &str = "KUBEWRIGHT_CLIENTS";
/// The number of cases by default.
const CASES: u64 = 2_000;
/// The number of differences after which a run ends.
const MOST_DIFFERENCES: usize = 20;
/// The number of attempts to make a case smaller.
const ATTEMPTS: usize = 3_000;

/// A result as it is compared: an output, or the text and the place of an error.
type Rendered = Result<Vec<u8>, (String, Option<String>)>;

pub(crate) fn number(variable: &str, otherwise: u64) -> u64 {
    std::env::var(variable).map_or(otherwise, |text| text.parse().unwrap())
}

/// Both sides of the comparison.
struct Renderers {
    functions: Arc<FunctionSet>,
    go: GoProgram,
}

impl Renderers {
    fn here(&self, case: &RandomCase) -> Rendered {
        let functions = if case.is_plain { Arc::default() } else { self.functions.clone() };
        let mut set = TemplateSet::new(functions, Delimiters::default());
        let mut main = String::new();
        let failed = |error: TemplateError| (error.to_string(), place_of(&error));
        for (name, text) in case.texts() {
            set.add(&name, &text).map_err(failed)?;
            main = name;
        }
        let output = set.execute(&main, &GoValue::from(case.values()), &CountingHost::default(), &TemplateLimits::default());
        output.map(|text| text.as_bytes().to_vec()).map_err(failed)
    }

    fn in_go(&mut self, case: &RandomCase) -> Rendered {
        self.go.render(&case.to_json()).map_err(|error| {
            let place = place_in_go(&error);
            (error, place)
        })
    }

    /// Returns both results if they differ.
    fn difference(&mut self, case: &RandomCase) -> Option<(Rendered, Rendered)> {
        let (here, in_go) = (self.here(case), self.in_go(case));
        let is_equal = match (&here, &in_go) {
            (Ok(here), Ok(in_go)) => here == in_go,
            (Err((_, here)), Err((_, in_go))) => here == in_go,
            _ => false,
        };
        (!is_equal).then_some((here, in_go))
    }

    /// Returns the smallest case with a difference that is found.
    fn shrunk(&mut self, mut case: RandomCase) -> RandomCase {
        let mut attempts = 0;
        while attempts < ATTEMPTS
            && let Some(smaller) = case.smaller().into_iter().find(|smaller| {
                attempts += 1;
                attempts < ATTEMPTS && self.difference(smaller).is_some()
            })
        {
            case = smaller;
        }
        case
    }

    fn report(&mut self, seed: u64, case: RandomCase) -> String {
        let case = self.shrunk(case);
        let mut report = format!("case {seed}, made smaller; its data: {}\n", case.values());
        for (name, text) in case.texts() {
            writeln!(report, "  {name}: {text}").unwrap();
        }
        if let Some(results) = self.difference(&case) {
            for (side, result) in [("here ", results.0), ("in Go", results.1)] {
                match result {
                    Ok(output) => writeln!(report, "  {side}: output {:?}", String::from_utf8_lossy(&output)).unwrap(),
                    Err((error, place)) => writeln!(report, "  {side}: error at {place:?}: {error}").unwrap(),
                }
            }
        }
        report
    }
}

/// Returns the place of an error as Go prints it: with a column if it was found in an execution.
fn place_of(error: &TemplateError) -> Option<String> {
    match error {
        TemplateError::Parse { template, line, .. } => Some(format!("{template}:{line}")),
        TemplateError::Execution { position, .. } | TemplateError::Failed { position, .. } => Some(position.to_string()),
        _ => None,
    }
}

/// Returns the place of the outermost template in the text of an error of Go.
fn place_in_go(error: &str) -> Option<String> {
    let (place, _) = error.strip_prefix("template: ")?.split_once(": ")?;
    // `t:1:5` is a place; `no template "x" …` is none.
    place.rsplit(':').next()?.parse::<u64>().ok().map(|_| place.to_owned())
}

#[test]
fn random_templates_have_results_shared_with_go() {
    if std::env::var_os(WANTED).is_none() {
        eprintln!("skipped: {WANTED}=1 compares with Go, which needs the language and its module proxy");
        return;
    }
    let go = match GoProgram::start() {
        Ok(go) => go,
        Err(reason) => return eprintln!("{reason}"),
    };
    let mut renderers = Renderers { functions: functions(), go };
    let (first, count) = (number("KUBEWRIGHT_TEMPLATES_SEED", 1), number("KUBEWRIGHT_TEMPLATES_CASES", CASES));
    let (mut outputs, mut reports) = (0, Vec::new());
    for seed in first..first + count {
        let case = RandomCase::new(seed, &renderers.functions);
        if renderers.difference(&case).is_some() {
            reports.push(renderers.report(seed, case));
        } else if renderers.here(&case).is_ok() {
            outputs += 1;
        }
        if reports.len() == MOST_DIFFERENCES {
            break;
        }
    }
    println!("{count} cases: {outputs} outputs, else errors; {} differences", reports.len());
    assert!(reports.is_empty(), "{} differences:\n{}", reports.len(), reports.join("\n"));
}
