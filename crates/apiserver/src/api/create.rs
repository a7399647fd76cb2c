//! Creation of objects.

use std::sync::Arc;

use kubewright_machinery::object::ObjectExt as _;
use kubewright_middleware::Status;
use serde_json::Value;

use super::write::{self, WriteContext, WriteOutcome};
use super::{ObjectApi, convert, metadata, model_of, ownership};
use crate::admission;
use crate::kinds::KindSpec;
use crate::model::Endpoint;
use crate::status::StatusExt as _;
use crate::store::{CommitError, ObjectName, Resource, Snapshot, StoreChange, Stored};

/// The number of generated names that are tried before the client gets an error.
const NAME_ATTEMPTS: usize = 8;
/// The maximum length of the base of a generated name: 63 characters less the five random ones.
const MAX_NAME_BASE: usize = 58;

impl ObjectApi {
    /// Stores a new object of the kind in the namespace, which is empty for cluster-scoped kinds. `name` is the name of an object that has none
    /// itself; without it the name is generated from `metadata.generateName`. An object without `apiVersion` and `kind` gets those of the kind.
    ///
    /// # Errors
    ///
    /// Returns 409 if an object of this name exists, 404 if the namespace does not exist, 400 if the object has another namespace or type, 403 if an
    /// admission plugin rejects it, and the errors of validation (422).
    #[expect(clippy::unused_async, reason = "admission webhooks will be asked on the way")]
    pub async fn create(
        &self,
        context: &mut WriteContext<'_>,
        kind: &Arc<KindSpec>,
        namespace: &str,
        name: Option<&str>,
        mut object: Value,
    ) -> Result<WriteOutcome, Status> {
        complete_type(kind, &mut object)?;
        let refuse = |problem| {
            Status::bad_request(format!("{0} in version {1:?} cannot be handled as a {0}: {problem}", kind.kind, kind.version))
        };
        let sent = ownership::take(kind, &mut object).map_err(refuse)?;
        write::absorb(context, kind, &mut object, refuse)?;
        wipe(&mut object);
        metadata::deduplicate_owners(&mut object, context, "");
        let managers = ownership::after_create(self, context, kind, &object, sent);
        ownership::put(&mut object, managers);
        match_namespace(&mut object, namespace)?;
        if let Some(name) = name
            && object.name().is_empty()
        {
            object.metadata_mut().insert("name".into(), name.into());
        }
        match object.resource_version() {
            "" => {}
            // Clients send zero for an object that they have never read.
            "0" => {
                object.metadata_mut().remove("resourceVersion");
            }
            _ => return Err(Status::unknown("resourceVersion should not be set on objects to be created")),
        }
        if kind.custom.as_ref().is_some_and(|custom| custom.terminating) {
            let why = "create not allowed while custom resource definition is terminating";
            return Err(Status::forbidden(&kind.group, &kind.plural, object.name(), why));
        }
        self.claim(kind, &mut object);
        let resource = resource_of(kind);
        let _turn = self.turn_to_allocate(kind);
        let snapshot = self.store.snapshot();
        admission::on_create(kind, &mut object, &snapshot)?;
        if !context.is_internal {
            let asked = ObjectName::new(namespace, name.unwrap_or_default());
            self.check_escalation(context.user, kind, &asked, &object, None)?;
        }
        let given = object.name().to_owned();
        if !given.is_empty() {
            return self.store_new(context, kind, namespace, object, snapshot)?.ok_or_else(|| {
                let present = self.store.get(&resource, &ObjectName::new(namespace, &given));
                exists(kind, &given, present.as_deref())
            });
        }
        let base = cut(object.meta_str("generateName"), MAX_NAME_BASE).to_owned();
        for _ in 0..NAME_ATTEMPTS {
            let mut candidate = object.clone();
            if !base.is_empty() {
                candidate.metadata_mut().insert("name".into(), format!("{base}{}", self.name_suffix()).into());
            }
            if let Some(written) = self.store_new(context, kind, namespace, candidate, snapshot.clone())? {
                return Ok(written);
            }
            object.metadata_mut().remove("uid");
            self.claim(kind, &mut object);
        }
        Err(Status::already_exists(&kind.group, &kind.plural, &base).with_retry_after(1))
    }

    /// Checks a complete object and stores it. Returns nothing if an object of its name exists.
    fn store_new(
        &self,
        context: &mut WriteContext<'_>,
        kind: &Arc<KindSpec>,
        namespace: &str,
        mut object: Value,
        snapshot: Snapshot,
    ) -> Result<Option<WriteOutcome>, Status> {
        self.prepare_and_validate(context, kind, Endpoint::Main, &mut object, None, &snapshot)?;
        // The store changes its content in place if no snapshot of it is held.
        drop(snapshot);
        convert::settle(kind, &mut object);
        let (resource, name) = (resource_of(kind), ObjectName::new(namespace, object.name()));
        context.fit(kind, &name, &mut object)?;
        if context.dry_run {
            let exists = self.store.get(&resource, &name).is_some();
            if exists {
                return Ok(None);
            }
            let object = self.view(kind, &Arc::new(Stored::as_is(object, 0)));
            return Ok(Some(WriteOutcome { object, created: true, stored: false }));
        }
        match self.store.commit(vec![StoreChange::create(resource, name, object)]) {
            Ok(events) => {
                let stored = events.into_iter().next().and_then(|event| event.current.clone());
                if let Some(stored) = &stored {
                    self.note_written(kind, stored.revision());
                }
                Ok(stored.map(|stored| WriteOutcome { object: self.view(kind, &stored), created: true, stored: true }))
            }
            Err(CommitError::Failed(_)) => Err(Status::storage_failed()),
            Err(_) => Ok(None),
        }
    }

    /// Sets the metadata that only the server sets (META-1, META-2).
    fn claim(&self, kind: &KindSpec, object: &mut Value) {
        let metadata = object.metadata_mut();
        metadata.insert("uid".into(), self.seed.uuid().into());
        metadata.insert("creationTimestamp".into(), self.clock.now_in_seconds().into());
        if kind.generation.starts_at_one() {
            metadata.insert("generation".into(), 1.into());
        }
        kind.reset.on_create(object, kind.has_status_subresource());
        if kind.is_custom() {
            // A status that was dropped gets its defaults again, as a read shows it.
            model_of(kind).default(object);
        }
    }
}

/// Drops the metadata that clients cannot set.
fn wipe(object: &mut Value) {
    let metadata = object.metadata_mut();
    for field in ["deletionTimestamp", "deletionGracePeriodSeconds", "selfLink"] {
        metadata.remove(field);
    }
}

/// Returns the store's key of a kind.
pub(crate) fn resource_of(kind: &KindSpec) -> Resource {
    kind.derived.resource.get_or_init(|| Resource::new(&kind.storage.group, &kind.storage.plural)).clone()
}

/// Sets the type of an object that names none, and rejects an object of another type. Another `kind` of a custom resource is a validation error.
pub(crate) fn complete_type(kind: &KindSpec, object: &mut Value) -> Result<(), Status> {
    let (version, named) = (object.api_version(), object.kind());
    let is_expected = version == kind.api_version() && (named == kind.kind || kind.is_custom());
    match object.as_object() {
        Some(_) if is_expected => Ok(()),
        Some(_) if version.is_empty() && named.is_empty() => {
            object["apiVersion"] = kind.api_version().into();
            object["kind"] = kind.kind.as_str().into();
            Ok(())
        }
        Some(_) => Err(Status::bad_request(format!(
            "object has type {version:?}, {named:?} instead of {:?}, {:?}",
            kind.api_version(),
            kind.kind
        ))),
        None => Err(Status::bad_request(format!("the {} is no JSON object", kind.kind))),
    }
}

/// Sets the namespace of the object to that of the request, and rejects another one (META-6). The namespace of a cluster-scoped object is removed.
pub(crate) fn match_namespace(object: &mut Value, namespace: &str) -> Result<(), Status> {
    if namespace.is_empty() {
        object.metadata_mut().remove("namespace");
    } else if object.namespace().is_empty() {
        object.metadata_mut().insert("namespace".into(), namespace.into());
    } else if object.namespace() != namespace {
        return Err(Status::bad_request("the namespace of the provided object does not match the namespace sent on the request"));
    }
    Ok(())
}

fn exists(kind: &KindSpec, name: &str, present: Option<&Stored>) -> Status {
    let mut status = Status::already_exists(&kind.group, &kind.plural, name);
    if present.is_some_and(|present| present.value().deletion_timestamp().is_some()) {
        status.message = format!("object is being deleted: {}", status.message);
    }
    status
}

fn cut(text: &str, max: usize) -> &str {
    let mut end = text.len().min(max);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}
