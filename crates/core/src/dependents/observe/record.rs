//! The effects of an answer on the rest of the pass.

use std::sync::Arc;

use jiff::Timestamp;
use kubewright_machinery::object::ObjectExt;
use serde_json::Value;

use super::{DryRun, ObjectHalt, Observed, OwnWrite, Projection, Refusal, WrittenHow, fingerprint};
use crate::backoff::Transient;
use crate::dependents::fights::{CorrectionCause, Corrections};
use crate::dependents::memory::{Deletions, Dropped};
use crate::dependents::undeclared;
use crate::dependents::verdict::BlockedReason;
use crate::dependents::{BlockingObjectState, Engine, Memory, Note, ObjectAction, Phase, Request, Verb};
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
            self.undeclared.entry(action.key.clone()).or_default().add(fields);
        }
    }

    /// Returns the note about unknown fields, once per digest.
    fn tell_undeclared(&self, action: &ObjectAction, memory: &mut Memory) -> Option<Note> {
        if !matches!(action.verb, Verb::Create | Verb::Update) {
            return None;
        }
        let Some(undeclared) = self.undeclared.get(&action.key) else {
            memory.undeclared.remove(&action.key);
            return None;
        };
        let digest = self.live.get(&action.key)?.digest().to_owned();
        let fields = undeclared.fields.join(", ");
        let told = memory.undeclared.insert(action.key.clone(), Dropped { digest: digest.clone(), fields: fields.clone() });
        (told.is_none_or(|told| told.digest != digest)).then(|| Note::UnknownFields { object: action.key.clone(), fields })
    }

    fn succeeded(&mut self, engine: &Engine, action: &ObjectAction, body: &Value, memory: &mut Memory, now: Timestamp) {
        let key = &action.key;
        match action.verb {
            Verb::CreateNamespace => {
                self.missing_namespaces.insert(key.name.clone(), false);
                self.created_namespaces.insert(key.name.clone());
                return;
            }
            Verb::Compare => {
                self.dry_runs.insert(key.clone(), DryRun::Answer(Arc::new(body.clone())));
                return;
            }
            Verb::ReadLive => {
                self.full.insert(key.clone(), Arc::new(body.clone()));
            }
            Verb::Delete | Verb::Recreate => {
                self.removals.deleted += 1;
                self.deleting.insert(key.clone());
                remember_deletion(action, memory, now);
            }
            _ => {}
        }
        if action.verb.is_write() {
            memory.met.remove(key);
        }
        self.unsure.remove(key);
        let gone = match action.verb {
            Verb::Delete | Verb::Recreate => !is_terminating(body),
            // The finalizer that was removed may have been the last one, which completes the deletion.
            Verb::ReleaseFinalizer => is_terminating(body) && body.finalizers().next().is_none(),
            _ => false,
        };
        if gone {
            self.live.remove(key);
            self.read_absent.insert(key.clone());
        } else {
            let live = Projection::of(body, &engine.context);
            self.note_written(engine, action, &live, now);
            self.read_absent.remove(key);
            self.live.insert(key.clone(), Arc::new(live));
        }
        match action.verb {
            Verb::Recreate => {
                self.written.insert(
                    key.clone(),
                    OwnWrite {
                        how: WrittenHow::Recreating,
                        at: now,
                        digest: String::new(),
                        empty_paths: Vec::new(),
                        fingerprint: String::new(),
                        again: false,
                    },
                );
            }
            Verb::Orphan => {
                self.removals.orphaned += 1;
                self.released.insert(key.clone());
            }
            Verb::TakeOwnership | Verb::ReleaseFinalizer => {
                self.marked.insert(key.clone());
            }
            Verb::Reclaim => {
                self.reclaimed.insert(key.clone());
            }
            _ => {}
        }
        if (action.corrective || action.contested) && matches!(action.verb, Verb::Update | Verb::Recreate) {
            self.remember_success(engine, action, body, memory, now);
        }
        if let Some(written) = self.written.get(key).filter(|_| matches!(action.verb, Verb::Create | Verb::Update)) {
            remember_marks(engine, action, (body.uid(), &written.digest), memory, now);
        }
    }

    /// Counts a correction that succeeded.
    fn remember_success(&self, engine: &Engine, action: &ObjectAction, body: &Value, memory: &mut Memory, now: Timestamp) {
        let live = self.live.get(&action.key);
        let uid = live.map_or("", |live| live.uid());
        let entry = memory.drift.entry(action.key.clone()).or_insert_with(|| Corrections::none(uid));
        match live {
            _ if action.contested => entry.count([CorrectionCause::Marks], now),
            Some(live) if action.verb == Verb::Update => entry.restored(body, live, &engine.context.field_manager, now),
            _ => entry.count([CorrectionCause::Object], now),
        }
        if action.verb == Verb::Recreate {
            entry.outlive_object();
        }
    }

    fn note_written(&mut self, engine: &Engine, action: &ObjectAction, live: &Projection, now: Timestamp) {
        let how = match action.verb {
            Verb::Create => WrittenHow::Created,
            Verb::Update if action.corrective => WrittenHow::Corrected,
            Verb::Update => WrittenHow::Updated,
            _ => return,
        };
        let (Request::Create(sent) | Request::Replace(sent) | Request::Apply { body: sent, .. }) = &action.request else {
            return;
        };
        let empty_paths = fingerprint::empty_paths(sent, live);
        let fingerprint = live.fingerprint_for(&empty_paths);
        // An object that did not keep our label is not the one that was sent, whatever its digest.
        let digest = if engine.owns(live) { live.digest().to_owned() } else { String::new() };
        let again = how == WrittenHow::Created && self.persisted.get(&action.key) == Some(&Phase::Ready);
        self.written.insert(action.key.clone(), OwnWrite { how, at: now, digest, empty_paths, fingerprint, again });
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
        match action.verb {
            Verb::CreateNamespace if refusal.is_conflict() => {
                self.missing_namespaces.insert(key.name.clone(), false);
            }
            Verb::Create if refusal.is_missing_namespace() => {
                self.namespace_is_missing(engine, action, refusal);
            }
            Verb::Create if refusal.is_absent() => self.type_is_missing(action, refusal),
            Verb::ReadLive if refusal.is_absent() => {
                memory.met.remove(key);
                self.unsure.remove(key);
                self.live.remove(key);
                self.read_absent.insert(key.clone());
            }
            _ if refusal.is_absent() && action.verb != Verb::CreateNamespace => {
                self.live.remove(key);
                self.read_absent.insert(key.clone());
                if matches!(action.verb, Verb::Delete | Verb::Recreate) {
                    self.removals.deleted += 1;
                    self.deleting.insert(key.clone());
                }
            }
            // A test in our JSON patch failed, because another program changed the object in between.
            Verb::ReleaseFinalizer | Verb::Reclaim if refusal.code == 422 => self.conflict(action, &title),
            Verb::Compare if refusal.code == 422 => {
                self.dry_runs.insert(key.clone(), DryRun::Refused);
            }
            Verb::Create if refusal.is_conflict() && is_being_deleted(refusal) => {
                self.conflict(action, &title);
            }
            verb if refusal.is_conflict() && verb != Verb::ReadLive => {
                if verb == Verb::Create {
                    memory.met.insert(key.clone());
                }
                self.conflict(action, &title);
            }
            Verb::Update if action.corrective && refusal.code == 422 && self.may_repair(action) => {
                self.refused_applies.insert(key.clone(), refusal.to_string());
            }
            _ if action.corrective => {
                self.uncorrected.insert(key.clone());
                // A request that failed for a transient reason is no correction: those are spaced up to the reapply interval (DRIFT-5).
                if let Some(error) = refusal.transient() {
                    self.note_transient(error);
                    return None;
                }
                self.remember_failure(action, memory, now);
                let told = action.verb.is_write() && !refusal.is_transient();
                return told.then(|| not_repaired(action, refusal));
            }
            _ => {
                if refusal.is_terminating_namespace() {
                    self.awaited_namespaces.insert(key.namespace.clone(), BlockingObjectState::Terminating);
                }
                if let Some(error) = refusal.transient() {
                    self.note_transient(error);
                }
                self.halts.insert(key.clone(), halt_of(action, refusal, &title));
            }
        }
        None
    }

    fn remember_failure(&self, action: &ObjectAction, memory: &mut Memory, now: Timestamp) {
        let uid = self.live.get(&action.key).map_or("", |live| live.uid());
        memory.drift.entry(action.key.clone()).or_insert_with(|| Corrections::none(uid)).refused(now);
    }

    /// Returns true if an apply with fields that the server does not know can be sent again without them (WRITE-12).
    fn goes_on_without_fields(&mut self, action: &ObjectAction, refusal: &Refusal) -> bool {
        if !matches!(action.request, Request::Apply { .. } | Request::DryRun(_)) {
            return false;
        }
        let fields = undeclared::fields_of_refusal(refusal);
        let known = self.undeclared.entry(action.key.clone()).or_default();
        let goes_on = known.rounds < UNKNOWN_ROUNDS && known.add(fields);
        if goes_on {
            known.rounds += 1;
        } else if known.fields.is_empty() {
            self.undeclared.remove(&action.key);
        }
        goes_on
    }

    /// Returns true if a refused apply can be replaced by a PUT, which is tried once (DRIFT-8).
    fn may_repair(&self, action: &ObjectAction) -> bool {
        matches!(action.request, Request::Apply { .. }) && !self.refused_applies.contains_key(&action.key)
    }

    fn conflict(&mut self, action: &ObjectAction, title: &str) {
        let attempts = self.attempts.entry(action.key.clone()).or_default();
        *attempts += 1;
        if *attempts > CONFLICT_RETRIES {
            if action.corrective {
                self.uncorrected.insert(action.key.clone());
            } else {
                let message = format!("conflict while writing {title}");
                self.halts.insert(action.key.clone(), ObjectHalt::Wait { message, after: None });
            }
            self.note_transient(Transient::default());
            return;
        }
        self.unsure.insert(action.key.clone());
    }

    fn namespace_is_missing(&mut self, engine: &Engine, action: &ObjectAction, refusal: &Refusal) {
        let namespace = &action.key.namespace;
        let tried_before = self.missing_namespaces.contains_key(namespace);
        if engine.missing_namespaces == MissingNamespacesPolicy::Create && !tried_before {
            self.missing_namespaces.insert(namespace.clone(), true);
        } else if self.missing_namespaces.get(namespace) != Some(&true) {
            let message = refusal.to_string();
            self.awaited_namespaces.insert(namespace.clone(), BlockingObjectState::Absent);
            self.halts.insert(action.key.clone(), ObjectHalt::Wait { message, after: None });
        }
    }

    fn type_is_missing(&mut self, action: &ObjectAction, refusal: &Refusal) {
        let entry = self.missing_types.entry(action.key.clone()).or_insert_with(|| (0, refusal.clone()));
        entry.0 += 1;
        entry.1 = refusal.clone();
    }
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

fn remember_deletion(action: &ObjectAction, memory: &mut Memory, now: Timestamp) {
    if action.verb != Verb::Delete {
        return;
    }
    let entry = memory.deletions.entry(action.key.clone()).or_insert(Deletions { count: 0, last: now });
    entry.count += 1;
    entry.last = now;
}

/// Records whether the object kept the marks with which it was written. If it did not, each pass would otherwise write it again.
fn remember_marks(engine: &Engine, action: &ObjectAction, (uid, kept): (&str, &str), memory: &mut Memory, now: Timestamp) {
    let (Request::Create(sent) | Request::Replace(sent) | Request::Apply { body: sent, .. }) = &action.request else {
        return;
    };
    let sent = sent.annotation(&engine.context.operator.digest_key()).unwrap_or_default();
    if sent == kept {
        if let Some(entry) = memory.drift.get_mut(&action.key) {
            entry.unkept = None;
        }
        return;
    }
    let entry = memory.drift.entry(action.key.clone()).or_insert_with(|| Corrections::none(uid));
    if entry.unkept.as_deref() != Some(sent) {
        entry.unkept = Some(sent.to_owned());
        entry.forget_marks();
    }
    entry.count([CorrectionCause::Marks], now);
}

fn halt_of(action: &ObjectAction, refusal: &Refusal, title: &str) -> ObjectHalt {
    if refusal.is_transient() {
        return ObjectHalt::Wait { message: format!("{title}: {refusal}"), after: None };
    }
    let fields = refusal.immutable_fields();
    let mut message = format!("{title}: {refusal}");
    if !fields.is_empty() && action.verb == Verb::Update {
        message.push_str(" (immutable: ");
        message.push_str(&fields.join(", "));
        message.push_str("; set update policy Recreate, or give the object another name)");
    }
    ObjectHalt::Failed { message, code: refusal.code }
}

impl ObjectHalt {
    /// Returns the severity of OUT-2; the highest number is the most severe.
    pub(in crate::dependents) const fn severity(&self) -> u8 {
        match self {
            Self::Failed { .. } => 2,
            Self::Blocked { .. } => 1,
            Self::Wait { .. } => 0,
        }
    }

    pub(in crate::dependents) fn message(&self) -> &str {
        match self {
            Self::Wait { message, .. } | Self::Blocked { message, .. } | Self::Failed { message, .. } => message,
        }
    }

    pub(in crate::dependents) const fn owner_conflict(message: String) -> Self {
        Self::Blocked { reason: BlockedReason::OwnerConflict, message }
    }
}
