//! The requests that create, change and delete components.

use kubewright_core::child::LastWrite;
use kubewright_core::contract::{OperationChange, component_patch};
use kubewright_core::flow::{Classified, Failure, Flow};
use kubewright_machinery::object::{Key, ObjectExt as _, Propagation, canonical_sha256};
use kubewright_runtime::cluster::{ApiError, ApiRequest, PatchKind, is_removed};
use kubewright_runtime::controller::WriteVerb;
use kubewright_runtime::reconcile::Context;
use serde_json::Value;

use super::OwnerLoop;
use super::component::{ExistingComponent, OpenComponent};
use crate::declaration::Contract;

impl<C: Contract> OwnerLoop<C> {
    /// Creates a component.
    pub(super) async fn create(&self, cx: &Context<C::Owner>, component: &OpenComponent<C>, wanted: &Value) -> Flow {
        let request = ApiRequest::create(&component.resource, wanted).field_manager(&self.manager);
        let answer = cx.cluster().send(&request).await.map_err(refused)?;
        Self::wrote(cx, component, WriteVerb::Created, &answer);
        self.remember(cx.key(), component, &wanted["spec"], &answer);
        Ok(())
    }

    /// Changes a component to a wanted state that was derived from its live one, and returns the answer. Nothing is sent if both are equal.
    pub(super) async fn change(
        &self,
        cx: &Context<C::Owner>,
        component: &OpenComponent<C>,
        existing: &ExistingComponent,
        wanted: &Value,
    ) -> Flow<Option<Value>> {
        let operation = self.terms.format.operation();
        let Some(patch) = component_patch(&existing.object, wanted, operation) else { return Ok(None) };
        let (key, resource) = (cx.key(), &component.resource);
        let request = ApiRequest::patch(resource, key.namespace(), key.name(), PatchKind::Json, &patch);
        let error = match cx.cluster().send_in_turn(&existing.object, &request.field_manager(&self.manager)).await {
            Ok(answer) => {
                Self::wrote(cx, component, WriteVerb::Patched, &answer);
                return Ok(Some(answer));
            }
            Err(error) => error,
        };
        if error.is_not_found() {
            component.objects.record_delete(key, existing.object.uid());
        }
        if error.is_not_found() || error.code() == Some(422) && self.has_moved(cx, component, &existing.object).await {
            return Err(Failure::unclassified(Classified::conflict(error)).into());
        }
        Err(refused(error).into())
    }

    /// Deletes a component, and sets this operation on it if finalizers hold it.
    pub(super) async fn remove(
        &self,
        cx: &Context<C::Owner>,
        component: &OpenComponent<C>,
        existing: &ExistingComponent,
        change: OperationChange,
    ) -> Flow {
        let (key, uid) = (cx.key(), existing.object.uid());
        let exactly = ((key.namespace(), key.name()), (uid, None));
        let request = ApiRequest::delete_exactly(&component.resource, exactly.0, exactly.1, Propagation::Background);
        let answer = match cx.cluster().send_in_turn(&existing.object, &request).await {
            Ok(answer) => answer,
            Err(error) if error.is_not_found() => {
                component.objects.record_delete(key, uid);
                return Ok(());
            }
            Err(error) => return Err(refused(error).into()),
        };
        cx.note_write(WriteVerb::Deleted, &component.kind(), key);
        if answer.deletion_timestamp().is_none() || is_removed(&answer) {
            component.objects.record_delete(key, uid);
            return Ok(());
        }
        component.objects.record_write(&answer);
        let mut wanted = answer.clone();
        change.put(&mut wanted, &self.terms.format);
        let going = ExistingComponent {
            observation: existing.observation.clone(),
            ownership: existing.ownership.clone(),
            object: answer,
        };
        match self.change(cx, component, &going, &wanted).await {
            // The component's controller removed it in the meantime.
            Err(_) if component.objects.find(key).is_none_or(|found| found.uid() != uid) => Ok(()),
            outcome => outcome.map(drop),
        }
    }

    /// Returns true if the server has the wanted spec: literally, as the type of the component reads it, or in the form in which the server
    /// stored it when it was sent last.
    pub(super) fn has_spec(&self, key: &Key, component: &OpenComponent<C>, live: &Value, spec: &Value) -> bool {
        component.owned.is_same_spec(&live["spec"], spec) || {
            let writes = self.writes.lock();
            let last = writes.get(&(key.clone(), component.type_()));
            last.is_some_and(|last| last.is_state_of(live) && last.wrote(&canonical_sha256(spec)))
        }
    }

    /// Forgets the last write of a component that does not exist.
    pub(super) fn forget(&self, key: &Key, component: &OpenComponent<C>) {
        self.writes.lock().remove(&(key.clone(), component.type_()));
    }

    /// Remembers the form in which the server stored a spec, if it differs from the spec that was sent.
    pub(super) fn remember(&self, key: &Key, component: &OpenComponent<C>, spec: &Value, answer: &Value) {
        let entry = (key.clone(), component.type_());
        if component.owned.is_same_spec(&answer["spec"], spec) {
            self.writes.lock().remove(&entry);
        } else {
            self.writes.lock().insert(entry, LastWrite::new(canonical_sha256(spec), answer));
        }
    }

    fn wrote(cx: &Context<C::Owner>, component: &OpenComponent<C>, verb: WriteVerb, answer: &Value) {
        component.objects.record_write(answer);
        if is_removed(answer) {
            component.objects.record_delete(cx.key(), answer.uid());
        }
        cx.note_write(verb, &component.kind(), cx.key());
    }

    /// Returns true if the object differs from the one that a refused patch was made for. Then the patch failed because it was outdated, not
    /// because of its content.
    async fn has_moved(&self, cx: &Context<C::Owner>, component: &OpenComponent<C>, known: &Value) -> bool {
        let key = cx.key();
        match cx.cluster().send(&ApiRequest::get(&component.resource, key.namespace(), key.name())).await {
            Ok(live) => {
                component.objects.record_write(&live);
                let differs = |field: &&str| live.metadata().get(*field) != known.metadata().get(*field);
                ["uid", "labels", "annotations", "ownerReferences"].iter().any(differs) || live["spec"] != known["spec"]
            }
            Err(error) => error.is_not_found(),
        }
    }
}

/// Converts the error of a request to a failure.
pub(super) fn refused(error: ApiError) -> Failure {
    Failure::unclassified(error)
}
