//! The effects of an answer on the rest of the pass.

use std::sync::Arc;

use jiff::Timestamp;
use kubewright_machinery::object::ObjectExt;
use serde_json::Value;

use super::remember::{remember_deletion, remember_marks, remember_success};
use super::{DryRun, NamespaceCreation, ObjectHalt, Observed, OwnWrite, Projection, Refusal, WrittenHow, fingerprint};
use crate::backoff::Transient;
use crate::dependents::memory::Dropped;
use crate::dependents::{BlockingObjectState, Engine, Memory, Note, ObjectAction, Phase, Request, RequestPurpose, undeclared};
use crate::manifest::MissingNamespacesPolicy;

/// The number of times that a request is repeated after conflicts, per object and pass (WRITE-9).
const CONFLICT_RETRIES: u32 = 5;
/// The number of times that an apply is repeated with fewer fields.
const UNKNOWN_ROUNDS: u32 = 10;

/// The answer to an [`ObjectAction`].
#[derive(Clone, Copy, Debug)]
pub enum Response<'a> {
    /// Success, with the body of the answer: an object, or a Status after a DELETE.
    Success(&'a Value),
    /// The server refused the request, or did not answer.
    Refused(&'a Refusal),
}

impl Observed {
    /// Records the answer to a request, so that the next plan continues from there. Returns a note to record as an event, in addition to the action's
    /// own note.
    pub fn record(
        &mut self,
        engine: &Engine,
        action: &ObjectAction,
        response: Response<'_>,
        memory: &mut Memory,
        now: Timestamp,
    ) -> Option<Note> {
        match response {
            Response::Success(body) => {
                self.succeeded(engine, action, body, memory, now);
                self.tell_undeclared(action, memory)
            }
            Response::Refused(refusal) => self.refused(engine, action, refusal, memory, now),
        }
    }

    /// Records the server's warnings about a write, before its answer is recorded: fields that the server dropped (WRITE-12).
    pub fn note_warnings(&mut self, action: &ObjectAction, warnings: &[String]) {
        let fields: Vec<String> = warnings.iter().filter_map(|text| undeclared::field_of_warning(text)).collect();
        if !fields.is_empty() {
            self.dependent_mut(&action.key).results_mut().undeclared.get_or_insert_default().add(fields);
        }
    }

    /// Returns the note about unknown fields, once per digest.
    fn tell_undeclared(&self, action: &ObjectAction, memory: &mut Memory) -> Option<Note> {
        if !matches!(action.purpose, RequestPurpose::Create | RequestPurpose::Update) {
            return None;
        }
        let dependent = self.dependent(&action.key);
        let Some(undeclared) = &dependent.results().undeclared else {
            memory.update(&action.key, |problems| problems.undeclared = None);
            return None;
        };
        let digest = dependent.live()?.digest().to_owned();
        let fields = undeclared.fields.join(", ");
        let dropped = Dropped { digest: digest.clone(), fields: fields.clone() };
        let told = memory.update(&action.key, |problems| problems.undeclared.replace(dropped));
        (told.is_none_or(|told| told.digest != digest)).then(|| Note::UnknownFields { object: action.key.clone(), fields })
    }

    fn succeeded(&mut self, engine: &Engine, action: &ObjectAction, body: &Value, memory: &mut Memory, now: Timestamp) {
        let key = &action.key;
        match action.purpose {
            RequestPurpose::CreateNamespace => {
                self.namespace_mut(&key.name).creation = Some(NamespaceCreation::Created);
                return;
            }
            RequestPurpose::Compare => {
                self.dependent_mut(key).results_mut().dry_run = Some(DryRun::Answer(Arc::new(body.clone())));
                return;
            }
            RequestPurpose::Delete | RequestPurpose::Recreate => {
                self.removals.deleted += 1;
                remember_deletion(action, memory, now);
            }
            RequestPurpose::Orphan => self.removals.orphaned += 1,
            _ => {}
        }
        if action.purpose.is_write() {
            memory.update(key, |problems| problems.met = false);
        }
        let gone = match action.purpose {
            RequestPurpose::Delete | RequestPurpose::Recreate => !is_terminating(body),
            // The finalizer that was removed may have been the last one, which completes the deletion.
            RequestPurpose::ReleaseFinalizer => is_terminating(body) && body.finalizers().next().is_none(),
            _ => false,
        };
        let dependent = self.dependent_mut(key);
        dependent.results_mut().unsure = false;
        if gone {
            dependent.set_absent();
        } else {
            let live = Projection::of(body, &engine.context);
            let written = written(engine, action, &live, dependent.persisted, now);
            let results = dependent.results_mut();
            if written.is_some() {
                results.written = written;
            }
            results.read_absent = false;
            dependent.live = Some(Arc::new(live));
        }
        let results = dependent.results_mut();
        match action.purpose {
            RequestPurpose::ReadLive => results.full = Some(Arc::new(body.clone())),
            RequestPurpose::Delete => results.deleting = true,
            RequestPurpose::Recreate => {
                results.deleting = true;
                results.written = Some(OwnWrite::recreating(now));
            }
            RequestPurpose::Orphan => results.released = true,
            RequestPurpose::TakeOwnership | RequestPurpose::ReleaseFinalizer => results.marked = true,
            RequestPurpose::Reclaim => results.reclaimed = true,
            _ => {}
        }
        if (action.corrective || action.contested) && matches!(action.purpose, RequestPurpose::Update | RequestPurpose::Recreate)
        {
            remember_success(engine, action, dependent.live(), body, memory, now);
        }
        let written = dependent.results().written.as_ref();
        if let Some(written) = written.filter(|_| matches!(action.purpose, RequestPurpose::Create | RequestPurpose::Update)) {
            remember_marks(engine, action, (body.uid(), &written.digest), memory, now);
        }
    }

    fn refused(
        &mut self,
        engine: &Engine,
        action: &ObjectAction,
        refusal: &Refusal,
        memory: &mut Memory,
        now: Timestamp,
    ) -> Option<Note> {
        let key = &action.key;
        if self.goes_on_without_fields(action, refusal) {
            return None;
        }
        let title = Engine::title(&action.gvk, key);
        match action.purpose {
            RequestPurpose::CreateNamespace if refusal.is_conflict() => {
                self.namespace_mut(&key.name).creation = Some(NamespaceCreation::Found);
            }
            RequestPurpose::Create if refusal.is_missing_namespace() => {
                self.namespace_is_missing(engine, action, refusal);
            }
            RequestPurpose::Create if refusal.is_absent() => self.type_is_missing(action, refusal),
            RequestPurpose::ReadLive if refusal.is_absent() => {
                memory.update(key, |problems| problems.met = false);
                let dependent = self.dependent_mut(key);
                dependent.results_mut().unsure = false;
                dependent.set_absent();
            }
            _ if refusal.is_absent() && action.purpose != RequestPurpose::CreateNamespace => {
                let dependent = self.dependent_mut(key);
                dependent.set_absent();
                if matches!(action.purpose, RequestPurpose::Delete | RequestPurpose::Recreate) {
                    dependent.results_mut().deleting = true;
                    self.removals.deleted += 1;
                }
            }
            // A test in our JSON patch failed, because another program changed the object in between.
            RequestPurpose::ReleaseFinalizer | RequestPurpose::Reclaim if refusal.code == 422 => self.conflict(action, &title),
            RequestPurpose::Compare if refusal.code == 422 => {
                self.dependent_mut(key).results_mut().dry_run = Some(DryRun::Refused);
            }
            RequestPurpose::Create if refusal.is_conflict() && is_being_deleted(refusal) => {
                self.conflict(action, &title);
            }
            purpose if refusal.is_conflict() && purpose != RequestPurpose::ReadLive => {
                if purpose == RequestPurpose::Create {
                    memory.update(key, |problems| problems.met = true);
                }
                self.conflict(action, &title);
            }
            RequestPurpose::Update if action.corrective && refusal.code == 422 && self.may_repair(action) => {
                self.dependent_mut(key).results_mut().refused_apply = true;
            }
            _ if action.corrective => {
                self.dependent_mut(key).results_mut().uncorrected = true;
                // A request that failed for a transient reason is no correction: those are spaced up to the reapply interval (DRIFT-5).
                if let Some(error) = refusal.transient() {
                    self.note_transient(error);
                    return None;
                }
                self.remember_failure(action, memory, now);
                let told = action.purpose.is_write() && !refusal.is_transient();
                return told.then(|| not_repaired(action, refusal));
            }
            _ => {
                if refusal.is_terminating_namespace() {
                    self.namespace_mut(&key.namespace).awaited = Some(BlockingObjectState::Terminating);
                }
                if let Some(error) = refusal.transient() {
                    self.note_transient(error);
                }
                self.dependent_mut(key).results_mut().halt = Some(halt_of(action, refusal, &title));
            }
        }
        None
    }

    fn remember_failure(&self, action: &ObjectAction, memory: &mut Memory, now: Timestamp) {
        let uid = self.dependent(&action.key).live().map_or("", Projection::uid);
        memory.update(&action.key, |problems| problems.corrections_of(uid).refused(now));
    }

    /// Returns true if an apply with fields that the server does not know can be sent again without them (WRITE-12).
    fn goes_on_without_fields(&mut self, action: &ObjectAction, refusal: &Refusal) -> bool {
        if !matches!(action.request, Request::Apply { .. } | Request::DryRun(_)) {
            return false;
        }
        let fields = undeclared::fields_of_refusal(refusal);
        let results = self.dependent_mut(&action.key).results_mut();
        let known = results.undeclared.get_or_insert_default();
        let goes_on = known.rounds < UNKNOWN_ROUNDS && known.add(fields);
        if goes_on {
            known.rounds += 1;
        } else if known.fields.is_empty() {
            results.undeclared = None;
        }
        goes_on
    }

    /// Returns true if a refused apply can be replaced by a PUT, which is tried once (DRIFT-8).
    fn may_repair(&self, action: &ObjectAction) -> bool {
        matches!(action.request, Request::Apply { .. }) && !self.dependent(&action.key).results().refused_apply
    }

    fn conflict(&mut self, action: &ObjectAction, title: &str) {
        let results = self.dependent_mut(&action.key).results_mut();
        results.attempts += 1;
        if results.attempts <= CONFLICT_RETRIES {
            results.unsure = true;
            return;
        }
        if action.corrective {
            results.uncorrected = true;
        } else {
            let message = format!("conflict while writing {title}");
            results.halt = Some(ObjectHalt::Wait { message, after: None });
        }
        self.note_transient(Transient::default());
    }

    fn namespace_is_missing(&mut self, engine: &Engine, action: &ObjectAction, refusal: &Refusal) {
        let namespace = self.namespace_mut(&action.key.namespace);
        let is_due = engine.missing_namespaces == MissingNamespacesPolicy::Create && namespace.creation.is_none();
        if is_due {
            namespace.creation = Some(NamespaceCreation::Due);
        } else if namespace.creation != Some(NamespaceCreation::Due) {
            namespace.awaited = Some(BlockingObjectState::Absent);
            let halt = ObjectHalt::Wait { message: refusal.to_string(), after: None };
            self.dependent_mut(&action.key).results_mut().halt = Some(halt);
        }
    }

    fn type_is_missing(&mut self, action: &ObjectAction, refusal: &Refusal) {
        let results = self.dependent_mut(&action.key).results_mut();
        let answers = results.missing_type.as_ref().map_or(0, |(answers, _)| *answers);
        results.missing_type = Some((answers + 1, refusal.clone()));
    }
}

/// Returns the record of a write that left this object; `None` for other requests.
fn written(
    engine: &Engine,
    action: &ObjectAction,
    live: &Projection,
    persisted: Option<Phase>,
    now: Timestamp,
) -> Option<OwnWrite> {
    let how = match action.purpose {
        RequestPurpose::Create => WrittenHow::Created,
        RequestPurpose::Update if action.corrective => WrittenHow::Corrected,
        RequestPurpose::Update => WrittenHow::Updated,
        _ => return None,
    };
    let (Request::Create(sent) | Request::Replace(sent) | Request::Apply { body: sent, .. }) = &action.request else {
        return None;
    };
    let empty_paths = fingerprint::empty_paths(sent, live);
    let fingerprint = live.fingerprint_for(&empty_paths);
    // An object that did not keep our label is not the one that was sent, whatever its digest.
    let digest = if engine.owns(live) { live.digest().to_owned() } else { String::new() };
    let again = how == WrittenHow::Created && persisted == Some(Phase::Ready);
    Some(OwnWrite { how, at: now, digest, empty_paths, fingerprint, again })
}

fn is_terminating(body: &Value) -> bool {
    body.deletion_timestamp().is_some() && body.kind() != "Status"
}

fn not_repaired(action: &ObjectAction, refusal: &Refusal) -> Note {
    let field = refusal.causes.iter().map(|cause| cause.field.as_str()).find(|field| !field.is_empty());
    Note::DriftNotRepaired { object: action.key.clone(), field: field.unwrap_or_default().to_owned(), error: refusal.to_string() }
}

fn is_being_deleted(refusal: &Refusal) -> bool {
    refusal.message.contains("object is being deleted")
}

fn halt_of(action: &ObjectAction, refusal: &Refusal, title: &str) -> ObjectHalt {
    if refusal.is_transient() {
        return ObjectHalt::Wait { message: format!("{title}: {refusal}"), after: None };
    }
    let fields = refusal.immutable_fields();
    let mut message = format!("{title}: {refusal}");
    if !fields.is_empty() && action.purpose == RequestPurpose::Update {
        message.push_str(" (immutable: ");
        message.push_str(&fields.join(", "));
        message.push_str("; set update policy Recreate, or give the object another name)");
    }
    ObjectHalt::Failed { message, code: refusal.code }
}
