//! Prevention of privilege escalation (AUTH-6): the author of a role needs all rights in it, and the author of a binding all rights of the bound
//! role, unless the author may `escalate` roles or `bind` this one.

use std::collections::{BTreeMap, BTreeSet};

use kubewright_machinery::object::ObjectExt as _;
use kubewright_middleware::{Identity, Status};
use serde_json::{Value, json};

use super::rule::RoleRule;
use super::{GROUP, MASTERS, allows, bindings, rules};
use crate::access::{Attributes, UserAction};
use crate::kinds::KindSpec;
use crate::status::StatusExt as _;
use crate::store::{ObjectName, Resource, Snapshot};

/// The smallest part of a rule: one verb on one resource or path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Right<'a> {
    Resource { group: &'a str, resource: &'a str, name: Option<&'a str>, verb: &'a str },
    Path { url: &'a str, verb: &'a str },
}

/// The maximum number of missing rights in an error, more than a reader needs. The product of the lists of a rule can exceed any memory.
const MOST_MISSING: usize = 1_000;
/// The maximum number of text comparisons in a search for missing rights. A rule that is covered by one held rule needs few.
const MOST_COMPARED: usize = 200_000_000;

/// Returns the rule that grants everything, which the author of an aggregation rule must hold.
fn everything() -> Value {
    json!({"apiGroups": ["*"], "resources": ["*"], "nonResourceURLs": ["*"], "verbs": ["*"]})
}

/// Rejects a role or a binding that grants more than its author has. `name` is the name in the request's path, empty for a new object.
pub(crate) fn check(
    snapshot: &Snapshot,
    user: &Identity,
    kind: &KindSpec,
    name: &ObjectName,
    object: &Value,
    stored: Option<&Value>,
) -> Result<(), Status> {
    let is_master = user.groups().iter().any(|group| group == MASTERS);
    if kind.group != GROUP || is_master || stored.is_some_and(|stored| same_but_for_the_collector(object, stored)) {
        return Ok(());
    }
    let author = Author { snapshot, user, namespace: &name.namespace };
    let outcome = match kind.kind.as_str() {
        "Role" | "ClusterRole" => author.may_write(&kind.plural, &name.name, object, stored),
        "RoleBinding" | "ClusterRoleBinding" => author.may_bind(&kind.plural, &object["roleRef"])?,
        _ => Ok(()),
    };
    outcome.map_err(|why| Status::forbidden(GROUP, &kind.plural, object.name(), &why))
}

/// The author of a write, and the namespace written to.
#[derive(Clone, Copy)]
struct Author<'a> {
    snapshot: &'a Snapshot,
    user: &'a Identity,
    namespace: &'a str,
}

impl Author<'_> {
    fn may_write(self, plural: &str, name: &str, role: &Value, stored: Option<&Value>) -> Result<(), String> {
        if self.may("escalate", GROUP, plural, name) {
            return Ok(());
        }
        self.holds(rules(role))?;
        let all = everything();
        let collects = |role: &Value| {
            role["aggregationRule"]["clusterRoleSelectors"].as_array().is_some_and(|selectors| !selectors.is_empty())
        };
        if (collects(role) || stored.is_some_and(collects)) && self.holds([RoleRule::new(&all)]).is_err() {
            return Err("must have cluster-admin privileges to use the aggregationRule".into());
        }
        Ok(())
    }

    /// Checks that the author may bind the role; the inner error is the refusal. The outer error says that the role was not found: the real server
    /// reports the binding's resource there.
    fn may_bind(self, bindings: &str, role: &Value) -> Result<Result<(), String>, Status> {
        let text = |field: &str| role[field].as_str().unwrap_or_default();
        let (plural, namespace) = match text("kind") {
            "ClusterRole" => ("clusterroles", ""),
            "Role" => ("roles", self.namespace),
            other => return Err(Status::unknown(format!("unsupported role reference kind: {other:?}"))),
        };
        if self.may("bind", text("apiGroup"), plural, text("name")) {
            return Ok(Ok(()));
        }
        let found = self.snapshot.get(&Resource::new(GROUP, plural), &ObjectName::new(namespace, text("name")));
        let found = found.ok_or_else(|| Status::not_found(GROUP, bindings, text("name")))?;
        Ok(self.holds(rules(found.value())))
    }

    fn may(self, verb: &str, group: &str, plural: &str, name: &str) -> bool {
        let action = UserAction::Resource(Attributes {
            verb: verb.to_owned(),
            group: group.to_owned(),
            resource: plural.to_owned(),
            namespace: self.namespace.to_owned(),
            name: name.to_owned(),
            ..Attributes::default()
        });
        allows(self.snapshot, self.user, &action)
    }

    /// Checks that the author holds all rights of the rules; the error names those that are missing.
    fn holds<'a>(self, wanted: impl IntoIterator<Item = RoleRule<'a>>) -> Result<(), String> {
        let roles: Vec<_> = bindings::roles(self.snapshot, self.user, self.namespace).collect();
        let held: Vec<RoleRule<'_>> = roles.iter().flat_map(|role| rules(role.value())).collect();
        let not_given = wanted.into_iter().filter(|rule| !held.iter().any(|own| own.gives_all_of(*rule)));
        let each_costs = held.iter().map(|own| own.size()).sum::<usize>().max(1);
        let (mut missing, mut is_cut) = (Vec::new(), false);
        for (looked_at, right) in not_given.flat_map(RoleRule::rights).enumerate() {
            is_cut = missing.len() == MOST_MISSING || looked_at.saturating_mul(each_costs) > MOST_COMPARED;
            if is_cut {
                break;
            }
            if !held.iter().any(|own| own.gives(&right)) {
                missing.push(right);
            }
        }
        if missing.is_empty() && !is_cut {
            return Ok(());
        }
        let mut lines: Vec<String> = described(&missing).into_iter().collect();
        if is_cut {
            lines.push("there are too many combinations to look at the rest".to_owned());
        }
        Err(format!(
            "user {:?} (groups={}) is attempting to grant RBAC permissions not currently held:\n{}",
            self.user.name(),
            quoted(self.user.groups()),
            lines.join("\n")
        ))
    }
}

/// Describes missing rights in one line per resource or path, sorted; the verbs of a resource are joined.
fn described(missing: &[Right<'_>]) -> BTreeSet<String> {
    let mut resources: BTreeMap<_, Vec<&str>> = BTreeMap::new();
    let mut lines = BTreeSet::new();
    for right in missing {
        match *right {
            Right::Path { url, verb } => {
                lines.insert(format!("{{NonResourceURLs:{}, Verbs:{}}}", quoted(&[url]), quoted(&[verb])));
            }
            Right::Resource { group, resource, name, verb } => resources.entry((group, resource, name)).or_default().push(verb),
        }
    }
    for ((group, resource, name), verbs) in resources {
        let names = name.map(|name| format!("ResourceNames:{}, ", quoted(&[name]))).unwrap_or_default();
        let (group, resource, verbs) = (quoted(&[group]), quoted(&[resource]), quoted(&verbs));
        lines.insert(format!("{{APIGroups:{group}, Resources:{resource}, {names}Verbs:{verbs}}}"));
    }
    lines
}

/// Prints texts in quotes, as Go prints a list of strings.
fn quoted<T: AsRef<str>>(texts: &[T]) -> String {
    let texts: Vec<String> = texts.iter().map(|text| format!("{:?}", text.as_ref())).collect();
    format!("[{}]", texts.join(" "))
}

/// Returns true if a write changes nothing but fields that the garbage collector has to change.
fn same_but_for_the_collector(object: &Value, stored: &Value) -> bool {
    let stripped = |object: &Value| {
        let mut object = object.clone();
        for field in ["ownerReferences", "finalizers", "selfLink", "managedFields"] {
            object.metadata_mut().remove(field);
        }
        object
    };
    stripped(object) == stripped(stored)
}

#[cfg(test)]
mod tests {
    use super::*;

    // AUTH-6
    #[test]
    fn missing_rights_are_listed_once_per_resource_and_sorted() {
        let rule = json!({"verbs": ["get", "list"], "apiGroups": ["", "x"], "resources": ["b", "a"]});
        let named = json!({"verbs": ["get"], "apiGroups": [""], "resources": ["a"], "resourceNames": ["n"]});
        let paths = json!({"verbs": ["get"], "nonResourceURLs": ["/x"]});
        let rights: Vec<_> = [&rule, &named, &paths].into_iter().flat_map(|rule| RoleRule::new(rule).rights()).collect();
        let lines: Vec<_> = described(&rights).into_iter().collect();
        assert_eq!(
            lines,
            [
                r#"{APIGroups:[""], Resources:["a"], ResourceNames:["n"], Verbs:["get"]}"#,
                r#"{APIGroups:[""], Resources:["a"], Verbs:["get" "list"]}"#,
                r#"{APIGroups:[""], Resources:["b"], Verbs:["get" "list"]}"#,
                r#"{APIGroups:["x"], Resources:["a"], Verbs:["get" "list"]}"#,
                r#"{APIGroups:["x"], Resources:["b"], Verbs:["get" "list"]}"#,
                r#"{NonResourceURLs:["/x"], Verbs:["get"]}"#,
            ]
        );
    }

    // AUTH-6
    #[test]
    fn a_role_rule_grants_only_the_rights_that_it_covers() {
        let gives = |rule: Value, right: Right<'_>| RoleRule::new(&rule).gives(&right);
        let right = |resource, name, verb| Right::Resource { group: "", resource, name, verb };
        let rule = json!({"verbs": ["get"], "apiGroups": [""], "resources": ["pods", "*/log"]});
        assert!(gives(rule.clone(), right("pods", None, "get")));
        assert!(gives(rule.clone(), right("pods", Some("p"), "get")));
        assert!(gives(rule.clone(), right("jobs/log", None, "get")));
        assert!(!gives(rule.clone(), right("pods/status", None, "get")));
        assert!(!gives(rule.clone(), right("*", None, "get")));
        assert!(!gives(rule, right("pods", None, "*")));
        let one = json!({"verbs": ["*"], "apiGroups": ["*"], "resources": ["*"], "resourceNames": ["p"]});
        assert!(gives(one.clone(), right("pods", Some("p"), "get")));
        assert!(!gives(one.clone(), right("pods", None, "get")));
        assert!(!gives(one, Right::Path { url: "/x", verb: "get" }));
        let paths = json!({"verbs": ["get"], "nonResourceURLs": ["/x/*"]});
        assert!(gives(paths.clone(), Right::Path { url: "/x/y", verb: "get" }));
        assert!(gives(paths.clone(), Right::Path { url: "/x/*", verb: "get" }));
        assert!(!gives(paths, Right::Path { url: "/*", verb: "get" }));
    }
}
