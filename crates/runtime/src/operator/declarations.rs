//! The declarations of the parts of an operator: what they need of a cluster.

use std::any::{Any, TypeId};
use std::collections::{BTreeMap, BTreeSet};

use kubewright_core::backoff::Timing;
use kubewright_core::config::FromConfigMap;
use kubewright_core::contract::Graph;
use kubewright_machinery::object::{GroupKind, GroupVersionKind};
use serde_json::Value;

use super::injected::States;
use super::scope::ClusterScoped;
use super::{Compat, Rule};
use crate::config::{ConfigValues, DeclaredConfigs};
use crate::leadership::{Sharing, lease_rule, stateful_set_rule};
use crate::store::StoreRequest;
use crate::watch::Namespaces;

/// The name of leadership in errors about missing settings.
pub(super) const LEADERSHIP: &str = "leadership";

/// The API group of events.
const EVENTS: &str = "events.k8s.io";

/// The declarations of all parts of an operator.
#[derive(Clone, Debug, Default)]
pub struct Declarations {
    crds: BTreeMap<String, Value>,
    rules: BTreeSet<Rule>,
    optional: BTreeSet<Rule>,
    unless_confined: BTreeSet<Rule>,
    everywhere: BTreeSet<Rule>,
    /// The permissions in the namespace in which the operator runs.
    system: BTreeSet<Rule>,
    kinds: BTreeSet<GroupVersionKind>,
    /// The parts that have claimed a unique name, by the kind of name and its value.
    claims: BTreeMap<(String, String), String>,
    /// The graphs of contracts, by their names.
    graphs: BTreeMap<String, Graph>,
    needs: PartNeeds,
    configs: DeclaredConfigs,
    formats: Box<Compat>,
    /// The values that the operator's author registered.
    states: States,
    /// The part whose declarations are being made.
    part: Option<String>,
    problems: Vec<String>,
    remarks: Vec<String>,
}

/// The needs of parts that the operator itself must fulfil, checked at the start.
#[derive(Clone, Debug, Default)]
pub(super) struct PartNeeds {
    /// The part that needs the system namespace, if any part does.
    pub(super) system_namespace: Option<String>,
    /// The types of states that parts need, with their names.
    pub(super) states: Vec<(TypeId, &'static str)>,
    /// The primary kinds whose queues are requested.
    pub(super) queues: BTreeSet<GroupKind>,
    /// The primary kinds of the controllers.
    pub(super) controllers: BTreeSet<GroupKind>,
}

impl Declarations {
    /// Declares a CRD that the operator brings along. The last one of a name counts.
    pub fn crd(&mut self, crd: Value) -> &mut Self {
        let name = crd.pointer("/metadata/name").and_then(Value::as_str).unwrap_or_default().to_owned();
        self.crds.insert(name, crd);
        self
    }

    /// Declares a required permission.
    pub fn rule(&mut self, rule: Rule) -> &mut Self {
        self.rules.insert(rule);
        self
    }

    /// Declares a permission that only some objects need: the roles include it, but the operator starts without it.
    pub fn optional_rule(&mut self, rule: Rule) -> &mut Self {
        self.optional.insert(rule);
        self
    }

    /// Declares a permission that is required in all namespaces, even by an operator that is confined to some.
    pub fn rule_everywhere(&mut self, rule: Rule) -> &mut Self {
        self.everywhere.insert(rule);
        self
    }

    /// Declares a permission that is required only by an operator of all namespaces, not by one confined to some.
    pub fn rule_unless_confined(&mut self, rule: Rule) -> &mut Self {
        self.unless_confined.insert(rule);
        self
    }

    /// Declares a kind that must be served before the part can start.
    pub fn kind(&mut self, gvk: GroupVersionKind) -> &mut Self {
        self.kinds.insert(gvk);
        self
    }

    /// Declares a store: its kind must be served, and its watch must be permitted in its scope.
    pub fn store(&mut self, request: &StoreRequest) -> &mut Self {
        self.kind(request.gvk().clone());
        self.optional_store(request)
    }

    /// Declares a store of a kind that need not be served.
    pub fn optional_store(&mut self, request: &StoreRequest) -> &mut Self {
        let rule = request.rule();
        match request.namespaces() {
            Namespaces::Watched => self.rule(rule),
            Namespaces::All => self.rule_everywhere(rule),
            Namespaces::System => self.rule_in_system_namespace(rule, &format!("a store of {}", request.gvk().kind)),
            Namespaces::These(namespaces) => {
                self.everywhere.extend(namespaces.iter().map(|namespace| rule.clone().in_namespace(namespace)));
                self
            }
        }
    }

    /// Declares a permission that `part` needs in the namespace in which the operator runs.
    pub fn rule_in_system_namespace(&mut self, rule: Rule, part: &str) -> &mut Self {
        self.system.insert(rule);
        self.needs.system_namespace.get_or_insert_with(|| part.to_owned());
        self
    }

    /// Declares the need of a value of this type, which the operator's author registers with `.state(…)`.
    pub fn state<T: 'static>(&mut self) -> &mut Self {
        self.needs.states.push((TypeId::of::<T>(), std::any::type_name::<T>()));
        self
    }

    /// Returns the value of this type that the operator's author registered, for parts whose declarations depend on it.
    pub fn registered<T: Any + Clone + Send + Sync>(&self) -> Option<T> {
        self.states.get()
    }

    /// Declares a typed configuration. Its ConfigMap is watched in the namespace in which the operator runs, unless the operator has a fixed value.
    pub fn config<T: FromConfigMap>(&mut self) -> &mut Self {
        let declared = self.configs.declare::<T>(self.part.as_deref());
        self.problems.extend(declared.problem.filter(|problem| !self.problems.contains(problem)));
        if declared.is_read {
            let part = format!("the configuration {:?}", T::NAME);
            self.rule_in_system_namespace(config_rule(), &part);
            // Events report ConfigMaps that cannot be used.
            self.rule_in_system_namespace(Rule::new(EVENTS, "events", &["create", "patch"]), &part);
        }
        self
    }

    /// Declares the needs of shared work by leases, in the namespace in which the operator runs.
    pub(super) fn leadership(&mut self, sharing: &Sharing, config_map: &str) {
        if sharing.has_leases() {
            self.rule_in_system_namespace(lease_rule(), LEADERSHIP);
        }
        if sharing.unknown_stateful_set().is_some() {
            self.rule_in_system_namespace(stateful_set_rule(), LEADERSHIP);
        }
        self.rule_in_system_namespace(config_rule(), LEADERSHIP);
        self.configs.leader_election(config_map, &sharing.base, sharing.most);
    }

    /// Declares that delays and limits follow a ConfigMap in the namespace in which the operator runs.
    pub(super) fn timing(&mut self, config_map: &str, base: &Timing) {
        let part = format!("the configuration {config_map:?}");
        self.rule_in_system_namespace(config_rule(), &part);
        // Events report ConfigMaps that cannot be used.
        self.rule_in_system_namespace(Rule::new(EVENTS, "events", &["create", "patch"]), &part);
        self.configs.timing(config_map, base);
    }

    /// Sets the values that the operator's author gives for types of configuration.
    pub(super) fn with_config_values(mut self, values: ConfigValues) -> Self {
        self.configs = DeclaredConfigs::with(values);
        self
    }

    /// Sets the formats that the operator writes.
    pub(super) fn with_formats(mut self, formats: Compat) -> Self {
        *self.formats = formats;
        self
    }

    /// Sets the values that the operator's author registered.
    pub(super) fn with_states(mut self, states: States) -> Self {
        self.states = states;
        self
    }

    /// Returns the formats that the operator writes.
    pub(crate) fn formats(&self) -> &Compat {
        &self.formats
    }

    /// Sets the part whose declarations follow.
    pub(super) fn part(&mut self, name: Option<&str>) {
        self.part = name.map(str::to_owned);
    }

    pub(super) fn configs(&self) -> &DeclaredConfigs {
        &self.configs
    }

    /// Declares the need of the queue of the controller of this kind.
    pub fn queue(&mut self, kind: GroupKind) -> &mut Self {
        self.needs.queues.insert(kind);
        self
    }

    /// Declares the graph of a contract that controllers of the operator fulfil, by the name of the contract. The command `graph` prints it.
    pub fn graph(&mut self, contract: impl Into<String>, graph: Graph) -> &mut Self {
        self.graphs.insert(contract.into(), graph);
        self
    }

    /// Returns the graphs of contracts with their names, sorted by name.
    pub fn graphs(&self) -> impl Iterator<Item = (&str, &Graph)> {
        self.graphs.iter().map(|(name, graph)| (name.as_str(), graph))
    }

    /// Declares a controller of this kind.
    pub fn controller(&mut self, kind: GroupKind) -> &mut Self {
        self.needs.controllers.insert(kind);
        self
    }

    pub(super) fn needs(&self) -> &PartNeeds {
        &self.needs
    }

    /// Resolves the permissions in the system namespace, which is this one. If it is unknown, they are required in all namespaces.
    #[must_use]
    pub fn in_system_namespace(mut self, namespace: Option<&str>) -> Self {
        for rule in std::mem::take(&mut self.system) {
            // A permission in all namespaces includes this one.
            if !self.rules.contains(&rule) {
                self.rules.insert(match namespace {
                    Some(namespace) => rule.in_namespace(namespace),
                    None => rule,
                });
            }
        }
        if let (None, Some(part)) = (namespace, &self.needs.system_namespace) {
            let remark = format!(
                "{part} is read in the namespace that the operator runs in: name it with --system-namespace, so that its role is narrow"
            );
            self.remarks.push(remark);
        }
        self
    }

    /// Claims a name that only one part of the operator can have. The arguments are the kind of name (`what`), its value, the part, and the remedy for a
    /// conflict. Returns true if the name is free. A second claim is a problem, whose text names both parts and the remedy.
    pub fn claim(&mut self, what: &str, value: &str, part: &str, remedy: &str) -> bool {
        let claim = (what.to_owned(), value.to_owned());
        if let Some(other) = self.claims.get(&claim) {
            let problem = format!("{other} and {part} have the same {what} {value:?}; {remedy}");
            self.problems.push(problem);
            return false;
        }
        self.claims.insert(claim, part.to_owned());
        true
    }

    /// Declares a mistake in the operator itself. All problems are reported together.
    pub fn problem(&mut self, problem: impl Into<String>) -> &mut Self {
        self.problems.push(problem.into());
        self
    }

    /// Declares a likely omission of the operator's author, which the commands `rbac` and `deploy` report.
    pub fn remark(&mut self, remark: impl Into<String>) -> &mut Self {
        self.remarks.push(remark.into());
        self
    }

    /// Confines the permissions to these namespaces: a permission for namespaced objects is required in each of them only. Objects of unknown types, and of
    /// all types (`*`), count as namespaced.
    #[must_use]
    pub fn confined(mut self, namespaces: &[String]) -> Self {
        let unless_confined = std::mem::take(&mut self.unless_confined);
        let everywhere = std::mem::take(&mut self.everywhere);
        if namespaces.is_empty() {
            self.rules.extend(unless_confined.into_iter().chain(everywhere));
            return self;
        }
        let known = ClusterScoped::with(self.crds.values());
        let confine = |rule: Rule| -> Vec<Rule> {
            if rule.group.is_empty() && rule.resource == "namespaces" && !rule.names.is_empty() {
                // For roles, a Namespace object lies in the namespace of its own name.
                let single = |name: &String| Rule { names: BTreeSet::from([name.clone()]), ..rule.clone().in_namespace(name) };
                return rule.names.iter().map(single).collect();
            }
            if rule.namespace.is_some() || known.has(&rule) {
                return vec![rule];
            }
            namespaces.iter().map(|namespace| rule.clone().in_namespace(namespace)).collect()
        };
        self.rules = std::mem::take(&mut self.rules).into_iter().flat_map(confine).collect();
        self.optional = std::mem::take(&mut self.optional).into_iter().flat_map(confine).collect();
        self.rules.extend(everywhere);
        if known.any_own() {
            // Events about objects without a namespace are created in `default`.
            let events: Vec<Rule> = self.rules.iter().filter(|rule| rule.group == EVENTS).cloned().collect();
            self.rules.extend(events.into_iter().map(|rule| rule.in_namespace("default")));
        }
        self
    }

    /// Returns the CRDs, sorted by name.
    pub fn crds(&self) -> impl Iterator<Item = &Value> {
        self.crds.values()
    }

    /// Returns the required permissions; those that differ only in their verbs are merged.
    pub fn rules(&self) -> Vec<Rule> {
        merged(self.rules.iter())
    }

    /// Returns all permissions, including those that only some objects need.
    pub fn all_rules(&self) -> Vec<Rule> {
        merged(self.rules.iter().chain(&self.optional))
    }

    /// Returns the kinds that must be served.
    pub fn kinds(&self) -> impl Iterator<Item = &GroupVersionKind> {
        self.kinds.iter()
    }

    /// Returns the primary kinds of the controllers.
    pub fn controllers(&self) -> impl Iterator<Item = &GroupKind> {
        self.needs.controllers.iter()
    }

    /// Returns the remarks about likely omissions of the operator's author.
    pub fn remarks(&self) -> &[String] {
        &self.remarks
    }

    /// Returns the problems of the operator itself.
    pub fn problems(&self) -> &[String] {
        &self.problems
    }
}

/// Returns the permission to watch ConfigMaps.
pub(super) fn config_rule() -> Rule {
    Rule::new("", "configmaps", &["get", "list", "watch"])
}

fn merged<'a>(rules: impl Iterator<Item = &'a Rule>) -> Vec<Rule> {
    let mut merged: BTreeMap<_, Rule> = BTreeMap::new();
    for rule in rules {
        let key = (&rule.namespace, &rule.group, &rule.resource, &rule.names, rule.is_power());
        let known = merged.entry(key).or_insert_with(|| rule.clone());
        known.verbs.extend(rule.verbs.iter().cloned());
    }
    merged.into_values().collect()
}
