use std::collections::BTreeMap;
use std::time::Duration;

use kubewright_core::flow::Failure;
use kubewright_core::reference::{Found, Problem, resolve};

use super::end::{End, Step};
use super::pass::Pass;
use crate::kind::Instance;

/// How long a pass waits for a missing object that no event announces.
const MISSING: Duration = Duration::from_secs(10);
/// How many problems a message lists (OUT-2).
const SHOWN: usize = 5;

impl Pass<'_> {
    /// Resolves what the component refers to; gives the digests by path.
    pub(super) async fn resolve_references(&mut self, instance: &dyn Instance) -> Step<BTreeMap<Vec<String>, String>> {
        let references = instance.references();
        let targets = references.targets();
        let namespace = self.key.namespace();
        if namespace.is_empty() && !targets.is_empty() {
            return Err(Box::new(End::invalid_spec(
                "a cluster-scoped component has no namespace in which references could be looked up (remove them from the spec)",
            )));
        }
        let watches = &self.shared.references;
        watches.set(self.key, &targets);
        let found = watches.load(self.key, &targets).await;
        let find =
            |reference: &kubewright_core::reference::Reference| found.get(&reference.target).cloned().unwrap_or(Found::Absent);
        let resolution = resolve(&references, namespace, self.is_deleting(), find);
        // Whoever abandons the dependents needs nothing to delete them with.
        if resolution.problems.is_empty() || (self.is_deleting() && self.abandons()) {
            self.resolved = resolution.resolved;
            return Ok(resolution.digests);
        }
        Err(Box::new(self.unresolved(&resolution.problems)))
    }

    /// The most severe problem decides, all are told.
    fn unresolved(&self, problems: &[Problem]) -> End {
        let mut texts: Vec<String> = problems.iter().take(SHOWN).map(|problem| problem.message.clone()).collect();
        if problems.len() > SHOWN {
            texts.push(format!("and {} more", problems.len() - SHOWN));
        }
        let message = self.with_way_out(texts.join("; "));
        if problems.iter().all(|problem| problem.waits) {
            return End::waiting(message, Some(MISSING), self.intervals());
        }
        End::failed(Failure::backoff(message), None, self.intervals())
    }
}
