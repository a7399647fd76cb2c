//! API services whose server is unavailable, temporarily or from the start (GATE-4a).

use std::time::Duration;

use kubewright::prelude::*;
use kubewright_apiserver::listen::ListeningServer;
use kubewright_apiserver::workloads::Workloads;
use kubewright_apiserver::{ApiServer, Identity};
use kubewright_testing::{TestCluster, TestOptions};

use crate::kinds::{Kinds, api_service, unserved};
use crate::types::{bundle, config_map};
use crate::world::{OPERATOR, World, message_of};

/// The extension API server behind the API service of a test's group.
///
/// The embedded server calls no extension server: there the group is that of CRDs, and is unavailable while the API service names a service. A
/// real server calls a second, embedded server through a Service of type ExternalName, and the group is unavailable while that Service is
/// absent.
struct Program {
    kinds: Kinds,
    behind: Option<ListeningServer>,
}

impl Program {
    async fn start(world: &World) -> Self {
        let kinds = Kinds::of(world.namespace());
        if world.cluster.is_embedded() {
            return Self { kinds, behind: None };
        }
        let definitions = ["Foo", "Bar"].map(|kind| kinds.definition(kind));
        let server = ApiServer::builder().workloads(Workloads::Off).rbac(true).crds(definitions).build().unwrap();
        let client = server.client(Identity::admin());
        for (path, object) in namespace_and_permissions(world.namespace()) {
            let create = http::Request::post(path).body(serde_json::to_vec(&object).unwrap()).unwrap();
            client.request::<Value>(create).await.unwrap();
        }
        let program = Self { kinds, behind: Some(server.listen("127.0.0.1:0").await.unwrap()) };
        world.create(&program.service().unwrap()).await;
        program
    }

    /// Returns the Service through which a real server reaches the extension server.
    fn service(&self) -> Option<Value> {
        let port = self.behind.as_ref()?.address().port();
        Some(json!({
            "apiVersion": "v1", "kind": "Service", "metadata": { "name": "program" },
            "spec": { "type": "ExternalName", "externalName": "localhost", "ports": [{ "port": port }] },
        }))
    }

    fn api_service(&self, world: &World) -> Value {
        let mut service = api_service(self.kinds.group(), "v1alpha1");
        if let Some(behind) = &self.behind {
            service["spec"]["insecureSkipTLSVerify"] = true.into();
            service["spec"]["service"] =
                json!({ "namespace": world.namespace(), "name": "program", "port": behind.address().port() });
        }
        service
    }

    async fn leave(&self, world: &World) {
        if let Some(service) = self.service() {
            world.delete(&service).await;
        } else {
            let nobody = json!({ "namespace": world.namespace(), "name": "nobody" });
            let spec = json!({ "service": nobody, "insecureSkipTLSVerify": true });
            world.patch(&self.api_service(world), json!({ "spec": spec })).await;
        }
    }

    async fn come_back(&self, world: &World) {
        if let Some(service) = self.service() {
            world.create(&service).await;
        } else {
            let spec = json!({ "service": null, "insecureSkipTLSVerify": null });
            world.patch(&self.api_service(world), json!({ "spec": spec })).await;
        }
    }
}

/// Returns the namespace of the test, and the permissions for a server that does not identify the requesting user.
fn namespace_and_permissions(namespace: &str) -> [(&'static str, Value); 3] {
    let roles = "rbac.authorization.k8s.io";
    let everything = json!({ "apiGroups": ["*"], "resources": ["*"], "verbs": ["*"] });
    let documents = json!({ "nonResourceURLs": ["*"], "verbs": ["get"] });
    [
        ("/api/v1/namespaces", json!({ "apiVersion": "v1", "kind": "Namespace", "metadata": { "name": namespace } })),
        (
            "/apis/rbac.authorization.k8s.io/v1/clusterroles",
            json!({
                "apiVersion": format!("{roles}/v1"), "kind": "ClusterRole", "metadata": { "name": "all" },
                "rules": [everything, documents],
            }),
        ),
        (
            "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings",
            json!({
                "apiVersion": format!("{roles}/v1"), "kind": "ClusterRoleBinding", "metadata": { "name": "all" },
                "roleRef": { "apiGroup": roles, "kind": "ClusterRole", "name": "all" },
                "subjects": [{ "apiGroup": roles, "kind": "Group", "name": "system:unauthenticated" }],
            }),
        ),
    ]
}

/// Returns the message about an API service for which instances cannot be ruled out.
fn silence(service: &Value, way_out: &str) -> String {
    format!(
        "service {} is not available, so nobody can tell whether it is in use; it is looked at again when it answers, or {way_out}",
        service["metadata"]["name"].as_str().unwrap()
    )
}

// GATE-4a
#[tokio::test]
async fn an_api_service_that_is_away_for_a_while_holds_back_deletion() {
    // While a group is unavailable, a server does not finish the deletion of any namespace.
    let mut world = World::on(TestCluster::start_with(TestOptions::default().exclusive()).await);
    world.run(|builder| builder).await;
    let program = Program::start(&world).await;
    let service = program.api_service(&world);
    world.set(&bundle("demo", &[service.clone(), config_map("server", "a")])).await;
    world.until_ready("demo").await;
    if world.cluster.is_embedded() {
        Kinds::install(&world).await;
    }
    let foo = program.kinds.foo();
    world.create(&foo).await;
    program.leave(&world).await;
    world.until_state("demo", "Processing", "Processing").await;
    // The API service is removed from the component.
    world.set(&bundle("demo", &[])).await;
    let waiting = world.until_state("demo", "Pending", "Retrying").await;
    let expected = silence(&service, &format!("left in place without its label {OPERATOR}/owner-id"));
    assert!(message_of(&waiting).ends_with(&expected), "{}", message_of(&waiting));
    // The component is deleted, too.
    world.delete(&bundle("demo", &[])).await;
    let waiting = world.until_state("demo", "DeletionPending", "DeletionRetrying").await;
    let expected = silence(&service, &format!("let go with {OPERATOR}/abandon-dependents=true"));
    assert!(message_of(&waiting).ends_with(&expected), "{}", message_of(&waiting));
    world.idle(Duration::from_secs(60)).await;
    assert!(world.get(&config_map("server", "")).await.is_some(), "what may serve it stays");
    assert!(world.get(&service).await.unwrap()["metadata"].get("deletionTimestamp").is_none());
    program.come_back(&world).await;
    // An instance exists.
    world.until_state("demo", "Deleting", "DeletionBlocked").await;
    world.delete(&foo).await;
    world.until_gone(&bundle("demo", &[])).await;
    assert!(world.get(&config_map("server", "")).await.is_none());
}

// GATE-4a
#[tokio::test]
async fn an_api_service_that_never_worked_is_deleted_with_its_component() {
    let world = World::start().await;
    let service = unserved(&world, &format!("{}.silent.example.com", world.namespace()));
    world.set(&bundle("demo", std::slice::from_ref(&service))).await;
    world.until_present(&service).await;
    world.until_state("demo", "Processing", "Processing").await;
    world.delete(&bundle("demo", &[])).await;
    world.until_gone(&bundle("demo", &[])).await;
    assert!(world.get(&service).await.is_none());
}
