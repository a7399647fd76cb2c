//! Creation, change and removal of the components of an owner.

use kubewright::machinery::object::ObjectExt as _;
use kubewright::prelude::*;

use super::plane::{CANARY, ControlPlane, DOMAIN, Script, owner_operator};
use super::world::{ALL, NAME, World, condition, conditions};

// PAR-01, PAR-10, OL-1, OL-2, OL-3, OL-4, AGG-5, STAT-08, CT-5, CT-6
#[tokio::test]
async fn all_components_are_rolled_out_with_one_creation_each_and_then_nothing_is_sent() {
    let mut world = World::start().await;
    let owner = world.roll_out().await;
    assert_eq!(owner["status"]["phase"], "Ready");
    assert_eq!(owner["status"]["observedGeneration"], 1);
    assert_eq!(owner["status"]["appliedGeneration"], 1);
    assert!(owner.has_finalizer("plane.kubewright.dev/controlplane"), "{owner}");
    let expected = [
        "ApiServer/ApiServerHealthy True",
        "Authentication/AuthenticationHealthy True",
        "Authorization/AuthorizationHealthy True",
        "CloudOrchestrator/CloudOrchestratorHealthy True",
        "Landscaper/LandscaperHealthy True",
        "/Ready True",
        "/ComponentsSuccessful True",
    ];
    assert_eq!(conditions(&owner), expected);
    assert_eq!(owner["status"]["endpoints"]["Landscaper"], "https://landscaper-1");
    assert!(!owner.to_string().contains(CANARY));
    for type_ in ALL {
        let component = world.component(type_).await.unwrap();
        let label = |name: &str| component.label(&format!("{DOMAIN}/{name}")).map(str::to_owned);
        assert_eq!(label("owner-kind").as_deref(), Some("ControlPlane"));
        assert_eq!(label("owner-name").as_deref(), Some(NAME));
        assert_eq!(label("owner-namespace").as_deref(), Some(world.cluster.namespace()));
        assert_eq!(label("component").as_deref(), Some(type_));
        assert_eq!(label("managed-by").as_deref(), Some("controlplane"));
        assert_eq!(label("owner-generation").as_deref(), Some("1"));
        assert_eq!(label("internal-generation"), None);
        let controller = component.controller().unwrap();
        assert_eq!((controller.kind, controller.uid), ("ControlPlane", owner.uid()));
        assert_eq!(component["spec"], json!({ "size": 1 }));
        assert_eq!(component["status"]["kubeconfig"], CANARY);
    }
    world.idle(5).await;
    let mark = world.mark();
    world.idle(3600).await;
    assert_eq!(world.writes_since(mark), Vec::<String>::new());
    world.restart().await;
    world.idle(60).await;
    assert_eq!(world.writes_since(mark), Vec::<String>::new(), "after a restart");
    world.stop().await;
}

// PAR-01, OL-1, FZ-3
#[tokio::test]
async fn a_roll_out_sends_for_each_component_one_creation_its_finalizers_and_statuses_that_differ() {
    let world = World::start().await;
    let mark = world.mark();
    world.roll_out().await;
    world.idle(5).await;
    let writes = world.writes_since(mark);
    // Finalizer writes that conflict on one object are refused and repeated.
    let of = |resource: &str, verb: &str| {
        let of_it = writes.iter().filter(|write| write.contains(verb) && write.contains(resource) && !write.contains("status"));
        of_it.filter(|write| !write.contains("422")).count()
    };
    for resource in ["apiservers", "authentications", "authorizations", "landscapers", "cloudorchestrators"] {
        assert_eq!(of(resource, "create"), 1, "{writes:#?}");
    }
    // The component's own finalizer, and those of the components that depend on it.
    let patches = ["apiservers", "authentications", "authorizations", "landscapers", "cloudorchestrators"]
        .map(|resource| of(resource, "patch"));
    assert_eq!(patches, [5, 3, 3, 1, 1], "{writes:#?}");
    assert_eq!(of("controlplanes", "patch"), 1, "{writes:#?}");
    world.stop().await;
}

// PAR-01, 13.10
#[tokio::test]
async fn components_are_added_changed_and_removed_as_the_sections_of_the_owner_are() {
    let world = World::start().await;
    world.create(&[]).await;
    let none = world.ready().await;
    assert_eq!(conditions(&none), ["/Ready True", "/ComponentsSuccessful True"]);
    for type_ in ALL {
        assert_eq!(world.component(type_).await, None);
    }
    world.patch(json!({"spec": {"sections": {"ApiServer": {"size": 1}, "Authentication": {"size": 1, "note": "first"}}}})).await;
    let two = world.owner_matching("two endpoints", |owner| {
        owner["status"]["endpoints"] == json!({"ApiServer": "https://apiserver-1", "Authentication": "https://authentication-1"})
    });
    two.await;
    world.ready().await;
    world.patch(json!({"spec": {"sections": {"Authentication": {"size": 2, "note": null}}}})).await;
    let changed = world.component_matching("Authentication", "the new spec", |found| found["spec"] == json!({"size": 2})).await;
    assert_eq!(changed.label(&format!("{DOMAIN}/owner-generation")), Some("3"));
    world
        .owner_matching("the new endpoint", |owner| owner["status"]["endpoints"]["Authentication"] == "https://authentication-2")
        .await;
    world.patch(json!({"spec": {"sections": {"Authentication": null}}})).await;
    world.component_gone("Authentication").await;
    let one = world
        .owner_matching("one component", |owner| {
            owner["status"]["endpoints"] == json!({"ApiServer": "https://apiserver-1"}) && owner["status"]["phase"] == "Ready"
        })
        .await;
    assert_eq!(conditions(&one), ["ApiServer/ApiServerHealthy True", "/Ready True", "/ComponentsSuccessful True"]);
    world.stop().await;
}

// PAR-10, OL-3, OL-4, AGG-1
#[tokio::test]
async fn an_owner_is_not_ready_until_its_components_are_ready_and_names_the_unready_ones() {
    let world = World::start_operator(Script::default(), owner_operator()).await;
    world.create(&["ApiServer"]).await;
    let waits = world.condition("Ready", "False", "ComponentsNotReady").await;
    assert_eq!(waits["status"]["phase"], "Not Ready");
    assert_eq!(conditions(&waits), ["ApiServer/ApiServer Unknown", "/Ready False", "/ComponentsSuccessful False"]);
    assert_eq!(condition(&waits, "ApiServer")["reason"], "NoConditions");
    let summary = condition(&waits, "ComponentsSuccessful");
    assert_eq!(summary["message"], "ApiServer: [NotReconciledYet] condition ApiServerReconciliation is missing");
    assert!(
        waits["status"]["message"].as_str().unwrap().starts_with("ApiServer: ApiServer is Unknown [NoConditions]"),
        "{waits}"
    );
    assert_eq!(waits["status"].get("appliedGeneration"), None);
    assert_eq!(world.waits().await, json!([{"controller": "controlplane", "for": "apiserver", "objects": 1}]));
    world.stop().await;
}

// PAR-11, CT-1
#[tokio::test]
async fn an_owner_with_a_name_that_no_label_takes_is_blocked_and_generates_nothing() {
    let world = World::start().await;
    let name = "a".repeat(64);
    let mut owner = world.owner(&ALL);
    owner["metadata"]["name"] = name.as_str().into();
    let mark = world.mark();
    world.cluster.create(owner).await.unwrap();
    let blocked = world.cluster.expect::<ControlPlane>(&name).condition("Ready", "False", "NameTooLong").await;
    assert_eq!(condition(&blocked, "Stalled")["status"], "True");
    assert_eq!(blocked["status"]["phase"], "Not Ready");
    assert_eq!(blocked.finalizers().count(), 0);
    world.idle(600).await;
    let writes = world.writes_since(mark);
    assert!(writes.iter().all(|write| write.contains("controlplanes") && write.contains("status")), "{writes:?}");
    world.cluster.delete::<ControlPlane>(&name).await;
    world.cluster.expect::<ControlPlane>(&name).to_be_gone().await;
    world.stop().await;
}
