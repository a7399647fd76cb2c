use futures::FutureExt as _;
use kubewright_middleware::Status;
use serde_json::{Value, json};

use super::allows;
use crate::access::{Attributes, UserAction};
use crate::store::ObjectName;
use crate::{ApiServer, Identity};

fn server(objects: &[Value]) -> ApiServer {
    let server = ApiServer::builder().seed(7).rbac(true).build().unwrap();
    for object in objects {
        server.create(object.clone()).now_or_never().unwrap().unwrap();
    }
    server
}

fn may(server: &ApiServer, user: &Identity, verb: &str, resource: &str, namespace: &str, name: &str) -> bool {
    let (resource, subresource) = resource.split_once('/').unwrap_or((resource, ""));
    let action = UserAction::Resource(Attributes {
        verb: verb.into(),
        resource: resource.into(),
        subresource: subresource.into(),
        namespace: namespace.into(),
        name: name.into(),
        ..Attributes::default()
    });
    allows(&server.state().api.store.snapshot(), user, &action)
}

fn role(kind: &str, name: &str, rule: Value) -> Value {
    let mut role =
        json!({"apiVersion": "rbac.authorization.k8s.io/v1", "kind": kind, "metadata": {"name": name}, "rules": [rule]});
    if kind == "Role" {
        role["metadata"]["namespace"] = "default".into();
    }
    role
}

fn binding(kind: &str, role_kind: &str, role: &str, subject: Value) -> Value {
    let mut binding = json!({
        "apiVersion": "rbac.authorization.k8s.io/v1", "kind": kind, "metadata": {"name": "b"},
        "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": role_kind, "name": role}, "subjects": [subject],
    });
    if kind == "RoleBinding" {
        binding["metadata"]["namespace"] = "default".into();
    }
    binding
}

// AUTH-6
#[test]
fn a_role_in_a_namespace_is_good_there_only() {
    let server = server(&[
        role("Role", "reader", json!({"verbs": ["get", "list"], "apiGroups": [""], "resources": ["pods", "*/status"]})),
        binding("RoleBinding", "Role", "reader", json!({"kind": "User", "name": "alice"})),
    ]);
    let alice = Identity::user("alice");
    assert!(may(&server, &alice, "get", "pods", "default", "p"));
    assert!(may(&server, &alice, "get", "services/status", "default", "s"));
    assert!(!may(&server, &alice, "delete", "pods", "default", "p"));
    assert!(!may(&server, &alice, "get", "pods/log", "default", "p"));
    assert!(!may(&server, &alice, "get", "pods", "kube-system", "p"));
    assert!(!may(&server, &Identity::user("bob"), "get", "pods", "default", "p"));
}

// AUTH-6
#[test]
fn names_of_objects_narrow_a_rule() {
    let server = server(&[
        role("ClusterRole", "one", json!({"verbs": ["*"], "apiGroups": ["*"], "resources": ["secrets"], "resourceNames": ["s"]})),
        binding(
            "ClusterRoleBinding",
            "ClusterRole",
            "one",
            json!({"kind": "ServiceAccount", "name": "a", "namespace": "default"}),
        ),
    ]);
    let account = Identity::service_account("default", "a");
    assert!(may(&server, &account, "get", "secrets", "kube-system", "s"));
    assert!(!may(&server, &account, "get", "secrets", "kube-system", "t"));
    assert!(!may(&server, &account, "list", "secrets", "kube-system", ""));
    assert!(!may(&server, &Identity::service_account("other", "a"), "get", "secrets", "default", "s"));
}

// AUTH-6
#[test]
fn masters_and_members_of_bound_groups_need_no_names() {
    let server = server(&[
        role("ClusterRole", "all", json!({"verbs": ["*"], "apiGroups": ["*"], "resources": ["*"]})),
        binding("ClusterRoleBinding", "ClusterRole", "all", json!({"kind": "Group", "name": "dev"})),
    ]);
    assert!(may(&server, &Identity::admin(), "delete", "nodes", "", "n"));
    assert!(may(&server, &Identity::user("alice").with_group("dev"), "delete", "nodes", "", "n"));
    assert!(!may(&server, &Identity::user("alice"), "delete", "nodes", "", "n"));
    let path = |path: &str| UserAction::Path { verb: "get".into(), path: path.into() };
    let snapshot = server.state().api.store.snapshot();
    assert!(allows(&snapshot, &Identity::user("alice"), &path("/apis/apps/v1")));
    assert!(!allows(&snapshot, &Identity::user("alice"), &path("/metrics")));
    assert!(!allows(&snapshot, &Identity::anonymous(), &path("/apis")));
    assert!(allows(&snapshot, &Identity::anonymous(), &path("/version")));
}

/// Returns a role with more combinations than memory can hold.
fn wide() -> Value {
    let many = |name: &str| (0..2_000).map(|index| format!("{name}{index}")).collect::<Vec<_>>();
    let rule = json!({"verbs": many("v"), "apiGroups": many("g"), "resources": many("r"), "resourceNames": many("n")});
    role("ClusterRole", "wide", rule)
}

/// Checks that alice may write a role.
fn alice_gives(server: &ApiServer, wanted: &Value) -> Result<(), Status> {
    let (registry, snapshot) = (server.state().api.registry(), server.state().api.store.snapshot());
    let kind = registry.preferred("rbac.authorization.k8s.io", "ClusterRole").unwrap();
    super::check_escalation(&snapshot, &Identity::user("alice"), kind, &ObjectName::new("", ""), wanted, None)
}

// AUTH-6
#[test]
fn a_rule_with_more_combinations_than_memory_is_judged() {
    let author = json!({"verbs": ["create"], "apiGroups": ["rbac.authorization.k8s.io"], "resources": ["clusterroles"]});
    let server = server(&[
        role("ClusterRole", "author", author),
        binding("ClusterRoleBinding", "ClusterRole", "author", json!({"kind": "User", "name": "alice"})),
    ]);
    let refused = alice_gives(&server, &wide()).unwrap_err();
    assert!(
        refused.message.lines().count() <= 1_002 && refused.message.contains("there are too many"),
        "{}",
        refused.message.len()
    );
    let few = role("ClusterRole", "few", json!({"verbs": ["a", "b"], "apiGroups": ["g"], "resources": ["r"]}));
    let refused = alice_gives(&server, &few).unwrap_err();
    assert_eq!(refused.message.lines().last(), Some(r#"{APIGroups:["g"], Resources:["r"], Verbs:["a" "b"]}"#));
}

// AUTH-6
#[test]
fn a_user_with_a_rule_that_covers_another_rule_may_grant_it() {
    let all = json!({"verbs": ["*"], "apiGroups": ["*"], "resources": ["*"]});
    let server = server(&[
        role("ClusterRole", "all", all),
        binding("ClusterRoleBinding", "ClusterRole", "all", json!({"kind": "User", "name": "alice"})),
    ]);
    alice_gives(&server, &wide()).unwrap();
}
