//! The declarations of the engine for one type of owners, made before the operator starts: its names and its permissions.

use kubewright_core::finalizer::FinalizerName;
use kubewright_core::manifest::{MissingNamespacesPolicy, OperatorName};
use kubewright_runtime::operator::{Declarations, Rule};

use super::EngineOptions;
use crate::kind::Component;

/// The verbs that the engine uses on dependents.
const DEPENDENT_VERBS: &[&str] = &["get", "list", "watch", "create", "update", "patch", "delete"];
/// The verbs that the engine uses on objects that it only reads, such as referenced ones.
const READ_VERBS: &[&str] = &["get", "list", "watch"];
const RBAC: &str = "rbac.authorization.k8s.io";

/// The longest name of a type of owners, in bytes: events name it as the reporting controller.
const MAX_NAME: usize = 63;

/// The names that distinguish the objects of a type of owners from those of others.
pub(crate) struct OwnerTypeNames<'a> {
    /// The name of the type: the prefix of its marks (OPT-1a).
    pub(crate) prefix: &'a str,
    pub(crate) finalizer: &'a str,
    /// True if the author named the type. Otherwise the type has the name of the operator, which the operator checks.
    pub(crate) is_own: bool,
    /// The noun for the type in messages, such as `component type`.
    pub(crate) part: &'a str,
    /// The method of the operator that adds the type.
    pub(crate) method: &'a str,
}

impl OwnerTypeNames<'_> {
    /// Declares the names as taken. Two types with the same name or finalizer would treat each other's objects as their own.
    pub(crate) fn claim<C: Component>(&self, declarations: &mut Declarations) {
        let part = format!("the {} {}.{}", self.part, C::kind(&()), C::group(&()));
        if let Err(error) = OperatorName::new(self.prefix) {
            declarations.problem(format!("{part}: {error}"));
        }
        if self.prefix.len() > MAX_NAME && self.is_own {
            declarations.problem(format!(
                "{part}: the name {:?} must have at most {MAX_NAME} bytes; shorten it in `.named(\"…\")`",
                self.prefix
            ));
        }
        let remedy = format!("give one of them a name of its own with `.{}::<{}>(…).named(\"…\")`", self.method, C::kind(&()));
        if declarations.claim("name", self.prefix, &part, &remedy) {
            let remedy = "give one of them a finalizer of its own with `.finalizer(\"…\")`, or leave it at the default, the name";
            declarations.claim("finalizer", self.finalizer, &part, remedy);
        }
        if let Err(error) = FinalizerName::unqualified(self.finalizer) {
            declarations.problem(format!("{part}: {error}"));
        }
    }
}

impl EngineOptions {
    /// Declares the permissions for dependents, and for objects that are read because of them.
    pub(crate) fn declare<C: Component>(&self, declarations: &mut Declarations) {
        for (group, plural) in &self.dependent_types {
            declarations.rule(Rule::new(group.clone(), plural.clone(), DEPENDENT_VERBS));
        }
        if self.dependent_types.is_empty() {
            declarations.remark(format!(
                "the operator does not say which types of dependents {} has, so no role holds permissions for them: name them with \
                 `dependent_types`, or grant them yourself",
                C::kind(&())
            ));
        }
        for (group, plural) in &self.lookup_types {
            declarations.rule(Rule::new(group.clone(), plural.clone(), READ_VERBS));
        }
        for kind in C::reference_kinds() {
            declarations.rule(Rule::new("", kind.plural(), READ_VERBS));
        }
        self.declare_powers::<C>(declarations);
        for (group, plural) in &self.managed_types {
            declarations.rule_everywhere(Rule::new(group.clone(), plural.clone(), READ_VERBS));
        }
        let definitions = Rule::new("apiextensions.k8s.io", "customresourcedefinitions", READ_VERBS);
        // These watches report new and removed types. An operator that may not watch them reads the types of the cluster every ten minutes.
        declarations.rule_unless_confined(Rule::new("apiregistration.k8s.io", "apiservices", READ_VERBS));
        if self.policies.missing_namespaces_policy.unwrap_or_default() == MissingNamespacesPolicy::Create {
            declarations.rule(Rule::new("", "namespaces", &["get", "list", "watch", "create"]));
            declarations.rule(definitions);
        } else {
            // The UID of the namespace `kube-system` identifies the cluster (OPT-1).
            declarations.rule(Rule::new("", "namespaces", &["get"]).named(["kube-system"]));
            declarations.rule_unless_confined(Rule::new("", "namespaces", READ_VERBS));
            declarations.rule_unless_confined(definitions);
        }
    }

    /// Declares the rules by which the operator uses rights of others. Each is restricted to the names, or the types, that its author declares.
    fn declare_powers<C: Component>(&self, declarations: &mut Declarations) {
        if let Some(account) = &self.default_service_account {
            declarations.rule(Rule::new("", "serviceaccounts", &["impersonate"]).named([account]));
        }
        for resource in C::impersonates() {
            let names: Vec<&String> = self.impersonates.iter().filter(|(of, _)| of == resource).map(|(_, name)| name).collect();
            if names.is_empty() {
                declarations.remark(format!(
                    "a spec of {} can name {resource} in whose name dependents are written, and no role allows that: name them with \
                     `impersonates`",
                    C::kind(&())
                ));
            } else {
                declarations.optional_rule(Rule::new("", *resource, &["impersonate"]).named(names));
            }
        }
        for resource in &self.escalates {
            declarations.rule(Rule::new(RBAC, resource.clone(), &["bind", "escalate"]));
        }
    }
}
