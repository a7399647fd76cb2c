//! Random sets of objects and random events.

use std::collections::{BTreeMap, BTreeSet};

use kubewright_machinery::object::{ObjectExt, ObjectKey};
use proptest::prelude::*;
use serde_json::{Value, json};

use super::world::{Annotate, OPERATOR, World, definition, object};

/// A random wanted object, before its orders are adapted to those of the other objects.
#[derive(Clone, Debug)]
pub(super) struct RandomObject {
    kind: &'static str,
    name: u8,
    namespace: &'static str,
    apply: i16,
    delete: i16,
    purge: Option<i16>,
    value: &'static str,
    finalizer: bool,
    policies: BTreeMap<&'static str, &'static str>,
}

pub(super) fn random_object() -> impl Strategy<Value = RandomObject> {
    let identity = (
        prop::sample::select(vec!["ConfigMap", "Secret", "Foo", "Bar", "Baz"]),
        0..3u8,
        prop::sample::select(vec!["demo", "demo", "inner", "missing"]),
    );
    let orders = (-1..2i16, -1..2i16, prop::option::weighted(0.2, -1..3i16));
    let policies = (
        prop::sample::select(vec!["if-unowned", "if-unowned", "never", "always"]),
        prop::sample::select(vec!["on-object-change", "on-object-change", "once"]),
        prop::sample::select(vec!["replace", "replace", "recreate", "ssa-merge", "ssa-override"]),
        prop::sample::select(vec!["delete", "delete", "orphan", "orphan-on-apply", "orphan-on-delete"]),
    );
    (identity, orders, policies, prop::sample::select(vec!["YQ==", "Yg=="]), any::<bool>()).prop_map(
        |((kind, name, namespace), (apply, delete, purge), (adoption, reconcile, update, deletion), value, finalizer)| {
            RandomObject {
                kind,
                name,
                namespace,
                apply,
                delete,
                purge,
                value,
                finalizer,
                policies: BTreeMap::from([
                    ("adoption-policy", adoption),
                    ("reconcile-policy", reconcile),
                    ("update-policy", update),
                    ("delete-policy", deletion),
                ]),
            }
        },
    )
}

/// Returns the manifests of random objects: each object once, with the types and namespaces that it needs, in consistent orders.
pub(super) fn manifests(objects: &[RandomObject]) -> Vec<Value> {
    let mut seen = BTreeSet::new();
    let mut set = Vec::new();
    for wanted in objects {
        if !seen.insert((wanted.kind, wanted.name, wanted.namespace)) {
            continue;
        }
        let mut manifest = object(wanted.kind, &format!("n{}", wanted.name)).within(wanted.namespace).value(wanted.value);
        if wanted.finalizer {
            manifest = manifest.finalizer();
        }
        let held = wanted.namespace == "inner" || wanted.kind == "Baz";
        let (apply, delete) = if held { (wanted.apply.max(0), wanted.delete.min(0)) } else { (wanted.apply, wanted.delete) };
        manifest = manifest.with("apply-order", &apply.to_string()).with("delete-order", &delete.to_string());
        if let Some(purge) = wanted.purge {
            manifest = manifest.with("purge-order", &purge.to_string());
        }
        for (key, value) in &wanted.policies {
            manifest = manifest.with(key, value);
        }
        set.push(manifest);
    }
    if set.iter().any(|manifest| manifest.kind() == "Baz") {
        set.push(definition());
    }
    if set.iter().any(|manifest| manifest.namespace() == "inner") {
        set.push(object("Namespace", "inner"));
    }
    set
}

/// An event between two passes.
#[derive(Clone, Debug)]
pub(super) struct Event {
    what: u8,
    which: u8,
}

impl Event {
    /// An object of ours becomes ready.
    pub(super) const READY: Self = Self { what: 0, which: 0 };
    /// Another program removes our label from the first object.
    pub(super) const UNMARKED: Self = Self { what: 6, which: 0 };
    /// Another program creates an instance of a type.
    pub(super) const INSTANCE: Self = Self { what: 7, which: 0 };
}

pub(super) fn events() -> impl Strategy<Value = Vec<Event>> {
    prop::collection::vec((0..7u8, any::<u8>()).prop_map(|(what, which)| Event { what, which }), 0..12)
}

pub(super) fn happen(world: &mut World, event: &Event) {
    let label = format!("{OPERATOR}/owner-id");
    let keys: Vec<ObjectKey> = world
        .cluster
        .objects
        .iter()
        .filter(|(_, object)| object.label(&label) == Some(world.engine.owner.hash()))
        .map(|(key, _)| key.clone())
        .collect();
    let Some(key) = keys.get(usize::from(event.which) % keys.len().max(1)).cloned() else {
        return;
    };
    match event.what {
        0 => become_ready(world, &key),
        1 => let_go(world, &key),
        // Another program deletes the object.
        2 if key.kind != "Namespace" => world.cluster.remove_key(&key),
        // Another program edits a field of ours.
        3 if matches!(key.kind.as_str(), "ConfigMap" | "Secret") => {
            world.cluster.edit_key(&key, |live| live["data"]["key"] = json!("eA=="));
        }
        // Another program replaces our label, or removes it.
        5 => world.cluster.edit_key(&key, |live| live.set_label(&label, "someone")),
        6 => world.cluster.edit_key(&key, |live| {
            live["metadata"]["labels"].as_object_mut().unwrap().remove(&label);
        }),
        7 => world.cluster.put(object("Foo", "made")),
        // Another program sets a label that has no other owner.
        _ => world.cluster.edit_key(&key, |live| live.set_label("foreign", "x")),
    }
}

fn become_ready(world: &mut World, key: &ObjectKey) {
    if matches!(key.kind.as_str(), "Foo" | "Bar" | "Baz") && world.cluster.objects.contains_key(key) {
        world.cluster.edit_key(key, |live| {
            live["status"] =
                json!({"observedGeneration": live.generation(), "conditions": [{"type": "Ready", "status": "True"}]});
        });
    }
}

/// Removes the finalizers of other programs from an object that is being deleted, and ours if another owner has taken the object.
fn let_go(world: &mut World, key: &ObjectKey) {
    if world.cluster.objects.get(key).is_some_and(|object| object.deletion_timestamp().is_some()) {
        let (label, ours) = (format!("{OPERATOR}/owner-id"), world.engine.owner.hash().to_owned());
        let finalizer = world.engine.finalizer.clone();
        world.cluster.edit_key(key, |live| {
            let taken = live.label(&label).is_some_and(|owner| owner != ours);
            let stays = |name: &&str| *name != "other/finalizer" && !(taken && *name == finalizer.as_str());
            let kept: Vec<String> = live.finalizers().filter(stays).map(str::to_owned).collect();
            live.metadata_mut().insert("finalizers".to_owned(), json!(kept));
        });
    }
}

/// Makes all objects ready, and completes all deletions.
pub(super) fn settle(world: &mut World) {
    let keys: Vec<ObjectKey> = world.cluster.objects.keys().cloned().collect();
    for key in keys {
        become_ready(world, &key);
        let_go(world, &key);
    }
    world.cluster.tick();
}

/// Removes the instances that were orphaned or taken, which would otherwise hold their types.
pub(super) fn remove_unmarked_instances(world: &mut World) {
    let label = format!("{OPERATOR}/owner-id");
    let ours = world.engine.owner.hash().to_owned();
    let unmarked =
        |key: &ObjectKey, object: &Value| matches!(key.kind.as_str(), "Bar" | "Baz") && object.label(&label) != Some(&ours);
    let keys: Vec<ObjectKey> =
        world.cluster.objects.iter().filter(|(key, object)| unmarked(key, object)).map(|(key, _)| key.clone()).collect();
    for key in keys {
        world.cluster.remove_key(&key);
    }
}
