//! The rules that every request must keep, checked against the cluster as it is.

use kubewright_machinery::object::ObjectExt;

use super::super::*;
use super::world::World;
use crate::health::Status;

/// The rules that hold before every request.
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
        let touches = !matches!(action.verb, Verb::Create | Verb::ReadLive | Verb::CreateNamespace);
        let current = match &action.request {
            Request::Delete { resource_version, .. } => resource_version == live.resource_version(),
            _ => true,
        };
        assert!(!touches || may_take || !current, "{action:?} touches what is not ours: {live}");
    }
    if matches!(action.verb, Verb::Create | Verb::Update | Verb::Recreate | Verb::TakeOwnership) {
        let persisted = world.persisted.get(key).unwrap_or_else(|| panic!("{action:?} is not persisted"));
        let wanted = wanted.expect("only wanted objects are written");
        let purged = matches!(persisted.phase, Phase::ScheduledForCompletion | Phase::Completing | Phase::Completed);
        assert!(!purged || persisted.digest != wanted.digest, "{action:?} runs a purged object again");
        if !action.corrective {
            for earlier in desired.objects().iter().filter(|other| other.apply_order < wanted.apply_order) {
                assert!(is_done(world, inventory, earlier), "{action:?} comes before {} is ready", earlier.key);
            }
        }
    }
    if action.verb == Verb::Delete && wanted.is_none() {
        for object in desired.objects() {
            assert!(is_done(world, inventory, object), "{action:?} comes before {} is ready", object.key);
        }
    }
}

fn is_done(world: &World, inventory: &Inventory, object: &DesiredObject) -> bool {
    let item = inventory.get(&object.key).unwrap();
    if item.phase == Phase::Completed {
        return true;
    }
    let Some(live) = world.cluster.objects.get(&object.key) else {
        return false;
    };
    let live = Projection::of(live, &world.engine.context);
    let ready = live.status == Status::Current || live.lagging && item.phase == Phase::Ready;
    ready && live.digest() == object.digest
}
