//! The call that each step makes: when it fails, when there is nothing to do, and when it is needed.

use std::time::Duration;

use k8s_openapi::api::apps::v1::Deployment;
use k8s_openapi::api::core::v1::{ConfigMap, Pod, Secret, Service};
use k8s_openapi::api::networking::v1::NetworkPolicy;
use kubewright::prelude::*;
use kubewright_middleware::Verb;
use kubewright_testing::fixtures::package::{AccountProducer, Package, RESTORED};

use super::world::{PackageWorld, descriptor, shop};

/// An action that gives a step something to do.
enum Undo {
    /// Deletes the object of this kind and name.
    Delete(&'static str, &'static str),
    /// Sends a merge patch to the object of this kind and name.
    Patch(&'static str, &'static str, Value),
    /// Sends a JSON patch to the Deployment.
    Edit(Value),
    /// Changes the specification of the package.
    Spec(Value),
    /// Creates a helper pod that is not needed.
    Helper,
}

/// A step, the action that gives it something to do, and the call that it then makes.
struct StepCall {
    step: &'static str,
    undo: Undo,
    call: (Verb, &'static str, &'static str),
}

const MAPS: (&str, &str) = ("", "configmaps");
const DEPLOYMENTS: (&str, &str) = ("apps", "deployments");

fn row(step: &'static str, undo: Undo, verb: Verb, (group, plural): (&'static str, &'static str)) -> StepCall {
    StepCall { step, undo, call: (verb, group, plural) }
}

fn of_settings() -> Vec<StepCall> {
    let no_owner = || json!({ "metadata": { "ownerReferences": null } });
    let no_finalizer = json!({ "metadata": { "finalizers": null } });
    let restored = json!({ "metadata": { "annotations": { RESTORED: "true" } } });
    vec![
        row("finalizer", Undo::Patch("Package", "shop", no_finalizer), Verb::Patch, ("fixtures.kubewright.dev", "packages")),
        row("configuration", Undo::Delete("ConfigMap", "shop-config"), Verb::Patch, MAPS),
        row("configuration-owner", Undo::Patch("ConfigMap", "shop-config", no_owner()), Verb::Patch, MAPS),
        row("sensitive-configuration", Undo::Delete("Secret", "shop-sensitive"), Verb::Patch, ("", "secrets")),
        row("sensitive-configuration-owner", Undo::Patch("Secret", "shop-sensitive", no_owner()), Verb::Patch, ("", "secrets")),
        row(
            "restored-from-backup",
            Undo::Patch("Package", "shop", restored),
            Verb::Patch,
            ("fixtures.kubewright.dev", "packages"),
        ),
        row("register-version", Undo::Delete("ConfigMap", "version-shop"), Verb::Patch, MAPS),
        row("descriptor-owner", Undo::Patch("ConfigMap", "descriptor-shop-1.0.0", no_owner()), Verb::Patch, MAPS),
    ]
}

fn of_resources() -> Vec<StepCall> {
    vec![
        row("registration", Undo::Delete("ConfigMap", "registration-shop"), Verb::Patch, MAPS),
        row("accounts", Undo::Delete("ConfigMap", "account-users-shop"), Verb::Patch, MAPS),
        row("service", Undo::Delete("Service", "shop"), Verb::Patch, ("", "services")),
        row("extra-resources", Undo::Delete("ConfigMap", "shop-motd"), Verb::Patch, MAPS),
        row("network-policies", Undo::Delete("NetworkPolicy", "shop"), Verb::Patch, ("networking.k8s.io", "networkpolicies")),
        row("deployment", Undo::Delete("Deployment", "shop"), Verb::Patch, DEPLOYMENTS),
        row("delete-helper-pod", Undo::Helper, Verb::Delete, ("", "pods")),
        row(
            "register-new-version",
            Undo::Patch("ConfigMap", "version-shop", json!({ "data": { "version": "0.9.0" } })),
            Verb::Patch,
            MAPS,
        ),
        row("started-at", Undo::Delete("ConfigMap", "health-shop"), Verb::Patch, MAPS),
        row("accounts-for-late-producers", Undo::Delete("ConfigMap", "account-mail-shop"), Verb::Patch, MAPS),
    ]
}

fn of_the_deployment() -> Vec<StepCall> {
    let edit = |op: &str, path: &str, value: Value| Undo::Edit(json!([{ "op": op, "path": path, "value": value }]));
    let pod = "/spec/template/spec";
    let image = format!("{pod}/containers/0/image");
    let annotation = "/spec/template/metadata/annotations/fixtures.kubewright.dev~1configuration";
    let volume = json!([{ "name": "extra-old", "configMap": { "name": "shop-config" } }]);
    let write = |step, undo| row(step, undo, Verb::Patch, DEPLOYMENTS);
    vec![
        write("start-or-stop", edit("replace", "/spec/replicas", json!(3))),
        write("security-context", edit("replace", &format!("{pod}/securityContext"), json!({ "runAsNonRoot": true }))),
        write("export-mode", Undo::Spec(json!({ "exportMode": true }))),
        write("support-mode", edit("add", &format!("{pod}/containers/0/command"), json!(["true"]))),
        write("extra-mounts", edit("add", &format!("{pod}/volumes"), volume)),
        write("regenerate-deployment", edit("replace", &image, json!("registry.example/other:1.0.0"))),
        write("restart-on-newer-configuration", edit("replace", annotation, json!("former"))),
    ]
}

async fn installed() -> PackageWorld {
    let world = PackageWorld::start().await;
    let mut mail = shop();
    "mail".clone_into(&mut mail.name);
    world.install(mail).await;
    let account = |producer: &str, optional| AccountProducer { producer: producer.to_owned(), optional };
    let mut described = descriptor("shop", "1.0.0");
    described.accounts = vec![account("users", false), account("mail", true)];
    described.extra_resources.insert("motd".to_owned(), [("text".to_owned(), "hello".to_owned())].into());
    world.publish(&described).await;
    world.create(shop()).await;
    world.settled("shop").await;
    world.cluster.expect::<ConfigMap>("account-mail-shop").to_exist().await;
    world
}

async fn undo(world: &PackageWorld, undo: &Undo) {
    let cluster = &world.cluster;
    match undo {
        Undo::Delete("ConfigMap", name) => cluster.delete::<ConfigMap>(name).await,
        Undo::Delete("Secret", name) => cluster.delete::<Secret>(name).await,
        Undo::Delete("Service", name) => cluster.delete::<Service>(name).await,
        Undo::Delete("NetworkPolicy", name) => cluster.delete::<NetworkPolicy>(name).await,
        Undo::Delete(_, name) => cluster.delete::<Deployment>(name).await,
        Undo::Patch("ConfigMap", name, patch) => drop(cluster.patch::<ConfigMap>(name, patch.clone()).await),
        Undo::Patch("Secret", name, patch) => drop(cluster.patch::<Secret>(name, patch.clone()).await),
        Undo::Patch(_, name, patch) => drop(cluster.patch::<Package>(name, patch.clone()).await),
        Undo::Spec(spec) => world.change("shop", spec.clone()).await,
        Undo::Edit(edits) => {
            let deployments: kube::Api<Deployment> = kube::Api::namespaced(cluster.client().clone(), cluster.namespace());
            let patch = kube::api::Patch::Json::<()>(serde_json::from_value(edits.clone()).unwrap());
            deployments.patch("shop", &kube::api::PatchParams::default(), &patch).await.unwrap();
        }
        Undo::Helper => {
            let package = cluster.get::<Package>("shop").await.unwrap_or_default();
            let labels = [("owner-kind", "Package"), ("owner-namespace", cluster.namespace()), ("owner-name", "shop")];
            let label = |(key, value)| (format!("package-operator.fixtures.kubewright.dev/{key}"), json!(value));
            let labels: Map<String, Value> = labels.into_iter().map(label).collect();
            let owner = json!({
                "apiVersion": "fixtures.kubewright.dev/v1", "kind": "Package", "name": "shop", "controller": true,
                "uid": package["metadata"]["uid"],
            });
            let helper = json!({
                "apiVersion": "v1", "kind": "Pod",
                "metadata": { "name": "shop-helper", "labels": labels, "ownerReferences": [owner] },
                "spec": { "containers": [{ "name": "helper", "image": "registry.example/shop:1.0.0" }] },
            });
            cluster.create(helper).await.unwrap();
            cluster.expect::<Pod>("shop-helper").to_exist().await;
        }
    }
}

async fn poke(world: &PackageWorld, number: usize) {
    let patch = json!({ "metadata": { "labels": { "poked": number.to_string() } } });
    world.cluster.patch::<Package>("shop", patch).await;
}

/// Waits until a pass has failed in this step.
async fn fails_in(world: &PackageWorld, step: &str) {
    let deadline = world.cluster.clock().moment() + world.patience();
    loop {
        let outcomes = world.ended_in("shop", step);
        if outcomes.iter().any(|outcome| outcome.starts_with("failed")) {
            return;
        }
        assert!(world.cluster.clock().moment() < deadline, "expected that a pass fails in {step}; outcomes there: {outcomes:?}");
        world.cluster.pass(Duration::from_millis(50)).await;
    }
}

/// Tests each row in three situations: the call fails, and the pass fails in this step; the call works, and the package gets ready; there is
/// nothing to do, and nothing is written.
async fn try_all(rows: Vec<StepCall>) {
    let world = installed().await;
    let mut pokes = 0..;
    for StepCall { step, undo: what, call: (verb, group, plural) } in rows {
        let fault = world.cluster.faults().on(verb).of(group, plural).subresource("").internal_error();
        undo(&world, &what).await;
        poke(&world, pokes.next().unwrap_or_default()).await;
        fails_in(&world, step).await;
        assert!(fault.hits() > 0, "{step}");
        fault.remove();
        world.settled("shop").await;
        world.idle(Duration::from_secs(20)).await;
        world.settled("shop").await;

        let before = world.writes().len();
        poke(&world, pokes.next().unwrap_or_default()).await;
        world.idle(Duration::from_secs(20)).await;
        assert_eq!(world.writes()[before..], <[String; 0]>::default(), "{step}");
    }
    world.stop().await;
}

// FPIPE-12, STEP-5, STEP-6
#[tokio::test]
async fn each_settings_step_fails_when_its_api_call_fails_and_repairs_the_package_afterwards() {
    try_all(of_settings()).await;
}

// FPIPE-12, STEP-5, STEP-6
#[tokio::test]
async fn each_resource_step_fails_when_its_api_call_fails_and_repairs_the_package_afterwards() {
    try_all(of_resources()).await;
}

// FPIPE-12, STEP-5, STEP-6
#[tokio::test]
async fn each_deployment_step_fails_when_its_api_call_fails_and_repairs_the_deployment_afterwards() {
    try_all(of_the_deployment()).await;
}

// FPIPE-12, STEP-5, STEP-6
#[tokio::test]
async fn each_step_of_an_upgrade_and_a_resize_fails_with_its_request_and_continues_afterwards() {
    let world = PackageWorld::start().await;
    let mut spec = shop();
    let volume = world.volume("1Gi").await;
    world.publish(&descriptor("shop", "1.0.0")).await;
    world.publish(&descriptor("shop", "2.0.0")).await;
    let patches = |group: &str, plural: &str| world.cluster.faults().on(Verb::Patch).of(group, plural);
    let threshold = |body: &Value| super::world::workload(body)["startupProbe"]["failureThreshold"].clone();

    let claims = patches("", "persistentvolumeclaims").internal_error();
    spec.volume = Some(volume);
    world.create(spec).await;
    fails_in(&world, "volume").await;
    claims.remove();
    world.bind("shop", "1Gi").await;
    world.settled("shop").await;

    let pods = patches("", "pods").internal_error();
    let updates = patches("apps", "deployments").with_body(move |body| threshold(body) == 1080).internal_error();
    world.change("shop", json!({ "version": "2.0.0" })).await;
    fails_in(&world, "helper-pod").await;
    pods.remove();
    fails_in(&world, "update-deployment").await;
    let ends = patches("apps", "deployments").with_body(move |body| threshold(body) == 60).internal_error();
    updates.remove();
    fails_in(&world, "post-upgrade").await;
    ends.remove();
    world.settled("shop").await;

    let claims = patches("", "persistentvolumeclaims").internal_error();
    world.change("shop", json!({ "volume": { "size": "2Gi" } })).await;
    fails_in(&world, "volume-size").await;
    claims.remove();
    world.told("Normal VolumeGrowing ").await;
    world.bind("shop", "2Gi").await;
    world.settled("shop").await;
    world.stop().await;
}
