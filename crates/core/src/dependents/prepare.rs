//! The preparation of manifests for the wanted set (component.md, 10.2).

use std::collections::hash_map::Entry;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use kubewright_machinery::object::{GroupKind, GroupVersionKind, ObjectExt, ObjectKey, Scope};
use serde_json::Value;

use super::engine::{is_api_service, is_definition, is_namespace};
use super::{Desired, DesiredObject, ManagedTypePattern};
use crate::manifest::{Annotations, DependentPolicies, InvalidManifest, ManifestErrors, OperatorName, normalize, object_digest};

/// The input of the preparation besides the manifests.
#[derive(Clone, Copy)]
pub struct PrepareContext<'a> {
    /// The operator, whose name is the prefix of all annotations.
    pub operator: &'a OperatorName,
    /// The policies for objects whose annotations do not set them.
    pub policies: &'a DependentPolicies,
    /// The namespace for namespaced objects without one; empty if there is none.
    pub namespace: &'a str,
    /// The digest of the component, for objects that change with it.
    pub component_digest: &'a str,
    /// The scope of a type according to discovery: `None` for a type that is not served.
    pub scope: &'a dyn Fn(&GroupVersionKind) -> Option<Scope>,
}

impl std::fmt::Debug for PrepareContext<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("PrepareContext")
            .field("operator", &self.operator)
            .field("policies", &self.policies)
            .field("namespace", &self.namespace)
            .finish_non_exhaustive()
    }
}

/// Prepares manifests. All mistakes are reported together.
pub fn prepare(manifests: Vec<Value>, context: &PrepareContext<'_>) -> Result<Desired, ManifestErrors> {
    let mut errors = Vec::new();
    let manifests = normalize(context.operator, manifests, &mut errors);
    let types = Types::of(&manifests);
    let mut seen = HashMap::with_capacity(manifests.len());
    let mut objects = Vec::with_capacity(manifests.len());
    let mut misplaced = Vec::new();
    for (position, mut manifest) in manifests {
        let Some(gvk) = manifest.gvk() else {
            errors.push(InvalidManifest::NoMatch {
                object: manifest.title(),
                kind: manifest.kind().to_owned(),
                api_version: manifest.api_version().to_owned(),
            });
            continue;
        };
        let ignored = correct_namespace(&mut manifest, &gvk, &types, context, &mut errors);
        let annotations = Annotations::read(context.operator, &manifest, &mut errors);
        let key = gvk.key(manifest.namespace(), manifest.name());
        check_purge_order(&manifest, &key, &annotations, &mut errors);
        misplaced.extend(ignored.map(|namespace| (key.clone(), namespace)));
        match seen.entry((key.clone(), annotations.lifecycle)) {
            Entry::Vacant(entry) => _ = entry.insert(position),
            Entry::Occupied(entry) => {
                errors.push(InvalidManifest::Duplicate { object: manifest.title(), first: *entry.get(), second: position });
            }
        }
        objects.push(desired(manifest, gvk, key, annotations, context));
    }
    match ManifestErrors::collect(errors) {
        Some(errors) => Err(errors),
        None => Ok(Desired::new(objects).with_misplaced(misplaced)),
    }
}

/// The types that the manifests themselves define.
struct Types {
    definitions: HashMap<GroupKind, Scope>,
    services: HashSet<(String, String)>,
}

impl Types {
    fn of(manifests: &[(usize, Value)]) -> Self {
        let mut types = Self { definitions: HashMap::new(), services: HashSet::new() };
        let text = |manifest: &Value, pointer: &str| manifest.pointer(pointer).and_then(Value::as_str).unwrap_or("").to_owned();
        for (_, manifest) in manifests {
            let Some(key) = manifest.key() else { continue };
            if is_definition(&key) {
                let scope = match text(manifest, "/spec/scope").as_str() {
                    "Cluster" => Scope::Cluster,
                    _ => Scope::Namespaced,
                };
                let kind = GroupKind::new(text(manifest, "/spec/group"), text(manifest, "/spec/names/kind"));
                types.definitions.insert(kind, scope);
            } else if is_api_service(&key) {
                types.services.insert((text(manifest, "/spec/group"), text(manifest, "/spec/version")));
            }
        }
        types
    }
}

/// Corrects the namespace according to the scope of the type (PREP-7). Returns the ignored namespace of a cluster-scoped object.
fn correct_namespace(
    manifest: &mut Value,
    gvk: &GroupVersionKind,
    types: &Types,
    context: &PrepareContext<'_>,
    errors: &mut Vec<InvalidManifest>,
) -> Option<String> {
    let brought = types.definitions.get(&gvk.group_kind()).copied();
    match brought.or_else(|| (context.scope)(gvk)) {
        Some(Scope::Cluster) => {
            let ignored = manifest.namespace().to_owned();
            manifest.metadata_mut().remove("namespace");
            return Some(ignored).filter(|namespace| !namespace.is_empty());
        }
        Some(Scope::Namespaced) if manifest.namespace().is_empty() => {
            if context.namespace.is_empty() {
                errors.push(InvalidManifest::NoNamespace { object: manifest.title() });
            } else {
                manifest.metadata_mut().insert("namespace".to_owned(), context.namespace.into());
            }
        }
        Some(Scope::Namespaced) => {}
        None if types.services.contains(&(gvk.group.clone(), gvk.version.clone())) => {}
        None => errors.push(InvalidManifest::NoMatch {
            object: manifest.title(),
            kind: gvk.kind.clone(),
            api_version: gvk.api_version(),
        }),
    }
    None
}

fn check_purge_order(manifest: &Value, key: &ObjectKey, annotations: &Annotations, errors: &mut Vec<InvalidManifest>) {
    let what = match annotations.purge_order {
        None => return,
        Some(_) if is_namespace(key) => "namespaces",
        Some(_) if is_definition(key) => "custom resource definitions",
        Some(_) if is_api_service(key) => "api services",
        Some(_) => return,
    };
    errors.push(InvalidManifest::PurgeOrder { object: manifest.title(), what });
}

fn desired(
    manifest: Value,
    gvk: GroupVersionKind,
    key: ObjectKey,
    annotations: Annotations,
    context: &PrepareContext<'_>,
) -> DesiredObject {
    let policies = context.policies;
    DesiredObject {
        digest: object_digest(&manifest, annotations.reconcile, annotations.lifecycle, context.component_digest),
        adoption: annotations.adoption.unwrap_or(policies.adoption),
        reconcile: annotations.reconcile,
        update: annotations.update.unwrap_or(policies.update),
        delete: annotations.delete.unwrap_or(policies.delete),
        reapply_interval: annotations.reapply_interval.unwrap_or(policies.reapply_interval),
        apply_order: annotations.apply_order,
        purge_order: annotations.purge_order,
        delete_order: annotations.delete_order,
        managed_types: managed_types(&manifest, &key),
        lifecycle: annotations.lifecycle,
        manifest: Some(Arc::new(manifest)),
        gvk,
        key,
    }
}

/// Returns the types that an object defines (INV-3).
fn managed_types(manifest: &Value, key: &ObjectKey) -> Vec<ManagedTypePattern> {
    let text = |pointer: &str| manifest.pointer(pointer).and_then(Value::as_str).unwrap_or("").to_owned();
    if is_definition(key) {
        vec![ManagedTypePattern { group: text("/spec/group"), version: "*".to_owned(), kind: text("/spec/names/kind") }]
    } else if is_api_service(key) {
        vec![ManagedTypePattern { group: text("/spec/group"), version: text("/spec/version"), kind: "*".to_owned() }]
    } else {
        Vec::new()
    }
}
