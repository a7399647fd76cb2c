use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use jiff::Timestamp;
use kubewright_core::backoff::Transient;
use kubewright_core::component::{ComponentStatus, EndingContext};
use kubewright_core::dependents::{Engine, Inventory, ManagedType, ObjectAction, Request, Verb};
use kubewright_core::flow::{Confidential, Failure};
use kubewright_core::manifest::component_digest;
use kubewright_core::reference::Resolved;
use kubewright_core::why::WriteVerb;
use kubewright_machinery::object::{GroupKind, Key, ObjectExt as _};
use kubewright_runtime::controller::PassContext;
use serde_json::{Map, Value};

use super::component_keeper::ComponentKeeper;
use super::component_memory::Taken;
use super::end::{EnginePassEnd, Intervals, Step};
use super::{Host, Own, SharedPassState};
use crate::erased::Instance;
use crate::events::Tally;
use crate::hooks::{HookInputs, Point};
use crate::observe::{DependentWatches, Polled};
use crate::record::{Draft, Persisted, UnreadableStatus};
use crate::settings::Effective;
use crate::targets::DependentsTarget;

/// One pass over one component.
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
    generation: i64,
    /// True if the component was being deleted when the pass began.
    deleting: bool,
    pub(super) draft: Draft,
    /// The error if the status could not be read. Nothing may be written then.
    pub(super) unreadable: Option<UnreadableStatus>,
    pub(super) memory: Taken<'a>,
    /// The effective settings. `None` until the spec was read.
    pub(super) effective: Option<Effective>,
    /// The contents of the references.
    pub(super) resolved: Resolved,
    /// The namespace of the component, if it is being deleted and a referenced object is gone for good.
    pub(super) ending_namespace: Option<Value>,
    /// The target of the dependents.
    pub(super) target: Arc<DependentsTarget>,
    /// True if the target cannot be reached any more, because its kubeconfig is gone for good.
    pub(super) lost_target: bool,
    /// The watches on the dependents.
    pub(super) watches: DependentWatches,
    /// The dependents of kinds that may not be watched, as they were read.
    pub(super) polled: HashMap<GroupKind, Polled>,
    /// The types of dependents and blockers that may not be watched, as far as this pass needs them.
    pub(super) unwatched: BTreeSet<String>,
    /// The types of references that may not be watched.
    pub(super) unwatched_references: BTreeSet<String>,
    /// True if this pass observed the dependents.
    pub(super) looked: bool,
    pub(super) digest: Option<String>,
    /// True if the component changed since the last pass.
    pub(super) restarted: bool,
    /// True if another program of this name left the component as it is (TAKE-3).
    pub(super) succeeds: bool,
    /// The time of the next check if no event comes before.
    pub(super) wake: Option<Timestamp>,
    /// The transient errors that left work undone.
    pub(super) transient: Option<Transient>,
    /// The writes of this pass.
    pub(super) tally: Tally,
    /// True if a request about a dependent was counted as an error. The failure of the pass is not counted again then.
    pub(super) error_counted: bool,
}

impl<'a> EnginePass<'a> {
    /// Starts a pass of the component reconciler.
    pub(super) fn begin(shared: &'a SharedPassState, own: &'a Own, context: &'a PassContext, object: Value) -> Self {
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
        let mut pass = Self::new(shared, (ComponentKeeper::Host(host), key), object, persisted, &status, deleting);
        pass.memory.inside = None;
        pass
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
        Self {
            now: shared.cluster.clock().now(),
            draft,
            unreadable,
            generation: object.generation().unwrap_or_default(),
            deleting,
            memory: shared.memories.take(key, object.uid()),
            object,
            persisted,
            shared,
            key,
            keeper,
            effective: None,
            resolved: Resolved::default(),
            ending_namespace: None,
            lost_target: false,
            target: Arc::clone(shared.targets.local()),
            watches: shared.targets.local().dependents.clone(),
            polled: HashMap::new(),
            unwatched: BTreeSet::new(),
            unwatched_references: BTreeSet::new(),
            looked: false,
            digest: None,
            restarted: false,
            succeeds: false,
            wake: None,
            transient: None,
            tally: Tally::default(),
            error_counted: false,
        }
    }

    /// Runs all steps. The end of a step ends the pass.
    pub(super) async fn run(&mut self) -> EnginePassEnd {
        match self.steps().await {
            Ok(end) => end,
            Err(end) => *end,
        }
    }

    async fn steps(&mut self) -> Step<EnginePassEnd> {
        let deleting = self.is_deleting();
        if let ComponentKeeper::Own { own, .. } = self.keeper
            && deleting
            && !own.finalizers.holds(&self.object)
        {
            return Ok(EnginePassEnd::Gone);
        }
        if let Some(error) = &self.unreadable {
            self.shared.events.warning(&self.object, "StatusUnreadable", format!("Failed to {error}"));
            return Ok(EnginePassEnd::unrecorded(Failure::backoff(error.clone()).slow()));
        }
        let (instance, effective) = self.read_spec()?;
        self.object = without_status(std::mem::take(&mut self.object));
        if effective.suspend && !deleting {
            return Ok(EnginePassEnd::suspended());
        }
        self.effective = Some(effective);
        let references = self.resolve_references(&*instance).await?;
        let digest = self.component_digest(&references);
        if !deleting {
            self.succeeds = self.draft.component.is_left_by_another(self.generation());
            self.restarted = self.draft.component.process(&digest, self.generation());
        }
        self.digest = Some(digest);
        self.select_target().await?;
        self.target.dependents.register(self.key, self.shared.owner(self.key).hash());
        if deleting { self.delete(&*instance).await } else { self.apply(&*instance).await }
    }

    /// Returns the component as its type, with its settings.
    pub(super) fn read_spec(&self) -> Step<(Box<dyn Instance>, Effective)> {
        let instance = match self.keeper {
            ComponentKeeper::Host(host) => host.instance(),
            ComponentKeeper::Own { own, .. } => own.kind.decode(&self.object).map_err(|error| {
                // The error quotes values of the object.
                let error = error.to_string();
                let error = Confidential::of(&self.object, false).mask(&error).into_owned();
                Box::new(EnginePassEnd::invalid_spec(format!(
                    "the object does not fit its type: {error} (correct the object, or install the CRD of this operator)"
                )))
            })?,
        };
        let names = (self.key.namespace(), self.key.name());
        let effective = Effective::of(&instance.settings(), &self.shared.defaults, names)
            .map_err(|error| Box::new(EnginePassEnd::invalid_spec(error.to_string())))?;
        Ok((instance, effective))
    }

    pub(super) fn is_deleting(&self) -> bool {
        self.deleting
    }

    pub(super) fn generation(&self) -> i64 {
        self.generation
    }

    pub(super) fn intervals(&self) -> Intervals {
        Intervals::of(self.effective.as_ref())
    }

    pub(super) fn ending_context(&self) -> EndingContext {
        EndingContext {
            deleting: self.is_deleting(),
            generation: self.generation(),
            started: self.now,
            timeout: self.effective.as_ref().map_or_else(|| self.intervals().requeue, |effective| effective.timeout),
        }
    }

    /// Returns the engine with the settings of this component.
    pub(super) fn engine(&self) -> Engine {
        let mut engine = self.shared.engine(self.key);
        if let Some(effective) = &self.effective {
            let declared = effective.additional_managed_types.iter();
            engine.additional_managed_types =
                declared.map(|managed| ManagedType::declared(&managed.group, &managed.kind)).collect();
            engine.missing_namespaces = effective.policies.missing_namespaces;
        }
        engine
    }

    /// Returns the persisted inventory.
    pub(super) fn inventory(&self) -> Inventory {
        self.draft.component.inventory.clone()
    }

    /// Notes a patch of the component, or of its subresource. A host notes its own patches.
    pub(super) fn patched_component(&self, subresource: &str) {
        if let ComponentKeeper::Own { context, .. } = self.keeper {
            context.wrote(WriteVerb::Patched, &self.shared.resource.group_kind(), self.key, subresource);
        }
    }

    /// Notes a write of a dependent.
    pub(super) fn wrote_dependent(&self, action: &ObjectAction) {
        let verb = match (&action.request, action.verb) {
            (Request::Create(_), _) | (_, Verb::Create | Verb::CreateNamespace) => WriteVerb::Created,
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

    /// Runs the hooks of a point. Their changes of the status are kept even if they halt.
    pub(super) async fn hooks(&mut self, point: Point, instance: &dyn Instance) -> Step {
        if !instance.has_hooks(point) {
            return Ok(());
        }
        let effective = self.effective.as_ref();
        let inputs = HookInputs {
            namespace: effective.map(|effective| effective.namespace.clone()).unwrap_or_default(),
            name: effective.map(|effective| effective.name.clone()).unwrap_or_default(),
            digest: self.digest.clone().unwrap_or_default(),
            revision: self.draft.component.revision,
            references: self.resolved.clone(),
            target: (!self.is_abandoned()).then(|| self.target.cluster().clone()),
            reporter: self.shared.events.reporter(&self.object),
        };
        let mut status = self.draft.to_map();
        self.memory.inside = Some(point.hooks());
        let outcome = instance.run_hooks(point, inputs, &mut status).await;
        self.memory.inside = None;
        self.draft.adopt(status);
        outcome.map_err(|halt| {
            self.note_halt(&halt);
            Box::new(EnginePassEnd::halted(halt, self.intervals()))
        })
    }

    fn component_digest(&self, references: &BTreeMap<Vec<String>, String>) -> String {
        let text = |(key, value): (&String, &Value)| Some((key.clone(), value.as_str()?.to_owned()));
        let annotations: BTreeMap<String, String> = self.object.annotations().iter().filter_map(text).collect();
        let spec = self.object.get("spec").unwrap_or(&Value::Null);
        component_digest(self.generation(), &annotations, spec, references)
    }
}

/// Removes the status from a component; it is kept as text.
fn without_status(mut object: Value) -> Value {
    if let Some(fields) = object.as_object_mut() {
        fields.remove("status");
    }
    object
}
