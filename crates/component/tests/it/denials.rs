//! A denied write is reported with its cause and the remedy for it. Quotas, Pod Security and policies deny on a real server; the embedded server
//! has none of them and answers with the same texts.

use std::time::Duration;

use kubewright::prelude::*;
use kubewright_middleware::{Status, Verb};

use crate::types::{bundle, config_map};
use crate::world::{World, condition, message_of};

/// The cause of a denial.
struct Cause {
    /// The objects that make a real server deny the write.
    objects: Vec<Value>,
    /// The status code and text of Kubernetes 1.36.
    code: u16,
    text: String,
    remedy: &'static str,
}

/// Waits until a server denies an object, and returns its message: a real server applies quotas and policies with a delay.
async fn until_denied(world: &World, object: &Value) -> String {
    let deadline = world.cluster.clock().moment().0 + Duration::from_mins(2);
    loop {
        match world.try_create(object).await {
            Err(text) => return text,
            Ok(_) => world.delete(object).await,
        }
        assert!(world.cluster.clock().moment().0 < deadline, "expected that {} is denied", object["metadata"]["name"]);
        world.pass(Duration::from_millis(100)).await;
    }
}

/// Checks that a component with this dependent is in error, and that its status and the event name the cause and the remedy.
async fn tells(world: &World, resource: &str, dependent: Value, cause: Cause) {
    let rule = if world.cluster.is_embedded() {
        let status = Status::new(cause.code, if cause.code == 422 { "Invalid" } else { "Forbidden" }, cause.text.clone());
        Some(
            world
                .faults()
                .on(Verb::Create)
                .of("", resource)
                .named(dependent["metadata"]["name"].as_str().unwrap())
                .respond(status),
        )
    } else {
        for object in &cause.objects {
            let created = world.create(object).await;
            if let Some(status) = object.get("status") {
                world.patch_status(&created, status.clone()).await;
            }
        }
        let text = until_denied(world, &dependent).await;
        assert!(text.contains(&cause.text), "the real server says {text}");
        None
    };
    world.set(&bundle("demo", &[dependent])).await;
    let failed = world.until_state("demo", "Error", "Error").await;
    let message = message_of(&failed);
    assert!(message.contains(&cause.text) && message.contains(cause.remedy), "{message}");
    assert!(!message.contains("grant"), "{message}");
    assert!(condition(&failed, "Stalled").is_none(), "it heals by itself");
    let event = world.until_event("UpdateError").await;
    assert!(event.contains(&cause.text) && event.contains(cause.remedy), "{event}");
    if let Some(rule) = rule {
        rule.remove();
        world.until_ready("demo").await;
    }
    // A policy is cluster-scoped and would stay.
    if !world.cluster.is_embedded() {
        for object in cause.objects.iter().filter(|object| object["apiVersion"] != "v1") {
            world.delete(object).await;
        }
    }
}

// OUT-3a
#[tokio::test]
async fn a_quota_that_is_used_up_is_named() {
    let world = World::start().await;
    let quota = json!({
        "apiVersion": "v1", "kind": "ResourceQuota", "metadata": { "name": "small" },
        "spec": { "hard": { "services": "0" } }, "status": { "hard": { "services": "0" }, "used": { "services": "0" } },
    });
    let service = json!({
        "apiVersion": "v1", "kind": "Service", "metadata": { "name": "one" }, "spec": { "ports": [{ "port": 80 }] },
    });
    let text =
        "services \"one\" is forbidden: exceeded quota: small, requested: services=1, used: services=0, limited: services=0";
    let cause =
        Cause { objects: vec![quota], code: 403, text: text.to_owned(), remedy: "(raise the ResourceQuota small, delete " };
    tells(&world, "services", service, cause).await;
}

// OUT-3a
#[tokio::test]
async fn a_pod_security_denial_is_reported_with_its_profile() {
    let world = World::start().await;
    let namespace = json!({ "apiVersion": "v1", "kind": "Namespace", "metadata": { "name": world.namespace() } });
    world.patch(&namespace, json!({ "metadata": { "labels": { "pod-security.kubernetes.io/enforce": "baseline" } } })).await;
    let pod = json!({
        "apiVersion": "v1", "kind": "Pod", "metadata": { "name": "one" },
        "spec": { "hostNetwork": true, "containers": [{ "name": "c", "image": "example.com/c" }] },
    });
    let text = "pods \"one\" is forbidden: violates PodSecurity \"baseline:latest\": host namespaces (hostNetwork=true)";
    let remedy = "(render a security context that fulfils \"baseline:latest\", or change the label";
    tells(&world, "pods", pod, Cause { objects: Vec::new(), code: 403, text: text.to_owned(), remedy }).await;
}

// OUT-3a
#[tokio::test]
async fn a_denial_by_an_admission_policy_is_reported_with_its_name_and_text() {
    let world = World::start().await;
    let name = format!("{}-no-services", world.namespace());
    let policy = json!({
        "apiVersion": "admissionregistration.k8s.io/v1", "kind": "ValidatingAdmissionPolicy", "metadata": { "name": name },
        "spec": {
            "matchConstraints": {
                "namespaceSelector": { "matchLabels": { "kubernetes.io/metadata.name": world.namespace() } },
                "resourceRules": [{ "apiGroups": [""], "apiVersions": ["v1"], "operations": ["CREATE"], "resources": ["services"] }],
            },
            "validations": [{ "expression": "false", "message": "services are made by the platform" }],
        },
    });
    let binding = json!({
        "apiVersion": "admissionregistration.k8s.io/v1", "kind": "ValidatingAdmissionPolicyBinding", "metadata": { "name": name },
        "spec": { "policyName": name, "validationActions": ["Deny"] },
    });
    let service = json!({
        "apiVersion": "v1", "kind": "Service", "metadata": { "name": "one" }, "spec": { "ports": [{ "port": 80 }] },
    });
    let text = format!(
        "services \"one\" is forbidden: ValidatingAdmissionPolicy '{name}' with binding '{name}' denied request: services are made by the \
         platform"
    );
    let remedy = "(render the object as the ValidatingAdmissionPolicy ";
    tells(&world, "services", service, Cause { objects: vec![policy, binding], code: 422, text, remedy }).await;
}

// OUT-3a
#[tokio::test]
async fn a_denial_by_an_admission_webhook_is_reported_with_its_name_and_text() {
    let world = World::start().await;
    let rule = world.faults().on(Verb::Create).of("", "configmaps").named("one").deny_admission("guard.example.com", "not today");
    world.set(&bundle("demo", &[config_map("one", "a")])).await;
    let failed = world.until_state("demo", "Error", "Error").await;
    let message = message_of(&failed);
    let told = "admission webhook \"guard.example.com\" denied the request: not today (render the object as the admission webhook \
                \"guard.example.com\" demands, or change its configuration)";
    assert!(message.contains(told), "{message}");
    rule.remove();
    world.until_ready("demo").await;
}
