use kubewright_machinery::object::GroupVersionKind;
use kubewright_machinery::patch::merge_patch;
use serde_json::{Value, json};

use crate::model::{Endpoint, Model as _};
use crate::types::Builtin;

fn complete(api_version: &str, kind: &str, mut object: Value) -> (Builtin, Value) {
    let model = Builtin::of_gvk(&GroupVersionKind::from_api_version(api_version, kind).unwrap()).unwrap();
    model.normalise(&mut object, &mut Vec::new()).unwrap();
    model.default(&mut object);
    (model, object)
}

/// Returns the errors of an object as `field: message`.
fn errors(api_version: &str, kind: &str, object: Value) -> Vec<String> {
    let (model, object) = complete(api_version, kind, object);
    model
        .validate(&object, None, Endpoint::Main, &mut Vec::new())
        .into_iter()
        .map(|error| format!("{}: {}", error.field, error.message))
        .collect()
}

/// Returns the errors of an update by a merge patch.
fn update(api_version: &str, kind: &str, object: Value, patch: Value) -> Vec<String> {
    let (_, stored) = complete(api_version, kind, object);
    let mut object = stored.clone();
    merge_patch(&mut object, &patch);
    let (model, object) = complete(api_version, kind, object);
    model
        .validate(&object, Some(&stored), Endpoint::Main, &mut Vec::new())
        .into_iter()
        .map(|error| format!("{}: {}", error.field, error.message))
        .collect()
}

fn deployment() -> Value {
    let template = json!({"metadata": {"labels": {"app": "d"}}, "spec": {"containers": [{"name": "c", "image": "i"}]}});
    json!({"metadata": {"name": "d"}, "spec": {"selector": {"matchLabels": {"app": "d"}}, "template": template}})
}

fn job() -> Value {
    let template = json!({"metadata": {"labels": {"a": "b"}}, "spec": {"restartPolicy": "Never", "containers": [{"name": "c", "image": "i"}]}});
    json!({"spec": {"manualSelector": true, "selector": {"matchLabels": {"a": "b"}}, "template": template}})
}

fn pod(container: Value) -> Value {
    let mut full = json!({"name": "c", "image": "i"});
    merge_patch(&mut full, &container);
    json!({"spec": {"containers": [full]}})
}

fn nothing() -> Vec<String> {
    Vec::new()
}

// BVA-2
#[test]
fn a_good_object_has_no_errors() {
    assert_eq!(errors("apps/v1", "Deployment", deployment()), nothing());
    assert_eq!(errors("apps/v1", "StatefulSet", deployment()), nothing());
    assert_eq!(errors("apps/v1", "DaemonSet", deployment()), nothing());
    assert_eq!(errors("v1", "Pod", pod(json!({}))), nothing());
    assert_eq!(errors("batch/v1", "Job", job()), nothing());
    let cron_job = json!({"spec": {"schedule": "*/5 * * * *", "jobTemplate": {"spec": {"template": job()["spec"]["template"]}}}});
    assert_eq!(errors("batch/v1", "CronJob", cron_job), nothing());
}

// BVA-2; the answer of the real server
#[test]
fn a_deployment_without_selector_and_image_is_refused_with_the_field_paths() {
    let object = json!({"metadata": {"name": "bad"}, "spec": {"template": {"spec": {"containers": [{"name": "x"}]}}}});
    assert_eq!(
        errors("apps/v1", "Deployment", object),
        [
            "spec.selector: Required value",
            "spec.template.metadata.labels: Invalid value: null: `selector` does not match template `labels`",
            "spec.template.spec.containers[0].image: Required value",
        ]
    );
}

// BVA-4; the answer of the real server
#[test]
fn the_selector_of_a_deployment_stays() {
    assert_eq!(
        update("apps/v1", "Deployment", deployment(), json!({"spec": {"selector": {"matchLabels": {"app": "e"}}}})),
        [
            "spec.template.metadata.labels: Invalid value: {\"app\":\"d\"}: `selector` does not match template `labels`",
            "spec.selector: Invalid value: {\"matchLabels\":{\"app\":\"e\"}}: field is immutable",
        ]
    );
    assert_eq!(update("apps/v1", "Deployment", deployment(), json!({"spec": {"replicas": 3}})), nothing());
}

// BVA-2
#[test]
fn workloads_have_sound_numbers_and_policies() {
    let mut bad = deployment();
    merge_patch(
        &mut bad,
        &json!({"spec": {
            "replicas": -1, "strategy": {"type": "Recreate", "rollingUpdate": {"maxSurge": 1}}, "template": {"spec": {"restartPolicy": "Never"}},
        }}),
    );
    assert_eq!(
        errors("apps/v1", "Deployment", bad),
        [
            "spec.replicas: Invalid value: -1: must be greater than or equal to 0",
            "spec.template.spec.restartPolicy: Unsupported value: \"Never\": supported values: \"Always\"",
            "spec.strategy.rollingUpdate: Forbidden: may not be specified when strategy `type` is 'Recreate'",
        ]
    );
    let mut empty = deployment();
    merge_patch(&mut empty, &json!({"spec": {"selector": {"matchLabels": null}}}));
    assert_eq!(
        errors("apps/v1", "Deployment", empty),
        ["spec.selector: Invalid value: {}: empty selector is invalid for deployment"]
    );
}

// BVA-2
#[test]
fn containers_are_checked_one_by_one() {
    let container = json!({
        "name": "Bad", "ports": [{"containerPort": 70000}], "env": [{"name": ""}], "imagePullPolicy": "Sometimes",
        "volumeMounts": [{"name": "gone", "mountPath": "/x"}], "livenessProbe": {},
        "resources": {"requests": {"cpu": "2"}, "limits": {"cpu": "1"}},
    });
    let found = errors("v1", "Pod", pod(container));
    let expected = [
        "spec.containers[0].name: Invalid value: \"Bad\": a lowercase RFC 1123 label must consist of",
        "spec.containers[0].imagePullPolicy: Unsupported value: \"Sometimes\": supported values: \"Always\", \"IfNotPresent\", \"Never\"",
        "spec.containers[0].ports[0].containerPort: Invalid value: 70000: must be between 1 and 65535, inclusive",
        "spec.containers[0].env[0].name: Required value",
        "spec.containers[0].volumeMounts[0].name: Not found: \"gone\"",
        "spec.containers[0].livenessProbe: Required value: must specify a handler type",
        "spec.containers[0].resources.requests: Invalid value: \"2\": must be less than or equal to cpu limit of 1",
    ];
    assert_eq!(found.len(), expected.len(), "{found:#?}");
    for (found, expected) in found.iter().zip(expected) {
        assert!(found.starts_with(expected), "{found}");
    }
    let twice = json!({"spec": {"containers": [{"name": "c", "image": "i"}, {"name": "c", "image": "i"}]}});
    assert_eq!(errors("v1", "Pod", twice), ["spec.containers[1].name: Duplicate value: \"c\""]);
    assert_eq!(errors("v1", "Pod", json!({})), ["spec.containers: Required value"]);
}

// BVA-4
#[test]
fn only_few_fields_of_a_pod_change() {
    let change = |spec: Value| update("v1", "Pod", pod(json!({})), json!({ "spec": spec }));
    assert_eq!(change(json!({"containers": [{"name": "c", "image": "j", "imagePullPolicy": "Always"}]})), nothing());
    assert_eq!(change(json!({"tolerations": [{"key": "k", "operator": "Exists"}]})), nothing());
    for spec in [
        json!({"hostNetwork": true}),
        json!({"nodeName": "n"}),
        json!({"containers": [{"name": "c", "image": "i", "args": ["x"]}]}),
    ] {
        let found = change(spec);
        assert!(
            found.len() == 1 && found[0].starts_with("spec: Forbidden: pod updates may not change fields other than"),
            "{found:?}"
        );
    }
}

// BVA-4
#[test]
fn stateful_set_service_names_and_job_templates_are_immutable() {
    let found = update("apps/v1", "StatefulSet", deployment(), json!({"spec": {"serviceName": "other"}}));
    assert!(
        found.len() == 1 && found[0].starts_with("spec: Forbidden: updates to statefulset spec for fields other than"),
        "{found:?}"
    );
    assert_eq!(update("apps/v1", "StatefulSet", deployment(), json!({"spec": {"replicas": 2}})), nothing());
    let found = update("batch/v1", "Job", job(), json!({"spec": {"template": {"metadata": {"annotations": {"x": "y"}}}}}));
    assert!(found.len() == 1 && found[0].ends_with("field is immutable"), "{found:?}");
}

#[test]
fn containers_of_stateful_sets_mount_claims() {
    let mut set = deployment();
    merge_patch(
        &mut set,
        &json!({"spec": {"volumeClaimTemplates": [{
            "metadata": {"name": "data"},
            "spec": {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}},
        }]}}),
    );
    let mut mounts = |name: &str| {
        set["spec"]["template"]["spec"]["containers"][0]["volumeMounts"] = json!([{"name": name, "mountPath": "/data"}]);
        errors("apps/v1", "StatefulSet", set.clone())
    };
    assert_eq!(mounts("data"), nothing());
    assert_eq!(mounts("other"), ["spec.template.spec.containers[0].volumeMounts[0].name: Not found: \"other\""]);
}

// BVA-2
#[test]
fn jobs_do_not_restart_for_ever() {
    let mut always = job();
    merge_patch(&mut always, &json!({"spec": {"template": {"spec": {"restartPolicy": null}}}}));
    let expected = "spec.template.spec.restartPolicy: Required value: valid values: \"OnFailure\", \"Never\"";
    assert_eq!(errors("batch/v1", "Job", always), [expected]);
    assert_eq!(errors("batch/v1", "CronJob", json!({"spec": {"schedule": "x"}})).len(), 3);
}

// BVA-3, BVA-4
#[test]
fn config_maps_and_secrets() {
    assert!(
        errors("v1", "ConfigMap", json!({"data": {"a b": "x"}}))[0]
            .starts_with("data[a b]: Invalid value: \"a b\": a valid config key")
    );
    assert_eq!(errors("v1", "ConfigMap", json!({"data": {"a": "x".repeat(1024 * 1024)}})), nothing());
    let too_long = "[]: Too long: may not be more than 1048576 bytes";
    assert_eq!(errors("v1", "ConfigMap", json!({"data": {"a": "x".repeat(1024 * 1024 + 1)}})), [too_long]);
    let frozen = json!({"immutable": true, "data": {"a": "b"}});
    let refused = "data: Forbidden: field is immutable when `immutable` is set";
    assert_eq!(update("v1", "ConfigMap", frozen.clone(), json!({"data": {"a": "c"}})), [refused]);
    assert_eq!(update("v1", "ConfigMap", frozen, json!({"metadata": {"labels": {"a": "c"}}})), nothing());
    assert_eq!(update("v1", "Secret", json!({"immutable": true}), json!({"data": {"a": "eA=="}})), [refused]);
    assert_eq!(
        errors("v1", "Secret", json!({"type": "kubernetes.io/tls", "data": {"tls.crt": "eA=="}})),
        ["data[tls.key]: Required value"]
    );
    let changed = "type: Invalid value: \"b\": field is immutable";
    assert_eq!(update("v1", "Secret", json!({"type": "a"}), json!({"type": "b"})), [changed]);
}

// BVA-3
#[test]
fn a_lease_lasts() {
    let lease = |seconds: i64| errors("coordination.k8s.io/v1", "Lease", json!({"spec": {"leaseDurationSeconds": seconds}}));
    assert_eq!(lease(0), ["spec.leaseDurationSeconds: Invalid value: 0: must be greater than 0"]);
    assert_eq!(lease(15), nothing());
}

// BI-1; the answer of the real server
#[test]
fn an_event_must_be_in_the_namespace_of_its_involved_object() {
    let stored = json!({"metadata": {"namespace": "default"}, "involvedObject": {"namespace": "other"}, "eventTime": null});
    let model = Builtin::of_gvk(&GroupVersionKind::new("events.k8s.io", "v1", "Event")).unwrap();
    let found: Vec<String> = model
        .validate(&stored, None, Endpoint::Main, &mut Vec::new())
        .iter()
        .map(|error| format!("{}: {}", error.field, error.message))
        .collect();
    assert_eq!(
        found,
        [
            "involvedObject.namespace: Invalid value: \"other\": does not match event.namespace",
            "eventTime: Required value",
            "type: Invalid value: \"\": has invalid value: ",
        ]
    );
    let core = json!({"metadata": {"namespace": "default"}, "involvedObject": {}});
    assert_eq!(errors("v1", "Event", core), nothing());
}

#[test]
fn services_have_distinct_ports() {
    let service = |spec: Value| errors("v1", "Service", json!({ "spec": spec }));
    assert_eq!(service(json!({})), ["spec.ports: Required value"]);
    assert_eq!(service(json!({"clusterIP": "None"})), nothing());
    assert_eq!(
        service(json!({"ports": [{"port": 80}, {"name": "b", "port": 80}]})),
        [
            "spec.ports[0].name: Required value",
            "spec.ports[1]: Duplicate value: {\"Name\":\"\",\"Protocol\":\"TCP\",\"AppProtocol\":null,\"Port\":80,\"TargetPort\":0,\"NodePort\":0}"
        ]
    );
    assert_eq!(service(json!({"type": "ExternalName"})), ["spec.externalName: Required value"]);
    let spec = json!({"spec": {"clusterIP": "10.0.0.5", "clusterIPs": ["10.0.0.5"], "ports": [{"port": 1}]}});
    let moved = json!({"spec": {"clusterIP": "10.0.0.6", "clusterIPs": ["10.0.0.6"]}});
    assert_eq!(
        update("v1", "Service", spec, moved),
        ["spec.clusterIPs[0]: Invalid value: [\"10.0.0.6\"]: may not change once set"]
    );
}

#[test]
fn an_ingress_requires_a_default_backend_or_rules_with_valid_paths_and_backends() {
    let ingress = |spec: Value| errors("networking.k8s.io/v1", "Ingress", json!({ "spec": spec }));
    assert_eq!(ingress(json!({})), ["spec: Invalid value: {}: either `defaultBackend` or `rules` must be specified"]);
    let path = |path: Value| ingress(json!({"rules": [{"host": "x.io", "http": {"paths": [path]}}]}));
    let backend = json!({"service": {"name": "s", "port": {"number": 80}}});
    assert_eq!(path(json!({"path": "/", "pathType": "Prefix", "backend": backend})), nothing());
    assert_eq!(
        path(json!({"path": "x", "backend": {"service": {"name": "s"}}})),
        [
            "spec.rules[0].http.paths[0].pathType: Required value: pathType must be specified",
            "spec.rules[0].http.paths[0].path: Invalid value: \"x\": must be an absolute path",
            "spec.rules[0].http.paths[0].backend.service.port: Required value: port name or number is required",
        ]
    );
}

// BVA-4
#[test]
fn a_binding_keeps_its_role() {
    let binding = json!({"roleRef": {"kind": "Role", "name": "r"}, "subjects": [{"kind": "User", "name": "u"}]});
    assert_eq!(errors("rbac.authorization.k8s.io/v1", "RoleBinding", binding.clone()), nothing());
    let expected = "roleRef: Invalid value: {\"APIGroup\":\"rbac.authorization.k8s.io\",\"Kind\":\"Role\",\"Name\":\"other\"}: cannot change roleRef";
    assert_eq!(update("rbac.authorization.k8s.io/v1", "RoleBinding", binding, json!({"roleRef": {"name": "other"}})), [expected]);
    let rules = json!({"rules": [{"resources": ["pods"]}]});
    assert_eq!(
        errors("rbac.authorization.k8s.io/v1", "Role", rules),
        [
            "rules[0].verbs: Required value: verbs must contain at least one value",
            "rules[0].apiGroups: Required value: resource rules must supply at least one api group",
        ]
    );
}

// The texts are those of the real server.
#[test]
fn webhooks_can_be_called() {
    let webhook = json!({
        "name": "v1.x.io", "clientConfig": {"url": "https://127.0.0.1:9443/v1"}, "failurePolicy": "Zap", "sideEffects": "Unknown",
        "timeoutSeconds": 50, "admissionReviewVersions": ["v1"],
    });
    let configuration = |webhook: &Value| {
        errors("admissionregistration.k8s.io/v1", "ValidatingWebhookConfiguration", json!({"webhooks": [webhook]}))
    };
    assert_eq!(
        configuration(&webhook),
        [
            "webhooks[0].failurePolicy: Unsupported value: \"Zap\": supported values: \"Fail\", \"Ignore\"",
            "webhooks[0].sideEffects: Unsupported value: \"Unknown\": supported values: \"None\", \"NoneOnDryRun\"",
            "webhooks[0].timeoutSeconds: Invalid value: 50: the timeout value must be between 1 and 30 seconds",
        ]
    );
    let mut versions = webhook;
    merge_patch(
        &mut versions,
        &json!({"failurePolicy": null, "sideEffects": "None", "timeoutSeconds": 1, "admissionReviewVersions": ["v9"]}),
    );
    assert_eq!(
        configuration(&versions),
        ["webhooks[0].admissionReviewVersions: Invalid value: [\"v9\"]: must include at least one of v1, v1beta1"]
    );
}

#[test]
fn an_api_service_is_named_after_its_version_and_group() {
    let service = json!({
        "metadata": {"name": "v1beta1.metrics.k8s.io"},
        "spec": {
            "group": "metrics.k8s.io", "version": "v1beta1", "groupPriorityMinimum": 100, "versionPriority": 100,
            "insecureSkipTLSVerify": true, "service": {"name": "s", "namespace": "n"},
        },
    });
    assert_eq!(errors("apiregistration.k8s.io/v1", "APIService", service), nothing());
    assert_eq!(errors("apiregistration.k8s.io/v1", "APIService", json!({"metadata": {"name": "x"}})).len(), 4);
}

#[test]
fn limits_of_scaling_are_consistent() {
    let spec = json!({"spec": {"maxReplicas": 1, "minReplicas": 2, "scaleTargetRef": {"apiVersion": "apps/v1", "kind": "Deployment", "name": "d"}}});
    let expected = "spec.maxReplicas: Invalid value: 1: must be greater than or equal to `minReplicas`";
    assert_eq!(errors("autoscaling/v2", "HorizontalPodAutoscaler", spec), [expected]);
    let budget = |spec: Value| errors("policy/v1", "PodDisruptionBudget", json!({ "spec": spec }));
    assert_eq!(budget(json!({"minAvailable": 1, "selector": {"matchLabels": {"a": "b"}}})), nothing());
    assert_eq!(budget(json!({"minAvailable": 1, "maxUnavailable": "x%"})).len(), 2);
    let share = |share: &str| budget(json!({"maxUnavailable": share, "selector": {}})).len();
    assert_eq!([share("100%"), share("101%"), share("99999999999999999999%")], [0, 1, 1]);
}

#[test]
fn claims_say_how_much_and_grow_only() {
    let claim = json!({"spec": {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "2Gi"}}}});
    let request = |amount: &str| json!({"spec": {"resources": {"requests": {"storage": amount}}}});
    assert_eq!(errors("v1", "PersistentVolumeClaim", claim.clone()), nothing());
    assert_eq!(
        errors("v1", "PersistentVolumeClaim", json!({})),
        ["spec.accessModes: Required value: at least 1 access mode is required", "spec.resources[storage]: Required value"]
    );
    assert_eq!(update("v1", "PersistentVolumeClaim", claim.clone(), request("3Gi")), nothing());
    let less = "spec.resources.requests.storage: Forbidden: field can not be less than previous value";
    assert_eq!(update("v1", "PersistentVolumeClaim", claim.clone(), request("1Gi")), [less]);
    assert_eq!(update("v1", "PersistentVolumeClaim", claim, json!({"spec": {"accessModes": ["ReadOnlyMany"]}})).len(), 1);
}
