//! The spacing of writes to objects that do not keep our marks, because another program changes them (OWN-4, DRIFT-7).

use std::collections::BTreeSet;
use std::time::Duration;

use jiff::Timestamp;

use super::dependent::{Dependent, PlanContext, after};
use super::drift::{has_passed, interval_of};
use super::fights::CorrectionCause;
use super::state::WantedObjectState;
use super::{DesiredObject, Engine, Note, Projection};

impl Dependent<'_> {
    /// Delays the next write of an applied object whose marks another program changed. The pauses grow, and in between the object counts with its
    /// present health (OWN-4, DRIFT-5, DRIFT-7).
    pub(super) fn hold_back(&mut self, object: &DesiredObject, context: &PlanContext<'_>) {
        let Some(live) = self.live() else { return };
        let (engine, now) = (context.engine, context.now);
        if !self.was_applied(object) || Self::check_ownership(object, live, engine).is_err() || self.is_halted() {
            return;
        }
        let causes = BTreeSet::from([CorrectionCause::Marks]);
        self.remember_peace(object, &causes, now);
        if self.is_due(object, now) || self.may_correct(object, &causes, now) {
            return;
        }
        let fields = marks_field(live, engine);
        self.tell_pending(object, &fields, live.managers(), &causes, now);
        let health = self.health(live, now);
        let ready = self.take_in_health(health, now);
        self.state = WantedObjectState::InSync { ready };
    }

    /// Returns true if an object that does not keep our marks may be written again now.
    pub(super) fn may_try_again(&mut self, object: &DesiredObject, now: Timestamp) -> bool {
        let Some((_, last)) = self.unkept(object) else {
            return true;
        };
        has_passed(last, object, now) || self.may_correct(object, &BTreeSet::from([CorrectionCause::Marks]), now)
    }

    /// Returns the time until an object that does not keep our marks is written again.
    pub(super) fn next_try(&self, object: &DesiredObject, now: Timestamp) -> Option<Duration> {
        let (next, last) = self.unkept(object)?;
        let next = next.unwrap_or_else(|| after(last, interval_of(object)));
        Duration::try_from(next.duration_since(now)).ok()
    }

    /// Returns the next and the last write of an object that did not keep the marks of its current form.
    fn unkept(&self, object: &DesiredObject) -> Option<(Option<Timestamp>, Timestamp)> {
        self.remembered.corrections().filter(|entry| entry.unkept.as_ref() == Some(&object.digest))?.marks()
    }

    /// Returns the note about marks that another program changes, if it is due.
    pub(super) fn tell_of_marks(&mut self, object: &DesiredObject, live: &Projection, engine: &Engine) -> Option<Note> {
        let corrections = self.remembered.corrections_mut()?;
        let untold = corrections.untold(&BTreeSet::from([CorrectionCause::Marks]));
        if untold.is_empty() {
            return None;
        }
        let fields = marks_field(live, engine);
        let note = Note::DriftRepeated { object: object.key.clone(), managers: live.managers().to_owned(), fields };
        corrections.tell(&untold, &note.message());
        Some(note)
    }
}

/// Returns the name of the mark that another program changed.
fn marks_field(live: &Projection, engine: &Engine) -> String {
    let operator = &engine.context.operator;
    if engine.owns(live) { format!("annotation {}", operator.digest_key()) } else { format!("label {}", operator.owner_key()) }
}
