use std::collections::BTreeMap;

use kubewright_core::contract::{ComponentType, ConditionProblem, Declared, Format, Graph};
use kubewright_runtime::cluster::ApiResource;

use super::contract::ComponentInfo;
use super::{Components, Contract, ContractComponent};
use crate::status::StatusForm as _;

/// The terms of a contract without its types, and what is wrong with them.
#[derive(Debug)]
pub(crate) struct Terms {
    pub(crate) format: Format,
    /// None for a contract whose graph is none; it has problems then.
    pub(crate) graph: Option<Graph>,
    /// The resources of the components.
    resources: BTreeMap<ComponentType, ApiResource>,
    pub(crate) problems: Vec<String>,
}

impl Terms {
    /// The terms as a component's controller sees them.
    pub(crate) fn of<T: ContractComponent>() -> Self {
        let mut problems = Vec::new();
        let format = T::Contract::format().unwrap_or_else(|error| {
            problems.push(format!("the format of the contract: {error}"));
            // An operator with a problem does not start.
            Format::openmcp()
        });
        let components = Components::<T::Contract>::declared(&format);
        problems.extend(components.iter().filter_map(|component| component.problem.clone()));
        problems.extend(condition_problems(&components));
        if !components.iter().any(|component| component.member.type_ == T::TYPE) {
            problems.push(format!("component {} is not in its contract; add it in `Contract::components`", T::TYPE));
        }
        if <T::Contract as Contract>::Form::GENERATIONS != format.generations() {
            problems.push("the form of the contract's statuses is not that of its format; change `Contract::Form`".to_owned());
        }
        for property in super::StatusOf::<T>::shared_properties() {
            problems.push(format!("component {}: two parts of its status have the property {property:?}; rename one", T::TYPE));
        }
        let resources = components.iter().map(|component| (component.member.type_, component.resource.clone())).collect();
        let graph = match Graph::new(components.into_iter().map(|component| component.member).collect()) {
            Ok(graph) => Some(graph),
            Err(error) => {
                problems.push(error.to_string());
                None
            }
        };
        Self { format, graph, resources, problems }
    }

    /// The components that depend on one.
    pub(crate) fn depending(&self, on: ComponentType) -> impl Iterator<Item = (ComponentType, &ApiResource)> {
        let depending = self.graph.iter().flat_map(move |graph| graph.depending(on));
        depending.filter_map(|type_| Some((type_, self.resources.get(&type_)?)))
    }
}

/// The condition types that components cannot declare (CT-2).
fn condition_problems(components: &[ComponentInfo]) -> Vec<String> {
    let declared: Vec<Declared> = components.iter().map(|component| (component.member.type_, component.conditions)).collect();
    let problems =
        declared.iter().enumerate().filter_map(|(index, component)| ConditionProblem::find(*component, &declared[..index]));
    problems.map(|problem| problem.to_string()).collect()
}
