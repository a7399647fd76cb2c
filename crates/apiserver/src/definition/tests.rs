use kubewright_machinery::object::Scope;
use serde_json::{Value, json};

use super::*;
use crate::kinds::{Columns, FieldPath, ScaleSelector};

fn foos(versions: Value) -> Value {
    json!({"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "metadata": {"name": "foos.ex.io"},
        "spec": {"group": "ex.io", "scope": "Namespaced", "names": {"plural": "foos", "kind": "Foo"}, "versions": versions}})
}

fn version(name: &str, storage: bool, schema: Value) -> Value {
    json!({"name": name, "served": true, "storage": storage, "schema": {"openAPIV3Schema": schema}})
}

fn open() -> Value {
    json!({"type": "object", "properties": {"spec": {"type": "object", "x-kubernetes-preserve-unknown-fields": true}}})
}

/// Returns the errors of a definition on create.
fn errors(mut definition: Value) -> Vec<String> {
    default(&mut definition);
    prepare(&mut definition, None);
    validate(&definition, None).iter().map(|error| format!("{}: {}", error.field, error.message)).collect()
}

// CRD-1, BDF-18
#[test]
fn a_definition_gets_its_defaults() {
    let mut definition = foos(json!([version("v1", true, open())]));
    definition["spec"]["conversion"] = Value::Null;
    default(&mut definition);
    prepare(&mut definition, None);
    assert_eq!(definition["spec"]["names"], json!({"plural": "foos", "kind": "Foo", "singular": "foo", "listKind": "FooList"}));
    assert_eq!(definition["spec"]["conversion"], json!({"strategy": "None"}));
    assert_eq!(
        definition["status"],
        json!({"conditions": null, "acceptedNames": {"plural": "", "kind": ""}, "storedVersions": ["v1"]})
    );
    assert_eq!(validate(&definition, None), []);
}

// CRD-9
#[test]
fn a_new_storage_version_joins_the_stored_ones() {
    let mut stored = foos(json!([version("v1", true, open())]));
    prepare(&mut stored, None);
    let mut update = stored.clone();
    update["spec"]["versions"] = json!([version("v1", false, open()), version("v2", true, open())]);
    prepare(&mut update, Some(&stored));
    assert_eq!(update["status"]["storedVersions"], json!(["v1", "v2"]));
}

// CRD-2
#[test]
fn mistakes_are_refused_with_the_texts_of_the_real_server() {
    let mut wrong_name = foos(json!([version("v1", true, open())]));
    wrong_name["metadata"]["name"] = json!("wrong");
    assert_eq!(errors(wrong_name), [r#"metadata.name: Invalid value: "wrong": must be spec.names.plural+"."+spec.group"#]);

    assert_eq!(
        errors(foos(json!([{"name": "v1", "served": true, "storage": true}]))),
        ["spec.versions[0].schema.openAPIV3Schema: Required value"]
    );
    assert_eq!(
        errors(foos(json!([version("v1", true, json!({"type": "object", "properties": {"a": {"properties": {"b": {}}}}}))]))),
        [
            "spec.validation.openAPIV3Schema.properties[a].properties[b].type: Required value: must not be empty for specified object fields",
            "spec.validation.openAPIV3Schema.properties[a].type: Required value: must not be empty for specified object fields"
        ]
    );
    assert_eq!(
        errors(foos(json!([version("v1", true, open()), version("v2", true, open())]))),
        [
            "spec.versions: Invalid value: [{\"Name\":\"v1\",\"Served\":true,\"Storage\":true,\"Deprecated\":false,\"DeprecationWarning\":null,\
             \"Schema\":null,\"Subresources\":null,\"AdditionalPrinterColumns\":null,\"SelectableFields\":null},{\"Name\":\"v2\",\
             \"Served\":true,\"Storage\":true,\"Deprecated\":false,\"DeprecationWarning\":null,\"Schema\":null,\"Subresources\":null,\
             \"AdditionalPrinterColumns\":null,\"SelectableFields\":null}]: must have exactly one version marked as storage version",
            "status.storedVersions: Invalid value: [\"v1\"]: must have the storage version v2"
        ]
    );
    let mut preserving = foos(json!([version("v1", true, open())]));
    preserving["spec"]["preserveUnknownFields"] = json!(true);
    assert_eq!(
        errors(preserving),
        [
            "spec.preserveUnknownFields: Invalid value: true: cannot set to true, set x-kubernetes-preserve-unknown-fields to true in \
          spec.versions[*].schema instead"
        ]
    );
    let found = errors(foos(json!([version("V_1", true, open())])));
    assert!(found[0].starts_with(r#"spec.versions[0].name: Invalid value: "V_1": a DNS-1035 label must consist"#), "{found:?}");
    assert!(found[1].starts_with(r#"spec.version: Invalid value: "V_1": a DNS-1035"#) && found.len() == 2, "{found:?}");

    let mut protected = foos(json!([version("v1", true, open())]));
    protected["metadata"]["name"] = json!("foos.foo.k8s.io");
    protected["spec"]["group"] = json!("foo.k8s.io");
    assert_eq!(
        errors(protected),
        [
            r#"metadata.annotations[api-approved.kubernetes.io]: Required value: protected groups must have approval annotation "api-approved.kubernetes.io", see https://github.com/kubernetes/enhancements/pull/1111"#
        ]
    );
}

// CRD-2, CRD-9
#[test]
fn an_update_keeps_names_and_stored_versions() {
    let mut stored = foos(json!([version("v1", true, open())]));
    default(&mut stored);
    prepare(&mut stored, None);
    stored["status"]["conditions"] = json!([{"type": "Established", "status": "True"}]);
    let mut update = stored.clone();
    update["spec"]["scope"] = json!("Cluster");
    let found: Vec<_> =
        validate(&update, Some(&stored)).iter().map(|error| format!("{}: {}", error.field, error.message)).collect();
    assert_eq!(found, [r#"spec.scope: Invalid value: "Cluster": field is immutable"#]);

    let mut update = stored.clone();
    update["spec"]["versions"] = json!([version("v2", true, open())]);
    prepare(&mut update, Some(&stored));
    let found = validate(&update, Some(&stored));
    assert_eq!(found[0].field, "status.storedVersions[0]");
    assert!(
        found[0].message.starts_with(r#"Invalid value: "v1": missing from spec.versions; v1 was previously a storage version"#)
    );
}

// KND-2, CRD-9, SEL-5, TBL-1
#[test]
fn every_served_version_becomes_a_kind() {
    let schema = json!({"type": "object", "properties": {"spec": {"type": "object", "properties": {
        "size": {"type": "integer"}, "color": {"type": "string"}}}}});
    let mut definition =
        foos(json!([version("v1", true, schema), version("v1beta1", false, open()), version("v1alpha1", false, open())]));
    let versions = definition["spec"]["versions"].as_array_mut().unwrap();
    versions[0]["subresources"] = json!({"status": {}, "scale": {"specReplicasPath": ".spec.replicas", "statusReplicasPath": ".status.replicas",
        "labelSelectorPath": ".status.selector"}});
    versions[0]["additionalPrinterColumns"] = json!([{"name": "Size", "type": "integer", "jsonPath": ".spec.size"}]);
    versions[0]["selectableFields"] = json!([{"jsonPath": ".spec.size"}]);
    versions[1]["deprecated"] = json!(true);
    versions[2]["served"] = json!(false);
    assert_eq!(errors(definition.clone()), Vec::<String>::new());
    default(&mut definition);
    let kinds = kinds(&definition);
    assert_eq!(kinds.iter().map(|kind| kind.version.as_str()).collect::<Vec<_>>(), ["v1", "v1beta1"]);

    let v1 = &kinds[0];
    assert_eq!((v1.list_kind.as_str(), v1.singular.as_str(), v1.scope), ("FooList", "foo", Scope::Namespaced));
    assert!(v1.has_status_subresource() && !kinds[1].has_status_subresource());
    assert!(!v1.flags.unconditional_update && !v1.flags.create_on_update && v1.generation.starts_at_one());
    let scale = v1.scale.as_ref().unwrap();
    assert_eq!(scale.selector, ScaleSelector::Text(FieldPath::new("status.selector")));
    assert!(matches!(&v1.columns, Columns::Custom(columns) if columns[0].json_path == ".spec.size"));
    v1.check_field_label("spec.size").unwrap();
    assert_eq!(v1.field_value(&json!({"spec": {"size": 5}}), "spec.size"), "5");
    assert_eq!(v1.check_field_label("status.foo").unwrap_err().to_string(), "field label not supported: status.foo");

    let custom = kinds[1].custom.as_ref().unwrap();
    assert_eq!(custom.definition, "foos.ex.io");
    assert_eq!(kinds[1].deprecation_warning.as_deref(), Some("ex.io/v1beta1 Foo is deprecated; use ex.io/v1 Foo"));
    assert_eq!(kinds[1].storage.version, "v1");

    let mut object = json!({"apiVersion": "ex.io/v1", "kind": "Foo", "metadata": {"name": "a"}, "spec": {"size": 1, "nope": 2}});
    let mut unknown = Vec::new();
    crate::api::model_of(v1).normalise(&mut object, &mut unknown).unwrap();
    assert_eq!((unknown, &object["spec"]), (vec!["spec.nope".to_owned()], &json!({"size": 1})));
}

#[test]
fn columns_scale_and_fields_are_checked() {
    let with = |field: &str, value: Value| {
        let mut definition = foos(json!([version("v1", true, open())]));
        definition["spec"]["versions"][0][field] = value;
        errors(definition)
    };
    assert_eq!(
        with("additionalPrinterColumns", json!([{"name": "A", "type": "text", "jsonPath": "a"}])),
        [
            r#"spec.additionalPrinterColumns[0].type: Invalid value: "text": must be one of boolean,date,integer,number,string"#,
            r#"spec.additionalPrinterColumns[0].JSONPath: Invalid value: "a": must be a simple json path starting with ."#
        ]
    );
    assert_eq!(
        with("subresources", json!({"scale": {"specReplicasPath": ".replicas", "statusReplicasPath": ""}})),
        [
            r#"spec.subresources.scale.specReplicasPath: Invalid value: ".replicas": should be a json path under .spec"#,
            "spec.subresources.scale.statusReplicasPath: Required value"
        ]
    );
    assert_eq!(
        with("selectableFields", json!([{"jsonPath": ".spec"}])),
        [
            r#"spec.selectableFields[0].jsonPath: Invalid value: ".spec": must point to a field of type string, boolean or integer. Enum string fields and strings with formats are allowed."#
        ]
    );
}
