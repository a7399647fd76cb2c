//! Role-based access control (AUTH-6): roles list allowed actions, and bindings grant them to users. It is off by default (DIF-8).

mod bindings;
mod bootstrap;
mod escalation;
mod rule;
#[cfg(test)]
mod tests;

pub(crate) use bootstrap::objects as bootstrap;
pub(crate) use escalation::check as check_escalation;
use kubewright_machinery::object::ObjectExt as _;
use kubewright_middleware::Identity;
use serde_json::Value;

use self::rule::RoleRule;
use super::UserAction;
use crate::store::Snapshot;

/// The API group of roles and bindings.
const GROUP: &str = "rbac.authorization.k8s.io";

/// The group whose members may do everything, regardless of roles.
const MASTERS: &str = "system:masters";

/// Returns true if a user may do an action.
pub(crate) fn allows(snapshot: &Snapshot, user: &Identity, action: &UserAction) -> bool {
    if user.groups().iter().any(|group| group == MASTERS) {
        return true;
    }
    let namespace = match action {
        UserAction::Resource(attributes) => attributes.namespace.as_str(),
        UserAction::Path { .. } => "",
    };
    bindings::roles(snapshot, user, namespace).any(|role| rules(role.value()).any(|rule| rule.covers(action)))
}

/// Returns the rules that hold for a user in a namespace, as a review prints them: those of resources, and those of paths.
pub(crate) fn rules_of(snapshot: &Snapshot, user: &Identity, namespace: &str) -> (Vec<Value>, Vec<Value>) {
    let (mut resources, mut paths) = (Vec::new(), Vec::new());
    for role in bindings::roles(snapshot, user, namespace) {
        for rule in rules(role.value()) {
            if rule.is_of_paths() {
                paths.push(rule.printed(&["verbs", "nonResourceURLs"]));
            } else {
                resources.push(rule.printed(&["verbs", "apiGroups", "resources", "resourceNames"]));
            }
        }
    }
    (resources, paths)
}

fn rules(role: &Value) -> impl Iterator<Item = RoleRule<'_>> {
    debug_assert!(role.kind().ends_with("Role"));
    role["rules"].as_array().into_iter().flatten().map(RoleRule::new)
}
