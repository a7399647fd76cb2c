//! The next step for one object of a running wave: it is created, written, or waited for.

use std::time::Duration;

use super::dependent::{Dependent, PlanContext};
use super::engine::{Engine, is_type};
use super::managed::ManagedIndex;
use super::observe::{NamespaceCreation, ObjectHalt};
use super::state::WantedObjectState;
use super::write::NeedsManifest;
use super::{DesiredObject, Note, ObjectAction, Phase, Projection, RequestPurpose};
use crate::manifest::UpdatePolicy;

/// The number of times that a create is repeated while its type is not served yet (WAVE-8).
const TYPE_RETRIES: u32 = 6;
/// The pause before the first such repetition.
const TYPE_PAUSE: Duration = Duration::from_millis(50);
/// The wait after the last such repetition.
const TYPE_WAIT: Duration = Duration::from_secs(5);

/// The next step for one object.
#[expect(clippy::large_enum_variant, reason = "lives for one step")]
pub(super) enum ObjectStep {
    /// No request; the next batch may follow.
    Nothing,
    /// A request must be sent, for which the manifest may have to be rendered first.
    Send(Result<ObjectAction, NeedsManifest>),
    /// The namespace of the object must be created first.
    CreateNamespace,
    /// No request, but the next batch must not follow, because a request about the object failed already.
    Planned,
    /// The object is held back by an obstacle.
    Halt(ObjectHalt),
}

impl Dependent<'_> {
    /// Returns the next step for one object of a running stage.
    pub(super) fn next_step(
        &mut self,
        object: &DesiredObject,
        managed: &ManagedIndex<'_, ()>,
        context: &PlanContext<'_>,
    ) -> ObjectStep {
        let state = self.state;
        if matches!(state, WantedObjectState::Completed | WantedObjectState::Purging | WantedObjectState::InSync { .. }) {
            return ObjectStep::Nothing;
        }
        if self.is_halted() {
            return ObjectStep::Planned;
        }
        if self.results().unsure {
            return ObjectStep::Send(Ok(self.read_live(&object.gvk)));
        }
        match (state, self.live()) {
            (WantedObjectState::Terminating, Some(live)) => self.bring_back(object, live, context.engine),
            (WantedObjectState::Changed | WantedObjectState::Unmarked, Some(live)) => {
                self.overwrite(object, state, live, context)
            }
            _ => self.create_absent(object, managed, context),
        }
    }

    fn create_absent(&self, object: &DesiredObject, managed: &ManagedIndex<'_, ()>, context: &PlanContext<'_>) -> ObjectStep {
        if self.observed.is_written() {
            return ObjectStep::Halt(self.vanished(object, context));
        }
        if self.may_be_hidden() {
            return ObjectStep::Send(Ok(self.read_live(&object.gvk)));
        }
        if context.observed.namespace(&object.key.namespace).creation == Some(NamespaceCreation::Due) {
            return ObjectStep::CreateNamespace;
        }
        let mut pause = Duration::ZERO;
        if let Some((attempts, refusal)) = &self.results().missing_type {
            let message = format!("{}: {refusal}", Engine::title(&object.gvk, &object.key));
            if !managed.contains(&object.gvk) {
                return ObjectStep::Halt(ObjectHalt::Failed { message, code: refusal.code });
            }
            if *attempts > TYPE_RETRIES {
                return ObjectStep::Halt(ObjectHalt::Wait { message, after: Some(TYPE_WAIT) });
            }
            pause = TYPE_PAUSE * 2u32.pow((attempts - 1).min(TYPE_RETRIES));
        }
        let request = self.create(object, context);
        ObjectStep::Send(request.map(|action| ObjectAction { after: action.after.max(pause), ..action }))
    }

    /// Returns true if the set contains this object, and its live object is ours.
    pub(super) fn is_wanted_and_ours(&self, engine: &Engine) -> bool {
        !self.item.is_redundant() && self.live().is_some_and(|live| engine.owns(live))
    }

    fn overwrite(
        &mut self,
        object: &DesiredObject,
        state: WantedObjectState,
        live: &Projection,
        context: &PlanContext<'_>,
    ) -> ObjectStep {
        let engine = context.engine;
        if let Err(message) = Self::check_ownership(object, live, engine) {
            return ObjectStep::Halt(ObjectHalt::owner_conflict(message));
        }
        if self.observed.is_written() || !self.may_try_again(object, context.now) {
            return ObjectStep::Halt(self.vanished(object, context));
        }
        let contested = self.was_applied(object);
        let recreates = object.update == UpdatePolicy::Recreate && state == WantedObjectState::Changed;
        // An apply would leave the marks of another operator on the object.
        let is_marked_first = !engine.owns(live) && (recreates || object.update.is_apply() && live.other_operator().is_some());
        let request = if is_marked_first {
            if self.results().marked {
                return ObjectStep::Halt(self.vanished(object, context));
            }
            Ok(self.take_ownership(&object.gvk, live, engine))
        } else if recreates {
            Ok(self.delete_live(RequestPurpose::Recreate, &object.gvk, live))
        } else {
            self.update(object, live, context)
        };
        ObjectStep::Send(request.map(|action| {
            let is_last = matches!(action.purpose, RequestPurpose::Update | RequestPurpose::Recreate);
            let note = if contested && is_last { self.tell_of_marks(object, live, engine) } else { None };
            ObjectAction { note: note.or(action.note), contested, ..action }
        }))
    }

    /// Handles a wanted object that is being deleted: it is created again once it is gone. A type may be held by our finalizer (WAVE-5), even if its
    /// label was removed or replaced by another operator's; only this operator removes that finalizer.
    fn bring_back(&self, object: &DesiredObject, live: &Projection, engine: &Engine) -> ObjectStep {
        let is_free = || live.owner_hash().is_none() || Self::check_ownership(object, live, engine).is_ok();
        let is_held = engine.owns(live) || is_free();
        if !is_type(&object.key) || !is_held || self.results().marked {
            return ObjectStep::Nothing;
        }
        let Some(action) = self.release_finalizer(&object.gvk, live, engine) else {
            return ObjectStep::Nothing;
        };
        let recreating = self.item.phase == Phase::Updating && object.update == UpdatePolicy::Recreate;
        let note = (!recreating).then(|| Note::DependentDeleted { object: object.key.clone() });
        ObjectStep::Send(Ok(ObjectAction { note, ..action }))
    }

    fn vanished(&self, object: &DesiredObject, context: &PlanContext<'_>) -> ObjectHalt {
        let title = Engine::title(&object.gvk, &object.key);
        let message = format!("object {title} does not stay as it was written; another program changes or deletes it");
        ObjectHalt::Wait { message, after: Some(self.next_try(object, context.now).unwrap_or(Duration::from_secs(1))) }
    }
}
