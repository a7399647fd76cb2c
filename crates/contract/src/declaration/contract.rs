use std::fmt;
use std::marker::PhantomData;

use kube::Resource as _;
use kubewright_core::contract::{DeclaredCondition, Format, Graph, Member};
use kubewright_core::finalizer::InvalidFinalizerName;
use kubewright_core::flow::BoxError;
use kubewright_runtime::cluster::ApiResource;
use kubewright_runtime::kind::KnownKind;

use super::{ContractComponent, ContractOwner, Edges as _};
use crate::status::StatusForm;

/// A contract between an owner resource and its components.
///
/// The owner is the customer's resource; a section in its spec switches a component on. Each component is a resource of the owner's name and
/// namespace, generated from the owner and, if there is one, its internal configuration.
pub trait Contract: Sized + Send + Sync + 'static {
    /// The kind of the owner, whose status is an [`OwnerStatus`](crate::OwnerStatus).
    type Owner: ContractOwner;
    /// The kind of the internal configuration; [`NoInternal`] for a contract without one.
    type Internal: KnownKind;
    /// The names of the fields in the common parts of statuses, those of the contract's format.
    type Form: StatusForm;

    /// The keys and names on the wire. By default those of the domain that is the API group of the owner.
    fn format() -> Result<Format, InvalidFinalizerName> {
        Format::standard(Self::Owner::group(&()))
    }

    /// Adds the components, each with [`Components::add`].
    fn components(components: &mut Components<Self>);

    /// The graph of the components, for instance to draw it. Fails with what keeps an operator of the contract from starting.
    fn graph() -> Result<Graph, BoxError> {
        let components = Components::<Self>::declared(&Self::format()?);
        Ok(Graph::new(components.into_iter().map(|component| component.member).collect())?)
    }
}

/// The components of a contract.
pub struct Components<C> {
    format: Format,
    all: Vec<ComponentInfo>,
    contract: PhantomData<fn() -> C>,
}

/// A component of a contract, without its types.
#[derive(Debug)]
pub(super) struct ComponentInfo {
    pub(super) member: Member,
    pub(super) resource: ApiResource,
    pub(super) conditions: &'static [DeclaredCondition],
    /// What is wrong with the component by itself.
    pub(super) problem: Option<String>,
}

impl<C: Contract> Components<C> {
    /// The components of the contract, in the order of their declaration.
    pub(super) fn declared(format: &Format) -> Vec<ComponentInfo> {
        let mut components = Self { format: format.clone(), all: Vec::new(), contract: PhantomData };
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
        let resource = ApiResource::known(&T::gvk(), T::plural(&()), T::is_namespaced());
        let member = Member { type_: T::TYPE, keep_running: T::KEEP_RUNNING, edges: T::Edges::declared(&self.format) };
        self.all.push(ComponentInfo { member, resource, conditions: T::CONDITIONS, problem });
        self
    }
}

impl<C> fmt::Debug for Components<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Components").field("all", &self.all).finish_non_exhaustive()
    }
}
