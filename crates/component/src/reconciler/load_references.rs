//! References that code of the operator resolves.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use futures::future::join_all;
use kubewright_core::flow::{Flow, Halt};
use kubewright_core::reference::{Loadable, LoadedKey, References, Resolved, path_text};

use super::pass::EnginePass;
use crate::references::{ErasedContent, LoadContext, Loader};

impl EnginePass<'_> {
    /// Loads the references that code of the operator resolves (REF-7), equal references once. Returns those that halt, with their paths.
    pub(super) async fn load_references(
        &mut self,
        references: &References,
        contents: &mut Resolved,
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
                contents.add_loaded(key, content);
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
