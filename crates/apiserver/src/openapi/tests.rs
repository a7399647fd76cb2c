use serde_json::{Value, json};

use super::*;
use crate::definition;
use crate::kinds::Registry;

fn read(registry: &Registry, path: &str) -> Value {
    serde_json::from_slice(&OpenApi::default().document(registry, path).unwrap().body).unwrap()
}

/// Returns true if kubectl would find that patches of the kind take the parameter.
fn patch_takes(document: &Value, gvk: Value, parameter: &str) -> bool {
    document["paths"].as_object().unwrap().values().any(|path| {
        let patch = &path["patch"];
        patch["x-kubernetes-group-version-kind"] == gvk
            && patch["parameters"].as_array().is_some_and(|all| all.iter().any(|one| one["name"] == parameter))
    })
}

fn every_reference_leads_somewhere(document: &Value) {
    fn walk(value: &Value, found: &mut Vec<String>) {
        match value {
            Value::Object(members) => {
                found.extend(members.get("$ref").and_then(Value::as_str).map(str::to_owned));
                members.values().for_each(|member| walk(member, found));
            }
            Value::Array(items) => items.iter().for_each(|item| walk(item, found)),
            _ => {}
        }
    }
    let mut found = Vec::new();
    walk(document, &mut found);
    for reference in found {
        let name = reference.strip_prefix("#/components/schemas/").unwrap();
        assert!(document["components"]["schemas"].get(name).is_some(), "{reference}");
    }
}

// DISC-7, DISC-8
#[test]
fn every_group_and_version_has_a_document() {
    let registry = Registry::builtin();
    let index = OpenApi::default().index(&registry);
    let paths = index["paths"].as_object().unwrap();
    assert_eq!(paths.len(), 22);
    assert!(paths["apis/apps/v1"]["serverRelativeURL"].as_str().unwrap().starts_with("/openapi/v3/apis/apps/v1?hash="));
    for path in paths.keys() {
        every_reference_leads_somewhere(&read(&registry, path));
    }
    let core = read(&registry, "api/v1");
    assert!(patch_takes(&core, json!({"group": "", "version": "v1", "kind": "ConfigMap"}), "fieldValidation"));
    assert!(patch_takes(&core, json!({"group": "", "version": "v1", "kind": "ConfigMap"}), "dryRun"));
    let schemas = &core["components"]["schemas"];
    let spec = &schemas["io.k8s.api.core.v1.Pod"]["properties"]["spec"];
    assert_eq!(spec["$ref"], "#/components/schemas/io.k8s.api.core.v1.PodSpec");
    assert_eq!(schemas["io.k8s.api.core.v1.PodSpec"]["properties"]["containers"]["x-kubernetes-list-type"], "map");
}

// DISC-10
#[test]
fn custom_kinds_are_published_with_their_schema() {
    let schema = json!({"type": "object", "properties": {"spec": {"type": "object", "properties": {
        "size": {"type": "integer"}, "port": {"x-kubernetes-int-or-string": true}}}}});
    let kinds = definition::kinds(
        &json!({"metadata": {"name": "widgets.ex.io"}, "spec": {"group": "ex.io", "scope": "Namespaced",
        "names": {"plural": "widgets", "kind": "Widget", "listKind": "WidgetList"}, "versions": [{"name": "v1", "served": true,
            "storage": true, "schema": {"openAPIV3Schema": schema}, "subresources": {"status": {}}, "selectableFields": [{"jsonPath": ".spec.size"}]}]}}),
    );
    let registry = Registry::builtin().with_definition("widgets.ex.io", kinds);
    let document = read(&registry, "apis/ex.io/v1");
    every_reference_leads_somewhere(&document);
    assert!(patch_takes(&document, json!({"group": "ex.io", "version": "v1", "kind": "Widget"}), "fieldValidation"));
    let widget = &document["components"]["schemas"]["io.ex.v1.Widget"];
    assert_eq!(widget["properties"]["spec"]["properties"]["port"]["anyOf"], json!([{"type": "integer"}, {"type": "string"}]));
    assert_eq!(widget["x-kubernetes-selectable-fields"], json!([{"fieldPath": "spec.size"}]));
    assert_eq!(widget["x-kubernetes-group-version-kind"], json!([{"group": "ex.io", "version": "v1", "kind": "Widget"}]));
    assert!(document["components"]["schemas"]["io.ex.v1.WidgetList"].is_object());
    assert!(document["paths"].get("/apis/ex.io/v1/namespaces/{namespace}/widgets/{name}/status").is_some());
    assert!(OpenApi::default().document(&Registry::builtin(), "apis/ex.io/v1").is_none());
}

// TYD-3
#[test]
fn operations_are_those_of_a_real_server() {
    let Some(recorded) = crate::recorded::json("openapi-v3.json.gz") else {
        return;
    };
    let registry = Registry::builtin();
    let ours = OpenApi::default();
    for (path, recorded) in recorded.as_object().unwrap() {
        if ours.document(&registry, path).is_none() {
            continue;
        }
        let ours = read(&registry, path);
        for (request_path, operations) in recorded["paths"].as_object().unwrap() {
            // The deprecated watch paths, the root of the group and the paths behind a proxy are not compared.
            if request_path.contains("/watch/") || request_path.ends_with('/') || request_path.contains("{path}") {
                continue;
            }
            for (method, operation) in operations.as_object().unwrap() {
                let gvk = &operation["x-kubernetes-group-version-kind"];
                let action = operation["x-kubernetes-action"].as_str().unwrap_or_default();
                if gvk.is_null() || action == "connect" {
                    continue;
                }
                assert_eq!(
                    &ours["paths"][request_path][method]["x-kubernetes-group-version-kind"], gvk,
                    "{method} {request_path}"
                );
            }
        }
        for name in recorded["components"]["schemas"].as_object().unwrap().keys() {
            let needed = name.starts_with("io.k8s.api.");
            assert!(!needed || ours["components"]["schemas"].get(name).is_some(), "{path} {name}");
        }
    }
}

/// Removes the descriptions.
fn without_descriptions(value: &Value) -> Value {
    match value {
        Value::Object(members) => {
            let kept = members.iter().filter(|(name, value)| *name != "description" || !value.is_string());
            kept.map(|(name, value)| (name.clone(), without_descriptions(value))).collect::<serde_json::Map<_, _>>().into()
        }
        Value::Array(items) => items.iter().map(without_descriptions).collect(),
        other => other.clone(),
    }
}

// TYD-3, DISC-7, DISC-8
#[test]
fn the_operations_of_built_in_kinds_are_those_of_a_real_server() {
    let Some(recorded) = crate::recorded::json("openapi-v3.json.gz") else { return };
    let registry = Registry::builtin();
    let mut differences = Vec::new();
    for (root, recorded) in recorded.as_object().unwrap() {
        // The server offers no documents about discovery itself, and no paths that lead to a kubelet.
        let Some(document) = OpenApi::default().document(&registry, root) else { continue };
        let ours: Value = serde_json::from_slice(&document.body).unwrap();
        let (ours, recorded) = (without_descriptions(&ours["paths"]), without_descriptions(&recorded["paths"]));
        let connects = |path: &str| ["/proxy", "/exec", "/attach", "/portforward"].iter().any(|part| path.contains(part));
        let (ours, recorded) = (ours.as_object().unwrap(), recorded.as_object().unwrap());
        let paths: std::collections::BTreeSet<&String> = ours.keys().chain(recorded.keys()).collect();
        for path in paths.into_iter().filter(|path| !connects(path)) {
            if ours.get(path) != recorded.get(path) {
                differences.push(format!("{path}\n  real {:?}\n  ours {:?}", recorded.get(path), ours.get(path)));
            }
        }
    }
    assert!(differences.is_empty(), "{} paths differ, such as {}", differences.len(), differences[0]);
}

// DISC-9
#[test]
fn openapi_version_2_matches_the_recorded_document_of_the_real_server() {
    let document: Value = serde_json::from_slice(&OpenApi::default().version_2(&Registry::builtin()).body).unwrap();
    assert_eq!(document["swagger"], "2.0");
    let Some(recorded) = crate::recorded::json("openapi-v2.json.gz") else { return };
    let of = |operation: &Value, document: &Value| {
        let mut names: Vec<String> = operation["parameters"]
            .as_array()
            .into_iter()
            .flatten()
            .map(|parameter| {
                let shared = parameter["$ref"].as_str().and_then(|target| target.strip_prefix('#'));
                shared.and_then(|pointer| document.pointer(pointer)).unwrap_or(parameter)["name"].to_string()
            })
            .collect();
        names.sort();
        let codes: Vec<String> = operation["responses"]
            .as_object()
            .unwrap()
            .iter()
            .map(|(code, answer)| format!("{code} {}", answer["schema"]["$ref"]))
            .collect();
        let mut types: Vec<String> = operation["produces"].as_array().unwrap().iter().map(Value::to_string).collect();
        types.sort();
        json!([operation["operationId"], operation["x-kubernetes-group-version-kind"], names, codes, types])
    };
    let mut compared = 0;
    for (path, item) in document["paths"].as_object().unwrap() {
        for (method, operation) in item.as_object().unwrap().iter().filter(|(name, _)| *name != "parameters") {
            let real = &recorded["paths"][path][method];
            // Streams to a pod take parameters that are not part of the data.
            if operation["x-kubernetes-action"] != "connect" {
                assert_eq!(of(operation, &document), of(real, &recorded), "{method} {path}");
                compared += 1;
            }
        }
    }
    assert!(compared > 500, "{compared}");
    for (name, definition) in document["definitions"].as_object().unwrap() {
        let names = |definition: &Value| definition["properties"].as_object().map(|all| all.keys().cloned().collect::<Vec<_>>());
        assert_eq!(names(definition), names(&recorded["definitions"][name]), "{name}");
    }
}

// FRK-1, DISC-9
#[test]
fn a_fork_keeps_the_documents_that_were_made() {
    let (registry, openapi) = (Registry::builtin(), OpenApi::default());
    let made = openapi.version_2(&registry);
    assert!(std::sync::Arc::ptr_eq(&made, &openapi.fork().version_2(&registry)));
}
