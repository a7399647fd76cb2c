//! The rules that every request must keep, checked against the state of the cluster.

use kubewright_machinery::object::ObjectExt;
use serde_json::Value;

use super::super::*;
use super::world::World;
use crate::health::Health;

/// Checks the rules that hold before every request.
pub(super) fn inspect(world: &World, desired: &Desired, inventory: &Inventory, action: &ObjectAction) {
    let key = &action.key;
    let owner_key = world.engine.context.operator.owner_key();
    let wanted = desired.get(key);
    let live = world.cluster.objects.get(key);
    if let Some(live) = live {
        let owner = live.label(&owner_key);
        let adoption = wanted.map(|wanted| wanted.adoption);
        let may_take = match owner {
            Some(owner) if owner == world.engine.owner.hash() => true,
            None => adoption.is_some_and(|policy| policy != crate::manifest::AdoptionPolicy::Never),
            Some(_) => adoption == Some(crate::manifest::AdoptionPolicy::Always),
        };
        // The operator may remove its own finalizer from objects of any owner.
        let touches = !matches!(
            action.purpose,
            RequestPurpose::Create
                | RequestPurpose::ReadLive
                | RequestPurpose::CreateNamespace
                | RequestPurpose::ReleaseFinalizer
        );
        assert!(!touches || may_take || !is_about(action, live), "{action:?} touches what is not ours: {live}");
    }
    if matches!(
        action.purpose,
        RequestPurpose::Create | RequestPurpose::Update | RequestPurpose::Recreate | RequestPurpose::TakeOwnership
    ) {
        let persisted = world.persisted.get(key).unwrap_or_else(|| panic!("{action:?} is not persisted"));
        let wanted = wanted.expect("only wanted objects are written");
        let purged = matches!(persisted.phase, Phase::ScheduledForCompletion | Phase::Completing | Phase::Completed);
        let runs = action.purpose != RequestPurpose::TakeOwnership;
        assert!(!(runs && purged) || persisted.digest != wanted.digest, "{action:?} runs a purged object again");
        if !action.corrective {
            for earlier in desired.objects().iter().filter(|other| other.apply_order < wanted.apply_order) {
                assert!(is_done(world, inventory, earlier), "{action:?} comes before {} is ready", earlier.key);
            }
        }
    }
    if action.purpose == RequestPurpose::Delete && wanted.is_none() {
        for object in desired.objects() {
            assert!(is_done(world, inventory, object), "{action:?} comes before {} is ready", object.key);
        }
    }
}

/// Returns true if the request matches the current version of the object. The server refuses a request that contains another version.
fn is_about(action: &ObjectAction, live: &Value) -> bool {
    let named = match &action.request {
        Request::Delete { resource_version, .. } => Some(resource_version.as_str()),
        Request::Replace(body) | Request::Apply { body, .. } => Some(body.resource_version()),
        Request::MergePatch(patch) => patch.pointer("/metadata/resourceVersion").and_then(Value::as_str),
        Request::JsonPatch(patch) => {
            let operations = patch.as_array().into_iter().flatten();
            let mut versions = operations.filter(|operation| operation["path"] == "/metadata/resourceVersion");
            versions.find_map(|operation| operation["value"].as_str())
        }
        Request::Create(_) | Request::DryRun(_) | Request::Get => None,
    };
    named.is_none_or(|version| version == live.resource_version())
}

fn is_done(world: &World, inventory: &Inventory, object: &DesiredObject) -> bool {
    let item = inventory.get(&object.key).unwrap();
    if item.phase == Phase::Completed {
        return true;
    }
    if world.is_disturbed {
        // The pass does not know the latest changes by others, so it suffices that the object in its present form was ready once.
        return item.phase == Phase::Ready && item.digest == object.digest;
    }
    let Some(live) = world.cluster.objects.get(&object.key) else {
        return false;
    };
    let live = Projection::of(live, &world.engine.context);
    let ready = live.status == Health::Current || live.lagging && item.phase == Phase::Ready;
    ready && live.digest() == object.digest
}
