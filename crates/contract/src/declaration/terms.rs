use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use kube::Resource as _;
use kubewright_core::contract::{ComponentType, ConditionProblem, Declared, Format, Graph};
use kubewright_machinery::object::GroupKind;
use kubewright_runtime::cluster::ApiResource;
use kubewright_runtime::operator::Declarations;

use super::contract::ComponentInfo;
use super::owned::OwnedComponent;
use super::{Components, Contract, ContractComponent, ContractOwner};
use crate::status::{OwnerStatus, StatusForm as _};

/// The terms of a contract with their types erased, and their problems.
#[derive(Debug)]
pub(crate) struct Terms {
    pub(crate) format: Format,
    /// The graph. `None` for a contract whose graph is invalid; then there are problems.
    pub(crate) graph: Option<Graph>,
    /// The resources of the components.
    resources: BTreeMap<ComponentType, ApiResource>,
    pub(crate) problems: Vec<String>,
}

impl Terms {
    /// Returns the terms for the controller of a component.
    pub(crate) fn of<T: ContractComponent>() -> Self {
        let (mut terms, components) = Self::of_contract::<T::Contract>();
        if !components.iter().any(|component| component.type_() == T::TYPE) {
            terms.problems.push(format!("component {} is not in its contract; add it in `Contract::components`", T::TYPE));
        }
        for property in super::StatusOf::<T>::shared_properties() {
            let text = format!("component {}: two parts of its status have the property {property:?}; rename one", T::TYPE);
            terms.problems.push(text);
        }
        terms
    }

    /// Returns the terms for the controller of the owner, with the components.
    pub(crate) fn of_owner<C: Contract>() -> (Self, Vec<Arc<dyn OwnedComponent<C>>>) {
        let (mut terms, components) = Self::of_contract::<C>();
        let owner = C::Owner::kind(&());
        if <C::Owner as ContractOwner>::Form::PHASE != C::Form::PHASE {
            let text = format!("the form of the status of owner {owner} is not that of the contract; change it in `OwnerStatus`");
            terms.problems.push(text);
        }
        for property in owner_properties::<C>() {
            terms.problems.push(format!(
                "owner {owner}: the published part of its status has the property {property:?} of the framework; rename it"
            ));
        }
        (terms, components)
    }

    fn of_contract<C: Contract>() -> (Self, Vec<Arc<dyn OwnedComponent<C>>>) {
        let mut problems = Vec::new();
        let format = C::format().unwrap_or_else(|error| {
            problems.push(format!("the format of the contract: {error}"));
            // An operator with a problem does not start, so the format is never used.
            Format::openmcp()
        });
        let components = Components::<C>::declared(&format);
        problems.extend(components.iter().filter_map(|component| component.problem.clone()));
        problems.extend(condition_problems(&components));
        if C::Form::GENERATIONS != format.generations() {
            problems.push("the form of the contract's statuses is not that of its format; change `Contract::Form`".to_owned());
        }
        let resources = components.iter().map(|component| (component.member.type_, component.resource.clone())).collect();
        let (members, owned) = components.into_iter().map(|component| (component.member, component.owned)).unzip();
        let graph = match Graph::new(members) {
            Ok(graph) => Some(graph),
            Err(error) => {
                problems.push(error.to_string());
                None
            }
        };
        (Self { format, graph, resources, problems }, owned)
    }

    /// Declares the graph of the contract, and its problems, once for all controllers of an operator.
    pub(crate) fn declare<C: Contract>(&self, declarations: &mut Declarations) {
        for problem in &self.problems {
            if !declarations.problems().contains(problem) {
                declarations.problem(problem);
            }
        }
        if let Some(graph) = &self.graph {
            declarations.graph(format!("{} of {}", C::Owner::kind(&()), self.format.domain()), graph.clone());
        }
    }

    /// Returns the kinds of the components.
    pub(crate) fn kinds(&self) -> impl Iterator<Item = GroupKind> {
        self.resources.values().map(ApiResource::group_kind)
    }

    /// Returns the components that depend on the given one.
    pub(crate) fn depending(&self, on: ComponentType) -> impl Iterator<Item = (ComponentType, &ApiResource)> {
        let depending = self.graph.iter().flat_map(move |graph| graph.depending(on));
        depending.filter_map(|type_| Some((type_, self.resources.get(&type_)?)))
    }
}

/// Returns the properties that the published part of the owner's status shares with the common part.
fn owner_properties<C: Contract>() -> BTreeSet<String> {
    OwnerStatus::<<C::Owner as ContractOwner>::Published, <C::Owner as ContractOwner>::Form>::shared_properties()
}

/// Returns the problems of condition types that components cannot declare (CT-2).
fn condition_problems<C>(components: &[ComponentInfo<C>]) -> Vec<String> {
    let declared: Vec<Declared> = components.iter().map(|component| (component.member.type_, component.conditions)).collect();
    let problems =
        declared.iter().enumerate().filter_map(|(index, component)| ConditionProblem::find(*component, &declared[..index]));
    problems.map(|problem| problem.to_string()).collect()
}
