//! The construction of the loop, with the stores of all components.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use async_trait::async_trait;
use kube::Resource as _;
use kubewright_core::contract::{ComponentType, Graph};
use kubewright_core::finalizer::GiveUp;
use kubewright_core::flow::BoxError;
use kubewright_runtime::inject::{Construct, FromOperator as _};
use kubewright_runtime::operator::{Declarations, OperatorContext, Rule};
use kubewright_runtime::store::Store;
use parking_lot::Mutex;

use super::OwnerLoop;
use super::component::OpenComponent;
use super::internal::InternalObjects;
use super::namespace::NamespaceLabels;
use crate::declaration::{Contract, OwnedComponent, Terms};

/// The constructor of the loop of an owner.
pub(crate) struct OwnerConstructor<C> {
    pub(crate) terms: Arc<Terms>,
    pub(crate) components: Vec<Arc<dyn OwnedComponent<C>>>,
    pub(crate) give_up: GiveUp,
}

#[async_trait]
impl<C: Contract> Construct<OwnerLoop<C>> for OwnerConstructor<C> {
    fn declare(&self, declarations: &mut Declarations) {
        self.terms.declare::<C>(declarations);
        for component in &self.components {
            component.declare(declarations);
        }
        InternalObjects::<C>::declare(declarations);
        NamespaceLabels::declare::<C>(&self.terms.format, declarations);
        declarations.rule(Rule::new(C::Owner::group(&()), C::Owner::plural(&()), &["get", "patch"]));
    }

    async fn construct(self: Box<Self>, context: &OperatorContext) -> Result<OwnerLoop<C>, BoxError> {
        let Self { terms, components, give_up } = *self;
        let open = |owned: Arc<dyn OwnedComponent<C>>| {
            Ok(OpenComponent { objects: owned.open(context)?, resource: owned.resource(), gvk: owned.gvk(), owned })
        };
        let controller: Arc<str> = context.cluster.controller().into();
        let owners = Store::<C::Owner>::extract(context)?;
        let components: Vec<OpenComponent<C>> = components.into_iter().map(open).collect::<Result<_, BoxError>>()?;
        let index_of = |type_: &ComponentType| components.iter().position(|component| component.type_() == *type_);
        let groups = terms.graph.iter().flat_map(Graph::creation);
        Ok(OwnerLoop {
            creation: groups.map(|group| group.iter().filter_map(index_of).collect()).collect(),
            components,
            internal: InternalObjects::open(context)?,
            namespaces: NamespaceLabels::open::<C>(&terms.format, context)?,
            give_up,
            manager: format!("{}/{controller}", terms.format.domain()),
            asked: Mutex::new(HashSet::new()),
            writes: Mutex::new(HashMap::new()),
            waits: context.waits.of(&controller, move |key| owners.kept().get(key).is_some()),
            controller,
            terms,
        })
    }
}
