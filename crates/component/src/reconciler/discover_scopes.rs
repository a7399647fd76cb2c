//! The scopes of the types of rendered objects.

use std::collections::{BTreeSet, HashMap};
use std::time::Duration;

use futures::future::join_all;
use kubewright_machinery::object::{GroupVersionKind, ObjectExt, Scope};
use serde_json::Value;

use super::end::{EnginePassEnd, Step};
use super::select_target::TargetedPass;

/// The delay before a pass checks again for types that could not be discovered.
const LOOK_AGAIN: Duration = Duration::from_secs(10);

impl TargetedPass<'_> {
    /// Returns the scopes of the types of these objects, as far as the cluster knows the types, and the types that it does not know.
    pub(super) async fn scopes(
        &mut self,
        objects: &[Value],
    ) -> Step<(HashMap<GroupVersionKind, Scope>, BTreeSet<GroupVersionKind>)> {
        let discovery = &self.target.cluster().discovery().clone();
        // The items of a List count as single objects, at any depth.
        let mut objects: Vec<&Value> = objects.iter().collect();
        let mut index = 0;
        while index < objects.len() {
            let items = objects[index].get("items").and_then(Value::as_array);
            objects.extend(items.into_iter().flatten());
            index += 1;
        }
        let types: BTreeSet<GroupVersionKind> = objects.iter().filter_map(|object| object.gvk()).collect();
        let (mut scopes, mut unknown) = (HashMap::new(), BTreeSet::new());
        let services = &objects.iter().filter_map(|object| brought_service(object)).collect::<BTreeSet<_>>();
        let brought = &objects.iter().filter_map(|object| brought_kind(object)).collect::<BTreeSet<_>>();
        // The lookups run together, so that unknown types share one discovery.
        let found = join_all(types.into_iter().map(|gvk| async move {
            let found = match discovery.cached(&gvk.group_kind(), Some(&gvk.version)) {
                Some(resource) => Ok(Some(resource)),
                // A definition in the set decides the scope; a type that cannot exist yet is not looked up.
                None if brought.contains(&(gvk.group.clone(), gvk.kind.clone())) => Ok(None),
                None => discovery.resolve_gvk(&gvk).await,
            };
            (gvk, found)
        }))
        .await;
        for (gvk, found) in found {
            let found = found.map_err(|error| self.pass.request_failed("discover types", error, self.inputs.intervals()))?;
            if let Some(resource) = found {
                let scope = if resource.namespaced { Scope::Namespaced } else { Scope::Cluster };
                scopes.insert(gvk, scope);
                continue;
            }
            let served = services.contains(&(gvk.group.clone(), gvk.version.clone()));
            if let Some(error) = discovery.silence(&gvk.group, Some(&gvk.version)).filter(|_| !served) {
                return Err(Box::new(EnginePassEnd::waiting(error.to_string(), Some(LOOK_AGAIN), self.inputs.intervals())));
            }
            unknown.insert(gvk);
        }
        unknown.retain(|gvk| !brought.contains(&(gvk.group.clone(), gvk.kind.clone())));
        Ok((scopes, unknown))
    }
}

fn brought_service(object: &Value) -> Option<(String, String)> {
    let text = |pointer| object.pointer(pointer).and_then(Value::as_str).map(str::to_owned);
    if object.kind() != "APIService" {
        return None;
    }
    Some((text("/spec/group")?, text("/spec/version")?))
}

fn brought_kind(object: &Value) -> Option<(String, String)> {
    let text = |pointer| object.pointer(pointer).and_then(Value::as_str).map(str::to_owned);
    if object.kind() != "CustomResourceDefinition" {
        return None;
    }
    Some((text("/spec/group")?, text("/spec/names/kind")?))
}
