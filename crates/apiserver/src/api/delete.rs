//! Deletion: preconditions, finalizers, propagation and grace (apiserver.md, 2.5 and 2.6).

use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};
use kubewright_machinery::object::{ObjectExt as _, Propagation};
use kubewright_middleware::Status;
use serde_json::{Value, json};

use super::update::is_released;
use super::write::WriteContext;
use super::{ObjectApi, model_of, resource_of};
use crate::admission;
use crate::kinds::{GcDefault, KindSpec};
use crate::status::StatusExt as _;
use crate::store::{CommitError, ObjectName, StoreChange, Stored};

/// The options of a deletion.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DeleteOptions {
    /// The time that a pod may take to stop, in seconds; that of the pod, 30 by default, if unset.
    pub grace_period_seconds: Option<i64>,
    /// The effect on the dependents; the kind's default if unset.
    pub propagation: Option<Propagation>,
    /// A precondition: the uid of the object.
    pub uid: Option<String>,
    /// A precondition: the resource version of the object.
    pub resource_version: Option<String>,
}

impl DeleteOptions {
    /// Returns options with a policy for the dependents.
    pub fn propagating(propagation: Propagation) -> Self {
        Self { propagation: Some(propagation), ..Self::default() }
    }

    /// Adds the precondition that the object has this uid.
    pub fn of_uid(mut self, uid: impl Into<String>) -> Self {
        self.uid = Some(uid.into());
        self
    }
}

/// The outcome of [`ObjectApi::delete`].
#[derive(Debug)]
pub struct Deleted {
    /// The object as the client sees it: its last state if it is gone, else its current state.
    pub object: Arc<Stored>,
    /// True if the object is gone; false if finalizers or a grace period hold it.
    pub gone: bool,
    /// True if anything was stored.
    pub stored: bool,
}

impl ObjectApi {
    /// Deletes an object, or marks it as deleted while finalizers or a grace period hold it. Its dependents are the work of controllers.
    ///
    /// # Errors
    ///
    /// Returns 404 if the object does not exist, 409 if a precondition of the options does not hold, and 403 for namespaces that cannot be deleted.
    #[expect(clippy::unused_async, reason = "admission webhooks will be asked on the way")]
    pub async fn delete(
        &self,
        context: &mut WriteContext<'_>,
        kind: &Arc<KindSpec>,
        name: &ObjectName,
        options: &DeleteOptions,
    ) -> Result<Deleted, Status> {
        admission::immortal(kind, &name.name)?;
        let resource = resource_of(kind);
        loop {
            let stored = self.find(kind, name)?;
            check_preconditions(kind, name, stored.uid(), &stored.revision().to_string(), options)?;
            warn_of_orphans(context, kind, options);
            let marked = self.mark(kind, stored.value(), options);
            let gone = is_released(kind, &marked);
            let unchanged = !gone && marked == *stored.value();
            if context.dry_run || unchanged {
                let object = if gone { stored } else { Arc::new(Stored::as_is(marked, stored.revision())) };
                return Ok(Deleted { object: self.view(kind, &object), gone, stored: false });
            }
            // The answer for an object with a grace period is the object as it would have been marked.
            let last_words = (gone && kind.flags.graceful).then(|| marked.clone());
            let change = if gone {
                StoreChange::delete(resource.clone(), name.clone(), stored.revision())
            } else {
                StoreChange::update(resource.clone(), name.clone(), stored.revision(), marked)
            };
            match self.store.commit(vec![change]) {
                Ok(events) => {
                    let event = events.first();
                    let object = event.and_then(|event| if gone { event.departed() } else { event.current.as_ref() });
                    let object = match (object.unwrap_or(&stored), last_words) {
                        (object, Some(marked)) => Arc::new(Stored::new(marked, object.revision())),
                        (object, None) => object.clone(),
                    };
                    return Ok(Deleted { object: self.view(kind, &object), gone, stored: true });
                }
                Err(CommitError::Gone(_)) => return Err(Status::not_found(&kind.group, &kind.plural, &name.name)),
                Err(CommitError::Failed(_)) => return Err(Status::storage_failed()),
                Err(_) => {}
            }
        }
    }

    /// Returns the object marked as deleted: timestamp, grace period, finalizers of the propagation policy.
    fn mark(&self, kind: &KindSpec, stored: &Value, options: &DeleteOptions) -> Value {
        let mut object = stored.clone();
        set_finalizers(kind, &mut object, options);
        let now = self.clock.now_in_seconds();
        let is_namespace = kind.group.is_empty() && kind.kind == "Namespace";
        if object.deletion_timestamp().is_some() {
            shorten(&mut object, options);
            if !is_namespace {
                // A repeated delete has no effect, except that a missing grace period reads as zero.
                object.metadata_mut().entry("deletionGracePeriodSeconds").or_insert_with(|| 0.into());
            }
            return object;
        }
        if model_of(kind).mark_deleted(&mut object, &now) {
            return object;
        }
        let grace = if kind.flags.graceful { grace_period(&object, options) } else { 0 };
        if let Some(generation) = object.generation().filter(|generation| *generation > 0) {
            object.metadata_mut().insert("generation".into(), (generation + 1).into());
        }
        set_deletion(&mut object, now.parse::<Timestamp>().unwrap_or_default(), grace);
        if is_namespace {
            object.metadata_mut().remove("deletionGracePeriodSeconds");
            object["status"]["phase"] = "Terminating".into();
        }
        object
    }
}

/// Shortens a running grace period, if the request names a shorter one (SDEL-6).
fn shorten(object: &mut Value, options: &DeleteOptions) {
    let Some(wanted) = options.grace_period_seconds else { return };
    let running = object.metadata().get("deletionGracePeriodSeconds").and_then(Value::as_i64).unwrap_or_default();
    let ends = object.deletion_timestamp().and_then(|time| time.parse::<Timestamp>().ok());
    if let Some(ends) = ends.filter(|_| wanted < running) {
        let asked = ends.checked_sub(SignedDuration::from_secs(running)).unwrap_or(ends);
        set_deletion(object, asked, wanted);
    }
}

fn set_deletion(object: &mut Value, now: Timestamp, grace: i64) {
    let at = now.checked_add(SignedDuration::from_secs(grace)).unwrap_or(Timestamp::MAX);
    let metadata = object.metadata_mut();
    metadata.insert("deletionTimestamp".into(), at.to_string().into());
    metadata.insert("deletionGracePeriodSeconds".into(), grace.into());
}

/// Returns the grace period of a pod in seconds: that of the request, else that of the pod; 0 for a pod that is unscheduled or finished (SDEL-6).
fn grace_period(pod: &Value, options: &DeleteOptions) -> i64 {
    let scheduled = pod.pointer("/spec/nodeName").and_then(Value::as_str).is_some_and(|node| !node.is_empty());
    let finished = matches!(pod.pointer("/status/phase").and_then(Value::as_str), Some("Succeeded" | "Failed"));
    if !scheduled || finished {
        return 0;
    }
    options
        .grace_period_seconds
        .or_else(|| pod.pointer("/spec/terminationGracePeriodSeconds").and_then(Value::as_i64))
        .unwrap_or(30)
        .max(0)
}

/// Adds or removes the finalizers that ask the garbage collector to act first (GC-1, GC-3).
fn set_finalizers(kind: &KindSpec, object: &mut Value, options: &DeleteOptions) {
    let has = |finalizer: &str| object.has_finalizer(finalizer);
    let policy = match options.propagation {
        // The garbage collector ignores the dependents of such an object, so there is nothing to wait for.
        _ if kind.gc_default == GcDefault::Unsupported => Propagation::Background,
        Some(policy) => policy,
        None if has("orphan") => Propagation::Orphan,
        None if has("foregroundDeletion") => Propagation::Foreground,
        None if kind.gc_default == GcDefault::Orphan => Propagation::Orphan,
        None => Propagation::Background,
    };
    let wanted = match policy {
        Propagation::Foreground => Some("foregroundDeletion"),
        Propagation::Orphan => Some("orphan"),
        Propagation::Background => None,
    };
    let present: Vec<String> = object.finalizers().map(str::to_owned).collect();
    let kept = |finalizer: &&String| {
        !matches!(finalizer.as_str(), "orphan" | "foregroundDeletion") || wanted == Some(finalizer.as_str())
    };
    let mut finalizers: Vec<String> = present.iter().filter(kept).cloned().collect();
    if let Some(wanted) = wanted
        && !finalizers.iter().any(|finalizer| finalizer == wanted)
    {
        finalizers.push(wanted.to_owned());
    }
    if finalizers == present {
        return;
    }
    if finalizers.is_empty() {
        object.metadata_mut().remove("finalizers");
    } else {
        object.metadata_mut().insert("finalizers".into(), json!(finalizers));
    }
}

/// Checks the preconditions on the object's uid and version.
pub(crate) fn check_preconditions(
    kind: &KindSpec,
    name: &ObjectName,
    known: &str,
    version: &str,
    options: &DeleteOptions,
) -> Result<(), Status> {
    let conflict = |why: &str| Err(Status::conflict(&kind.group, &kind.kind, &name.name, why));
    if let Some(uid) = options.uid.as_deref().filter(|uid| *uid != known) {
        return conflict(&format!(
            "the UID in the precondition ({uid}) does not match the UID in record ({known}). The object might have been deleted and then recreated"
        ));
    }
    if let Some(expected) = options.resource_version.as_deref().filter(|expected| *expected != version) {
        return conflict(&format!(
            "the ResourceVersion in the precondition ({expected}) does not match the ResourceVersion in record ({version}). The object might have been modified"
        ));
    }
    Ok(())
}

/// Warns about the deletion of a Job without a policy, which keeps its pods (GC-2).
fn warn_of_orphans(context: &mut WriteContext<'_>, kind: &KindSpec, options: &DeleteOptions) {
    if kind.group == "batch" && kind.kind == "Job" && options.propagation.is_none() {
        context.warn(
            "child pods are preserved by default when jobs are deleted; set propagationPolicy=Background to remove them or set \
             propagationPolicy=Orphan to suppress this warning",
        );
    }
}
