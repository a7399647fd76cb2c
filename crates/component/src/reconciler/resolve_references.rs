//! Resolution of the references of a component, and the digest of all its inputs.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::time::Duration;

use kubewright_core::flow::{Failure, join};
use kubewright_core::manifest::component_digest;
use kubewright_core::reference::{Found, ListedReference, Problem, ReferencedObject, References, Resolved, resolve};
use kubewright_machinery::object::ObjectExt as _;
use serde_json::Value;

use super::end::{EnginePassEnd, Intervals, Step};
use super::finish::{PassFindings, PhaseResult, ProcessedDigest, UnrecordedPass};
use super::pass::EnginePass;
use super::read_spec::{SettledPass, TypedComponent};

/// The time that a pass waits for a missing object that no event announces.
const MISSING: Duration = Duration::from_secs(10);
/// The number of problems that a message lists (OUT-2).
const SHOWN: usize = 5;

/// A pass whose references are resolved.
pub(super) struct ResolvedPass<'a> {
    pub(super) pass: EnginePass<'a>,
    pub(super) inputs: ResolvedInputs,
}

/// The inputs of a pass: the component, and the contents of its references.
pub(super) struct ResolvedInputs {
    pub(super) component: TypedComponent,
    /// The contents of the references.
    pub(super) contents: Resolved,
    /// The types of references that may not be watched.
    pub(super) unwatched: BTreeSet<String>,
    /// The namespace of the component, if it is being deleted and a referenced object is gone for good.
    pub(super) ending_namespace: Option<Value>,
    /// The digest of the component with its references.
    pub(super) digest: String,
    /// True if the component changed since the last pass.
    pub(super) restarted: bool,
    /// True if another program of this name left the component as it is (TAKE-3).
    pub(super) succeeds: bool,
}

/// The contents of references, and the values derived from them.
struct FoundContents {
    contents: Resolved,
    digests: BTreeMap<Vec<String>, String>,
    ending_namespace: Option<Value>,
}

impl<'a> SettledPass<'a> {
    /// Resolves the references of the component, and computes its digest.
    pub(super) async fn resolve_references(mut self) -> PhaseResult<'a, ResolvedPass<'a>> {
        let references = self.component.instance.references();
        let targets = references.targets();
        let (key, watches) = (self.pass.key, &self.pass.shared.references);
        if key.namespace().is_empty() && !targets.is_empty() {
            let end = EnginePassEnd::invalid_spec(
                "a cluster-scoped component has no namespace in which references could be looked up (remove them from the spec)",
            );
            return Err(self.end(end, BTreeSet::new()));
        }
        watches.set(key, &targets);
        let found = watches.load(key, &targets).await;
        let unwatched = watches.refused(key, &targets);
        let FoundContents { contents, digests, ending_namespace } = match self.resolve(&references, found).await {
            Ok(found) => found,
            Err(end) => return Err(self.end(*end, unwatched)),
        };
        let Self { mut pass, component } = self;
        let digest = pass.component_digest(&digests);
        let (mut restarted, mut succeeds) = (false, false);
        if !pass.is_deleting() {
            succeeds = pass.draft.component.is_left_by_another(pass.generation);
            restarted = pass.draft.component.process(&digest, pass.generation);
        }
        let inputs = ResolvedInputs { component, contents, unwatched, ending_namespace, digest, restarted, succeeds };
        Ok(ResolvedPass { pass, inputs })
    }

    fn end(self, end: EnginePassEnd, unwatched_references: BTreeSet<String>) -> Box<UnrecordedPass<'a>> {
        let intervals = self.component.intervals();
        self.pass.end(end, PassFindings { intervals, unwatched_references, ..PassFindings::default() })
    }

    async fn resolve(&mut self, references: &References, mut found: HashMap<ReferencedObject, Found>) -> Step<FoundContents> {
        let (key, watches) = (self.pass.key, &self.pass.shared.references);
        let (deleting, abandons) = (self.pass.is_deleting(), self.pass.is_deleting() && self.pass.abandons());
        let mut resolution = resolve(references, key.namespace(), deleting, find_in(&found));
        let is_absent = |found: &Found| matches!(found, Found::Absent);
        let mut ending_namespace = None;
        if deleting && !abandons && !resolution.problems.is_empty() && found.values().any(is_absent) {
            ending_namespace = watches.find_gone(key, &mut found).await;
            resolution = resolve(references, key.namespace(), true, find_in(&found));
        }
        let (mut contents, mut digests) = (resolution.resolved, resolution.digests);
        let halts = self.pass.load_references(references, &mut contents, &mut digests).await;
        resolution.problems.iter().filter_map(|problem| problem.transient).for_each(|error| self.pass.note_transient(error));
        for (_, flow) in &halts {
            flow.as_ref().err().into_iter().for_each(|halt| self.pass.note_halt(halt));
        }
        let resolved = FoundContents { contents, digests, ending_namespace };
        // To abandon the dependents, no reference is needed.
        if abandons {
            return Ok(resolved);
        }
        let intervals = self.component.intervals();
        match (resolution.problems.is_empty(), join(halts)) {
            (true, Ok(_)) => Ok(resolved),
            (false, Ok(_)) => Err(Box::new(self.unresolved(&resolution.problems))),
            (true, Err(halt)) => Err(Box::new(EnginePassEnd::halted(halt, intervals))),
            (false, Err(halt)) => {
                let missing = self.unresolved(&resolution.problems);
                Err(Box::new(missing.or_more_severe(halt, intervals)))
            }
        }
    }

    /// Ends the pass according to the most severe problem, with all problems in the message.
    fn unresolved(&self, problems: &[Problem]) -> EnginePassEnd {
        let mut texts: Vec<String> = problems.iter().take(SHOWN).map(|problem| problem.message.clone()).collect();
        if problems.len() > SHOWN {
            texts.push(format!("and {} more", problems.len() - SHOWN));
        }
        let message = self.pass.with_way_out("it", texts.join("; "));
        if problems.iter().all(|problem| problem.waits) {
            return EnginePassEnd::waiting(message, Some(MISSING), self.component.intervals());
        }
        EnginePassEnd::failed(Failure::backoff(message), None, self.component.intervals())
    }
}

impl ResolvedInputs {
    pub(super) fn intervals(&self) -> Intervals {
        self.component.intervals()
    }

    /// Returns the inputs as the end of a pass needs them.
    pub(super) fn reached(self) -> PassFindings {
        PassFindings {
            intervals: self.intervals(),
            unwatched_references: self.unwatched,
            processed: Some(ProcessedDigest { digest: self.digest, restarted: self.restarted }),
            ..PassFindings::default()
        }
    }
}

impl EnginePass<'_> {
    fn component_digest(&self, references: &BTreeMap<Vec<String>, String>) -> String {
        let text = |(key, value): (&String, &Value)| Some((key.clone(), value.as_str()?.to_owned()));
        let annotations: BTreeMap<String, String> = self.object.annotations().iter().filter_map(text).collect();
        let spec = self.object.get("spec").unwrap_or(&Value::Null);
        component_digest(self.generation, &annotations, spec, references)
    }
}

fn find_in(found: &HashMap<ReferencedObject, Found>) -> impl Fn(&ListedReference) -> Found + '_ {
    |reference| found.get(&reference.target).cloned().unwrap_or(Found::Absent)
}
