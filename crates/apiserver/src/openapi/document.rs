//! OpenAPI documents, their hashes, and the index of all documents.

use std::collections::BTreeMap;
use std::sync::{Arc, LazyLock};

use parking_lot::Mutex;
use serde_json::{Map, Value, json};

use super::{paths, schemas, version_2};
use crate::discovery::Document;
use crate::kinds::{KindSpec, Registry};

/// Documents by their path below `/openapi/v3/`, such as `apis/apps/v1`.
type Documents = BTreeMap<String, Arc<Document>>;

/// The documents of the built-in kinds, which all servers of the process share.
static BUILTIN: LazyLock<Documents> = LazyLock::new(|| documents(Registry::builtin().kinds()));

/// The documents of the built-in kinds in the form of version 2.
static BUILTIN_2: LazyLock<version_2::SwaggerPart> =
    LazyLock::new(|| version_2::part(BUILTIN.values().map(|document| &**document)));

/// The OpenAPI documents of a server. Those of custom kinds are rebuilt when the registry has changed.
#[derive(Debug, Default)]
pub struct OpenApi {
    custom: Made<Documents>,
    version_2: Made<Document>,
}

impl OpenApi {
    /// Returns the index at `/openapi/v3`: the URLs of the documents, with their hashes.
    pub fn index(&self, registry: &Registry) -> Value {
        let custom = self.custom(registry);
        let entry =
            |(path, document): (&String, &Arc<Document>)| (path.clone(), json!({"serverRelativeURL": url(path, document)}));
        json!({"paths": BUILTIN.iter().chain(custom.iter()).map(entry).collect::<Map<_, _>>()})
    }

    /// Returns the document at a path below `/openapi/v3/`.
    pub fn document(&self, registry: &Registry, path: &str) -> Option<Arc<Document>> {
        self.custom(registry).get(path).or_else(|| BUILTIN.get(path)).cloned()
    }

    /// Returns the document of version 2, at `/openapi/v2`.
    pub fn version_2(&self, registry: &Registry) -> Arc<Document> {
        made(&self.version_2, registry, || {
            let custom = version_2::part(self.custom(registry).values().map(|document| &**document));
            Document::new(&version_2::document(&BUILTIN_2, custom))
        })
    }

    /// Returns a copy with the cached documents, for a fork of the server.
    pub(crate) fn fork(&self) -> Self {
        Self { custom: Mutex::new(self.custom.lock().clone()), version_2: Mutex::new(self.version_2.lock().clone()) }
    }

    fn custom(&self, registry: &Registry) -> Arc<Documents> {
        made(&self.custom, registry, || documents(registry.kinds().filter(|kind| kind.is_custom())))
    }
}

/// A cached value and the revision of the registry that it was built from.
type Made<T> = Mutex<Option<(u64, Arc<T>)>>;

/// Returns the cached value for this revision of the registry, or builds it. The lock is not held while the value is built, because that takes a
/// while; concurrent callers build it independently.
fn made<T>(kept: &Made<T>, registry: &Registry, make: impl FnOnce() -> T) -> Arc<T> {
    let revision = registry.revision();
    if let Some((known, made)) = &*kept.lock()
        && *known == revision
    {
        return made.clone();
    }
    let new = Arc::new(make());
    let mut kept = kept.lock();
    if kept.as_ref().is_none_or(|(known, _)| *known < revision) {
        *kept = Some((revision, new.clone()));
    }
    new
}

/// Returns the URL of a document, which is valid as long as the document does not change.
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

/// Returns `api/v1` or `apis/group/version`.
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
