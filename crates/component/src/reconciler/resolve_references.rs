use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use std::time::Duration;

use futures::future::join_all;
use kubewright_core::flow::{Failure, Flow, Halt, join};
use kubewright_core::reference::{Found, Loadable, LoadedKey, Problem, Reference, References, Target, path_text, resolve};

use super::end::{EnginePassEnd, Step};
use super::pass::EnginePass;
use crate::erased::Instance;
use crate::references::{ErasedContent, LoadContext, Loader};

/// The time that a pass waits for a missing object that no event announces.
const MISSING: Duration = Duration::from_secs(10);
/// The number of problems that a message lists (OUT-2).
const SHOWN: usize = 5;

impl EnginePass<'_> {
    /// Resolves the references of the component, and returns their digests by path.
    pub(super) async fn resolve_references(&mut self, instance: &dyn Instance) -> Step<BTreeMap<Vec<String>, String>> {
        let references = instance.references();
        let targets = references.targets();
        let namespace = self.key.namespace();
        if namespace.is_empty() && !targets.is_empty() {
            return Err(Box::new(EnginePassEnd::invalid_spec(
                "a cluster-scoped component has no namespace in which references could be looked up (remove them from the spec)",
            )));
        }
        let watches = &self.shared.references;
        watches.set(self.key, &targets);
        let mut found = watches.load(self.key, &targets).await;
        self.unwatched_references = watches.refused(self.key, &targets);
        let mut resolution = resolve(&references, namespace, self.is_deleting(), find_in(&found));
        let is_absent = |found: &Found| matches!(found, Found::Absent);
        if self.is_deleting() && !self.abandons() && !resolution.problems.is_empty() && found.values().any(is_absent) {
            self.ending_namespace = watches.find_gone(self.key, &mut found).await;
            resolution = resolve(&references, namespace, true, find_in(&found));
        }
        self.resolved = resolution.resolved;
        let mut digests = resolution.digests;
        let halts = self.load_references(&references, &mut digests).await;
        resolution.problems.iter().filter_map(|problem| problem.transient).for_each(|error| self.note_transient(error));
        for (_, flow) in &halts {
            flow.as_ref().err().into_iter().for_each(|halt| self.note_halt(halt));
        }
        // To abandon the dependents, no reference is needed.
        if self.is_deleting() && self.abandons() {
            return Ok(digests);
        }
        match (resolution.problems.is_empty(), join(halts)) {
            (true, Ok(_)) => Ok(digests),
            (false, Ok(_)) => Err(Box::new(self.unresolved(&resolution.problems))),
            (true, Err(halt)) => Err(Box::new(EnginePassEnd::halted(halt, self.intervals()))),
            (false, Err(halt)) => {
                let missing = self.unresolved(&resolution.problems);
                Err(Box::new(missing.or_more_severe(halt, self.intervals())))
            }
        }
    }

    /// Loads the references that code of the operator resolves (REF-7), equal references once. Returns those that halt, with their paths.
    async fn load_references(
        &mut self,
        references: &References,
        digests: &mut BTreeMap<Vec<String>, String>,
    ) -> Vec<(String, Flow)> {
        if references.loadables().is_empty() {
            return Vec::new();
        }
        let context = LoadContext {
            operator: Arc::from(self.shared.operator.as_str()),
            cluster: self.shared.cluster.clone(),
            namespace: self.key.namespace().to_owned(),
            name: self.key.name().to_owned(),
            deleting: self.is_deleting(),
        };
        let mut groups: Vec<(Arc<Loader>, Option<LoadedKey>, Vec<&Loadable>)> = Vec::new();
        let mut known = HashMap::new();
        for loadable in references.loadables() {
            let Ok(loader) = Arc::clone(&loadable.loader).downcast::<Loader>() else { continue };
            let key = loader.key();
            let index = key.as_ref().and_then(|key| known.get(key)).copied().unwrap_or(groups.len());
            if index == groups.len() {
                groups.push((loader, key.clone(), Vec::new()));
            }
            groups[index].2.push(loadable);
            known.extend(key.map(|key| (key, index)));
        }
        self.memory.inside = Some("a reference that the operator loads");
        let loads = join_all(groups.iter().map(|(loader, ..)| load(Arc::clone(loader), context.clone()))).await;
        self.memory.inside = None;
        let mut halts = Vec::new();
        for ((_, key, loadables), load) in groups.into_iter().zip(loads) {
            let (content, digest, halt) = match load {
                Ok(ErasedContent { content, digest }) => (content, digest, None),
                Err(halt) => (None, String::new(), Some(halt)),
            };
            if let (Some(key), Some(content)) = (key, content) {
                self.resolved.add_loaded(key, content);
            }
            let lenient = self.is_deleting() && loadables.iter().all(|loadable| loadable.rules.ignore_on_deletion);
            if let Some(halt) = halt.filter(|halt| !(lenient && matches!(halt, Halt::Wait(_)))) {
                let path = loadables.first().map(|loadable| path_text(&loadable.path)).unwrap_or_default();
                halts.push(with_path(path, self.halt_with_way_out(halt)));
            }
            digests.extend(loadables.into_iter().map(|loadable| (loadable.path.clone(), digest.clone())));
        }
        halts
    }

    /// Ends the pass according to the most severe problem, with all problems in the message.
    fn unresolved(&self, problems: &[Problem]) -> EnginePassEnd {
        let mut texts: Vec<String> = problems.iter().take(SHOWN).map(|problem| problem.message.clone()).collect();
        if problems.len() > SHOWN {
            texts.push(format!("and {} more", problems.len() - SHOWN));
        }
        let message = self.with_way_out("it", texts.join("; "));
        if problems.iter().all(|problem| problem.waits) {
            return EnginePassEnd::waiting(message, Some(MISSING), self.intervals());
        }
        EnginePassEnd::failed(Failure::backoff(message), None, self.intervals())
    }
}

fn find_in(found: &HashMap<Target, Found>) -> impl Fn(&Reference) -> Found + '_ {
    |reference| found.get(&reference.target).cloned().unwrap_or(Found::Absent)
}

/// Adds the path of the reference to a halt. A joined wait does not name its branches.
fn with_path(path: String, halt: Halt) -> (String, Flow) {
    match halt {
        Halt::Wait(wait) => {
            let text = format!("{path}: {}", wait.text());
            (path, wait.message(text).into())
        }
        other => (path, Err(other)),
    }
}

async fn load(loader: Arc<Loader>, context: LoadContext) -> Flow<ErasedContent> {
    loader.load(&context).await
}
