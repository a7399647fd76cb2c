use kubewright_machinery::fieldset::{FieldSet, Path};
use serde_json::{Value, json};

use super::*;

mod properties;

const NOW: &str = "2026-01-01T00:00:00Z";
const LATER: &str = "2026-01-01T00:01:00Z";

/// A kind with one version, which needs no conversion.
struct Single<'a>(&'a str, &'a Type);

impl Versions for Single<'_> {
    fn type_at(&self, api_version: &str) -> Option<&Type> {
        (api_version == self.0).then_some(self.1)
    }

    fn convert(&self, object: &Value, _: &str) -> Value {
        object.clone()
    }
}

/// An object with its managers, written to as a server does.
#[derive(Clone, Debug)]
struct World<'a> {
    type_: &'a Type,
    api_version: &'static str,
    reset: FieldSet,
    object: Value,
    blank: Value,
    managers: Managers,
}

impl<'a> World<'a> {
    fn builtin(definition: &str, api_version: &'static str, kind: &str) -> World<'static> {
        World::new(Type::builtin(definition).unwrap(), api_version, kind)
    }

    fn config_map() -> World<'static> {
        World::<'static>::builtin("io.k8s.api.core.v1.ConfigMap", "v1", "ConfigMap")
    }

    fn new(type_: &'a Type, api_version: &'static str, kind: &str) -> Self {
        let blank = json!({"apiVersion": api_version, "kind": kind});
        Self { type_, api_version, reset: FieldSet::new(), object: blank.clone(), blank, managers: Managers::default() }
    }

    fn put(&mut self, manager: &str, object: Value, now: &str) {
        let versions = Single(self.api_version, self.type_);
        let ownership = FieldOwnership {
            versions: &versions,
            api_version: self.api_version,
            subresource: "",
            reset: &self.reset,
            blank: &self.blank,
        };
        self.managers = ownership.update(&self.object, &object, self.managers.clone(), manager, now);
        self.object = object;
    }

    fn apply(&mut self, manager: &str, applied: &Value, force: bool, now: &str) -> Result<(), ApplyError> {
        let versions = Single(self.api_version, self.type_);
        let ownership = FieldOwnership {
            versions: &versions,
            api_version: self.api_version,
            subresource: "",
            reset: &self.reset,
            blank: &self.blank,
        };
        let applied = ownership.apply(&self.object, applied, self.managers.clone(), manager, force, now)?;
        self.managers = applied.managers;
        if let Some(mut object) = applied.object {
            drop_nulls(&mut object);
            self.object = object;
        }
        Ok(())
    }

    fn refusal(&mut self, manager: &str, applied: &Value) -> String {
        self.apply(manager, applied, false, NOW).unwrap_err().to_string()
    }

    fn fields(&self, manager: &str) -> Value {
        let mut found = self.managers.identities().filter(|identity| identity.manager == manager);
        found.next().and_then(|identity| self.managers.fields(identity)).map_or(Value::Null, FieldSet::to_value)
    }
}

/// Drops members that are null, as a server does before it stores an object.
fn drop_nulls(value: &mut Value) {
    if let Value::Object(members) = value {
        members.retain(|_, value| !value.is_null());
        members.values_mut().for_each(drop_nulls);
    }
}

fn config_map(data: Value) -> Value {
    json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}, "data": data})
}

// VEC-2, SMD-9, SMD-11
#[test]
fn a_create_owns_the_fields_it_sets_and_the_maps_it_adds() {
    let mut world = World::config_map();
    world.put("probe", config_map(json!({"k": "v"})), NOW);
    let expected = json!([{"manager": "probe", "operation": "Update", "apiVersion": "v1", "time": NOW, "fieldsType": "FieldsV1",
        "fieldsV1": {"f:data": {".": {}, "f:k": {}}}}]);
    assert_eq!(world.managers.to_value(), expected);
    let mut world = World::config_map();
    world.put("probe", json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a", "uid": "u"}}), NOW);
    assert!(world.managers.is_empty());
}

// VEC-3, SMD-14
#[test]
fn appliers_share_ownership_of_fields_with_equal_values() {
    let mut world = World::config_map();
    world.apply("m1", &config_map(json!({"a": "1"})), false, NOW).unwrap();
    world.apply("m2", &config_map(json!({"a": "1", "c": "2"})), false, NOW).unwrap();
    assert_eq!(world.fields("m1"), json!({"f:data": {"f:a": {}}}));
    assert_eq!(world.fields("m2"), json!({"f:data": {"f:a": {}, "f:c": {}}}));
    let mut world = World::config_map();
    world.object = config_map(json!({"a": "1", "x": "1"}));
    assert_eq!(
        world.refusal("m1", &config_map(json!({"a": "2"}))),
        "Apply failed with 1 conflict: conflict with \"before-first-apply\" using v1: .data.a"
    );
    world.apply("m1", &config_map(json!({"b": "2"})), false, NOW).unwrap();
    assert_eq!(world.fields("before-first-apply"), json!({"f:data": {".": {}, "f:a": {}, "f:x": {}}}));
}

// VEC-4, SMD-4
#[test]
fn items_are_found_by_the_keys_that_the_server_would_fill_in() {
    let mut world = World::<'static>::builtin("io.k8s.api.core.v1.Service", "v1", "Service");
    let service =
        |ports: Value| json!({"apiVersion": "v1", "kind": "Service", "metadata": {"name": "s"}, "spec": {"ports": ports}});
    world.apply("m1", &service(json!([{"port": 80}])), false, NOW).unwrap();
    assert_eq!(
        world.fields("m1"),
        json!({"f:spec": {"f:ports": {"k:{\"port\":80,\"protocol\":\"TCP\"}": {".": {}, "f:port": {}}}}})
    );
    world.apply("m2", &service(json!([{"port": 80, "protocol": "UDP"}])), false, NOW).unwrap();
    assert_eq!(world.object["spec"]["ports"], json!([{"port": 80}, {"port": 80, "protocol": "UDP"}]));
}

fn deployment(containers: Value) -> Value {
    json!({"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "d"}, "spec": {"template": {"spec": {"containers": containers}}}})
}

// VEC-5, SMD-13
#[test]
fn conflicts_name_owners_and_paths_as_the_real_server_does() {
    let mut world = World::config_map();
    world.apply("m1", &config_map(json!({"a": "1"})), false, NOW).unwrap();
    assert_eq!(
        world.refusal("m2", &config_map(json!({"a": "9"}))),
        "Apply failed with 1 conflict: conflict with \"m1\": .data.a"
    );
    world.put("probe", config_map(json!({"a": "77", "z": "1"})), NOW);
    assert_eq!(world.fields("m1"), Value::Null, "a value that somebody changed is not the applier's any more (SSA-8)");
    assert_eq!(
        world.refusal("m3", &config_map(json!({"a": "9", "z": "3"}))),
        "Apply failed with 2 conflicts: conflicts with \"probe\" using v1:\n- .data.a\n- .data.z"
    );
    let mut world = World::<'static>::builtin("io.k8s.api.apps.v1.Deployment", "apps/v1", "Deployment");
    world.apply("m1", &deployment(json!([{"name": "c1", "image": "i1"}])), false, NOW).unwrap();
    assert_eq!(
        world.refusal("m2", &deployment(json!([{"name": "c1", "image": "zzz"}]))),
        "Apply failed with 1 conflict: conflict with \"m1\": .spec.template.spec.containers[name=\"c1\"].image"
    );
}

fn widget_schema() -> Value {
    let ports = json!({"type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["port", "proto"], "items": {
        "type": "object", "properties": {"port": {"type": "integer"}, "proto": {"type": "string", "default": "TCP"}, "n": {"type": "string"}}}});
    json!({"type": "object", "properties": {"spec": {"type": "object", "properties": {
        "size": {"type": "integer"}, "ports": ports, "tags": {"type": "array", "items": {"type": "string"}, "x-kubernetes-list-type": "set"},
        "atom": {"type": "array", "items": {"type": "string"}},
        "am": {"type": "object", "additionalProperties": {"type": "string"}, "x-kubernetes-map-type": "atomic"},
        "free": {"type": "object", "x-kubernetes-preserve-unknown-fields": true}, "ios": {"x-kubernetes-int-or-string": true}}}}})
}

fn widget(spec: Value) -> Value {
    json!({"apiVersion": "ex.io/v1", "kind": "Widget", "metadata": {"name": "w"}, "spec": spec})
}

// VEC-5, SSA-9
#[test]
fn lists_and_maps_of_custom_resources_are_owned_as_declared_in_their_schema() {
    let type_ = Type::custom(&widget_schema());
    let mut world = World::new(&type_, "ex.io/v1", "Widget");
    let first = json!({"size": 3, "ports": [{"port": 80, "n": "a"}], "tags": ["x"], "atom": ["1"], "am": {"a": "b"}, "free": {"l": [1], "m": {"d": 1}}});
    world.apply("m1", &widget(first), false, NOW).unwrap();
    assert_eq!(
        world.fields("m1"),
        json!({"f:spec": {"f:am": {}, "f:atom": {}, "f:free": {"f:l": {}, "f:m": {".": {}, "f:d": {}}},
            "f:ports": {"k:{\"port\":80,\"proto\":\"TCP\"}": {".": {}, "f:n": {}, "f:port": {}}}, "f:size": {}, "f:tags": {"v:\"x\"": {}}}})
    );
    assert_eq!(
        world.refusal("m2", &widget(json!({"atom": ["2"], "am": {"c": "d"}}))),
        "Apply failed with 2 conflicts: conflicts with \"m1\":\n- .spec.am\n- .spec.atom"
    );
    world.apply("m2", &widget(json!({"ports": [{"port": 81, "n": "b"}], "tags": ["y"]})), false, NOW).unwrap();
    world.apply("m1", &widget(json!({"size": 3, "tags": ["x"], "ios": "50%"})), false, NOW).unwrap();
    assert_eq!(world.object["spec"], json!({"size": 3, "ports": [{"port": 81, "n": "b"}], "tags": ["x", "y"], "ios": "50%"}));
}

// VEC-6, SMD-5
#[test]
fn a_value_that_does_not_fit_its_type_is_refused_with_the_text_of_the_real_server() {
    let mut world = World::config_map();
    let mut bogus = config_map(json!({}));
    bogus["bogus"] = json!(1);
    assert_eq!(world.refusal("m", &bogus), ".bogus: field not declared in schema");
    let mut world = World::<'static>::builtin("io.k8s.api.apps.v1.Deployment", "apps/v1", "Deployment");
    assert_eq!(
        world.refusal("m", &deployment(json!([{"name": "c1"}, {"name": "c1"}]))),
        ".spec.template.spec.containers: duplicate entries for key [name=\"c1\"]"
    );
    assert_eq!(
        world.refusal("m", &deployment(json!([{"name": "c1", "image": 5}]))),
        ".spec.template.spec.containers[name=\"c1\"].image: expected string, got &value.valueUnstructured{Value:5}"
    );
    assert_eq!(
        world.refusal("m", &deployment(json!({"a": 1}))),
        ".spec.template.spec.containers: expected list, got &{map[a:1]}"
    );
    let two = world.refusal("m", &deployment(json!([{"name": "c1", "tty": "x", "stdin": 5}])));
    assert_eq!(
        two,
        "errors:\n  .spec.template.spec.containers[name=\"c1\"].stdin: expected boolean, got &{5}\n  \
         .spec.template.spec.containers[name=\"c1\"].tty: expected boolean, got &{x}"
    );
    world.apply("m", &deployment(json!([{"image": "nameless"}])), false, NOW).unwrap();
}

// SSA-4, SSA-5, SSA-7, SMD-12
#[test]
fn fields_that_an_applier_no_longer_sends_are_removed_unless_another_manager_owns_them() {
    let mut world = World::config_map();
    world.apply("m1", &config_map(json!({"a": "1", "b": "1", "c": "1"})), false, NOW).unwrap();
    world.apply("m2", &config_map(json!({"c": "1"})), false, LATER).unwrap();
    world.apply("m1", &config_map(json!({"a": "1"})), false, LATER).unwrap();
    assert_eq!(world.object["data"], json!({"a": "1", "c": "1"}));
    world.apply("m2", &config_map(json!({"a": "2"})), true, LATER).unwrap();
    assert_eq!(world.object["data"], json!({"a": "2"}));
    assert_eq!((world.fields("m1"), world.fields("m2")), (Value::Null, json!({"f:data": {"f:a": {}}})));
    let before = world.clone();
    world.apply("m2", &config_map(json!({"a": "2"})), false, "2027-01-01T00:00:00Z").unwrap();
    assert_eq!((world.managers, world.object), (before.managers, before.object));
}

// SMD-8
#[test]
fn merged_lists_keep_the_order_of_both_sides() {
    let type_ = Type::custom(&widget_schema());
    let merged = |live: &[&str], applied: &[&str]| {
        let tags = |tags: &[&str]| widget(json!({"tags": tags}));
        merge::merge(&tags(live), &tags(applied), &type_)["spec"]["tags"].clone()
    };
    assert_eq!(merged(&["a", "b", "c"], &["c", "a"]), json!(["b", "c", "a"]));
    assert_eq!(merged(&["a", "b"], &["b", "x", "c"]), json!(["a", "b", "x", "c"]));
    assert_eq!(merged(&["1", "2", "3"], &["2", "1"]), json!(["2", "3", "1"]));
    assert_eq!(merged(&[], &["a"]), json!(["a"]));
}

// SMD-15
#[test]
fn the_oldest_updates_of_a_version_become_one() {
    let mut world = World::config_map();
    let mut data = json!({});
    for index in 0..13 {
        data[format!("k{index:02}")] = json!("v");
        world.put(&format!("u{index:02}"), config_map(data.clone()), &format!("2026-01-01T00:00:{index:02}Z"));
    }
    let updaters: Vec<_> = world.managers.identities().map(|identity| identity.manager.clone()).collect();
    assert_eq!(updaters, ["ancient-changes", "u04", "u05", "u06", "u07", "u08", "u09", "u10", "u11", "u12"]);
    assert_eq!(world.fields("ancient-changes"), json!({"f:data": {".": {}, "f:k00": {}, "f:k01": {}, "f:k02": {}, "f:k03": {}}}));
}

// SMD-10, SSA-14
#[test]
fn fields_that_an_endpoint_does_not_write_are_not_owned_by_its_writers() {
    let mut world = World::<'static>::builtin("io.k8s.api.apps.v1.Deployment", "apps/v1", "Deployment");
    world.reset = [Path::fields(["status"])].iter().collect();
    let mut applied = deployment(json!([]));
    applied["status"] = json!({"replicas": 40});
    applied["spec"] = json!({"replicas": 1});
    world.apply("m", &applied, false, NOW).unwrap();
    assert_eq!(world.fields("m"), json!({"f:spec": {"f:replicas": {}}}));
}

// SMD-17
#[test]
fn managers_at_versions_that_are_gone_are_dropped() {
    let mut world = World::config_map();
    let old = json!([{"manager": "m", "operation": "Update", "apiVersion": "v0", "fieldsType": "FieldsV1", "fieldsV1": {"f:data": {}}}]);
    world.managers = Managers::parse(Some(&old)).unwrap();
    world.put("n", config_map(json!({"a": "1"})), NOW);
    assert_eq!(world.fields("m"), Value::Null);
}

// SMD-19
#[test]
fn owners_of_parts_own_the_whole_once_it_is_one_piece() {
    let granular = json!({"f:spec": {"f:am": {"f:a": {}}, "f:gm": {"f:a": {}}}});
    let reconciled =
        |schema: &Value, set: &Value| reconcile::reconcile(&FieldSet::parse(set).unwrap(), &Type::custom(schema)).to_value();
    let mut schema = widget_schema();
    let atomic = json!({"f:spec": {"f:am": {}, "f:gm": {"f:a": {}}}});
    assert_eq!(reconciled(&schema, &granular), atomic);
    // After a change from atomic to granular, the manager owns the container and no field in it.
    schema["properties"]["spec"]["properties"]["am"]["x-kubernetes-map-type"] = json!("granular");
    assert_eq!(reconciled(&schema, &atomic), atomic);
}

#[test]
fn unreadable_managed_fields_are_errors_that_name_the_operation() {
    let problem = |entry: Value| Managers::parse(Some(&json!([entry]))).unwrap_err().to_string();
    assert_eq!(
        problem(json!({"manager": "x", "operation": "Bogus", "apiVersion": "v1", "fieldsType": "FieldsV1", "fieldsV1": {}})),
        "read managed fields: entry 0 has operation \"Bogus\", not Apply or Update"
    );
    assert!(problem(json!({})).contains("operation"));
}

// SMD-3, SMD-6
#[test]
fn the_field_set_of_an_object_follows_the_type_of_each_field() {
    let type_ = Type::custom(&widget_schema());
    let object = json!({"spec": {
        "size": 1, "ios": "x", "tags": ["a", "b"], "atom": ["a", "b"], "am": {"k": "v"},
        "ports": [{"port": 1, "n": "x"}], "free": {"list": [1], "map": {"k": null, "empty": {}}},
    }});
    let expected = json!({"f:spec": {
        "f:size": {}, "f:ios": {}, "f:tags": {"v:\"a\"": {}, "v:\"b\"": {}}, "f:atom": {}, "f:am": {},
        "f:ports": {"k:{\"port\":1,\"proto\":\"TCP\"}": {".": {}, "f:port": {}, "f:n": {}}},
        // Entries of a map without declared members are fields of their own, whatever lies below them.
        "f:free": {"f:list": {}, "f:map": {".": {}, "f:k": {}, "f:empty": {}}},
    }});
    assert_eq!(fields::field_set(&object, &type_).to_value(), expected);
    // A declared field is in the set itself if no field lies below it.
    assert_eq!(fields::field_set(&json!({"spec": {}}), &type_).to_value(), json!({"f:spec": {}}));
    assert_eq!(fields::field_set(&json!({"spec": null}), &type_).to_value(), json!({"f:spec": {}}));
}

// SMD-7
#[test]
fn a_comparison_lists_added_changed_and_removed_fields() {
    let type_ = Type::custom(&widget_schema());
    let old = json!({"spec": {"size": 1, "tags": ["a"], "atom": ["a"], "ports": [{"port": 1, "n": "x"}], "am": {"k": "v"}}});
    let new = json!({"spec": {"size": 2, "tags": ["b"], "atom": ["a", "b"], "ports": [{"port": 1}, {"port": 2}]}});
    let found = compare::ObjectComparison::of(&old, &new, &type_);
    let port = |number: u32| format!("k:{{\"port\":{number},\"proto\":\"TCP\"}}");
    let (one, two) = (port(1), port(2));
    assert_eq!(found.modified.to_value(), json!({"f:spec": {"f:size": {}, "f:atom": {}}}));
    assert_eq!(found.added.to_value(), json!({"f:spec": {"f:tags": {"v:\"b\"": {}}, "f:ports": {two: {".": {}, "f:port": {}}}}}));
    assert_eq!(
        found.removed.to_value(),
        json!({"f:spec": {"f:tags": {"v:\"a\"": {}}, "f:ports": {one: {"f:n": {}}}, "f:am": {}}})
    );
    assert!(compare::ObjectComparison::of(&old, &old, &type_).is_same());
}

#[test]
fn every_built_in_kind_has_a_type() {
    for name in crate::forms::Definitions::embedded().names() {
        assert!(Type::builtin(name).is_some(), "{name}");
    }
}
