use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use kube::Resource as _;
use kubewright_core::contract::{Architecture, ComponentType, DeclaredCondition, Format, Graph, Member};
use kubewright_core::finalizer::InvalidFinalizerName;
use kubewright_core::flow::{BoxError, Failure};
use kubewright_runtime::cluster::ApiResource;

use super::internal::ContractInternal;
use super::owned::{OwnedComponent, Typed};
use super::{ContractComponent, ContractOwner, Edges as _};
use crate::status::StatusForm;

/// A contract between an owner resource and its components.
///
/// The owner is the customer's resource; a section in its spec switches a component on. Each component is a resource of the owner's name and
/// namespace, generated from the owner and, if there is one, its internal configuration.
pub trait Contract: Sized + Send + Sync + 'static {
    /// The kind of the owner, whose status is an [`OwnerStatus`](crate::OwnerStatus).
    type Owner: ContractOwner;
    /// The kind of the internal configuration; [`NoInternal`](super::NoInternal) for a contract without one.
    type Internal: ContractInternal;
    /// The names of the fields in the common parts of statuses, those of the contract's format.
    type Form: StatusForm;

    /// True if [`propagate`](Self::propagate) reads the labels of namespaces. The loop of the owner then watches their metadata.
    const READS_NAMESPACES: bool = false;

    /// Returns the keys and names in the stored objects. By default those of the domain that is the API group of the owner.
    fn format() -> Result<Format, InvalidFinalizerName> {
        Format::standard(Self::Owner::group(&()))
    }

    /// Adds the components, each with [`Components::add`].
    fn components(components: &mut Components<Self>);

    /// Returns the graph of the components, for instance to draw it. It fails with the errors that keep an operator of the contract from
    /// starting.
    fn graph() -> Result<Graph, BoxError> {
        let components = Components::<Self>::declared(&Self::format()?);
        Ok(Graph::new(components.into_iter().map(|component| component.member).collect())?)
    }

    /// Returns the types of the components that their controllers ignore. These components are generated with the annotation
    /// `<domain>/operation: ignore` and the mark `<domain>/disabled: "true"` (OPA-7). By default none.
    fn disabled(owner: &Self::Owner, internal: Option<&Self::Internal>) -> Vec<ComponentType> {
        let _ = (owner, internal);
        Vec::new()
    }

    /// Returns labels that all components get besides those of the format. The labels of the namespace are empty without
    /// [`READS_NAMESPACES`](Self::READS_NAMESPACES). A failure is reported by a Warning event, and the pass continues. A label that is no longer
    /// returned stays on the components.
    fn propagate(owner: &Self::Owner, namespace: &BTreeMap<String, String>) -> Result<BTreeMap<String, String>, Failure> {
        let _ = (owner, namespace);
        Ok(BTreeMap::new())
    }

    /// Returns the architecture of the components of a type, under the preset `openmcp`. By default `v1`, unless the owner chooses another one.
    fn architecture(component: ComponentType, internal: Option<&Self::Internal>) -> Architecture {
        let _ = (component, internal);
        Architecture::default()
    }
}

/// The components of a contract.
pub struct Components<C> {
    format: Format,
    all: Vec<ComponentInfo<C>>,
}

/// A component of a contract, with its type erased.
pub(crate) struct ComponentInfo<C> {
    pub(super) member: Member,
    pub(super) resource: ApiResource,
    pub(super) conditions: &'static [DeclaredCondition],
    /// The defect of the component by itself, if it has one.
    pub(super) problem: Option<String>,
    pub(crate) owned: Arc<dyn OwnedComponent<C>>,
}

impl<C: Contract> Components<C> {
    /// Returns the components of the contract, in the order of their declaration.
    pub(crate) fn declared(format: &Format) -> Vec<ComponentInfo<C>> {
        let mut components = Self { format: format.clone(), all: Vec::new() };
        C::components(&mut components);
        components.all
    }

    /// Adds a component.
    pub fn add<T: ContractComponent<Contract = C>>(&mut self) -> &mut Self {
        self.insert::<T>(None)
    }

    /// Adds a component whose type is its kind.
    #[doc(hidden)]
    pub fn add_by_kind<T: ContractComponent<Contract = C>>(&mut self) -> &mut Self {
        let (type_, kind) = (T::TYPE, T::kind(&()));
        let problem = format!(
            "component {type_} has the kind {kind}; say in `contract!` which of the two is its type, `{type_} {{ type = \"{kind}\" }}` or \
             `{type_} {{ type = \"{type_}\" }}`"
        );
        self.insert::<T>((kind != type_.as_str()).then_some(problem))
    }

    fn insert<T: ContractComponent<Contract = C>>(&mut self, problem: Option<String>) -> &mut Self {
        let owned: Arc<dyn OwnedComponent<C>> = Arc::new(Typed::<T>::new());
        let member = Member { type_: T::TYPE, keep_running: T::KEEP_RUNNING, edges: T::Edges::declared(&self.format) };
        self.all.push(ComponentInfo { member, resource: owned.resource(), conditions: owned.conditions(), problem, owned });
        self
    }
}

impl<C> fmt::Debug for Components<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.all.iter().map(|component| &component.member)).finish()
    }
}
