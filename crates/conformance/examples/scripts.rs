//! Runs the request scripts of this crate.
//!
//! ```text
//! cargo run -p kubewright-conformance --example scripts -- replay [FILTER...]            embedded server against the expectations
//! cargo run -p kubewright-conformance --example scripts -- record [OPTION...] [FILTER...]  writes the expectations from a real server
//! cargo run -p kubewright-conformance --example scripts -- live [OPTION...] [FILTER...]    embedded and real server against each other
//!
//! cargo run -p kubewright-conformance --example scripts -- histories [OPTION...] [FIRST] [COUNT] [schemas]  random histories on both servers, or
//!                                                                     random definitions with their objects
//!
//! --kubeconfig PATH   the real server; without it, one is started from the binaries of hack/kubernetes
//! --new               record only scripts that have a step without expectation
//! ```

use std::process::ExitCode;

use kubewright_conformance::execution::{RealServer, ScriptTarget, run_all_remote};
use kubewright_conformance::histories::{HistorySubject, history, schema_history};
use kubewright_conformance::library::Library;
use kubewright_conformance::results::{Report, ScriptResult, compare_embedded, replay};
use kubewright_conformance::script::{NormalAnswer, Script};

type Error = Box<dyn std::error::Error>;

/// The numbers of requests in one history, and about the objects of one definition.
const LENGTH: usize = 40;
const SCHEMA_LENGTH: usize = 25;

struct Arguments {
    mode: String,
    kubeconfig: Option<String>,
    only_new: bool,
    filters: Vec<String>,
}

/// The real server that the expectations come from.
enum Real {
    Started(RealServer),
    Given(ScriptTarget),
}

impl Real {
    /// Connects to the server of `--kubeconfig`, or starts one.
    async fn of(arguments: &Arguments) -> Result<Self, Error> {
        Ok(match &arguments.kubeconfig {
            Some(path) => Self::Given(ScriptTarget::remote(&std::fs::read_to_string(path)?).await?),
            None => Self::Started(RealServer::start().await?),
        })
    }

    fn target(&self) -> &ScriptTarget {
        match self {
            Self::Started(server) => server.target(),
            Self::Given(target) => target,
        }
    }
}

fn main() -> Result<ExitCode, Error> {
    let arguments = Arguments::parse(std::env::args().skip(1))?;
    let library = if arguments.mode == "histories" { Library::own()? } else { Library::own()?.select(&arguments.filters) };
    match arguments.mode.as_str() {
        "replay" => {
            let results = library.scripts.iter().map(|file| replay(&file.script, &library.deviations)).collect();
            Ok(tell(&library, results, &arguments))
        }
        "record" => record(library, &arguments),
        "live" => {
            let runtime = runtime()?;
            let scripts: Vec<&Script> = library.scripts.iter().map(|file| &file.script).collect();
            let expected = runtime.block_on(async { Ok::<_, Error>(on_real(&Real::of(&arguments).await?, &scripts).await) })?;
            let results = scripts.iter().zip(expected).map(|(script, expected)| match expected {
                Ok(expected) => compare_embedded(script, &expected, &library.deviations),
                Err(problem) => ScriptResult::broken(script, problem),
            });
            Ok(tell(&library, results.collect(), &arguments))
        }
        "histories" => histories(&library, &arguments),
        other => Err(format!("unknown mode {other:?}; allowed: replay, record, live, histories").into()),
    }
}

impl Arguments {
    fn parse(mut words: impl Iterator<Item = String>) -> Result<Self, Error> {
        let mode = words.next().ok_or("the first argument is the mode: replay, record or live")?;
        let mut arguments = Self { mode, kubeconfig: None, only_new: false, filters: Vec::new() };
        while let Some(word) = words.next() {
            match word.as_str() {
                "--kubeconfig" => arguments.kubeconfig = Some(words.next().ok_or("--kubeconfig needs a path")?),
                "--new" => arguments.only_new = true,
                word if word.starts_with("--") => {
                    return Err(format!("unknown option {word:?}; allowed: --kubeconfig, --new").into());
                }
                _ => arguments.filters.push(word),
            }
        }
        Ok(arguments)
    }
}

/// Runs random histories of requests, from a first seed on (DFT-7).
fn histories(library: &Library, arguments: &Arguments) -> Result<ExitCode, Error> {
    let number = |index: usize, default: u64| arguments.filters.get(index).map_or(Ok(default), |word| word.parse());
    let (first, count) = (number(0, 1)?, number(1, 10)?);
    let scripts: Vec<Script> = (first..first + count)
        .flat_map(|seed| match arguments.filters.get(2).map(String::as_str) {
            Some("schemas") => vec![schema_history(seed, SCHEMA_LENGTH)],
            _ => vec![history(HistorySubject::ConfigMap, seed, LENGTH), history(HistorySubject::Deployment, seed, LENGTH)],
        })
        .collect();
    if count == 1 {
        // A single seed is run to see its requests.
        for script in &scripts {
            println!("{}", script.to_text()?);
        }
    }
    let expected = runtime()?.block_on(async {
        let scripts: Vec<&Script> = scripts.iter().collect();
        Ok::<_, Error>(on_real(&Real::of(arguments).await?, &scripts).await)
    })?;
    let mut code = ExitCode::SUCCESS;
    for (script, expected) in scripts.iter().zip(expected) {
        let result = match expected {
            Ok(expected) => compare_embedded(script, &expected, &library.deviations),
            Err(problem) => ScriptResult::broken(script, problem),
        };
        // Later differences often follow from the first one.
        if let Some(first) = result.failures.first() {
            println!("{}: {first}", script.id);
            code = ExitCode::FAILURE;
        }
    }
    println!("{} histories", scripts.len());
    Ok(code)
}

fn runtime() -> Result<tokio::runtime::Runtime, Error> {
    Ok(tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?)
}

/// Returns the normalised answers of the real server, or the reason why there are none.
async fn on_real(real: &Real, scripts: &[&Script]) -> Vec<Result<Vec<NormalAnswer>, String>> {
    let outcomes = run_all_remote(scripts, real.target()).await;
    outcomes.into_iter().map(|outcome| outcome.map_err(|error| format!("failed to {error}"))).collect()
}

fn record(mut library: Library, arguments: &Arguments) -> Result<ExitCode, Error> {
    if arguments.only_new {
        library.scripts.retain(|file| file.script.steps.iter().any(|step| step.expect.is_none()));
    }
    let scripts: Vec<&Script> = library.scripts.iter().map(|file| &file.script).collect();
    let (version, outcomes) = runtime()?.block_on(async {
        let real = Real::of(arguments).await?;
        Ok::<_, Error>((real.target().version().await?, on_real(&real, &scripts).await))
    })?;
    let mut code = ExitCode::SUCCESS;
    for (file, outcomes) in library.scripts.iter_mut().zip(outcomes) {
        match outcomes {
            Ok(outcomes) => {
                for (step, outcome) in file.script.steps.iter_mut().zip(outcomes) {
                    step.expect = step.join.is_empty().then_some(outcome);
                }
                file.script.header.recorded.clone_from(&version);
                file.save()?;
                println!("recorded {}", file.script.id);
            }
            Err(problem) => {
                eprintln!("{problem}");
                code = ExitCode::FAILURE;
            }
        }
    }
    Ok(code)
}

fn tell(library: &Library, results: Vec<ScriptResult>, arguments: &Arguments) -> ExitCode {
    let weak: usize = results.iter().map(|result| result.weak.len()).sum();
    for difference in results.iter().filter(|_| !arguments.filters.is_empty()).flat_map(|result| &result.weak) {
        println!("text: {difference}");
    }
    let report = Report::new(library, results, arguments.filters.is_empty());
    let failures = report.failures();
    print!("{failures}");
    let failed = report.results.iter().filter(|result| !result.failures.is_empty()).count();
    println!("{} scripts, {failed} with differences; {weak} texts differ", report.results.len());
    if failures.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
