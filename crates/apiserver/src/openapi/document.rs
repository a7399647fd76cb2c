//! Documents, their hashes, and the index of them all.

use std::collections::BTreeMap;
use std::sync::{Arc, LazyLock};

use parking_lot::Mutex;
use serde_json::{Map, Value, json};

use crate::discovery::Document;
use crate::kinds::{KindSpec, Registry};

use super::{paths, schemas, version_2};

/// Documents by their path below `/openapi/v3/`, such as `apis/apps/v1`.
type Documents = BTreeMap<String, Arc<Document>>;

/// The documents of the built-in kinds are the same for all servers of the process.
static BUILTIN: LazyLock<Documents> = LazyLock::new(|| documents(Registry::builtin().kinds()));

/// The OpenAPI documents of a server; those of custom kinds are made anew when its registry has changed.
#[derive(Debug, Default)]
pub struct OpenApi {
    custom: Mutex<Option<(u64, Arc<Documents>)>>,
    version_2: Mutex<Option<(u64, Arc<Document>)>>,
}

impl OpenApi {
    /// The index at `/openapi/v3`: where the documents are, with their hashes.
    pub fn index(&self, registry: &Registry) -> Value {
        let custom = self.custom(registry);
        let entry =
            |(path, document): (&String, &Arc<Document>)| (path.clone(), json!({"serverRelativeURL": url(path, document)}));
        json!({"paths": BUILTIN.iter().chain(custom.iter()).map(entry).collect::<Map<_, _>>()})
    }

    /// The document at a path below `/openapi/v3/`.
    pub fn document(&self, registry: &Registry, path: &str) -> Option<Arc<Document>> {
        self.custom(registry).get(path).or_else(|| BUILTIN.get(path)).cloned()
    }

    /// The document of version 2, at `/openapi/v2`.
    pub fn version_2(&self, registry: &Registry) -> Arc<Document> {
        let mut made = self.version_2.lock();
        match &*made {
            Some((revision, document)) if *revision == registry.revision() => document.clone(),
            _ => {
                let custom = self.custom(registry);
                let all = BUILTIN.values().chain(custom.values()).map(|document| &**document);
                let document = Arc::new(Document::new(&version_2::document(all)));
                *made = Some((registry.revision(), document.clone()));
                document
            }
        }
    }

    fn custom(&self, registry: &Registry) -> Arc<Documents> {
        let mut made = self.custom.lock();
        match &*made {
            Some((revision, documents)) if *revision == registry.revision() => documents.clone(),
            _ => {
                let documents = Arc::new(documents(registry.kinds().filter(|kind| kind.is_custom())));
                *made = Some((registry.revision(), documents.clone()));
                documents
            }
        }
    }
}

/// Where a document can be fetched for as long as it stays the same.
pub(crate) fn url(path: &str, document: &Document) -> String {
    format!("/openapi/v3/{path}?hash={}", document.etag.trim_matches('"'))
}

fn documents<'k>(kinds: impl Iterator<Item = &'k Arc<KindSpec>>) -> Documents {
    let mut groups: BTreeMap<String, Vec<&KindSpec>> = BTreeMap::new();
    for kind in kinds {
        groups.entry(root(kind)).or_default().push(kind);
    }
    groups
        .into_iter()
        .map(|(root, kinds)| {
            let document = Arc::new(Document::new(&document(&root, &kinds)));
            (root, document)
        })
        .collect()
}

/// `api/v1` or `apis/group/version`.
fn root(kind: &KindSpec) -> String {
    if kind.group.is_empty() { format!("api/{}", kind.version) } else { format!("apis/{}/{}", kind.group, kind.version) }
}

fn document(root: &str, kinds: &[&KindSpec]) -> Value {
    let mut all_paths = Map::new();
    let is_custom = kinds.iter().all(|kind| kind.is_custom());
    if let Some(first) = kinds.first().filter(|_| !is_custom) {
        paths::add_resource_list(&mut all_paths, root, &first.group, &first.version);
    }
    for kind in kinds {
        paths::add(&mut all_paths, root, kind);
    }
    let mut components = json!({"schemas": schemas::of(kinds)});
    if is_custom {
        let info = json!({"title": "Kubernetes CRD Swagger", "version": "v0.1.0"});
        return json!({"openapi": "3.0.0", "info": info, "paths": all_paths, "components": components});
    }
    let token = json!({"type": "apiKey", "name": "authorization", "in": "header", "description": "Bearer Token authentication"});
    components["securitySchemes"] = json!({"BearerToken": token});
    let info = json!({"title": "Kubernetes", "version": "1.36"});
    json!({"openapi": "3.0.0", "info": info, "paths": all_paths, "components": components})
}
