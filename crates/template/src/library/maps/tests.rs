use serde_json::json;

use crate::library::fake::{call, check_errors, check_results, shown, value};
use crate::value::{GoMap, GoValue, MapType, NamedType};

fn map(json: serde_json::Value) -> GoMap {
    match value(&json) {
        GoValue::Map(map) => map,
        other => panic!("{other:?}"),
    }
}

#[test]
fn maps_are_made_and_read() {
    check_results([
        ("dict", json!(["a", 1, "b"]), "map[a:1 b:]"),
        ("dict", json!([1, 2, "a", 1, "a", 2]), "map[1:2 a:2]"),
        ("get", json!([{"a": 1}, "a"]), "1"),
        ("get", json!([{"a": 1}, "b"]), ""),
        ("get", json!([null, "a"]), ""),
        ("hasKey", json!([{"a": null}, "a"]), "true"),
        ("hasKey", json!([null, "a"]), "false"),
        ("pluck", json!(["a", {"a": 1}, {"b": 2}, null, {"a": 3}]), "[1 3]"),
        ("keys", json!([{"b": 1, "a": 2}, {"a": 3}]), "[a b a]"),
        ("keys", json!([]), "[]"),
        ("values", json!([{"b": 1, "a": 2}]), "[2 1]"),
        ("pick", json!([{"a": 1, "b": 2}, "b", "zz"]), "map[b:2]"),
        ("omit", json!([{"a": 1, "b": 2}, "b"]), "map[a:1]"),
        ("dig", json!(["a", "x", "def", {"a": {"x": 1}}]), "1"),
        ("dig", json!(["a", "nope", "def", {"a": {"x": 1}}]), "def"),
        ("dig", json!(["q", "r", "def", {}]), "def"),
        ("dig", json!(["k", "def", {"k": null}]), "<no value>"),
    ]);
    assert_eq!(call("keys", []).unwrap().type_name(), "[]string");
}

#[test]
fn set_and_unset_change_the_map() {
    let changed = map(json!({"a": 1})).retyped(MapType::Named(&NamedType { name: "chartutil.Values" }));
    let result = call("set", [changed.clone().into(), "b".into(), true.into()]).unwrap();
    assert_eq!(result.type_name(), "map[string]interface {}");
    call("unset", [changed.clone().into(), "a".into()]).unwrap();
    assert_eq!(shown(&changed.into()), "map[b:true]");
    assert_eq!(shown(&result), "map[b:true]");
}

#[test]
fn wrong_types_are_errors() {
    let not = "not map[string]interface {}";
    check_errors([
        ("set", json!([null, "a", 1]), "assignment to entry in nil map"),
        ("dig", json!(["a", {}]), "dig needs at least three arguments"),
        ("dig", json!([]), "dig needs at least three arguments"),
        ("dig", json!(["a", "def", "x"]), &format!("interface conversion: interface {{}} is string, {not}")),
        ("dig", json!(["a", "b", 0, {"a": 1.5}]), &format!("interface conversion: interface {{}} is float64, {not}")),
        ("dig", json!(["a", "b", 0, {"a": null}]), &format!("interface conversion: interface {{}} is nil, {not}")),
        ("dig", json!([1, 0, {}]), "interface conversion: interface {} is int, not string"),
        ("deepCopy", json!([null]), "reflect: call of reflect.Value.Type on zero Value"),
    ]);
    let named = map(json!({})).retyped(MapType::Named(&NamedType { name: "chartutil.Values" }));
    let problem = call("dig", ["a".into(), 0.0.into(), named.into()]).unwrap_err();
    assert_eq!(problem, format!("interface conversion: interface {{}} is chartutil.Values, {not}"));
}

#[test]
fn merge_fills_what_is_missing_or_empty() {
    check_results([
        ("merge", json!([{"a": 1}, {"a": 2, "b": 3}]), "map[a:1 b:3]"),
        (
            "merge",
            json!([{"a": 0, "b": "", "c": false, "d": null}, {"a": 5, "b": "x", "c": true, "d": 1}]),
            "map[a:5 b:x c:true d:1]",
        ),
        ("merge", json!([{}, {"a": 1}, {"a": 2, "b": 2}, null, {"c": 3}]), "map[a:1 b:2 c:3]"),
        ("merge", json!([{"l": [1]}, {"l": [2, 3]}]), "map[l:[1]]"),
        ("merge", json!([{"l": []}, {"l": [2, 3]}]), "map[l:[2 3]]"),
        ("merge", json!([{"a": {"x": 1}}, {"a": "str"}]), "map[a:map[x:1]]"),
        ("merge", json!([{"a": {"x": 1}}, {"a": {"x": 2, "y": {"z": 3}}}]), "map[a:map[x:1 y:map[z:3]]]"),
        ("merge", json!([{"a": "str"}, {"a": {"x": 1}}]), "map[a:str]"),
        ("merge", json!([{"a": 1}, {"b": null}]), "map[a:1]"),
        ("merge", json!([null, {"b": 1}]), "map[b:1]"),
    ]);
}

#[test]
fn merge_overwrite_replaces_all_but_maps() {
    check_results([
        ("mergeOverwrite", json!([{"a": 5, "b": "x", "l": [1, 2]}, {"a": 0, "b": "", "l": []}]), "map[a:0 b: l:[]]"),
        ("mergeOverwrite", json!([{"a": {"x": 1}}, {"a": "str"}]), "map[a:str]"),
        ("mergeOverwrite", json!([{"a": "str"}, {"a": {"x": 1}}]), "map[a:map[x:1]]"),
        ("mergeOverwrite", json!([{"a": {"x": 1, "y": 2}}, {"a": {"y": 3}}]), "map[a:map[x:1 y:3]]"),
        ("mergeOverwrite", json!([{"a": {"k": 1}}, {"a": null}]), "map[a:<nil>]"),
        ("mustMergeOverwrite", json!([{}, {"a": 1}, {"a": 2}]), "map[a:2]"),
    ]);
}

#[test]
fn merged_maps_are_shared_with_their_source() {
    let source = map(json!({"i": {"x": 1}}));
    let target = map(json!({}));
    call("merge", [target.clone().into(), source.clone().into()]).unwrap();
    let (Some(GoValue::Map(inner)), Some(GoValue::Map(other))) = (target.get(&"i".into()), source.get(&"i".into())) else {
        panic!("both maps have the key");
    };
    assert!(inner.is_same(&other));
}

#[test]
fn a_map_that_was_empty_keeps_what_is_merged_into_it() {
    let inner = map(json!({}));
    let target = GoMap::from_pairs([("i", inner.clone().into())]);
    call("merge", [target.into(), value(&json!({"i": {"x": 1}}))]).unwrap();
    assert_eq!(shown(&inner.into()), "map[x:1]");
}

#[test]
fn a_map_of_strings_takes_no_other_values() {
    let strings = GoMap::new([("a".into(), "".into())].into(), MapType::String);
    let target = GoMap::from_pairs([("i", strings.into())]);
    let problem = call("merge", [target.into(), value(&json!({"i": {"a": "x"}}))]).unwrap_err();
    assert!(problem.contains("is not assignable to type string"), "{problem}");
}

#[test]
fn deep_copies_share_nothing() {
    let original = map(json!({"a": {"x": 1}, "l": [{"y": null}]}));
    let copy = match call("deepCopy", [original.clone().into()]).unwrap() {
        GoValue::Map(copy) => copy,
        other => panic!("{other:?}"),
    };
    let Some(GoValue::Map(inner)) = copy.get(&"a".into()) else { panic!("the copy has the key") };
    inner.set("x".into(), GoValue::int(99));
    assert_eq!(shown(&original.into()), "map[a:map[x:1] l:[map[y:<nil>]]]");
    assert_eq!(shown(&copy.into()), "map[a:map[x:99] l:[map[y:<nil>]]]");
}

#[test]
fn values_that_share_their_parts_too_often_are_errors() {
    let shared = |first: GoValue| (0..40).fold(first, |value, _| GoValue::list([value.clone(), value]));
    let too_many = "value has more than 1000000 parts";
    assert_eq!(call("deepCopy", [shared(GoValue::int(1))]).unwrap_err(), too_many);
    let maps = || {
        let pair = |value: GoMap| GoMap::from_pairs([("a", value.clone().into()), ("b", value.into())]);
        GoValue::from((0..40).fold(map(json!({"a": 1})), |value, _| pair(value)))
    };
    assert_eq!(call("merge", [maps(), maps()]).unwrap_err(), too_many);
}

#[test]
fn maps_that_contain_themselves_are_errors() {
    let cyclic = |key: &str| {
        let map = GoMap::from_pairs([(key, GoValue::int(1))]);
        map.set("self".into(), map.clone().into());
        GoValue::from(map)
    };
    let too_deep = "value is nested more than 500 levels deep, or contains itself";
    assert_eq!(call("deepCopy", [cyclic("a")]).unwrap_err(), too_deep);
    assert_eq!(call("merge", [cyclic("a"), cyclic("b")]).unwrap_err(), too_deep);
}
