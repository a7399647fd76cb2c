//! The beginning of a pass: the component and its status as they were read.

use kubewright_core::component::ComponentStatus;
use kubewright_machinery::object::{Key, ObjectExt as _};
use kubewright_runtime::controller::PassContext;
use serde_json::{Map, Value};

use super::component_keeper::ComponentKeeper;
use super::finish::{PhaseResult, UnrecordedPass};
use super::pass::EnginePass;
use super::select_target::SelectedTarget;
use super::{Host, Own, SharedPassState};
use crate::events::Tally;
use crate::record::{Draft, Persisted, UnreadableStatus};

/// A pass that has begun.
pub(super) struct BegunPass<'a> {
    pub(super) pass: EnginePass<'a>,
    /// The error if the status could not be read. Nothing may be written then.
    pub(super) unreadable: Option<UnreadableStatus>,
}

impl<'a> BegunPass<'a> {
    /// Starts a pass of the component reconciler.
    pub(super) fn of_component(shared: &'a SharedPassState, own: &'a Own, context: &'a PassContext, object: Value) -> Self {
        let (persisted, deleting) = (Persisted::of(&object), object.deletion_timestamp().is_some());
        let status = persisted.read();
        Self::new(shared, (ComponentKeeper::Own { own, context }, context.key()), object, persisted, &status, deleting)
    }

    /// Starts a pass of a host, with this part of the status. It may clean up an object that stays.
    pub(super) fn of_host(
        shared: &'a SharedPassState,
        (host, key): (&'a dyn Host, &'a Key),
        object: Value,
        part: &ComponentStatus,
        deleting: bool,
    ) -> Self {
        let persisted = Persisted::at(host.status_path(), &object);
        let status = match serde_json::to_value(part) {
            Ok(Value::Object(status)) => status,
            // A status always serializes to an object.
            _ => persisted.read(),
        };
        let mut begun = Self::new(shared, (ComponentKeeper::Host(host), key), object, persisted, &status, deleting);
        begun.pass.memory.inside = None;
        begun
    }

    fn new(
        shared: &'a SharedPassState,
        (keeper, key): (ComponentKeeper<'a>, &'a Key),
        object: Value,
        persisted: Persisted,
        status: &Map<String, Value>,
        deleting: bool,
    ) -> Self {
        let (draft, unreadable) = match Draft::read(status) {
            Ok((draft, merged)) => {
                for dependent in merged {
                    tracing::warn!(component = %key, %dependent, "the inventory lists a dependent twice; the item that was applied last counts");
                }
                (draft, None)
            }
            Err(error) => (Draft::default(), Some(error)),
        };
        let pass = EnginePass {
            now: shared.cluster.clock().now(),
            draft,
            generation: object.generation().unwrap_or_default(),
            deleting,
            memory: shared.memories.take(key, object.uid()),
            object,
            persisted,
            shared,
            key,
            keeper,
            transient: None,
            tally: Tally::default(),
            error_counted: false,
        };
        Self { pass, unreadable }
    }

    /// Runs all phases, up to the end of one of them.
    pub(super) async fn run(self) -> UnrecordedPass<'a> {
        // The phases are values of a kilobyte and more that are handed on; on the heap they do not make the futures of all callers large.
        match Box::pin(self.phases()).await {
            Ok(ended) | Err(ended) => *ended,
        }
    }

    async fn phases(self) -> PhaseResult<'a, Box<UnrecordedPass<'a>>> {
        let resolved = self.read_spec()?.resolve_references().await?;
        match resolved.select_target().await? {
            SelectedTarget::Abandoned(abandoned) => abandoned.delete().await,
            SelectedTarget::Known(targeted) if targeted.pass.is_deleting() => targeted.delete().await,
            SelectedTarget::Known(targeted) => targeted.apply().await,
        }
    }
}
