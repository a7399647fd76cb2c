use std::collections::BTreeMap;

use kubewright_core::component::{ComponentState, ComponentStatus, STALLED};
use kubewright_core::dependents::{Note, ObjectAction, RequestPurpose};
use kubewright_core::flow::{Event, EventType, Reason};
use kubewright_core::manifest::{OperatorName, keys};
use kubewright_machinery::object::{ObjectExt as _, ObjectReference};
use kubewright_runtime::events::Recorder;
use serde_json::Value;

use super::{DependentEvents, Tally};

/// The sender of events on components and on their dependents. It never blocks and never fails.
#[derive(Clone, Debug)]
pub(crate) struct ComponentEvents {
    recorder: Recorder,
    dependents: DependentEvents,
    /// The key of the annotation that disables events on the dependents of a component.
    off: String,
}

/// The emitter of the events of hooks on one component.
#[derive(Clone, Debug, Default)]
pub(crate) struct Reporter(Option<(Recorder, ObjectReference)>);

impl Reporter {
    pub(crate) fn report(&self, event: Event) {
        if let Some((recorder, component)) = &self.0 {
            recorder.record(component, event);
        }
    }
}

impl ComponentEvents {
    /// Returns the emitter that hooks get for events on a component.
    pub(crate) fn reporter(&self, component: &Value) -> Reporter {
        Reporter(Some((self.recorder.clone(), ObjectReference::of(component))))
    }

    pub(crate) fn new(recorder: Recorder, operator: &OperatorName, dependents: DependentEvents) -> Self {
        Self { recorder, dependents, off: operator.key(keys::DISABLE_EVENTS) }
    }

    /// Records a Normal event on a component.
    pub(crate) fn normal(&self, component: &Value, reason: &'static str, note: String) {
        self.recorder.record(&ObjectReference::of(component), Event::normal(Reason::new(reason), note));
    }

    /// Records a Warning event on a component.
    pub(crate) fn warning(&self, component: &Value, reason: &'static str, note: String) {
        self.recorder.record(&ObjectReference::of(component), Event::warning(Reason::new(reason), note));
    }

    /// Records an event for a note of the engine.
    pub(crate) fn note(&self, component: &Value, note: &Note) {
        let event = if note.is_warning() { Event::warning } else { Event::normal };
        self.recorder.record(&ObjectReference::of(component), event(Reason::new(note.reason()), note.message()));
    }

    /// Records an event about the writes of a pass that records no other event (EVT-3).
    pub(crate) fn changed(&self, component: &Value, tally: Tally) {
        if let Some(text) = tally.text() {
            self.normal(component, "DependentsChanged", text);
        }
    }

    /// Records one event for a changed state, reason, or (for errors) message (EVT-1) and for the writes of the pass (EVT-3). An installation
    /// therefore costs a single event.
    pub(crate) fn recorded(
        &self,
        component: &Value,
        before: &ComponentStatus,
        after: &ComponentStatus,
        annotations: BTreeMap<String, String>,
        tally: Tally,
    ) {
        let Some(kind) = to_tell(before, after) else {
            self.changed(component, tally);
            return;
        };
        let note = match tally.text() {
            Some(text) => format!("{} ({text})", after.message()),
            None => after.message().to_owned(),
        };
        let event = Event::new(kind, Reason::new(after.reason().to_owned()), note);
        self.recorder.record_with(&ObjectReference::of(component), None, annotations, event);
    }

    /// Records that a dependent was written or deleted, through the recorder of the dependent's cluster.
    pub(crate) fn dependent_written(&self, component: &Value, action: &ObjectAction, there: &Recorder) {
        if self.dependents != DependentEvents::All || self.is_off(component) {
            return;
        }
        let (reason, note) = match action.purpose {
            RequestPurpose::Create => ("Created", "Object successfully created"),
            RequestPurpose::Update => ("Updated", "Object successfully updated"),
            RequestPurpose::Delete | RequestPurpose::Recreate => ("Deleted", "Object successfully deleted"),
            _ => return,
        };
        there.record(&reference(action), Event::normal(Reason::new(reason), note));
    }

    /// Records that a dependent could not be written or deleted, through the recorder of the dependent's cluster.
    pub(crate) fn dependent_failed(&self, component: &Value, action: &ObjectAction, error: &str, there: &Recorder) {
        if self.dependents == DependentEvents::None || self.is_off(component) {
            return;
        }
        let event = match action.purpose {
            RequestPurpose::Delete | RequestPurpose::Recreate => {
                Event::warning(Reason::new("DeleteError"), format!("Error deleting object: {error}"))
            }
            _ => Event::warning(Reason::new("UpdateError"), format!("Error updating object: {error}")),
        };
        there.record(&reference(action), event);
    }

    fn is_off(&self, component: &Value) -> bool {
        component.annotation(&self.off) == Some("true")
    }
}

/// Returns the type of the event that a change of the status calls for, or `None` if it calls for no event.
fn to_tell(before: &ComponentStatus, after: &ComponentStatus) -> Option<EventType> {
    let state = after.state?;
    let moved = before.state != after.state || before.reason() != after.reason();
    if state == ComponentState::Error {
        (moved || before.message() != after.message()).then_some(EventType::Warning)
    } else {
        let kind = if after.condition(STALLED).is_some() { EventType::Warning } else { EventType::Normal };
        moved.then_some(kind)
    }
}

fn reference(action: &ObjectAction) -> ObjectReference {
    ObjectReference {
        api_version: action.gvk.api_version(),
        kind: action.gvk.kind.clone(),
        namespace: action.key.namespace.clone(),
        name: action.key.name.clone(),
        uid: String::new(),
        resource_version: String::new(),
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use jiff::Timestamp;
    use kubewright_core::component::{PassEndContext, RecordedEnd};

    use super::*;

    fn after(end: &RecordedEnd) -> ComponentStatus {
        let at = PassEndContext {
            deleting: false,
            generation: 1,
            started: Timestamp::from_second(1_700_000_000).unwrap(),
            timeout: Duration::from_mins(5),
        };
        let mut status = ComponentStatus::default();
        status.conclude(end, &at);
        status
    }

    fn failed(message: &str) -> ComponentStatus {
        after(&RecordedEnd::Failed { reason: None, message: message.to_owned(), stalled: None })
    }

    fn waiting(message: &str) -> ComponentStatus {
        after(&RecordedEnd::Wait { reason: None, message: message.to_owned() })
    }

    // EVT-1
    #[test]
    fn normal_events_follow_state_and_reason_and_warnings_the_message_too() {
        assert_eq!(to_tell(&ComponentStatus::default(), &after(&RecordedEnd::Ready)), Some(EventType::Normal));
        assert_eq!(to_tell(&after(&RecordedEnd::Ready), &after(&RecordedEnd::Ready)), None);
        assert_eq!(to_tell(&waiting("a"), &waiting("b")), None);
        assert_eq!(to_tell(&after(&RecordedEnd::Ready), &failed("a")), Some(EventType::Warning));
        assert_eq!(to_tell(&failed("a"), &failed("a")), None);
        assert_eq!(to_tell(&failed("a"), &failed("b")), Some(EventType::Warning));
    }

    // EVT-1
    #[test]
    fn a_stalled_component_causes_a_warning_event_even_while_it_is_being_deleted() {
        let blocked = RecordedEnd::Blocked { reason: "DeletionBlocked".to_owned(), message: "in use".to_owned() };
        let mut status = ComponentStatus::default();
        let at = PassEndContext {
            deleting: true,
            generation: 1,
            started: Timestamp::from_second(1_700_000_000).unwrap(),
            timeout: Duration::from_mins(5),
        };
        status.conclude(&blocked, &at);
        assert_eq!(status.state, Some(ComponentState::Deleting));
        assert_eq!(to_tell(&after(&RecordedEnd::Ready), &status), Some(EventType::Warning));
    }
}
