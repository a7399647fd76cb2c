//! The part of a pass over a component that all phases share.
//!
//! ```text
//! BegunPass ─▶ SettledPass ─▶ ResolvedPass ─▶ TargetedPass ─▶ RenderedPass ─▶ WatchedPass ─▶ ExecutedPass ─▶ EndingPass
//!                                         └▶ AbandonedPass ───────────────────────────────────────────────┘
//! ```
//!
//! Each phase owns the [`EnginePass`] and the findings of the phases before it, and returns the next phase. Any phase may end the pass early.

use jiff::Timestamp;
use kubewright_core::backoff::Transient;
use kubewright_core::component::PassEndContext;
use kubewright_core::dependents::{ObjectAction, Request, RequestPurpose};
use kubewright_core::why::WriteVerb;
use kubewright_machinery::object::Key;
use serde_json::Value;

use super::SharedPassState;
use super::component_keeper::ComponentKeeper;
use super::component_memory::Taken;
use super::end::{EnginePassEnd, Intervals};
use super::finish::{PassFindings, UnrecordedPass};
use crate::events::Tally;
use crate::record::{Draft, Persisted};

/// One pass over one component: its state from the beginning to the end, whichever phase it is in.
pub(super) struct EnginePass<'a> {
    pub(super) shared: &'a SharedPassState,
    pub(super) key: &'a Key,
    /// The reader of the component and writer of its status: the component reconciler or a host.
    pub(super) keeper: ComponentKeeper<'a>,
    /// The start of the pass, determined once.
    pub(super) now: Timestamp,
    /// The component as last read or returned by the server, without its status.
    pub(super) object: Value,
    /// The status as last read or returned by the server.
    pub(super) persisted: Persisted,
    /// The generation that this pass processes. An answer may show a newer one, which is left to the next pass.
    pub(super) generation: i64,
    /// True if the component was being deleted when the pass began.
    pub(super) deleting: bool,
    pub(super) draft: Draft,
    pub(super) memory: Taken<'a>,
    /// The transient errors that left work undone.
    pub(super) transient: Option<Transient>,
    /// The writes of this pass.
    pub(super) tally: Tally,
    /// True if a request about a dependent was counted as an error. The failure of the pass is not counted again then.
    pub(super) error_counted: bool,
}

impl<'a> EnginePass<'a> {
    /// Ends the pass.
    pub(super) fn end(self, end: EnginePassEnd, reached: PassFindings) -> Box<UnrecordedPass<'a>> {
        Box::new(UnrecordedPass { pass: self, end, reached })
    }

    pub(super) fn is_deleting(&self) -> bool {
        self.deleting
    }

    pub(super) fn end_context(&self, intervals: Intervals) -> PassEndContext {
        PassEndContext { deleting: self.deleting, generation: self.generation, started: self.now, timeout: intervals.timeout }
    }

    /// Notes a patch of the component, or of its subresource. A host notes its own patches.
    pub(super) fn patched_component(&self, subresource: &str) {
        if let ComponentKeeper::Own { context, .. } = self.keeper {
            context.wrote(WriteVerb::Patched, &self.shared.resource.group_kind(), self.key, subresource);
        }
    }

    /// Notes a write of a dependent.
    pub(super) fn wrote_dependent(&self, action: &ObjectAction) {
        let verb = match (&action.request, action.purpose) {
            (Request::Create(_), _) | (_, RequestPurpose::Create | RequestPurpose::CreateNamespace) => WriteVerb::Created,
            (Request::Replace(_), _) => WriteVerb::Updated,
            (Request::Delete { .. }, _) => WriteVerb::Deleted,
            _ => WriteVerb::Patched,
        };
        let key = Key::new(&action.key.namespace, &action.key.name);
        match self.keeper {
            ComponentKeeper::Own { context, .. } => context.wrote(verb, &action.gvk.group_kind(), &key, ""),
            ComponentKeeper::Host(host) => host.wrote(verb, &action.gvk.group_kind(), &key),
        }
    }

    /// Continues with an object that the server returned.
    pub(super) fn take_over(&mut self, object: Value) {
        if let ComponentKeeper::Own { own, .. } = self.keeper {
            own.components.record_write(&object);
        }
        self.persisted = Persisted::at(self.keeper.status_path(), &object);
        self.object = without_status(object);
    }

    /// Returns the component with its status.
    pub(super) fn whole(&self) -> Value {
        let mut object = self.object.clone();
        let status = self.persisted.read();
        if let Some(fields) = object.as_object_mut().filter(|_| !status.is_empty()) {
            fields.insert("status".to_owned(), Value::Object(status));
        }
        object
    }
}

/// Removes the status from a component; it is kept as text.
pub(super) fn without_status(mut object: Value) -> Value {
    if let Some(fields) = object.as_object_mut() {
        fields.remove("status");
    }
    object
}
