//! A cluster in memory that answers like an API server in all respects that matter to the engine.

use std::collections::BTreeMap;

use kubewright_machinery::object::{GroupKind, GroupVersionKind, ObjectExt, ObjectKey};
use kubewright_machinery::patch;
use serde_json::{Value, json};

use super::super::*;
use crate::flow::StatusCause;

pub(super) const GROUP: &str = "testing.kubewright.dev";
const CLEANUP: &str = "customresourcecleanup.apiextensions.k8s.io";

#[derive(Clone, Debug, Default)]
pub(super) struct Cluster {
    pub(super) objects: BTreeMap<ObjectKey, Value>,
    version: u64,
    uids: u64,
    /// The requests, in the order in which they arrived.
    pub(super) journal: Vec<(RequestPurpose, ObjectKey)>,
    /// The number of requests that changed each object.
    pub(super) changes: BTreeMap<ObjectKey, usize>,
    /// The refusals to return before other answers, by object.
    pub(super) refusals: BTreeMap<ObjectKey, Vec<Refusal>>,
    /// The mark that no object keeps.
    pub(super) drops: Option<Drops>,
}

/// A mark that a webhook removes from every object.
#[derive(Clone, Copy, Debug)]
pub(super) enum Drops {
    Annotation(&'static str),
    Label(&'static str),
}

pub(super) enum Answer {
    Ok(Value),
    No(Refusal),
}

fn no(code: u16, reason: &str, kind: &str, name: &str) -> Answer {
    Answer::No(Refusal {
        code,
        reason: reason.to_owned(),
        message: format!("{kind} \"{name}\" {reason}"),
        kind: kind.to_owned(),
        name: name.to_owned(),
        ..Refusal::default()
    })
}

impl Cluster {
    pub(super) fn new() -> Self {
        let mut cluster = Self::default();
        cluster.put(json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "demo"}}));
        cluster
    }

    pub(super) fn get(&self, kind: &str, name: &str) -> Option<&Value> {
        self.objects.iter().find(|(key, _)| key.kind == kind && key.name == name).map(|(_, object)| object)
    }

    /// Changes an object without a request of the engine.
    pub(super) fn edit(&mut self, kind: &str, name: &str, edit: impl FnOnce(&mut Value)) {
        let key = self.objects.keys().find(|key| key.kind == kind && key.name == name).cloned().unwrap();
        let mut object = self.objects[&key].clone();
        edit(&mut object);
        self.store(key, object);
    }

    /// Sets an entry of a top-level map as another manager, which owns the field from then on.
    pub(super) fn take(&mut self, manager: &str, name: &str, field: &str, value: &str) {
        self.edit("ConfigMap", name, |live| {
            live["data"][field] = json!(value);
            let key = format!("f:{field}");
            let entries = live.metadata_mut().get_mut("managedFields").and_then(Value::as_array_mut).unwrap();
            entries.retain_mut(|entry| {
                let data = entry["fieldsV1"]["f:data"].as_object_mut();
                let Some(data) = data.filter(|data| data.contains_key(&key)) else { return true };
                data.remove(&key);
                !data.is_empty()
            });
            entries.push(json!({
                "manager": manager, "operation": "Update", "fieldsType": "FieldsV1", "fieldsV1": { "f:data": { key: {} } },
            }));
        });
    }

    pub(super) fn edit_key(&mut self, key: &ObjectKey, edit: impl FnOnce(&mut Value)) {
        let mut object = self.objects[key].clone();
        edit(&mut object);
        self.store(key.clone(), object);
    }

    pub(super) fn remove_key(&mut self, key: &ObjectKey) {
        self.delete_key(key);
    }

    /// Sets the status of an object whose controller has observed the present generation and reports it ready.
    pub(super) fn observe(&mut self, kind: &str, name: &str) {
        self.edit(kind, name, |object| {
            object["status"] = json!({
                "observedGeneration": object.generation(),
                "conditions": [{"type": "Ready", "status": "True"}],
            });
        });
    }

    /// Sets the status of an object whose controller failed.
    pub(super) fn fail(&mut self, kind: &str, name: &str, message: &str) {
        self.edit(kind, name, |object| {
            object["status"] = json!({
                "observedGeneration": object.generation(),
                "conditions": [{"type": "Stalled", "status": "True", "message": message}],
            });
        });
    }

    /// Removes the finalizers of other programs.
    pub(super) fn finalize(&mut self, kind: &str, name: &str) {
        self.edit(kind, name, |object| {
            let kept: Vec<String> = object.finalizers().filter(|name| *name != "other/finalizer").map(str::to_owned).collect();
            object.metadata_mut().insert("finalizers".to_owned(), json!(kept));
        });
    }

    pub(super) fn put(&mut self, object: Value) {
        let key = object.key().unwrap();
        self.uids += 1;
        let mut object = object;
        object.metadata_mut().insert("uid".to_owned(), json!(format!("uid-{}", self.uids)));
        object.metadata_mut().insert("generation".to_owned(), json!(1));
        self.store(key, object);
    }

    fn store(&mut self, key: ObjectKey, mut object: Value) -> Value {
        self.version += 1;
        let dropped = match self.drops {
            Some(Drops::Annotation(mark)) => Some(("annotations", mark)),
            Some(Drops::Label(mark)) => Some(("labels", mark)),
            None => None,
        };
        if let Some((marks, mark)) = dropped
            && let Some(kept) = object.metadata_mut().get_mut(marks).and_then(Value::as_object_mut)
        {
            kept.remove(mark);
        }
        object.metadata_mut().insert("resourceVersion".to_owned(), json!(self.version.to_string()));
        if object.deletion_timestamp().is_some() && object.finalizers().next().is_none() {
            self.objects.remove(&key);
        } else {
            self.objects.insert(key, object.clone());
        }
        object
    }

    pub(super) fn remove(&mut self, kind: &str, name: &str) {
        let key = self.objects.keys().find(|key| key.kind == kind && key.name == name).cloned().unwrap();
        self.delete_key(&key);
    }

    fn delete_key(&mut self, key: &ObjectKey) -> Option<Value> {
        let mut object = self.objects.get(key)?.clone();
        if key.kind == "CustomResourceDefinition" && !object.has_finalizer(CLEANUP) {
            push_finalizer(&mut object, CLEANUP);
        }
        if key.kind == "Namespace" {
            push_finalizer(&mut object, "kubernetes");
        }
        if object.finalizers().next().is_none() {
            self.objects.remove(key);
            return None;
        }
        if object.deletion_timestamp().is_none() {
            object.metadata_mut().insert("deletionTimestamp".to_owned(), json!("2026-01-01T00:00:00Z"));
        }
        Some(self.store(key.clone(), object))
    }

    /// Does the work of the cluster's controllers: completes deletions of namespaces and definitions with their contents.
    pub(super) fn tick(&mut self) {
        for _ in 0..3 {
            let going: Vec<(ObjectKey, Value)> = self
                .objects
                .iter()
                .filter(|(_, object)| object.deletion_timestamp().is_some())
                .map(|(key, object)| (key.clone(), object.clone()))
                .collect();
            for (key, object) in going {
                let inside = |other: &ObjectKey| match key.kind.as_str() {
                    "Namespace" => other.namespace == key.name,
                    "CustomResourceDefinition" => other.kind == object["spec"]["names"]["kind"].as_str().unwrap(),
                    _ => false,
                };
                let contents: Vec<ObjectKey> = self.objects.keys().filter(|other| inside(other)).cloned().collect();
                let cleanup = match key.kind.as_str() {
                    "Namespace" => "kubernetes",
                    "CustomResourceDefinition" => CLEANUP,
                    _ => continue,
                };
                if contents.is_empty() {
                    let kept: Vec<String> = object.finalizers().filter(|name| *name != cleanup).map(str::to_owned).collect();
                    if kept.len() < object.finalizers().count() {
                        let mut object = object;
                        object.metadata_mut().insert("finalizers".to_owned(), json!(kept));
                        self.store(key, object);
                    }
                } else {
                    for content in contents {
                        if self.objects[&content].deletion_timestamp().is_none() {
                            self.delete_key(&content);
                        }
                    }
                }
            }
        }
    }

    pub(super) fn serves(&self, gvk: &GroupVersionKind) -> bool {
        gvk.kind != "Baz" || self.get("CustomResourceDefinition", "bazs.testing.kubewright.dev").is_some()
    }

    pub(super) fn send(&mut self, engine: &Engine, action: &ObjectAction) -> Answer {
        let answer = self.answer(engine, action);
        let is_change = action.purpose.is_write() && matches!(answer, Answer::Ok(_));
        *self.changes.entry(action.key.clone()).or_default() += usize::from(is_change);
        answer
    }

    fn answer(&mut self, engine: &Engine, action: &ObjectAction) -> Answer {
        self.journal.push((action.purpose, action.key.clone()));
        if let Some(refusals) = self.refusals.get_mut(&action.key)
            && !refusals.is_empty()
            && action.purpose.is_write()
        {
            return Answer::No(refusals.remove(0));
        }
        let plural = format!("{}s", action.gvk.kind.to_lowercase());
        let name = action.key.name.clone();
        if !self.serves(&action.gvk) {
            return Answer::No(Refusal::unknown_type("no such type"));
        }
        let live = self.objects.get(&action.key).cloned();
        match (&action.request, live) {
            (Request::Create(body), None) => self.create(engine, body.clone(), "Update"),
            (Request::Apply { body, .. }, None) => self.create(engine, body.clone(), "Apply"),
            (Request::Create(_), Some(_)) => no(409, "AlreadyExists", &plural, &name),
            (_, None) => no(404, "NotFound", &plural, &name),
            (Request::Get, Some(live)) => Answer::Ok(live),
            (Request::Replace(body) | Request::Apply { body, .. }, Some(live)) => {
                if body.resource_version() != live.resource_version() {
                    return no(409, "Conflict", &plural, &name);
                }
                let applied = matches!(action.request, Request::Apply { .. });
                self.overwrite(engine, &live, body.clone(), if applied { "Apply" } else { "Update" })
            }
            (Request::DryRun(body), Some(live)) => {
                let mut answer = live;
                patch::merge_patch(&mut answer, body);
                Answer::Ok(answer)
            }
            (Request::MergePatch(patch), Some(live)) => {
                let version = patch.pointer("/metadata/resourceVersion").and_then(Value::as_str);
                if version.is_some_and(|version| version != live.resource_version()) {
                    return no(409, "Conflict", &plural, &name);
                }
                let mut object = live;
                patch::merge_patch(&mut object, patch);
                Answer::Ok(self.store(action.key.clone(), object))
            }
            (Request::JsonPatch(patch), Some(live)) => {
                let live_version = live.resource_version().to_owned();
                let mut object = live;
                match patch::json_patch(&mut object, patch) {
                    // The version that a patch sets is the one that it expects.
                    Ok(()) if object.resource_version() != live_version => no(409, "Conflict", &plural, &name),
                    Ok(()) => Answer::Ok(self.store(action.key.clone(), object)),
                    Err(_) => no(422, "Invalid", &plural, &name),
                }
            }
            (Request::Delete { uid, resource_version }, Some(live)) => {
                if live.uid() != uid || live.resource_version() != resource_version {
                    return no(409, "Conflict", &plural, &name);
                }
                let owner = live.label(&engine.context.operator.owner_key());
                assert_eq!(owner, Some(engine.owner.hash()), "{} is deleted and is not ours", action.key);
                match self.delete_key(&action.key) {
                    Some(object) => Answer::Ok(object),
                    None => Answer::Ok(json!({"apiVersion": "v1", "kind": "Status", "status": "Success"})),
                }
            }
        }
    }

    fn create(&mut self, engine: &Engine, mut body: Value, operation: &str) -> Answer {
        let key = body.key().unwrap();
        if !key.namespace.is_empty() {
            match self.get("Namespace", &key.namespace) {
                None => return no(404, "NotFound", "namespaces", &key.namespace),
                Some(namespace) if namespace.deletion_timestamp().is_some() => {
                    return Answer::No(Refusal {
                        code: 403,
                        causes: vec![StatusCause { reason: "NamespaceTerminating".to_owned(), ..StatusCause::default() }],
                        ..Refusal::default()
                    });
                }
                Some(_) => {}
            }
        }
        self.uids += 1;
        manage(engine, &mut body, operation);
        let metadata = body.metadata_mut();
        metadata.insert("uid".to_owned(), json!(format!("uid-{}", self.uids)));
        metadata.insert("generation".to_owned(), json!(1));
        match key.kind.as_str() {
            "Foo" | "Bar" | "Baz" => body["status"] = json!({"observedGeneration": -1}),
            "CustomResourceDefinition" => {
                body["status"] = json!({"conditions": [
                    {"type": "NamesAccepted", "status": "True"}, {"type": "Established", "status": "True"},
                ]});
            }
            _ => {}
        }
        Answer::Ok(self.store(key, body))
    }

    fn overwrite(&mut self, engine: &Engine, live: &Value, mut body: Value, operation: &str) -> Answer {
        let key = body.key().unwrap();
        // A server whose field ownership of an object was removed records it again only with an apply.
        let forgotten = operation == "Update" && live.metadata().get("managedFields").is_none();
        if forgotten {
            body.metadata_mut().remove("managedFields");
        } else {
            manage(engine, &mut body, operation);
        }
        let same = body.get("spec") == live.get("spec") && body.get("data") == live.get("data");
        for field in ["uid", "deletionTimestamp"] {
            if let Some(value) = live.metadata().get(field) {
                body.metadata_mut().insert(field.to_owned(), value.clone());
            }
        }
        let generation = live.generation().unwrap_or(1) + i64::from(!same);
        body.metadata_mut().insert("generation".to_owned(), json!(generation));
        if let Some(status) = live.get("status") {
            body["status"] = status.clone();
        }
        Answer::Ok(self.store(key, body))
    }

    pub(super) fn foreign(&self, check: &ForeignCheck, engine: &Engine) -> Foreign {
        let matches = |key: &ObjectKey| match &check.types {
            CheckedTypes::Declared(managed) => managed.matches_kind(&key.group_kind()),
            CheckedTypes::Definition { kind, .. } => key.group_kind() == *kind,
            CheckedTypes::ApiService { group, .. } => key.group == *group,
        };
        let hits = self.objects.iter().filter(|(key, object)| {
            let ours = object.label(&engine.context.operator.owner_key()) == Some(engine.owner.hash());
            matches(key) && (check.any_owner || !ours)
        });
        let names: Vec<&ObjectKey> = hits.map(|(key, _)| key).collect();
        names.first().map_or(Foreign::None, |first| {
            Foreign::Found(Instances {
                kind: GroupKind::new(&first.group, &first.kind),
                names: names.iter().take(Instances::SHOWN).map(|key| format!("{}/{}", key.namespace, key.name)).collect(),
                more: names.len() > Instances::SHOWN,
            })
        })
    }
}

fn push_finalizer(object: &mut Value, name: &str) {
    let mut names: Vec<String> = object.finalizers().map(str::to_owned).collect();
    if !names.iter().any(|present| present == name) {
        names.push(name.to_owned());
    }
    object.metadata_mut().insert("finalizers".to_owned(), json!(names));
}

/// Records the ownership of all fields of the body; lists are atomic.
fn manage(engine: &Engine, body: &mut Value, operation: &str) {
    body.metadata_mut().remove("managedFields");
    let mut fields = fields_of(body);
    if let Some(fields) = fields.as_object_mut() {
        for identity in ["f:apiVersion", "f:kind", "f:status"] {
            fields.remove(identity);
        }
        if let Some(metadata) = fields.get_mut("f:metadata").and_then(Value::as_object_mut) {
            for server in ["f:name", "f:namespace", "f:resourceVersion", "f:uid", "f:generation"] {
                metadata.remove(server);
            }
        }
    }
    let entry =
        json!({"manager": engine.context.field_manager, "operation": operation, "fieldsType": "FieldsV1", "fieldsV1": fields});
    body.metadata_mut().insert("managedFields".to_owned(), json!([entry]));
}

fn fields_of(value: &Value) -> Value {
    match value {
        Value::Object(map) => Value::Object(map.iter().map(|(name, value)| (format!("f:{name}"), fields_of(value))).collect()),
        _ => json!({}),
    }
}
