//! Runs of scripts under new names.

use futures::{StreamExt as _, stream};
use kubewright_middleware::Seed;
use kubewright_testing::real::{ControlPlane, Options};

use super::run::{Run, RunError, run};
use super::target::ScriptTarget;
use crate::answers::normalise;
use crate::script::{NormalAnswer, Script};

/// The id of runs on an embedded server, which no other run uses.
const EMBEDDED_ID: &str = "kembedde";

/// The number of scripts that run on a remote server at the same time.
const AT_ONCE: usize = 6;

/// Runs a script on an embedded server of its own, in virtual time. Must not be called inside a tokio runtime.
pub fn run_embedded(script: &Script) -> Result<Run, RunError> {
    // A connection over a port takes real time.
    let is_virtual = !script.needs_port();
    let running = async {
        let target = ScriptTarget::embedded(&script.header, script.needs_port()).await;
        let target = target.map_err(|source| RunError::Target {
            script: script.id.clone(),
            step: "the server".to_owned(),
            source: Box::new(source),
        })?;
        run(script, &target, EMBEDDED_ID).await
    };
    kubewright_testing::block_on(is_virtual, running).unwrap_or_else(|error| {
        Err(RunError::Step { script: script.id.clone(), step: "the runtime".to_owned(), problem: error.to_string() })
    })
}

/// Runs a script on a shared server, or, if it runs without controllers, on a control plane of its own.
async fn run_remote(script: &Script, target: &ScriptTarget) -> Result<Run, RunError> {
    if script.header.without_controllers {
        let broken =
            |problem: String| RunError::Step { script: script.id.clone(), step: "the control plane".to_owned(), problem };
        let options = Options { without_controllers: true, ..Options::default() };
        let plane = ControlPlane::start(options).await.map_err(|error| broken(error.to_string()))?;
        let bare = ScriptTarget::remote(plane.kubeconfig()).await.map_err(|error| broken(error.to_string()))?.thrown_away();
        return run(script, &bare, EMBEDDED_ID).await;
    }
    let unique: String = Seed::from_os().uuid().chars().filter(char::is_ascii_alphanumeric).take(7).collect();
    run(script, target, &format!("k{unique}")).await
}

/// Runs scripts on a remote server, six at a time; scripts that disturb others run alone, at the end. Returns the normalised answers of
/// each script, in the order of the scripts.
pub async fn run_all_remote(scripts: &[&Script], target: &ScriptTarget) -> Vec<Result<Vec<NormalAnswer>, RunError>> {
    let one = async |index: usize| {
        let script = scripts[index];
        let outcome = run_remote(script, target).await;
        (index, outcome.map(|run| normalise(script, &run.id, &run.answers)))
    };
    let (alone, together): (Vec<usize>, Vec<usize>) =
        (0..scripts.len()).partition(|index| !scripts[*index].header.alone.is_empty());
    let mut outcomes: Vec<_> = stream::iter(together.into_iter().map(one)).buffer_unordered(AT_ONCE).collect().await;
    for index in alone {
        outcomes.push(one(index).await);
    }
    outcomes.sort_by_key(|(index, _)| *index);
    outcomes.into_iter().map(|(_, outcome)| outcome).collect()
}
