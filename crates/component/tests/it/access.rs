//! Operators and service accounts with restricted permissions.

use std::time::Duration;

use kubewright::core::manifest::{MissingNamespacesPolicy, PolicySettings};
use kubewright::prelude::*;
use kubewright::runtime::leadership::Leadership;
use kubewright::runtime::operator::rbac_documents;
use kubewright_testing::{TestCluster, TestOptions};

use crate::types::{bundle, config_map, objects};
use crate::world::{OPERATOR, World, condition, message_of};

/// Starts a world that enforces RBAC.
pub(crate) async fn world() -> World {
    World::on(TestCluster::start_with(TestOptions::default().rbac()).await)
}

fn operator() -> Operator {
    let builder = Operator::new(OPERATOR).leadership(Leadership::off()).component::<crate::types::Bundle>(objects);
    builder.dependent_types([("", "configmaps")]).impersonates([("serviceaccounts", "deployer")]).into()
}

/// Returns the binding of a user to a role. The role is cluster-wide, and so is the binding unless a namespace is given.
pub(crate) fn binding(name: &str, role: &str, user: &str, namespace: Option<&str>) -> Value {
    let mut binding = json!({
        "apiVersion": "rbac.authorization.k8s.io/v1",
        "kind": if namespace.is_some() { "RoleBinding" } else { "ClusterRoleBinding" },
        "metadata": { "name": name },
        "roleRef": { "apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": role },
        "subjects": [{ "apiGroup": "rbac.authorization.k8s.io", "kind": "User", "name": user }],
    });
    if let Some(namespace) = namespace {
        binding["metadata"]["namespace"] = namespace.into();
    }
    binding
}

/// Waits until a user has a permission in the namespace of the test: a real server applies roles with a delay.
pub(crate) async fn until_allowed(world: &World, user: &str, verb: &str, group: &str, resource: &str) {
    let review = json!({
        "apiVersion": "authorization.k8s.io/v1", "kind": "SubjectAccessReview",
        "spec": {
            "user": user,
            "resourceAttributes": { "namespace": world.namespace(), "verb": verb, "group": group, "resource": resource },
        },
    });
    world.until_created(&review, "allowed", |review| review["status"]["allowed"] == true).await;
}

pub(crate) fn role(name: &str, rules: Value) -> Value {
    json!({ "apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRole", "metadata": { "name": name }, "rules": rules })
}

/// Installs the roles that the command `rbac` of the operator prints, and returns a user with these permissions.
pub(crate) async fn installed(world: &World) -> String {
    let user = format!("{}-operator", world.namespace());
    for document in rbac_documents(&operator().declarations(), &user) {
        world.create(&document).await;
    }
    world.create(&binding(&user, &user, &user, None)).await;
    until_allowed(world, &user, "list", "test.kubewright.dev", "bundles").await;
    user
}

/// Installs the roles for one namespace: roles in it, and a cluster role for cluster-scoped resources. Returns the user.
async fn installed_in_its_namespace(world: &World, operator: &Operator) -> String {
    let user = format!("{}-confined", world.namespace());
    for document in rbac_documents(&operator.declarations(), &user) {
        let (kind, rules) = (document["kind"].as_str().unwrap().to_owned(), document["rules"].to_string());
        let mut bound = binding(&user, &user, &user, document["metadata"]["namespace"].as_str());
        bound["roleRef"]["kind"] = kind.clone().into();
        let confined = kind == "Role" && document["metadata"]["namespace"] == world.namespace();
        assert!(confined || !rules.contains("configmaps") && !rules.contains("bundles") && !rules.contains("events"), "{rules}");
        world.create(&document).await;
        world.create(&bound).await;
    }
    user
}

// CMD-4
#[test]
fn an_operator_that_names_no_types_of_dependents_is_reminded() {
    let silent: Operator =
        Operator::new(OPERATOR).leadership(Leadership::off()).component::<crate::types::Bundle>(objects).into();
    let declarations = silent.declarations();
    let [types, accounts] = declarations.remarks() else { panic!("{:?}", declarations.remarks()) };
    assert!(types.contains("Bundle") && types.contains("`dependent_types`"), "{types}");
    assert!(accounts.contains("serviceaccounts") && accounts.contains("`impersonates`"), "{accounts}");
    assert_eq!(operator().declarations().remarks(), [""; 0]);
}

// CHK-3, STORE-3, WATCH-2
#[tokio::test]
async fn an_operator_of_one_namespace_works_with_roles_in_it() {
    let mut world = world().await;
    let namespace = world.namespace().to_owned();
    let operator = operator().options(|options| options.watch_namespaces = vec![namespace]);
    let user = installed_in_its_namespace(&world, &operator).await;
    world.run_as(operator, &user).await;
    // Referenced objects, an impersonated service account, and events are in the namespace, too.
    world.create(&config_map("source", "s")).await;
    let account = format!("system:serviceaccount:{}:deployer", world.namespace());
    let deployer = format!("{user}-deployer");
    world.create(&role(&deployer, json!([{ "apiGroups": [""], "resources": ["configmaps"], "verbs": ["*"] }]))).await;
    world.create(&binding(&deployer, &deployer, &account, Some(world.namespace()))).await;
    let mut component = bundle("demo", &[config_map("one", "a")]);
    component["spec"]["all"] = json!([{ "name": "source" }]);
    component["spec"]["serviceAccountName"] = "deployer".into();
    world.set(&component).await;
    let ready = world.until_ready("demo").await;
    assert!(condition(&ready, "Polling").is_none(), "{ready:#}");
    world.until_event("Ready").await;
    world.delete(&config_map("one", "")).await;
    world.until_present(&config_map("one", "")).await;
    world.patch(&config_map("source", ""), json!({ "data": { "value": "t" } })).await;
    world.until_object(&config_map("copy", ""), "renewed", |copy| copy["data"]["source.value"] == "t").await;
    world.until_ready("demo").await;
    world.delete(&component).await;
    world.until_gone(&component).await;
    assert!(world.get(&config_map("one", "")).await.is_none());
}

// CHK-3
#[tokio::test]
async fn missing_permissions_of_an_operator_of_one_namespace_are_named_with_the_namespace() {
    let world = world().await;
    let namespace = world.namespace().to_owned();
    let operator = operator().options(|options| {
        options.watch_namespaces = vec![namespace.clone()];
        options.startup_timeout = Some(Duration::from_secs(1));
    });
    world.cluster.install_crds(&operator).await;
    let running = world.cluster.start_operator_as(operator, "nobody").await;
    let message = running.ended().await.unwrap_err().to_string();
    let lacking = [format!("cannot create configmaps in namespace {namespace}"), "cannot create namespaces".to_owned()];
    assert!(lacking.iter().all(|part| message.contains(part)), "{message}");
    running.stop().await;
}

// CHK-3, OPR-6
#[tokio::test]
async fn the_start_without_permissions_names_the_missing_ones_and_the_command_for_the_roles() {
    let world = world().await;
    let operator = operator().options(|options| options.startup_timeout = Some(Duration::from_secs(15)));
    world.cluster.install_crds(&operator).await;
    let running = world.cluster.start_operator_as(operator, "nobody").await;
    let error = running.ended().await.unwrap_err();
    assert_eq!(error.exit_code(), 1);
    let message = error.to_string();
    for part in [
        "permissions are missing: ",
        "cannot list bundles.test.kubewright.dev",
        "cannot patch bundles/status.test.kubewright.dev",
        "cannot create configmaps",
        "apply the roles that the command `rbac` of this program prints",
    ] {
        assert!(message.contains(part), "{part:?} is not in: {message}");
    }
    running.stop().await;
}

// HOOK-5, CHK-3
#[tokio::test]
async fn permissions_that_hooks_need_are_in_the_roles_and_are_missed_at_the_start() {
    let mut world = world().await;
    let user = installed(&world).await;
    let with_hooks = || -> Operator {
        let builder = Operator::new(OPERATOR).leadership(Leadership::off()).component::<crate::types::Bundle>(objects);
        let builder = builder.dependent_types([("", "configmaps")]).hook_permissions("", "services", &["get", "delete"]);
        Operator::from(builder).options(|options| options.startup_timeout = Some(Duration::from_secs(15)))
    };
    world.cluster.install_crds(&with_hooks()).await;
    // The user has the roles of the same operator without hooks.
    let running = world.cluster.start_operator_as(with_hooks(), &user).await;
    let message = running.ended().await.unwrap_err().to_string();
    assert!(message.contains("cannot delete services") && message.contains("cannot get services"), "{message}");
    running.stop().await;
    let granted = format!("{user}-hooks");
    for document in rbac_documents(&with_hooks().declarations(), &granted) {
        world.create(&document).await;
    }
    world.create(&binding(&granted, &granted, &granted, None)).await;
    until_allowed(&world, &granted, "delete", "", "services").await;
    world.run_as(with_hooks(), &granted).await;
    world.set(&bundle("demo", &[config_map("one", "a")])).await;
    world.until_ready("demo").await;
}

// OUT-3, EVT-3
#[tokio::test]
async fn a_dependent_that_may_not_be_written_is_named_and_nothing_installed_is_lost() {
    let mut world = world().await;
    let user = installed(&world).await;
    world.run_as(operator(), &user).await;
    world.set(&bundle("demo", &[config_map("one", "a")])).await;
    world.until_ready("demo").await;
    let before = world.get(&config_map("one", "")).await.unwrap();
    // Secrets may be watched, but not written.
    let reader = format!("{user}-reader");
    world
        .create(&role(&reader, json!([{ "apiGroups": [""], "resources": ["secrets"], "verbs": ["get", "list", "watch"] }])))
        .await;
    world.create(&binding(&reader, &reader, &user, None)).await;
    until_allowed(&world, &user, "watch", "", "secrets").await;
    let secret =
        json!({ "apiVersion": "v1", "kind": "Secret", "metadata": { "name": "two" }, "stringData": { "key": "s3cr3t" } });
    world.set(&bundle("demo", &[config_map("one", "a"), secret.clone()])).await;
    let failed = world.until_state("demo", "Error", "Error").await;
    let refusal = format!(
        "User \"{user}\" cannot create resource \"secrets\" in API group \"\" in the namespace \"{}\"",
        world.namespace()
    );
    let message = message_of(&failed);
    assert!(message.contains(&format!("Secret {}/two", world.namespace())), "{message}");
    let remedy = format!(
        "(grant user {user:?} the rule {{apiGroups: [\"\"], resources: [secrets], verbs: [create]}} in namespace {})",
        world.namespace()
    );
    assert!(message.contains(&refusal) && message.contains(&remedy), "{message}");
    assert!(!message.contains("s3cr3t"), "{message}");
    assert!(condition(&failed, "Stalled").is_none(), "it heals by itself");
    assert!(world.until_event("UpdateError").await.contains(&refusal));
    assert_eq!(world.get(&config_map("one", "")).await.unwrap(), before);
    let writer = format!("{user}-writer");
    world.create(&role(&writer, json!([{ "apiGroups": [""], "resources": ["secrets"], "verbs": ["*"] }]))).await;
    world.create(&binding(&writer, &writer, &user, None)).await;
    world.until_ready("demo").await;
    assert!(world.get(&secret).await.is_some());
}

// TGT-1, TGT-8: the printed roles allow the operator to impersonate service accounts, since a spec can name one.
#[tokio::test]
async fn dependents_are_written_in_the_name_of_the_service_account() {
    let mut world = world().await;
    let user = installed(&world).await;
    world.run_as(operator(), &user).await;
    let mut component = bundle("demo", &[config_map("one", "a")]);
    component["spec"]["serviceAccountName"] = "deployer".into();
    world.set(&component).await;
    let account = format!("system:serviceaccount:{}:deployer", world.namespace());
    let failed = world.until_state("demo", "Error", "Error").await;
    assert!(
        message_of(&failed).contains(&format!("User \"{account}\" cannot create resource \"configmaps\"")),
        "{}",
        message_of(&failed)
    );
    assert!(world.get(&config_map("one", "")).await.is_none());
    let deployer = format!("{user}-deployer");
    world.create(&role(&deployer, json!([{ "apiGroups": [""], "resources": ["configmaps"], "verbs": ["*"] }]))).await;
    world.create(&binding(&deployer, &deployer, &account, Some(world.namespace()))).await;
    world.until_ready("demo").await;
    assert!(world.get(&config_map("one", "")).await.is_some());
    world.delete(&component).await;
    world.until_gone(&component).await;
    assert!(world.get(&config_map("one", "")).await.is_none());
}

fn lease(holder: &str) -> Value {
    json!({
        "apiVersion": "coordination.k8s.io/v1", "kind": "Lease", "metadata": { "name": "one" },
        "spec": { "holderIdentity": holder },
    })
}

// WATCH-4, WATCH-2
#[tokio::test]
async fn a_type_that_the_operator_may_not_watch_is_watched_as_the_service_account() {
    let mut world = world().await;
    let user = installed(&world).await;
    world.run_as(operator(), &user).await;
    let account = format!("system:serviceaccount:{}:deployer", world.namespace());
    let deployer = format!("{user}-deployer");
    world
        .create(&role(&deployer, json!([{ "apiGroups": ["coordination.k8s.io"], "resources": ["leases"], "verbs": ["*"] }])))
        .await;
    world.create(&binding(&deployer, &deployer, &account, Some(world.namespace()))).await;
    until_allowed(&world, &account, "get", "coordination.k8s.io", "leases").await;
    let lease = lease("a");
    let mut component = bundle("demo", std::slice::from_ref(&lease));
    component["spec"]["serviceAccountName"] = "deployer".into();
    world.set(&component).await;
    let ready = world.until_ready("demo").await;
    assert!(condition(&ready, "Polling").is_none(), "{ready:#}");
    // Events arrive: a deletion or a change is corrected at once.
    world.delete(&lease).await;
    world.until_present(&lease).await;
    world.until_ready("demo").await;
    world.patch(&lease, json!({ "spec": { "holderIdentity": "b" } })).await;
    world.until_object(&lease, "restored", |lease| lease["spec"]["holderIdentity"] == "a").await;
    world.delete(&component).await;
    world.until_gone(&component).await;
    assert!(world.get(&lease).await.is_none());
}

// WATCH-6, WATCH-4: permission to read is enough, with either identity.
#[tokio::test]
async fn a_type_that_only_the_service_account_may_read_is_polled_as_the_service_account() {
    let mut world = world().await;
    let user = installed(&world).await;
    world.run_as(operator(), &user).await;
    let account = format!("system:serviceaccount:{}:deployer", world.namespace());
    let deployer = format!("{user}-deployer");
    let verbs = ["get", "create", "update", "patch", "delete"];
    world
        .create(&role(&deployer, json!([{ "apiGroups": ["coordination.k8s.io"], "resources": ["leases"], "verbs": verbs }])))
        .await;
    world.create(&binding(&deployer, &deployer, &account, Some(world.namespace()))).await;
    until_allowed(&world, &account, "get", "coordination.k8s.io", "leases").await;
    let lease = lease("a");
    let mut component = bundle("demo", std::slice::from_ref(&lease));
    component["spec"]["serviceAccountName"] = "deployer".into();
    world.set(&component).await;
    let ready = world.until_ready("demo").await;
    let polled = condition(&ready, "Polling").unwrap()["message"].as_str().unwrap().to_owned();
    assert!(polled.contains(": Lease.coordination.k8s.io ("), "{polled}");
    world.delete(&component).await;
    world.until_gone(&component).await;
    assert!(world.get(&lease).await.is_none());
}

/// Installs these roles for a user, and waits until the last of them is in effect.
async fn install(world: &World, documents: &[Value], user: &str) {
    for document in documents {
        let kind = document["kind"].as_str().unwrap();
        let mut bound = binding(user, user, user, document["metadata"]["namespace"].as_str());
        bound["roleRef"]["kind"] = kind.into();
        world.create(document).await;
        world.create(&bound).await;
    }
    until_allowed(world, user, "list", "test.kubewright.dev", "bundles").await;
}

// TGT-9, CMD-4
#[test]
fn impersonation_is_printed_for_declared_names_only() {
    let rules = |operator: &Operator| {
        let rules = operator.declarations().all_rules().into_iter().filter(|rule| rule.verbs.contains("impersonate"));
        rules.map(|rule| format!("{} {:?}", rule.resource, rule.names)).collect::<Vec<_>>()
    };
    let builder = || Operator::new(OPERATOR).leadership(Leadership::off()).component::<crate::types::Bundle>(objects);
    assert_eq!(rules(&builder().into()), [""; 0]);
    assert_eq!(rules(&operator()), ["serviceaccounts {\"deployer\"}"]);
    assert_eq!(rules(&builder().default_service_account("shop").into()), ["serviceaccounts {\"shop\"}"]);
}

// TGT-9, OUT-3a
#[tokio::test]
async fn an_undeclared_service_account_is_reported_with_the_missing_impersonation_rule() {
    let mut world = world().await;
    let user = installed(&world).await;
    world.run_as(operator(), &user).await;
    let mut component = bundle("demo", &[config_map("one", "a")]);
    component["spec"]["serviceAccountName"] = "other".into();
    world.set(&component).await;
    let failed = world.until_state("demo", "Error", "Error").await;
    let remedy = format!(
        "(grant user {user:?} the rule {{apiGroups: [\"\"], resources: [serviceaccounts], resourceNames: [other], verbs: [impersonate]}} in \
         namespace {})",
        world.namespace()
    );
    assert!(message_of(&failed).contains(&remedy), "{}", message_of(&failed));
    assert!(world.get(&config_map("one", "")).await.is_none());
}

// TGT-9, CHK-3
#[tokio::test]
async fn an_operator_of_one_namespace_that_creates_none_works_without_a_cluster_role() {
    let mut world = world().await;
    let namespace = world.namespace().to_owned();
    let policies =
        PolicySettings { missing_namespaces_policy: Some(MissingNamespacesPolicy::DoNotCreate), ..PolicySettings::default() };
    let builder = Operator::new(OPERATOR).leadership(Leadership::off()).component::<crate::types::Bundle>(objects);
    let operator: Operator = builder.dependent_types([("", "configmaps")]).policies(policies).into();
    let operator = operator.options(|options| options.watch_namespaces = vec![namespace.clone()]);
    let user = format!("{namespace}-modest");
    let documents = rbac_documents(&operator.declarations(), &user);
    let roles: Vec<String> = documents.iter().map(|role| format!("{} {}", role["kind"], role["metadata"]["namespace"])).collect();
    let expected = [format!("\"Role\" \"{namespace}\""), "\"Role\" \"kube-system\"".to_owned()];
    assert!(roles.len() == 2 && expected.iter().all(|role| roles.contains(role)), "{roles:?}");
    install(&world, &documents, &user).await;
    world.run_as(operator, &user).await;
    let component = bundle("demo", &[config_map("one", "a")]);
    world.set(&component).await;
    world.until_ready("demo").await;
    world.delete(&config_map("one", "")).await;
    world.until_present(&config_map("one", "")).await;
    world.until_ready("demo").await;
    world.delete(&component).await;
    world.until_gone(&component).await;
    assert!(world.get(&config_map("one", "")).await.is_none());
    for document in &documents {
        let namespace = &document["metadata"]["namespace"];
        if namespace == "kube-system" {
            // The role is outside of the namespace of the test, so it would stay.
            world.delete(document).await;
            world.delete(&binding(&user, &user, &user, namespace.as_str())).await;
        }
    }
}

// CHK-3
#[tokio::test]
async fn roles_that_are_narrowed_to_names_pass_the_check_at_the_start() {
    let mut world = world().await;
    let user = format!("{}-narrow", world.namespace());
    let mut documents = rbac_documents(&operator().declarations(), &user);
    let rules = documents[0]["rules"].as_array_mut().unwrap();
    let index =
        rules.iter().position(|rule| rule["resources"] == json!(["configmaps"]) && rule["verbs"] != json!(["impersonate"]));
    let rule = rules.remove(index.unwrap());
    assert!(rule["verbs"].as_array().unwrap().len() == 7, "{rule}");
    rules.push(json!({ "apiGroups": [""], "resources": ["configmaps"], "verbs": ["create", "list", "watch"] }));
    rules.push(json!({
        "apiGroups": [""], "resources": ["configmaps"], "verbs": ["get", "update", "patch", "delete"], "resourceNames": ["one"],
    }));
    install(&world, &documents, &user).await;
    world.run_as(operator(), &user).await;
    world.set(&bundle("demo", &[config_map("one", "a")])).await;
    world.until_ready("demo").await;
    world.set(&bundle("demo", &[config_map("one", "b"), config_map("two", "a")])).await;
    world.until_ready("demo").await;
    // A dependent that the role does not name is reported by its name.
    world.set(&bundle("demo", &[config_map("one", "c"), config_map("two", "b")])).await;
    let failed = world.until_state("demo", "Error", "Error").await;
    let remedy = "the rule {apiGroups: [\"\"], resources: [configmaps], resourceNames: [two], verbs: [update]} in namespace ";
    assert!(message_of(&failed).contains(remedy), "{}", message_of(&failed));
    assert_eq!(world.get(&config_map("one", "")).await.unwrap()["data"]["value"], "c");
}

// TGT-9, OUT-3a
#[tokio::test]
async fn a_role_that_gives_away_more_than_the_operator_holds_needs_a_declared_rule() {
    let mut world = world().await;
    let rendered = json!({
        "apiVersion": "rbac.authorization.k8s.io/v1", "kind": "Role", "metadata": { "name": "shop" },
        "rules": [{ "apiGroups": [""], "resources": ["pods"], "verbs": ["get"] }],
    });
    let renders_roles = || {
        let builder = Operator::new(OPERATOR).leadership(Leadership::off()).component::<crate::types::Bundle>(objects);
        builder.dependent_types([("rbac.authorization.k8s.io", "roles")])
    };
    let weak = format!("{}-weak", world.namespace());
    install(&world, &rbac_documents(&Operator::from(renders_roles()).declarations(), &weak), &weak).await;
    world.run_as(renders_roles().into(), &weak).await;
    world.set(&bundle("demo", std::slice::from_ref(&rendered))).await;
    let failed = world.until_state("demo", "Error", "Error").await;
    let remedy = format!(
        "(give user {weak:?} these rights, or the rule {{apiGroups: [rbac.authorization.k8s.io], resources: [roles], verbs: [escalate]}})"
    );
    assert!(message_of(&failed).contains(&remedy), "{}", message_of(&failed));
    world.kill().await;
    let strong = format!("{}-strong", world.namespace());
    let operator = || Operator::from(renders_roles().escalates(["roles"]));
    install(&world, &rbac_documents(&operator().declarations(), &strong), &strong).await;
    world.run_as(operator(), &strong).await;
    world.until_ready("demo").await;
    assert!(world.get(&rendered).await.is_some());
}

// TGT-8, GATE-1
#[tokio::test]
async fn a_type_that_is_brought_is_looked_through_with_the_printed_rule() {
    let mut world = world().await;
    let kinds = crate::kinds::Kinds::of(world.namespace());
    let builder = Operator::new(OPERATOR).leadership(Leadership::off()).component::<crate::types::Bundle>(objects);
    let builder = builder.dependent_types([("apiextensions.k8s.io", "customresourcedefinitions")]);
    let operator: Operator = builder.managed_types([(kinds.group(), "bazs")]).into();
    let user = format!("{}-bringer", world.namespace());
    install(&world, &rbac_documents(&operator.declarations(), &user), &user).await;
    world.run_as(operator, &user).await;
    let component = bundle("demo", &[kinds.crd()]);
    world.set(&component).await;
    world.until_ready("demo").await;
    let foreign = kinds.object("Baz", "foreign");
    world.create(&foreign).await;
    world.delete(&component).await;
    world.until_state("demo", "Deleting", "DeletionBlocked").await;
    world.delete(&foreign).await;
    world.until_gone(&component).await;
    assert!(world.get(&kinds.crd()).await.is_none());
}
