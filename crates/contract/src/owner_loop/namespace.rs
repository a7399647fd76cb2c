//! Labels that components copy from their namespace.

use std::collections::BTreeMap;

use k8s_openapi::api::core::v1::Namespace;
use kubewright_core::contract::Format;
use kubewright_core::flow::{BoxError, Event};
use kubewright_core::reason;
use kubewright_machinery::object::Key;
use kubewright_runtime::inject::FromOperator as _;
use kubewright_runtime::operator::{Declarations, OperatorContext};
use kubewright_runtime::reconcile::Context;
use kubewright_runtime::store::{AllNamespaces, MetaStore};

use super::OwnerLoop;
use crate::declaration::Contract;

/// The metadata of namespaces, for contracts that read it.
pub(super) struct NamespaceLabels {
    store: Option<MetaStore<Namespace, AllNamespaces>>,
}

impl NamespaceLabels {
    fn are_read<C: Contract>(format: &Format) -> bool {
        C::READS_NAMESPACES || !format.namespace_labels().is_empty()
    }

    pub(super) fn declare<C: Contract>(format: &Format, declarations: &mut Declarations) {
        if Self::are_read::<C>(format) {
            MetaStore::<Namespace, AllNamespaces>::declare(declarations);
        }
    }

    pub(super) fn open<C: Contract>(format: &Format, context: &OperatorContext) -> Result<Self, BoxError> {
        let store = if Self::are_read::<C>(format) { Some(MetaStore::extract(context)?) } else { None };
        Ok(Self { store })
    }

    fn of(&self, namespace: &str) -> BTreeMap<String, String> {
        let found = self.store.as_ref().and_then(|store| store.get(&Key::new("", namespace)));
        found.and_then(|found| found.metadata.labels.clone()).unwrap_or_default()
    }
}

/// The copied labels in a pass.
pub(super) struct PropagatedLabels {
    /// The labels that the format copies from the namespace, also to the owner.
    pub(super) of_format: BTreeMap<String, String>,
    /// The labels that the author of the contract returns.
    pub(super) of_author: BTreeMap<String, String>,
}

impl<C: Contract> OwnerLoop<C> {
    /// Returns the labels that components get besides those of the format. A failure of the author's hook is reported, and does not end the
    /// pass.
    pub(super) fn propagated(&self, cx: &Context<C::Owner>, owner: &C::Owner) -> PropagatedLabels {
        let namespace = self.namespaces.of(cx.key().namespace());
        let copied = self.terms.format.namespace_labels().iter();
        let of_format = copied.filter_map(|(from, to)| Some(((*to).to_owned(), namespace.get(*from)?.clone()))).collect();
        let of_author = C::propagate(owner, &namespace).unwrap_or_else(|failure| {
            let note = format!("failed to find the labels that components take over: {}", failure.text());
            cx.recorder().record(Event::warning(reason!("PropagationFailed"), note));
            BTreeMap::new()
        });
        PropagatedLabels { of_format, of_author }
    }
}
