//! Updates of objects: read, transform, compare and swap (PIPE-11).

use std::sync::Arc;

use kubewright_machinery::object::ObjectExt as _;
use kubewright_middleware::{Status, Verb};
use serde_json::Value;

use super::create::complete_type;
use super::update_checks::{check_identity, check_type, check_version, match_name, refusal};
use super::write::{self, Recording, WriteContext, WriteOutcome};
use super::{ObjectApi, convert, metadata, ownership, resource_of};
use crate::access::{Attributes, UserAction};
use crate::admission;
use crate::kinds::KindSpec;
use crate::model::Endpoint;
use crate::status::StatusExt as _;
use crate::store::{CommitError, ObjectName, Resource, StoreChange, Stored};

/// The number of attempts of a write without a version that meets concurrent writes (UPD-8).
const ATTEMPTS: usize = 6;

/// The object that [`ObjectApi::update`], [`ObjectApi::patch`] or [`ObjectApi::apply`] changes, and the endpoint through which it does so.
#[derive(Clone, Copy, Debug)]
pub struct Update<'a> {
    /// The kind of the object.
    pub(crate) kind: &'a Arc<KindSpec>,
    /// The endpoint through which the object is written.
    pub(crate) endpoint: Endpoint<'a>,
    /// The name of the object.
    pub(crate) name: &'a ObjectName,
    /// True if the new content is derived from the current one: it may omit the version, and is derived again after a conflict.
    pub(crate) is_patch: bool,
    /// True if a missing object is created (UPD-6).
    pub(crate) create_when_missing: bool,
}

impl<'a> Update<'a> {
    /// Describes a change of an existing object through its main endpoint. The version of `kind` is that of objects, patches and outcomes.
    pub fn of(kind: &'a Arc<KindSpec>, name: &'a ObjectName) -> Self {
        Self { kind, endpoint: Endpoint::Main, name, is_patch: false, create_when_missing: false }
    }

    /// Sets the endpoint through which the object is written; the default is [`Endpoint::Main`].
    pub fn through(mut self, endpoint: Endpoint<'a>) -> Self {
        self.endpoint = endpoint;
        self
    }

    /// Lets an update or an apply create a missing object; a patch never does.
    pub fn or_create(mut self) -> Self {
        self.create_when_missing = true;
        self
    }
}

impl ObjectApi {
    /// Replaces an object with the given one through the endpoint of `update`. If the object names a resource version, that must be the current one.
    /// An object without `apiVersion` and `kind` gets those of the kind.
    ///
    /// # Errors
    ///
    /// Returns 404 if the object does not exist and is not to be created, 409 if its uid or resource version is another one, 400 if the object
    /// does not have the name, namespace and type of the update, and the errors of validation (422).
    pub async fn update(
        &self,
        context: &mut WriteContext<'_>,
        update: Update<'_>,
        mut object: Value,
    ) -> Result<WriteOutcome, Status> {
        complete_type(update.kind, &mut object)?;
        self.modify(context, Update { is_patch: false, ..update }, |_, _| Ok(object.clone())).await
    }

    /// Changes an object. `transform` gets the current object in the version of the kind, or null if it does not exist, and returns the new one.
    pub(crate) async fn modify(
        &self,
        context: &mut WriteContext<'_>,
        update: Update<'_>,
        mut transform: impl FnMut(&mut WriteContext<'_>, &Value) -> Result<Value, Status> + Send,
    ) -> Result<WriteOutcome, Status> {
        let Update { kind, name, .. } = update;
        let resource = resource_of(kind);
        let found = context.found.clone();
        for _ in 0..ATTEMPTS {
            let turn = self.turn_to_allocate(kind);
            let snapshot = self.store.snapshot();
            let Some(stored) = snapshot.get(&resource, name).cloned() else {
                if update.create_when_missing {
                    drop(turn);
                    self.authorize(context.user, || creation(update))?;
                    let object = transform(context, &Value::Null)?;
                    return self.create_missing(context, update, object).await;
                }
                if !update.is_patch {
                    // A whole object is decoded before a missing object is reported (REQ-9).
                    let mut object = transform(context, &Value::Null)?;
                    ownership::take(kind, &mut object).map_err(|problem| refusal(update, &problem))?;
                    write::absorb(context, kind, &mut object, |problem| refusal(update, &problem))?;
                }
                return Err(Status::not_found(&kind.group, &kind.plural, &name.name));
            };
            context.found.clone_from(&found);
            let present = self.view(kind, &stored);
            let mut object = transform(context, present.value())?;
            if update.is_patch {
                check_type(&mut object, update)?;
            }
            let is_made = context.recording == Recording::Made;
            let refuse = |problem: String| {
                if is_made {
                    return Status::unknown(format!("failed to convert new object ({name}) to proper version: {problem}"));
                }
                refusal(update, &problem)
            };
            let sent = ownership::take(kind, &mut object).map_err(refuse)?;
            write::absorb(context, kind, &mut object, refuse)?;
            check_identity(&mut object, &present, update)?;
            if !context.is_internal {
                self.check_escalation(context.user, kind, name, &object, Some(stored.value()))?;
            }
            let versioned = check_version(&object, &stored, update)?;
            restore_metadata(&mut object, stored.value());
            // The real server deduplicates the result of a patch at a later stage than the body of another write.
            let noticed = if update.is_patch { " after mutating admission happens" } else { "" };
            metadata::deduplicate_owners(&mut object, context, noticed);
            let managers = ownership::after_update(self, context, update, present.value(), &object, sent);
            update.kind.reset.on_update(update.endpoint, &mut object, stored.value());
            admission::on_update(kind, update.endpoint, &mut object);
            ownership::put(&mut object, managers);
            // Status writes and bindings do not change the desired state of an object.
            if !matches!(update.endpoint, Endpoint::Status | Endpoint::Other("binding")) {
                count_generation(kind, &mut object, stored.value());
            }
            if versioned && same(&object, stored.value()) {
                return Ok(WriteOutcome { object: present, created: false, stored: false });
            }
            self.prepare_and_validate(context, kind, update.endpoint, &mut object, Some(stored.value()), &snapshot)?;
            convert::settle(kind, &mut object);
            if same(&object, stored.value()) {
                return Ok(WriteOutcome { object: present, created: false, stored: false });
            }
            context.fit(kind, name, &mut object)?;
            // The store changes its content in place if no snapshot of it is held.
            drop(snapshot);
            match self.swap(context, kind, &resource, name, &stored, object) {
                Ok(written) => return Ok(written),
                Err(CommitError::Gone(_)) => return Err(Status::not_found(&kind.group, &kind.plural, &name.name)),
                Err(CommitError::Failed(_)) => return Err(Status::storage_failed()),
                Err(_) if versioned => return Err(Status::stale(&kind.group, &kind.plural, &name.name)),
                Err(_) => {}
            }
        }
        Err(Status::stale(&kind.group, &kind.plural, &name.name))
    }

    async fn create_missing(
        &self,
        context: &mut WriteContext<'_>,
        update: Update<'_>,
        mut object: Value,
    ) -> Result<WriteOutcome, Status> {
        let Update { kind, name, .. } = update;
        if !object.uid().is_empty() {
            let why =
                format!("uid mismatch: the provided object specified uid {}, and no existing object was found", object.uid());
            return Err(Status::conflict(&kind.group, &kind.plural, &name.name, &why));
        }
        match_name(&object, &name.name)?;
        object.metadata_mut().remove("resourceVersion");
        self.create(context, kind, &name.namespace, Some(&name.name), object).await
    }

    /// Stores the new content, or removes the object if nothing holds it any more (SDEL-4).
    fn swap(
        &self,
        context: &WriteContext<'_>,
        kind: &Arc<KindSpec>,
        resource: &Resource,
        name: &ObjectName,
        stored: &Arc<Stored>,
        object: Value,
    ) -> Result<WriteOutcome, CommitError> {
        if is_released(kind, &object) {
            if !context.dry_run {
                self.store.commit(vec![StoreChange::delete(resource.clone(), name.clone(), stored.revision())])?;
            }
            let mut answer = object;
            convert::from_storage(kind, &mut answer);
            let object = Arc::new(Stored::as_is(answer, stored.revision()));
            return Ok(WriteOutcome { object, created: false, stored: !context.dry_run });
        }
        if context.dry_run {
            let mut answer = object;
            convert::from_storage(kind, &mut answer);
            return Ok(WriteOutcome {
                object: Arc::new(Stored::as_is(answer, stored.revision())),
                created: false,
                stored: false,
            });
        }
        let change = StoreChange::update(resource.clone(), name.clone(), stored.revision(), object);
        let events = self.store.commit(vec![change])?;
        let current = events.first().and_then(|event| event.current.clone()).unwrap_or_else(|| stored.clone());
        self.note_written(kind, current.revision());
        Ok(WriteOutcome { object: self.view(kind, &current), created: false, stored: true })
    }

    /// Returns the current object of this name in its stored form, which can have another version than `kind`.
    ///
    /// # Errors
    ///
    /// Returns 404 if the object does not exist.
    pub fn find(&self, kind: &KindSpec, name: &ObjectName) -> Result<Arc<Stored>, Status> {
        self.store.get(&resource_of(kind), name).ok_or_else(|| Status::not_found(&kind.group, &kind.plural, &name.name))
    }
}

/// Returns true if nothing holds a deleted object any more: no finalizer, no grace period, no namespace content.
pub(crate) fn is_released(kind: &KindSpec, object: &Value) -> bool {
    let content_held = kind.group.is_empty()
        && kind.kind == "Namespace"
        && object.pointer("/spec/finalizers").and_then(Value::as_array).is_some_and(|finalizers| !finalizers.is_empty());
    object.deletion_timestamp().is_some()
        && object.finalizers().next().is_none()
        && object.metadata().get("deletionGracePeriodSeconds").and_then(Value::as_i64).unwrap_or_default() == 0
        && !content_held
}

/// Returns the additional action that a creating PUT or apply must be authorized for (SSA-2).
fn creation(update: Update<'_>) -> UserAction {
    UserAction::Resource(Attributes {
        verb: Verb::Create.to_string(),
        group: update.kind.group.clone(),
        resource: update.kind.plural.clone(),
        namespace: update.name.namespace.to_string(),
        name: update.name.name.to_string(),
        ..Attributes::default()
    })
}

/// Restores the metadata that clients cannot change (META-9, UPD-9).
fn restore_metadata(object: &mut Value, stored: &Value) {
    let metadata = object.metadata_mut();
    for field in ["generation", "selfLink", "resourceVersion"] {
        match stored.metadata().get(field) {
            Some(value) => metadata.insert(field.into(), value.clone()),
            None => metadata.remove(field),
        };
    }
    for field in ["uid", "creationTimestamp", "deletionTimestamp", "deletionGracePeriodSeconds"] {
        let unset = metadata.get(field).is_none_or(|value| value.is_null() || value.as_str() == Some(""));
        let is_time = matches!(field, "creationTimestamp" | "deletionTimestamp");
        if let Some(value) = stored.metadata().get(field).filter(|_| unset || is_time) {
            metadata.insert(field.into(), value.clone());
        }
    }
}

/// Increments the generation if anything but metadata and a separate status changed (META-8).
fn count_generation(kind: &KindSpec, object: &mut Value, stored: &Value) {
    let changed = |stored: &Value| kind.generation.counts(stored, object, kind.has_status_subresource());
    // Fields that a newer schema adds or drops are not a change.
    if changed(stored) && (!kind.is_custom() || changed(&refreshed(kind, stored))) {
        let next = stored.generation().unwrap_or_default() + 1;
        object.metadata_mut().insert("generation".into(), next.into());
    }
}

/// Returns a stored object in the form in which the current schema would store it.
fn refreshed(kind: &KindSpec, stored: &Value) -> Value {
    let mut object = stored.clone();
    convert::refresh(kind, &mut object);
    object
}

/// Returns true if two objects differ in nothing but their version.
fn same(object: &Value, stored: &Value) -> bool {
    let (Some(object), Some(stored)) = (object.as_object(), stored.as_object()) else { return object == stored };
    object.len() == stored.len()
        && object.iter().all(|(field, value)| {
            let Some(other) = stored.get(field) else { return false };
            if field == "metadata" { same_metadata(value, other) } else { value == other }
        })
}

fn same_metadata(metadata: &Value, stored: &Value) -> bool {
    let (Some(metadata), Some(stored)) = (metadata.as_object(), stored.as_object()) else { return metadata == stored };
    let relevant = |field: &&String| *field != "resourceVersion";
    metadata.keys().filter(relevant).count() == stored.keys().filter(relevant).count()
        && metadata.iter().filter(|(field, _)| relevant(field)).all(|(field, value)| {
            let other = stored.get(field);
            other == Some(value)
                || field == "managedFields" && other.is_some_and(|other| ownership::same_but_for_times(value, other))
        })
}
