//! The requests about single objects (component.md, 10.15).

use std::collections::BTreeSet;
use std::time::Duration;

use kubewright_machinery::object::{GroupVersionKind, ObjectExt, ObjectKey};
use serde_json::{Map, Value, json};

use super::dependent::{Dependent, PlanContext};
use super::engine::is_type;
use super::observe::fill_empty_paths;
use super::reclaim::{self, Claims};
use super::{DesiredObject, Engine, ObjectAction, Projection, Request, RequestPurpose, compare, undeclared};
use crate::manifest::{OperatorName, UpdatePolicy};
use crate::precondition::{only_change, only_create};

/// The pause before the first repetition after a conflict.
const CONFLICT_PAUSE: Duration = Duration::from_millis(10);

/// The request cannot be made, because only a summary of the wanted object is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct NeedsManifest;

impl Dependent<'_> {
    /// Returns the request that creates the object.
    pub(super) fn create(&self, object: &DesiredObject, context: &PlanContext<'_>) -> Result<ObjectAction, NeedsManifest> {
        let mut body = self.marked(object, None, context)?;
        let request = if object.update.is_apply() {
            only_create(&mut body); // the apply must not change an existing object (WRITE-1)
            Request::Apply { body, force: false }
        } else {
            body.metadata_mut().remove("resourceVersion");
            Request::Create(body)
        };
        Ok(self.action(RequestPurpose::Create, &object.gvk, request))
    }

    /// Returns the next request for writing an object that exists.
    pub(super) fn update(
        &self,
        object: &DesiredObject,
        live: &Projection,
        context: &PlanContext<'_>,
    ) -> Result<ObjectAction, NeedsManifest> {
        let mut body = self.marked(object, Some(live), context)?;
        if !object.update.is_apply() {
            add_finalizers(&mut body, live);
            return Ok(self.action(RequestPurpose::Update, &object.gvk, Request::Replace(body)));
        }
        if let Some(action) = self.reclaim(object, live, &body, context) {
            return Ok(action);
        }
        fill_empty_paths(&mut body, &self.item.empty_paths, live);
        Ok(self.action(RequestPurpose::Update, &object.gvk, Request::Apply { body, force: true }))
    }

    /// Returns the request that reads the object or claims the fields that must be ours before an apply can change or remove them (WRITE-5).
    fn reclaim(
        &self,
        object: &DesiredObject,
        live: &Projection,
        body: &Value,
        context: &PlanContext<'_>,
    ) -> Option<ObjectAction> {
        let others = object.update == UpdatePolicy::SsaOverride && live.reclaim_others;
        if !(live.reclaim_own || others) || self.results().reclaimed {
            return None;
        }
        let Some(full) = self.observed.full() else {
            return Some(self.read_live(&object.gvk));
        };
        let finalizers: Vec<String> = body.finalizers().map(str::to_owned).collect();
        let patch = reclaim::patch(full, Claims { context: &context.engine.context, others, finalizers: &finalizers })?;
        Some(self.action(RequestPurpose::Reclaim, &object.gvk, Request::JsonPatch(patch)))
    }

    /// Returns the dry run of a forced apply (TAKE-2).
    pub(super) fn dry_run(
        &self,
        object: &DesiredObject,
        live: &Projection,
        empty_paths: &[Vec<String>],
        context: &PlanContext<'_>,
    ) -> Result<ObjectAction, NeedsManifest> {
        let mut body = self.marked(object, Some(live), context)?;
        fill_empty_paths(&mut body, empty_paths, live);
        Ok(self.action(RequestPurpose::Compare, &object.gvk, Request::DryRun(body)))
    }

    /// Returns the next request for restoring an object whose apply the server refuses (DRIFT-8).
    pub(super) fn repair(
        &self,
        object: &DesiredObject,
        live: &Projection,
        context: &PlanContext<'_>,
    ) -> Result<ObjectAction, NeedsManifest> {
        let Some(full) = self.observed.full() else {
            return Ok(self.read_live(&object.gvk));
        };
        let mut body = compare::repaired(full, &self.marked(object, Some(live), context)?);
        add_finalizers(&mut body, live);
        Ok(self.action(RequestPurpose::Update, &object.gvk, Request::Replace(body)))
    }

    /// Returns the manifest with our marks, with our finalizer if required (MARK-1, WRITE-3), with the resource version to overwrite, and without the
    /// fields that the server does not know (WRITE-12).
    fn marked(
        &self,
        object: &DesiredObject,
        live: Option<&Projection>,
        context: &PlanContext<'_>,
    ) -> Result<Value, NeedsManifest> {
        let manifest = object.manifest.as_deref().ok_or(NeedsManifest)?;
        let engine = context.engine;
        let mut body = manifest.clone();
        let (owner_key, digest_key) = (engine.context.operator.owner_key(), engine.context.operator.digest_key());
        body.set_label(owner_key.as_str(), engine.owner.hash());
        body.set_annotation(owner_key, engine.owner.id());
        body.set_annotation(digest_key, object.digest.as_str());
        if is_type(&self.key) || live.is_some_and(|live| live.has_finalizer(engine.finalizer.as_str())) {
            let own: Vec<String> = body.finalizers().map(str::to_owned).collect();
            set_finalizers(&mut body, own.into_iter().chain([engine.finalizer.to_string()]));
        }
        if let Some(live) = live {
            if body.resource_version().is_empty() {
                body.metadata_mut().insert("resourceVersion".to_owned(), live.resource_version().into());
            }
            only_change(&mut body, live.uid());
        }
        if let Some(unknown) = &self.results().undeclared {
            undeclared::remove(&mut body, &unknown.fields);
        }
        Ok(body)
    }

    /// Returns the DELETE of the object as last observed (WRITE-7).
    pub(super) fn delete_live(&self, purpose: RequestPurpose, gvk: &GroupVersionKind, live: &Projection) -> ObjectAction {
        let request = Request::Delete { uid: live.uid().to_owned(), resource_version: live.resource_version().to_owned() };
        self.action(purpose, gvk, request)
    }

    /// Returns the merge patch that sets our marks on the object, in place of those of another operator (OWN-3a). The digest is left out, because
    /// nothing was applied (PURGE-4).
    pub(super) fn take_ownership(&self, gvk: &GroupVersionKind, live: &Projection, engine: &Engine) -> ObjectAction {
        let owner_key = engine.context.operator.owner_key();
        let mut patch = json!({ "metadata": {
            "resourceVersion": live.resource_version(),
            "labels": { owner_key.as_str(): engine.owner.hash() },
            "annotations": { owner_key.as_str(): engine.owner.id() },
        }});
        if let Some(Ok(other)) = live.other_operator().map(OperatorName::new) {
            patch["metadata"]["labels"][other.owner_key()] = Value::Null;
            patch["metadata"]["annotations"][other.owner_key()] = Value::Null;
            patch["metadata"]["annotations"][other.digest_key()] = Value::Null;
        }
        self.action(RequestPurpose::TakeOwnership, gvk, Request::MergePatch(patch))
    }

    /// Returns the merge patch that removes all our marks from the object (WRITE-10).
    pub(super) fn orphan(&self, live: &Projection, engine: &Engine) -> ObjectAction {
        let operator = &engine.context.operator;
        let mut metadata = json!({
            "resourceVersion": live.resource_version(),
            "labels": { operator.owner_key(): null },
            "annotations": { operator.owner_key(): null, operator.digest_key(): null },
        });
        if is_type(&self.key) && live.has_finalizer(engine.finalizer.as_str()) {
            let rest: Vec<&str> =
                live.finalizers.iter().map(AsRef::as_ref).filter(|name| *name != engine.finalizer.as_str()).collect();
            metadata["finalizers"] = json!(rest);
        }
        self.action(RequestPurpose::Orphan, &self.item.gvk(), Request::MergePatch(json!({ "metadata": metadata })))
    }

    /// Returns the JSON patch that removes our finalizer from a type.
    pub(super) fn release_finalizer(&self, gvk: &GroupVersionKind, live: &Projection, engine: &Engine) -> Option<ObjectAction> {
        let object = json!({ "metadata": { "uid": live.uid(), "finalizers": live.finalizers } });
        let patch = crate::finalizer::remove_patch(&object, &[&engine.finalizer])?;
        Some(self.action(RequestPurpose::ReleaseFinalizer, gvk, Request::JsonPatch(patch)))
    }

    pub(super) fn read_live(&self, gvk: &GroupVersionKind) -> ObjectAction {
        ObjectAction { after: Duration::ZERO, ..self.action(RequestPurpose::ReadLive, gvk, Request::Get) }
    }

    fn action(&self, purpose: RequestPurpose, gvk: &GroupVersionKind, request: Request) -> ObjectAction {
        action(purpose, gvk, &self.key, request, self.results().attempts)
    }
}

/// Returns the request that creates a namespace in which an object is to be created.
pub(super) fn create_namespace(name: &str, context: &PlanContext<'_>) -> ObjectAction {
    let gvk = GroupVersionKind::new("", "v1", "Namespace");
    let key = gvk.key("", name);
    let body = json!({ "apiVersion": "v1", "kind": "Namespace", "metadata": { "name": name } });
    let attempts = context.observed.dependent(&key).results().attempts;
    let note = super::Note::NamespaceCreated { namespace: name.to_owned() };
    ObjectAction { note: Some(note), ..action(RequestPurpose::CreateNamespace, &gvk, &key, Request::Create(body), attempts) }
}

fn action(purpose: RequestPurpose, gvk: &GroupVersionKind, key: &ObjectKey, request: Request, attempts: u32) -> ObjectAction {
    let after = if attempts == 0 { Duration::ZERO } else { CONFLICT_PAUSE * 2u32.pow((attempts - 1).min(8)) };
    ObjectAction { purpose, gvk: gvk.clone(), key: key.clone(), request, after, note: None, corrective: false, contested: false }
}

/// Adds the live finalizers to a body, because a PUT without them would remove those of other programs.
fn add_finalizers(body: &mut Value, live: &Projection) {
    let own: Vec<String> = body.finalizers().map(str::to_owned).collect();
    set_finalizers(body, live.finalizers.iter().map(ToString::to_string).chain(own));
}

fn set_finalizers(body: &mut Value, names: impl Iterator<Item = String>) {
    let mut seen = BTreeSet::new();
    let names: Vec<Value> = names.filter(|name| seen.insert(name.clone())).map(Value::String).collect();
    let metadata: &mut Map<String, Value> = body.metadata_mut();
    if names.is_empty() {
        metadata.remove("finalizers");
    } else {
        metadata.insert("finalizers".to_owned(), Value::Array(names));
    }
}
