//! The internal configuration of an owner.

use std::sync::Arc;

use kube::Resource as _;
use kubewright_core::child::ChildOwner;
use kubewright_core::contract::component_patch;
use kubewright_core::flow::{BoxError, Failure, Flow};
use kubewright_machinery::object::{Key, ObjectExt as _};
use kubewright_runtime::cluster::{ApiRequest, ApiResource, PatchKind};
use kubewright_runtime::controller::WriteVerb;
use kubewright_runtime::inject::FromOperator as _;
use kubewright_runtime::kind::KnownKind as _;
use kubewright_runtime::operator::{Declarations, OperatorContext, Rule};
use kubewright_runtime::reconcile::Context;
use kubewright_runtime::store::Store;

use super::OwnerLoop;
use super::write::refused;
use crate::declaration::{Contract, ContractInternal};

/// The store of internal configurations. Empty for a contract without any.
pub(super) struct InternalObjects<C: Contract> {
    store: Option<Store<C::Internal>>,
}

/// The internal configuration of an owner.
pub(super) struct Internal<C: Contract> {
    pub(super) settings: Arc<C::Internal>,
    pub(super) generation: i64,
}

impl<C: Contract> InternalObjects<C> {
    pub(super) fn declare(declarations: &mut Declarations) {
        if !C::Internal::EXISTS {
            return;
        }
        Store::<C::Internal>::declare(declarations);
        if let Some(definition) = C::Internal::definition() {
            declarations.crd(definition);
        }
        declarations.rule(Rule::new(C::Internal::group(&()), C::Internal::plural(&()), &["patch"]));
    }

    pub(super) fn open(context: &OperatorContext) -> Result<Self, BoxError> {
        let store = if C::Internal::EXISTS { Some(Store::extract(context)?) } else { None };
        Ok(Self { store })
    }

    /// Returns the internal configuration of an owner, if there is one.
    pub(super) fn find(&self, key: &Key) -> Flow<Option<Internal<C>>> {
        let Some(kept) = self.store.as_ref().and_then(|store| store.kept().get(key)) else { return Ok(None) };
        let Some(settings) = kept.decode() else {
            return Failure::msg("the internal configuration cannot be decoded").reason("DecodeFailed").into();
        };
        let generation = settings.meta().generation.unwrap_or_default();
        Ok(Some(Internal { settings, generation }))
    }
}

impl<C: Contract> OwnerLoop<C> {
    /// Sets the owner reference on the internal configuration, so that it is deleted with the owner.
    pub(super) async fn own_internal(&self, cx: &Context<C::Owner>, owner: &ChildOwner) -> Flow {
        let key = cx.key();
        let Some(store) = &self.internal.store else { return Ok(()) };
        let Some(live) = store.kept().get(key).map(|kept| kept.json()) else { return Ok(()) };
        if live.deletion_timestamp().is_some() {
            return Ok(());
        }
        let mut wanted = live.clone();
        owner.refer(&mut wanted);
        let Some(patch) = component_patch(&live, &wanted, self.terms.format.operation()) else { return Ok(()) };
        let gvk = C::Internal::gvk();
        let resource = ApiResource::known(&gvk, C::Internal::plural(&()), C::Internal::is_namespaced());
        let request = ApiRequest::patch(&resource, key.namespace(), key.name(), PatchKind::Json, &patch);
        match cx.cluster().send(&request.field_manager(&self.manager)).await {
            Ok(answer) => {
                store.record_write(&answer);
                cx.note_write(WriteVerb::Patched, &gvk.group_kind(), key);
                Ok(())
            }
            // The object is gone, which the watch reports later.
            Err(error) if error.is_not_found() => Ok(()),
            Err(error) => Err(refused(error).context("failed to set the owner of the internal configuration").into()),
        }
    }
}
