use serde_json::json;

use super::*;
use crate::kind::KindId;

fn resource(text: &str) -> BuildResource {
    read_resources(text.as_bytes()).unwrap().remove(0)
}

const MAP: &str = "{apiVersion: v1, kind: ConfigMap, metadata: {name: a}, data: {x: '1'}}";

#[test]
fn no_namespace_is_the_default_one_and_cluster_scoped_kinds_have_none() {
    let id = |kind: &str, namespace: &str| ResourceId {
        kind: KindId::new("v1", kind),
        name: "a".to_owned(),
        namespace: namespace.to_owned(),
    };
    assert_eq!(id("ConfigMap", ""), id("ConfigMap", "default"));
    assert_ne!(id("ConfigMap", ""), id("ConfigMap", "other"));
    assert_eq!(id("Namespace", "x"), id("Namespace", "y"));
    assert_eq!(id("ConfigMap", "").to_string(), "ConfigMap.v1.[noGrp]/a.[noNs]");
}

#[test]
fn earlier_identities_are_kept_in_order() {
    let mut changed = resource(MAP);
    changed.remember_id();
    changed.set_name("b");
    changed.remember_id();
    changed.set_namespace("n");
    assert_eq!(changed.previous_ids().map(|id| id.name).collect::<Vec<_>>(), ["a", "b"]);
    assert_eq!((changed.original_id().name.as_str(), changed.id().namespace.as_str()), ("a", "n"));
}

#[test]
fn an_identity_is_there_once() {
    let mut list = ResourceList::default();
    list.add(resource(MAP)).unwrap();
    let problem = list.add(resource(MAP)).unwrap_err();
    assert_eq!(problem.0, "may not add resource with an already registered id: ConfigMap.v1.[noGrp]/a.[noNs]");
}

#[test]
fn generated_resources_create_merge_or_replace() {
    let generated = |behavior| {
        let object = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}, "data": {"y": "2"}});
        let mut generated = BuildResource::new(object);
        generated.behavior = behavior;
        generated
    };
    let mut list = ResourceList::default();
    let problem = list.absorb(generated(GeneratorBehavior::Merge)).unwrap_err();
    assert!(problem.0.ends_with("does not exist; cannot merge or replace"), "{problem}");
    list.add(resource(MAP)).unwrap();
    assert!(list.absorb(generated(GeneratorBehavior::Create)).is_err());
    list.absorb(generated(GeneratorBehavior::Merge)).unwrap();
    assert_eq!(list.resources[0].object["data"], json!({"x": "1", "y": "2"}));
    list.absorb(generated(GeneratorBehavior::Replace)).unwrap();
    assert_eq!(list.resources[0].object["data"], json!({"y": "2"}));
}

#[test]
fn items_of_lists_stand_behind_the_documents_of_the_file() {
    let text =
        format!("kind: List\napiVersion: v1\nitems: [{MAP}]\n---\n# nothing\n---\n{}\n", MAP.replace("name: a", "name: b"));
    let names: Vec<String> = read_resources(text.as_bytes()).unwrap().iter().map(|read| read.name().to_owned()).collect();
    assert_eq!(names, ["b", "a"]);
}

#[test]
fn yes_and_on_are_texts() {
    let read = resource("{apiVersion: v1, kind: ConfigMap, metadata: {name: a}, data: {yes: on, t: true}}");
    assert_eq!(read.object["data"], json!({"yes": "on", "t": true}));
}

#[test]
fn objects_without_kind_or_name_and_lists_with_nulls_are_refused() {
    for (text, problem) in [
        ("a: b", "missing kind"),
        ("{apiVersion: v1, kind: ConfigMap}", "missing metadata.name"),
        ("{apiVersion: v1, kind: ConfigMap, metadata: {name: a}, data: {l: [null]}}", "empty item at data/l/"),
        ("[1]", "expected an object, but found array"),
    ] {
        let found = read_resources(text.as_bytes()).unwrap_err();
        assert!(found.0.contains(problem), "{text}: {found}");
    }
}
