//! The execution of a script.

use std::time::Duration;

use http_body_util::BodyExt as _;
use serde_json::Value;

use super::target::{Reply, ScriptTarget, ScriptTargetError, Stream};
use crate::answers::{Answer, Content};
use crate::script::{Filled, Script, ScriptStep, Variables, WatchStop};

/// The time limit for the repetition of a step and for an answer: controllers of a real server may be busy with other scripts, and the garbage
/// collector looks for new kinds twice a minute.
const PATIENCE: Duration = Duration::from_secs(150);
/// Pause between two attempts of a step.
const POLL: Duration = Duration::from_millis(100);
/// The time without events after which a watch is complete, if the step does not give one.
const QUIET: Duration = Duration::from_millis(1500);

/// The result of a script.
#[derive(Debug)]
pub struct Run {
    /// The id of this run, which is part of the names of its objects.
    pub id: String,
    /// One answer for each step.
    pub answers: Vec<Answer>,
}

/// The error of a script that did not run to its end.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RunError {
    /// A request could not be sent, or its answer not be read.
    #[error("run step {step:?} of {script}: {source}")]
    Target {
        /// The id of the script.
        script: String,
        /// The id of the step.
        step: String,
        /// The cause.
        #[source]
        source: Box<ScriptTargetError>,
    },
    /// The script requires something that is not possible.
    #[error("run step {step:?} of {script}: {problem}")]
    Step {
        /// The id of the script.
        script: String,
        /// The id of the step.
        step: String,
        /// The problem.
        problem: String,
    },
}

/// A watch that is open.
struct ScriptWatch {
    step: usize,
    stop: WatchStop,
    stream: Stream,
}

/// Runs all steps of a script, then removes the objects that it created. `id` consists of eight lower-case letters or digits, begins with a letter,
/// and is unique among the runs on the server.
pub async fn run(script: &Script, target: &ScriptTarget, id: &str) -> Result<Run, RunError> {
    let mut runner = ScriptExecution { script, target, variables: Variables::new(id), watches: Vec::new(), made: Vec::new() };
    let outcome = runner.steps(id).await;
    runner.clean_up().await;
    Ok(Run { id: id.to_owned(), answers: outcome? })
}

struct ScriptExecution<'a> {
    script: &'a Script,
    target: &'a ScriptTarget,
    variables: Variables,
    watches: Vec<ScriptWatch>,
    /// The cluster-scoped objects that the script created, oldest first.
    made: Vec<String>,
}

impl ScriptExecution<'_> {
    async fn steps(&mut self, id: &str) -> Result<Vec<Answer>, RunError> {
        self.namespace(id).await.map_err(|source| RunError::Target {
            script: self.script.id.clone(),
            step: "the namespace".to_owned(),
            source: Box::new(source),
        })?;
        let mut answers = vec![Answer::default(); self.script.steps.len()];
        for (index, step) in self.script.steps.iter().enumerate() {
            let target =
                |source| RunError::Target { script: self.script.id.clone(), step: step.id.clone(), source: Box::new(source) };
            let problem = |problem| RunError::Step { script: self.script.id.clone(), step: step.id.clone(), problem };
            if !step.join.is_empty() {
                let opened = self.watches.iter().position(|watch| self.script.steps[watch.step].id == step.join);
                let Some(opened) = opened else {
                    return Err(problem(format!("no watch {:?} is open", step.join)));
                };
                let watch = self.watches.remove(opened);
                answers[watch.step].content = read_watch(watch.stop, watch.stream).await.map_err(target)?;
                continue;
            }
            for turn in 1..step.times.unwrap_or(1) {
                self.variables.set("$turn", turn.into());
                let filled = Filled::new(step, &self.variables).map_err(problem)?;
                self.repeat(&filled, step).await.map_err(target)?;
            }
            self.variables.set("$turn", step.times.unwrap_or(1).into());
            let filled = Filled::new(step, &self.variables).map_err(problem)?;
            self.catch_up(&filled, step).await.map_err(target)?;
            let answer = if let Some(stop) = &step.watch {
                self.watch(&filled, step, index, stop).await.map_err(target)?
            } else {
                self.repeat(&filled, step).await.map_err(target)?
            };
            let name = answer.at("/metadata/name");
            self.made.extend(filled.creates(answer.code, name.as_ref().and_then(Value::as_str)));
            for (variable, path) in &step.capture {
                let Some(value) = answer.at(path) else {
                    let seen = format!("{:.500?}", answer.content);
                    return Err(problem(format!("the answer ({}) has nothing at {path:?} to capture: {seen}", answer.code)));
                };
                self.variables.set(variable, value);
            }
            answers[index] = answer;
        }
        for watch in std::mem::take(&mut self.watches) {
            let step = &self.script.steps[watch.step];
            let target =
                |source| RunError::Target { script: self.script.id.clone(), step: step.id.clone(), source: Box::new(source) };
            answers[watch.step].content = read_watch(watch.stop, watch.stream).await.map_err(target)?;
        }
        Ok(answers)
    }

    /// Creates the namespace of the script, and waits for the objects that controllers create in every namespace.
    async fn namespace(&mut self, id: &str) -> Result<(), ScriptTargetError> {
        let name = format!("ns-{id}");
        let body = format!(r#"{{"apiVersion":"v1","kind":"Namespace","metadata":{{"name":"{name}"}}}}"#);
        let create =
            ScriptStep { method: "POST".into(), path: "/api/v1/namespaces".into(), raw: Some(body), ..ScriptStep::default() };
        let account = format!("/api/v1/namespaces/{name}/serviceaccounts/default");
        let bundle = format!("/api/v1/namespaces/{name}/configmaps/kube-root-ca.crt");
        let there = std::collections::BTreeMap::from([("code".to_owned(), Value::from(200))]);
        let wait = |path: String| ScriptStep { path, until: there.clone(), ..ScriptStep::default() };
        let mut steps = vec![create];
        if !self.script.header.without_controllers {
            steps.extend([wait(account), wait(bundle)]);
        }
        for step in steps {
            if let Ok(filled) = Filled::new(&step, &self.variables) {
                let answer = self.repeat(&filled, &step).await?;
                self.made.extend(filled.creates(answer.code, Some(&name)));
            }
        }
        Ok(())
    }

    /// Waits until the server's cache has caught up, by a list. A real server may answer a request that names no version
    /// from a cache that is behind its own writes.
    async fn catch_up(&self, filled: &Filled, step: &ScriptStep) -> Result<(), ScriptTargetError> {
        if !self.target.has_caches() {
            return Ok(());
        }
        let Some(path) = filled.cached_collection(step.watch.is_some()) else { return Ok(()) };
        let list = ScriptStep { path, ..ScriptStep::default() };
        if let Ok(filled) = Filled::new(&list, &self.variables) {
            self.repeat(&filled, &list).await?;
        }
        Ok(())
    }

    /// Opens a watch, whose events are read later. The answer of a rejected watch is returned.
    async fn watch(
        &mut self,
        filled: &Filled,
        step: &ScriptStep,
        index: usize,
        stop: &WatchStop,
    ) -> Result<Answer, ScriptTargetError> {
        let started = tokio::time::Instant::now();
        loop {
            let reply = self.send(filled, step).await?;
            if reply.code == 200 {
                let Reply { code, protocol, headers, stream } = reply;
                self.watches.push(ScriptWatch { step: index, stop: stop.clone(), stream });
                return Ok(Answer { code, protocol, headers, ..Answer::default() });
            }
            let answer = read(reply).await?;
            if !answer.is_too_early() || tokio::time::Instant::now() - started > PATIENCE {
                return Ok(answer);
            }
            tokio::time::sleep(POLL).await;
        }
    }

    /// Sends a request until its answer has the values that the step requires, or the time limit is reached; returns the last answer.
    async fn repeat(&self, filled: &Filled, step: &ScriptStep) -> Result<Answer, ScriptTargetError> {
        let until: Vec<(String, Value)> =
            step.until.iter().map(|(path, value)| (self.variables.fill(path), self.variables.fill_value(value))).collect();
        let started = tokio::time::Instant::now();
        loop {
            let answer = read(self.send(filled, step).await?).await?;
            let is_done = !answer.is_too_early() && answer.has(until.iter().map(|(path, value)| (path, value)));
            if is_done || tokio::time::Instant::now() - started > PATIENCE {
                return Ok(answer);
            }
            tokio::time::sleep(POLL).await;
        }
    }

    async fn send(&self, filled: &Filled, step: &ScriptStep) -> Result<Reply, ScriptTargetError> {
        let Filled { method, path, headers, body, user } = filled;
        let sending = async {
            if step.offers.is_empty() {
                self.target.send(method, path, headers, body.clone(), user.as_ref()).await
            } else {
                self.target.send_offering(&step.offers, method, path, headers, body.clone()).await
            }
        };
        tokio::time::timeout(PATIENCE, sending).await.unwrap_or_else(|_| Err(ScriptTargetError::Body("no answer came".into())))
    }

    /// Removes the cluster-scoped objects of the script, including namespaces with their content. Objects that cannot be removed stay. On a server
    /// that is thrown away the namespaces stay: removing many of them would keep its controllers busy while scripts wait for them.
    async fn clean_up(&mut self) {
        let keeps_namespaces = self.target.is_thrown_away();
        for path in self.made.drain(..).rev() {
            if keeps_namespaces && path.starts_with("/api/v1/namespaces/") {
                continue;
            }
            let sent = self.target.send("DELETE", &path, &[], Vec::new(), None).await;
            if let Err(error) = sent {
                tracing::warn!(path, %error, "an object of a script stays");
            }
        }
    }
}

async fn read(reply: Reply) -> Result<Answer, ScriptTargetError> {
    let body = reply.stream.collect().await.map_err(ScriptTargetError::Body)?.to_bytes();
    Ok(Answer { protocol: reply.protocol, ..Answer::new(reply.code, reply.headers, &body) })
}

/// Reads events until the stop condition holds.
async fn read_watch(stop: WatchStop, mut stream: Stream) -> Result<Content, ScriptTargetError> {
    let quiet = stop.quiet.map_or(QUIET, Duration::from_millis);
    let limit = if stop.quiet.is_some() || (stop.count.is_none() && !stop.marker && !stop.end) { quiet } else { PATIENCE };
    let (mut events, mut buffer) = (Vec::<Value>::new(), Vec::new());
    loop {
        let counted = events.iter().filter(|event| stop.bookmarks || event["type"] != "BOOKMARK").count();
        let is_marked = stop.marker && events.last().is_some_and(is_marker);
        if stop.count.is_some_and(|count| counted >= count) || is_marked {
            return Ok(Content::Events { events, ended: false });
        }
        let Ok(frame) = tokio::time::timeout(limit, stream.frame()).await else {
            return Ok(Content::Events { events, ended: false });
        };
        let Some(frame) = frame else { return Ok(Content::Events { events, ended: true }) };
        let Ok(data) = frame.map_err(ScriptTargetError::Body)?.into_data() else { continue };
        buffer.extend_from_slice(&data);
        while let Some(end) = buffer.iter().position(|byte| *byte == b'\n') {
            let line: Vec<u8> = buffer.drain(..=end).collect();
            events.push(serde_json::from_slice(&line).map_err(|error| ScriptTargetError::Body(error.to_string()))?);
        }
    }
}

fn is_marker(event: &Value) -> bool {
    event["object"]["metadata"]["annotations"]["k8s.io/initial-events-end"] == "true"
}
