use kubewright_machinery::object::GroupVersionKind;
use serde_json::{Value, json};

use super::*;

fn normal(group: &str, kind: &str, mut object: Value) -> Result<(Value, Vec<String>), String> {
    let definition = Definitions::embedded().name_of(&GroupVersionKind::new(group, "v1", kind)).unwrap();
    let mut unknown = Vec::new();
    normalise(definition, &mut object, &mut unknown).map_err(|wrong| wrong.0)?;
    Ok((object, unknown))
}

fn form(group: &str, kind: &str, object: Value) -> Value {
    normal(group, kind, object).unwrap().0
}

fn error(group: &str, kind: &str, object: Value) -> String {
    normal(group, kind, object).unwrap_err()
}

// NRM-1
#[test]
fn scalars_print_when_required_or_kept() {
    let spec = form(
        "apps",
        "Deployment",
        json!({"spec": {"replicas": 0, "paused": false, "minReadySeconds": 0, "revisionHistoryLimit": 0}}),
    );
    assert_eq!(spec["spec"]["replicas"], json!(0));
    assert_eq!(spec["spec"]["revisionHistoryLimit"], json!(0));
    assert_eq!((spec["spec"].get("paused"), spec["spec"].get("minReadySeconds")), (None, None));
    let lease = form("coordination.k8s.io", "Lease", json!({"spec": {"holderIdentity": "", "leaseTransitions": 0}}));
    assert_eq!(lease, json!({"spec": {"holderIdentity": "", "leaseTransitions": 0}}));
}

// NRM-2, NRM-3
#[test]
fn an_empty_deployment_is_serialized_with_its_always_present_fields() {
    let deployment = form("apps", "Deployment", json!({"metadata": {"name": "d"}}));
    let template = json!({"metadata": {}, "spec": {"containers": null}});
    let spec = json!({"selector": null, "strategy": {}, "template": template});
    assert_eq!(deployment, json!({"metadata": {"name": "d"}, "spec": spec, "status": {}}));
    assert_eq!(form("apps", "ReplicaSet", json!({}))["status"], json!({"replicas": 0}));
}

// NRM-2
#[test]
fn empty_objects_are_kept_as_sent() {
    let spec = json!({"containers": [], "securityContext": {}, "volumes": [{"name": "v", "emptyDir": {}}], "nodeSelector": {}, "affinity": null});
    let pod = form("", "Pod", json!({"spec": spec}));
    assert_eq!(pod["spec"], json!({"containers": [], "securityContext": {}, "volumes": [{"name": "v", "emptyDir": {}}]}));
}

// NRM-3
#[test]
fn lists_and_maps_are_dropped_when_empty_unless_required() {
    assert_eq!(form("", "ConfigMap", json!({"data": {}, "binaryData": null})), json!({}));
    assert_eq!(form("rbac.authorization.k8s.io", "Role", json!({})), json!({"rules": null}));
    assert_eq!(form("rbac.authorization.k8s.io", "Role", json!({"rules": []})), json!({"rules": []}));
    let rule = form("rbac.authorization.k8s.io", "Role", json!({"rules": [{"resources": []}]}));
    assert_eq!(rule["rules"], json!([{"verbs": null}]));
}

// NRM-4
#[test]
fn times_and_quantities_are_canonical() {
    let resources = json!({"requests": {"cpu": "1000m", "memory": "1024Mi", "x/y": 2, "z": "1u"}});
    let pod = form("", "Pod", json!({"spec": {"containers": [{"name": "c", "resources": resources}]}}));
    let requests = json!({"cpu": "1", "memory": "1Gi", "x/y": "2", "z": "1m"});
    assert_eq!(pod["spec"]["containers"][0]["resources"]["requests"], requests);
    let lease = form("coordination.k8s.io", "Lease", json!({"spec": {"renewTime": "2026-01-02T03:04:05.500000+01:00"}}));
    assert_eq!(lease["spec"]["renewTime"], json!("2026-01-02T02:04:05.500000Z"));
    let condition =
        json!({"type": "A", "status": "True", "lastTransitionTime": "2026-01-02T03:04:05.9Z", "lastUpdateTime": null});
    let deployment = form("apps", "Deployment", json!({"status": {"conditions": [condition]}}));
    let condition = json!({"type": "A", "status": "True", "lastTransitionTime": "2026-01-02T03:04:05Z", "lastUpdateTime": null});
    assert_eq!(deployment["status"]["conditions"], json!([condition]));
    let environment = json!({"name": "e", "valueFrom": {"resourceFieldRef": {"resource": "limits.cpu"}}});
    let pod = form("", "Pod", json!({"spec": {"containers": [{"name": "c", "env": [environment]}]}}));
    let field = &pod["spec"]["containers"][0]["env"][0]["valueFrom"]["resourceFieldRef"];
    assert_eq!(*field, json!({"resource": "limits.cpu", "divisor": "0"}));
}

// NRM-5, REQ-9
#[test]
fn unknown_fields_are_dropped_and_reported_by_path() {
    let object = json!({"spec": {"bogus": 1, "template": {"spec": {"containers": [{"name": "a"}, {"Name": "b"}]}}}, "zork": {}});
    let (object, unknown) = normal("apps", "Deployment", object).unwrap();
    assert_eq!(unknown, ["zork", "spec.bogus", "spec.template.spec.containers[1].Name"]);
    assert_eq!(object["spec"]["template"]["spec"]["containers"][1], json!({"name": "", "resources": {}}));
}

// REQ-6
#[test]
fn wrong_types_get_the_text_of_the_server() {
    for (group, kind, object, text) in [
        (
            "",
            "ConfigMap",
            json!({"data": {"a": 5}}),
            "json: cannot unmarshal number into Go struct field ConfigMap.data of type string",
        ),
        (
            "apps",
            "Deployment",
            json!({"spec": {"replicas": "3"}}),
            "json: cannot unmarshal string into Go struct field DeploymentSpec.spec.replicas of type int32",
        ),
        (
            "apps",
            "Deployment",
            json!({"spec": {"replicas": 1.5}}),
            "json: cannot unmarshal number 1.5 into Go struct field DeploymentSpec.spec.replicas of type int32",
        ),
        (
            "",
            "Pod",
            json!({"spec": {"containers": [{"env": [{"value": 1}]}]}}),
            "json: cannot unmarshal number into Go struct field EnvVar.spec.containers.env.value of type string",
        ),
        ("", "Pod", json!({"spec": []}), "json: cannot unmarshal array into Go struct field Pod.spec of type v1.PodSpec"),
        (
            "",
            "Pod",
            json!({"spec": {"containers": {}}}),
            "json: cannot unmarshal object into Go struct field PodSpec.spec.containers of type []v1.Container",
        ),
        ("", "Secret", json!({"data": {"a": "*"}}), "illegal base64 data at input byte 0"),
    ] {
        assert_eq!(error(group, kind, object), text);
    }
    assert!(error("", "Pod", json!({"spec": {"overhead": {"cpu": "x"}}})).starts_with("quantities must match"));
    assert!(
        error("coordination.k8s.io", "Lease", json!({"spec": {"renewTime": "soon"}})).starts_with("parsing time \"soon\" as")
    );
}

#[test]
fn schemas_inside_definitions_are_typed_too() {
    let schema = json!({"type": "object", "bogus": 1, "properties": {"a": {"items": {"type": "string", "x": 1}, "additionalProperties": false}}});
    let spec = json!({"versions": [{"name": "v1", "served": true, "storage": true, "schema": {"openAPIV3Schema": schema}}]});
    let (object, unknown) = normal("apiextensions.k8s.io", "CustomResourceDefinition", json!({"spec": spec})).unwrap();
    let prefix = "spec.versions[0].schema.openAPIV3Schema";
    assert_eq!(unknown, [format!("{prefix}.bogus"), format!("{prefix}.properties.a.items.x")]);
    let schema = &object["spec"]["versions"][0]["schema"]["openAPIV3Schema"];
    assert_eq!(
        *schema,
        json!({"type": "object", "properties": {"a": {"items": {"type": "string"}, "additionalProperties": false}}})
    );
    assert_eq!(
        object["status"],
        json!({"acceptedNames": {"kind": "", "plural": ""}, "conditions": null, "storedVersions": null})
    );
}

#[test]
fn normal_forms_are_stable() {
    for (group, kind) in
        [("", "Pod"), ("apps", "StatefulSet"), ("batch", "CronJob"), ("", "Node"), ("discovery.k8s.io", "EndpointSlice")]
    {
        let once = form(group, kind, json!({}));
        assert_eq!(form(group, kind, once.clone()), once, "{kind}");
    }
}
