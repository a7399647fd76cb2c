use kubewright_machinery::patch::MergePosition;
use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;
use crate::forms::Definitions;

const DEPLOYMENT: &str = "io.k8s.api.apps.v1.Deployment";
const CONFIG_MAP: &str = "io.k8s.api.core.v1.ConfigMap";

fn patched(definition: &str, mut object: Value, patch: Value) -> Value {
    strategic_merge(&mut object, &patch, definition).unwrap();
    object
}

fn failed(definition: &str, mut object: Value, patch: Value) -> String {
    strategic_merge(&mut object, &patch, definition).unwrap_err().to_string()
}

fn containers(containers: Value) -> Value {
    json!({"spec": {"template": {"spec": {"containers": containers}}}})
}

/// The marks of a field in its published schema: the merge key, the keys of its list, and true if it is merged or replaced.
fn published(property: &Value) -> (Option<&str>, Vec<&str>, bool, bool) {
    let strategies = property["x-kubernetes-patch-strategy"].as_str().unwrap_or_default();
    let has = |name: &str| strategies.split(',').any(|strategy| strategy == name);
    let keys = property["x-kubernetes-list-map-keys"].as_array().filter(|_| !strategies.is_empty());
    let key = property["x-kubernetes-patch-merge-key"].as_str();
    (key, keys.into_iter().flatten().filter_map(Value::as_str).collect(), has("merge"), has("replace"))
}

fn known(position: MergePosition) -> (Option<&'static str>, Vec<&'static str>, bool, bool) {
    (position.merge_key(), position.list_keys().to_vec(), position.merges(), position.replaces())
}

// PATCH-7
#[test]
fn merge_keys_are_those_of_the_published_schemas() {
    let definitions = Definitions::embedded();
    let properties = |name: &str| definitions.schema(name).and_then(|schema| schema["properties"].as_object());
    let target = |schema: &Value| Some(schema["$ref"].as_str()?.trim_start_matches("#/definitions/").to_owned());
    for name in definitions.names() {
        let is_list_kind =
            name.ends_with("List") && definitions.schema(name).is_some_and(|schema| schema["properties"].get("items").is_some());
        if is_list_kind {
            continue;
        }
        for (field, property) in properties(name).into_iter().flatten() {
            let position = MergePosition::of_definition(name).member(field);
            assert_eq!(known(position), published(property), "{name}.{field}");
            let below = [
                (target(property), position),
                (target(&property["items"]), position.item()),
                (target(&property["additionalProperties"]), position.member("any")),
            ];
            for (target, position) in below {
                for (inner, property) in target.as_deref().and_then(properties).into_iter().flatten() {
                    assert_eq!(known(position.member(inner)), published(property), "{name}.{field}.{inner}");
                }
            }
        }
    }
}

// VEC-7, PATCH-7
#[test]
fn finalizers_are_a_set_with_new_ones_in_front() {
    let object = json!({"metadata": {"finalizers": ["x.io/1"]}});
    let both = patched(CONFIG_MAP, object, json!({"metadata": {"finalizers": ["x.io/2"]}}));
    assert_eq!(both["metadata"]["finalizers"], json!(["x.io/2", "x.io/1"]));
    let one = patched(CONFIG_MAP, both, json!({"metadata": {"$deleteFromPrimitiveList/finalizers": ["x.io/1"]}}));
    assert_eq!(one["metadata"]["finalizers"], json!(["x.io/2"]));
}

// VEC-7, PAT-3
#[test]
fn the_order_of_elements_can_be_set() {
    let patch = json!({"spec": {"template": {"spec": {"$setElementOrder/containers": [{"name": "z"}, {"name": "c1"}],
        "containers": [{"name": "z", "image": "z"}]}}}});
    let result = patched(DEPLOYMENT, containers(json!([{"name": "c1", "image": "i"}])), patch);
    assert_eq!(result, containers(json!([{"name": "z", "image": "z"}, {"name": "c1", "image": "i"}])));

    let order = json!({"spec": {"template": {"spec": {"$setElementOrder/containers": [{"name": "c"}, {"name": "a"}]}}}});
    let result = patched(DEPLOYMENT, containers(json!([{"name": "a"}, {"name": "b"}, {"name": "c"}])), order);
    assert_eq!(result, containers(json!([{"name": "b"}, {"name": "c"}, {"name": "a"}])));

    let unlisted =
        json!({"spec": {"template": {"spec": {"$setElementOrder/containers": [{"name": "a"}], "containers": [{"name": "z"}]}}}});
    assert!(failed(DEPLOYMENT, containers(json!([])), unlisted).contains("$setElementOrder"));
}

// VEC-7, PAT-2
#[test]
fn retained_keys_push_out_the_others() {
    let object = json!({"spec": {"strategy": {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": 1}}}});
    let result = patched(DEPLOYMENT, object, json!({"spec": {"strategy": {"$retainKeys": ["type"], "type": "Recreate"}}}));
    assert_eq!(result, json!({"spec": {"strategy": {"type": "Recreate"}}}));
}

// PAT-2
#[test]
fn lists_with_a_key_are_merged_item_by_item() {
    let object =
        containers(json!([{"name": "a", "image": "1", "env": [{"name": "A", "value": "1"}]}, {"name": "b", "image": "2"}]));
    let patch = containers(json!([{"name": "a", "image": "9", "env": [{"name": "B", "value": "2"}]}]));
    let result = patched(DEPLOYMENT, object.clone(), patch);
    assert_eq!(
        result,
        containers(json!([
            {"name": "a", "image": "9", "env": [{"name": "B", "value": "2"}, {"name": "A", "value": "1"}]}, {"name": "b", "image": "2"}]))
    );
    let result = patched(DEPLOYMENT, object.clone(), containers(json!([{"name": "a", "$patch": "delete"}])));
    assert_eq!(result, containers(json!([{"name": "b", "image": "2"}])));
    let result = patched(DEPLOYMENT, object.clone(), containers(json!([{"$patch": "replace"}, {"name": "c", "image": "3"}])));
    assert_eq!(result, containers(json!([{"name": "c", "image": "3"}])));
    assert_eq!(
        failed(DEPLOYMENT, object, containers(json!([{"image": "3"}]))),
        "map: map[image:3] does not contain declared merge key: name"
    );
}

// PAT-2
#[test]
fn lists_without_a_strategy_are_replaced() {
    let object = containers(json!([{"name": "a", "args": ["1", "2"]}]));
    let result = patched(DEPLOYMENT, object, containers(json!([{"name": "a", "args": ["3"]}])));
    assert_eq!(result, containers(json!([{"name": "a", "args": ["3"]}])));
}

// PAT-2, PATCH-7
#[test]
fn maps_are_merged_unless_a_patch_directive_replaces_or_deletes_them() {
    let object = json!({"data": {"a": "1", "b": "2"}});
    assert_eq!(
        patched(CONFIG_MAP, object.clone(), json!({"data": {"a": null, "c": "3", "d": null}})),
        json!({"data": {"b": "2", "c": "3"}})
    );
    assert_eq!(
        patched(CONFIG_MAP, object.clone(), json!({"data": {"$patch": "replace", "only": "1"}})),
        json!({"data": {"only": "1"}})
    );
    assert_eq!(patched(CONFIG_MAP, object.clone(), json!({"data": {"$patch": "delete"}})), json!({"data": {}}));
    assert_eq!(
        failed(CONFIG_MAP, object, json!({"data": {"$patch": "bogus"}})),
        "unknown patch type: bogus in map: map[$patch:bogus]"
    );
    assert_eq!(patched(CONFIG_MAP, json!({}), json!({"data": {"a": null, "b": "1"}})), json!({"data": {"b": "1"}}));
    // A directive for a missing map is no error, and leaves no map behind.
    assert_eq!(patched(CONFIG_MAP, json!({}), json!({"data": {"$patch": "bogus"}})), json!({}));
}

fn names() -> impl Strategy<Value = Vec<String>> {
    proptest::collection::btree_set("[a-f]", 0..5).prop_map(|names| names.into_iter().collect::<Vec<_>>()).prop_shuffle()
}

proptest! {
    /// A merged list holds each item once: the items of the patch in the order of the patch, the others in their live order.
    #[test]
    fn merged_lists_keep_both_orders(live in names(), patch in names()) {
        let list = |names: &[String]| names.iter().map(|name| json!({"name": name})).collect::<Value>();
        let result = patched(DEPLOYMENT, containers(list(&live)), containers(list(&patch)));
        let items = result["spec"]["template"]["spec"]["containers"].as_array().unwrap();
        let found: Vec<_> = items.iter().map(|item| item["name"].as_str().unwrap().to_owned()).collect();
        let of_patch: Vec<_> = found.iter().filter(|name| patch.contains(name)).cloned().collect();
        let of_live: Vec<_> = found.iter().filter(|name| !patch.contains(name)).cloned().collect();
        let live_only: Vec<_> = live.iter().filter(|name| !patch.contains(name)).cloned().collect();
        prop_assert_eq!(of_patch, patch);
        prop_assert_eq!(of_live, live_only);
    }
}

// PATCH-7
#[test]
fn long_lists_are_merged_item_by_item() {
    let names = |from: usize| (from..from + 50_000).map(|n| format!("x.io/{n}")).collect::<Vec<_>>();
    let both =
        patched(CONFIG_MAP, json!({"metadata": {"finalizers": names(0)}}), json!({"metadata": {"finalizers": names(25_000)}}));
    assert_eq!(both["metadata"]["finalizers"].as_array().unwrap().len(), 75_000);
    let less = patched(CONFIG_MAP, both, json!({"metadata": {"$deleteFromPrimitiveList/finalizers": names(10)}}));
    assert_eq!(less["metadata"]["finalizers"].as_array().unwrap().len(), 25_000);

    let many = |from: usize| (from..from + 20_000).map(|n| json!({"name": n.to_string(), "image": "i"})).collect::<Vec<_>>();
    let merged = patched(DEPLOYMENT, containers(many(0).into()), containers(many(10_000).into()));
    assert_eq!(merged["spec"]["template"]["spec"]["containers"].as_array().unwrap().len(), 30_000);
    let gone: Vec<_> = (0..20_000).map(|n| json!({"name": n.to_string(), "$patch": "delete"})).collect();
    let left = patched(DEPLOYMENT, merged, containers(gone.into()));
    assert_eq!(left["spec"]["template"]["spec"]["containers"].as_array().unwrap().len(), 10_000);
}
