use serde_json::{Value, json};

use super::super::*;
use super::chance::Event;
use super::cluster::GROUP;
use super::deletion::{in_use, installed};
use super::world::{Annotate, End, OPERATOR, World, object};

const SERVICE: &str = "v1alpha1.testing.kubewright.dev";

fn service() -> Value {
    json!({
        "apiVersion": "apiregistration.k8s.io/v1", "kind": "APIService", "metadata": { "name": SERVICE },
        "spec": { "group": GROUP, "version": "v1alpha1", "service": { "namespace": "demo", "name": "server" } },
    })
}

/// Sets whether the server of the API service answers.
fn answers(world: &mut World, does: bool) {
    let available = if does { "True" } else { "False" };
    world.cluster.edit("APIService", SERVICE, |live| {
        live["status"] = json!({ "conditions": [{ "type": "Available", "status": available }] });
    });
}

fn with_service(set: &[Value]) -> World {
    let mut world = World::new();
    world.apply(set);
    answers(&mut world, true);
    installed(&mut world, set);
    world
}

fn not_known(end: End) -> String {
    match end {
        End::Verdict(Verdict::Wait { message, after: Some(_) }) => message,
        other => panic!("not waiting: {other:?}"),
    }
}

fn silent(way_out: &str) -> String {
    format!(
        "api service {SERVICE} is not available, so nobody can tell whether it is in use; it is looked at again when it answers, or \
         {way_out}"
    )
}

// STA-10, GATE-1, GATE-2
#[test]
fn a_foreign_instance_of_an_api_service_of_ours_blocks() {
    let mut world = with_service(&[service(), object("ConfigMap", "c")]);
    world.cluster.put(object("Foo", "foreign"));
    let message = format!("Deletion blocked: api service {SERVICE} is still in use (instances exist): demo/foreign");
    assert_eq!(in_use(world.delete()), message);
    assert_eq!(in_use(world.apply(&[])), message);
    world.cluster.remove("Foo", "foreign");
    world.requests();
    assert!(world.delete().is_complete());
    let expected = format!("Delete {SERVICE}, ReleaseFinalizer {SERVICE}, Delete c");
    assert_eq!(world.requests().join(", "), expected);
}

// GATE-4a
#[test]
fn an_api_service_that_was_ready_and_does_not_answer_may_be_in_use() {
    let mut world = with_service(&[service(), object("ConfigMap", "c")]);
    answers(&mut world, false);
    assert_eq!(not_known(world.delete()), silent("let go with op.example.com/abandon-dependents=true"));
    // The same holds for redundant objects, in every pass, and after a restart.
    for _ in 0..3 {
        assert_eq!(not_known(world.apply(&[])), silent("left in place without its label op.example.com/owner-id"));
        world.memory = Memory::default();
    }
    assert_eq!(world.requests(), Vec::<String>::new());
    answers(&mut world, true);
    assert!(world.delete().is_complete());
    assert_eq!(world.cluster.objects.len(), 1);
}

// GATE-4a
#[test]
fn an_api_service_that_was_never_ready_is_not_in_use() {
    for redundant in [false, true] {
        let set = [service(), object("ConfigMap", "c")];
        let mut world = World::new();
        world.apply(&set);
        answers(&mut world, false);
        world.apply(&set);
        assert!(if redundant { world.apply(&[]) } else { world.delete() }.is_complete(), "redundant: {redundant}");
        assert_eq!(world.cluster.objects.len(), 1);
    }
}

// GATE-4a
#[test]
fn an_api_service_that_was_ready_before_it_changed_may_be_in_use() {
    let mut changed = service();
    changed["spec"]["service"]["name"] = "other".into();
    let mut world = with_service(&[service()]);
    answers(&mut world, false);
    world.apply(std::slice::from_ref(&changed));
    answers(&mut world, false);
    assert_ne!(world.item(SERVICE).phase, Phase::Ready);
    assert_eq!(not_known(world.delete()), silent("let go with op.example.com/abandon-dependents=true"));
    answers(&mut world, true);
    assert!(world.apply(&[changed]).is_complete());
    assert!(!world.item(SERVICE).was_ready, "the phase says it");
}

// GATE-4a
#[test]
fn a_redundant_api_service_that_does_not_answer_stays_without_its_label() {
    let mut world = with_service(&[service(), object("ConfigMap", "c")]);
    answers(&mut world, false);
    assert!(!world.apply(&[]).is_complete());
    world.cluster.edit("APIService", SERVICE, |live| {
        live["metadata"]["labels"].as_object_mut().unwrap().remove(&format!("{OPERATOR}/owner-id"));
    });
    assert!(world.apply(&[]).is_complete());
    assert!(world.cluster.get("APIService", SERVICE).is_some() && world.cluster.get("ConfigMap", "c").is_none());
}

// GATE-4a, PLAN-7
#[test]
fn an_api_service_whose_server_was_deleted_first_is_not_in_use() {
    for redundant in [false, true] {
        for restarted in [false, true] {
            let set = [service().with("delete-order", "1"), object("ConfigMap", "server").finalizer()];
            let mut world = with_service(&set);
            let remove = |world: &mut World| if redundant { world.apply(&[]) } else { world.delete() };
            if restarted {
                // The process dies after the check, the write-ahead status and the DELETE of the server.
                world.dies_after = Some(3);
                assert_eq!(remove(&mut world), End::Died);
            }
            assert!(!remove(&mut world).is_complete());
            answers(&mut world, false);
            world.cluster.finalize("ConfigMap", "server");
            assert!(remove(&mut world).is_complete(), "redundant: {redundant}, restarted: {restarted}");
            assert!(world.cluster.get("APIService", SERVICE).is_none());
        }
    }
}

// GATE-4a, WRITE-8
#[test]
fn the_server_of_an_api_service_stays_while_the_api_service_may_have_instances() {
    let mut world = with_service(&[service(), object("ConfigMap", "server")]);
    world.between = vec![Event::INSTANCE];
    world.delete();
    assert!(world.cluster.get("ConfigMap", "server").is_some());
    answers(&mut world, false);
    assert!(!world.delete().is_complete());
    assert!(world.cluster.get("ConfigMap", "server").is_some() && world.cluster.get("APIService", SERVICE).is_some());
    answers(&mut world, true);
    world.cluster.remove("Foo", "made");
    assert!(world.delete().is_complete());
    assert_eq!(world.cluster.objects.len(), 1);
}
