use kubewright_machinery::object::GroupVersionKind;
use serde_json::{Value, json};

use crate::model::Model as _;
use crate::types::Builtin;

fn defaulted(api_version: &str, kind: &str, mut object: Value) -> Value {
    let model = Builtin::of_gvk(&GroupVersionKind::from_api_version(api_version, kind).unwrap()).unwrap();
    model.normalise(&mut object, &mut Vec::new()).unwrap();
    model.default(&mut object);
    let mut again = object.clone();
    model.normalise(&mut again, &mut Vec::new()).unwrap();
    assert_eq!(again, object, "defaults keep the normal form of {kind}");
    model.default(&mut again);
    assert_eq!(again, object, "defaults of {kind} are stable");
    object
}

fn container(fields: Value) -> Value {
    let mut container = json!({
        "name": "c", "image": "i", "imagePullPolicy": "Always", "resources": {},
        "terminationMessagePath": "/dev/termination-log", "terminationMessagePolicy": "File",
    });
    kubewright_machinery::patch::merge_patch(&mut container, &fields);
    container
}

fn template() -> Value {
    json!({
        "metadata": {"labels": {"app": "a"}},
        "spec": {
            "containers": [container(json!({}))], "dnsPolicy": "ClusterFirst", "restartPolicy": "Always", "securityContext": {},
            "terminationGracePeriodSeconds": 30, "schedulerName": "default-scheduler",
        },
    })
}

fn short_template() -> Value {
    json!({"metadata": {"labels": {"app": "a"}}, "spec": {"containers": [{"name": "c", "image": "i"}]}})
}

// BDF-1, BDF-2, BDF-5, VEC-10
#[test]
fn pods_get_the_default_fields_of_the_server() {
    let pod = defaulted("v1", "Pod", json!({"metadata": {"name": "p1"}, "spec": {"containers": [{"name": "c", "image": "i"}]}}));
    let mut spec = template()["spec"].clone();
    spec["enableServiceLinks"] = true.into();
    assert_eq!(pod, json!({"metadata": {"name": "p1"}, "spec": spec, "status": {}}));
}

// BDF-1, BDF-2, BDF-3
#[test]
fn containers_get_policies_probes_and_references() {
    let given = json!({
        "name": "c", "image": "i:1", "ports": [{"containerPort": 80}],
        "env": [{"name": "e", "valueFrom": {"fieldRef": {"fieldPath": "metadata.name"}}}],
        "readinessProbe": {"httpGet": {"port": 80}}, "lifecycle": {"preStop": {"httpGet": {"port": "web", "path": "/x"}}},
    });
    let pod = defaulted("v1", "Pod", json!({"spec": {"serviceAccountName": "s", "containers": [given]}}));
    let expected = container(json!({
        "image": "i:1", "imagePullPolicy": "IfNotPresent", "ports": [{"containerPort": 80, "protocol": "TCP"}],
        "env": [{"name": "e", "valueFrom": {"fieldRef": {"apiVersion": "v1", "fieldPath": "metadata.name"}}}],
        "readinessProbe": {
            "httpGet": {"port": 80, "path": "/", "scheme": "HTTP"},
            "timeoutSeconds": 1, "periodSeconds": 10, "successThreshold": 1, "failureThreshold": 3,
        },
        "lifecycle": {"preStop": {"httpGet": {"port": "web", "path": "/x", "scheme": "HTTP"}}},
    }));
    assert_eq!(pod["spec"]["containers"][0], expected);
    assert_eq!(pod["spec"]["serviceAccount"], json!("s"));
}

// BDF-4
#[test]
fn volumes_get_a_source_and_modes() {
    let volumes = json!([
        {"name": "a"},
        {"name": "b", "secret": {"secretName": "s"}},
        {"name": "c", "configMap": {"name": "m", "defaultMode": 0}},
        {"name": "d", "hostPath": {"path": "/x"}},
        {"name": "e", "projected": {"sources": [{"serviceAccountToken": {"path": "t"}}]}},
    ]);
    let pod = defaulted("v1", "Pod", json!({"spec": {"containers": [], "volumes": volumes}}));
    let expected = json!([
        {"name": "a", "emptyDir": {}},
        {"name": "b", "secret": {"secretName": "s", "defaultMode": 420}},
        {"name": "c", "configMap": {"name": "m", "defaultMode": 0}},
        {"name": "d", "hostPath": {"path": "/x", "type": ""}},
        {"name": "e", "projected": {"defaultMode": 420, "sources": [{"serviceAccountToken": {"path": "t", "expirationSeconds": 3600}}]}},
    ]);
    assert_eq!(pod["spec"]["volumes"], expected);
}

// BDF-5
#[test]
fn requests_follow_limits_in_pods_only() {
    let resources = json!({"limits": {"cpu": "1", "memory": "1Gi"}, "requests": {"cpu": "500m"}});
    let spec = json!({"containers": [{"name": "c", "image": "i", "resources": resources}]});
    let pod = defaulted("v1", "Pod", json!({"spec": spec}));
    let requests = |container: &Value| container["resources"]["requests"].clone();
    assert_eq!(requests(&pod["spec"]["containers"][0]), json!({"cpu": "500m", "memory": "1Gi"}));
    let deployment = defaulted("apps/v1", "Deployment", json!({"spec": {"template": {"spec": spec}}}));
    assert_eq!(requests(&deployment["spec"]["template"]["spec"]["containers"][0]), json!({"cpu": "500m"}));
}

// BDF-6
#[test]
fn deployments_roll() {
    let spec = json!({"selector": {"matchLabels": {"app": "a"}}, "template": short_template()});
    let deployment = defaulted("apps/v1", "Deployment", json!({"spec": spec}));
    let strategy = json!({"type": "RollingUpdate", "rollingUpdate": {"maxSurge": "25%", "maxUnavailable": "25%"}});
    let expected = json!({
        "replicas": 1, "revisionHistoryLimit": 10, "progressDeadlineSeconds": 600, "strategy": strategy,
        "selector": {"matchLabels": {"app": "a"}}, "template": template(),
    });
    assert_eq!(deployment["spec"], expected);
    let recreate = defaulted("apps/v1", "Deployment", json!({"spec": {"replicas": 0, "strategy": {"type": "Recreate"}}}));
    assert_eq!((&recreate["spec"]["replicas"], &recreate["spec"]["strategy"]), (&json!(0), &json!({"type": "Recreate"})));
}

// BDF-7
#[test]
fn stateful_sets_are_ordered_and_keep_claims() {
    let set = defaulted("apps/v1", "StatefulSet", json!({"spec": {"volumeClaimTemplates": [{"metadata": {"name": "v"}}]}}));
    let spec = &set["spec"];
    assert_eq!(spec["podManagementPolicy"], json!("OrderedReady"));
    assert_eq!(spec["updateStrategy"], json!({"type": "RollingUpdate", "rollingUpdate": {"partition": 0}}));
    assert_eq!(spec["persistentVolumeClaimRetentionPolicy"], json!({"whenDeleted": "Retain", "whenScaled": "Retain"}));
    assert_eq!((&spec["replicas"], &spec["revisionHistoryLimit"], &spec["serviceName"]), (&json!(1), &json!(10), &json!("")));
    let claim = json!({
        "apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": {"name": "v"},
        "spec": {"resources": {}, "volumeMode": "Filesystem"}, "status": {"phase": "Pending"},
    });
    assert_eq!(spec["volumeClaimTemplates"], json!([claim]));
}

// BDF-8, BDF-9
#[test]
fn other_sets() {
    let daemons = defaulted("apps/v1", "DaemonSet", json!({}));
    let strategy = json!({"type": "RollingUpdate", "rollingUpdate": {"maxSurge": 0, "maxUnavailable": 1}});
    assert_eq!(daemons["spec"]["updateStrategy"], strategy);
    let controller = defaulted("v1", "ReplicationController", json!({"metadata": {}, "spec": {"template": short_template()}}));
    assert_eq!(controller["spec"]["selector"], json!({"app": "a"}));
    assert_eq!(controller["metadata"]["labels"], json!({"app": "a"}));
    assert_eq!(controller["spec"]["replicas"], json!(1));
}

// BDF-10
#[test]
fn jobs_run_once() {
    let job = |spec: Value| defaulted("batch/v1", "Job", json!({"metadata": {}, "spec": spec}))["spec"].clone();
    let spec = job(json!({"template": {"spec": {"containers": [], "restartPolicy": "Never"}}}));
    for (field, value) in [
        ("completions", json!(1)),
        ("parallelism", json!(1)),
        ("backoffLimit", json!(6)),
        ("completionMode", json!("NonIndexed")),
        ("suspend", json!(false)),
        ("manualSelector", json!(false)),
        ("podReplacementPolicy", json!("TerminatingOrFailed")),
    ] {
        assert_eq!(spec[field], value, "{field}");
    }
    assert_eq!(job(json!({"parallelism": 3})).get("completions"), None);
    assert_eq!(job(json!({"completions": 3, "backoffLimitPerIndex": 1}))["backoffLimit"], json!(i32::MAX));
}

// BDF-11
#[test]
fn cron_jobs_keep_some_history() {
    let given = json!({"spec": {"schedule": "* * * * *", "jobTemplate": {"spec": {"template": short_template()}}}});
    let expected = json!({
        "schedule": "* * * * *", "concurrencyPolicy": "Allow", "suspend": false,
        "successfulJobsHistoryLimit": 3, "failedJobsHistoryLimit": 1,
        "jobTemplate": {"metadata": {}, "spec": {"template": template()}},
    });
    assert_eq!(defaulted("batch/v1", "CronJob", given)["spec"], expected);
}

// BDF-12, BI-3
#[test]
fn secrets_turn_texts_into_data() {
    let secret = defaulted("v1", "Secret", json!({"data": {"a": "eA==", "b": "eA=="}, "stringData": {"a": "hello"}}));
    assert_eq!(secret, json!({"type": "Opaque", "data": {"a": "aGVsbG8=", "b": "eA=="}}));
}

// BDF-13
#[test]
fn services_get_policies_and_target_ports() {
    let service = defaulted("v1", "Service", json!({"spec": {"ports": [{"port": 80}, {"port": 81, "targetPort": "x"}]}}));
    let expected = json!({
        "type": "ClusterIP", "sessionAffinity": "None", "internalTrafficPolicy": "Cluster",
        "ports": [{"port": 80, "protocol": "TCP", "targetPort": 80}, {"port": 81, "protocol": "TCP", "targetPort": "x"}],
    });
    assert_eq!(service, json!({"spec": expected, "status": {"loadBalancer": {}}}));
    let balanced = defaulted("v1", "Service", json!({"spec": {"type": "LoadBalancer", "sessionAffinity": "ClientIP"}}));
    let expected = json!({
        "type": "LoadBalancer", "sessionAffinity": "ClientIP", "sessionAffinityConfig": {"clientIP": {"timeoutSeconds": 10800}},
        "externalTrafficPolicy": "Cluster", "internalTrafficPolicy": "Cluster", "allocateLoadBalancerNodePorts": true,
    });
    assert_eq!(balanced["spec"], expected);
}

// BDF-15
#[test]
fn webhooks_fail_closed() {
    let webhook =
        json!({"name": "w", "rules": [{"operations": ["*"]}], "clientConfig": {"service": {"name": "s", "namespace": "n"}}});
    let given = json!({"webhooks": [webhook]});
    let mutating = defaulted("admissionregistration.k8s.io/v1", "MutatingWebhookConfiguration", given.clone());
    let mut expected = json!({
        "name": "w", "rules": [{"operations": ["*"], "scope": "*"}], "sideEffects": null, "admissionReviewVersions": null,
        "clientConfig": {"service": {"name": "s", "namespace": "n", "port": 443}}, "failurePolicy": "Fail",
        "matchPolicy": "Equivalent", "namespaceSelector": {}, "objectSelector": {}, "timeoutSeconds": 10, "reinvocationPolicy": "Never",
    });
    assert_eq!(mutating["webhooks"][0], expected);
    let validating = defaulted("admissionregistration.k8s.io/v1", "ValidatingWebhookConfiguration", given);
    expected.as_object_mut().unwrap().remove("reinvocationPolicy");
    assert_eq!(validating["webhooks"][0], expected);
}

// BDF-16
#[test]
fn policies_match_equivalent_requests_of_any_scope() {
    let rules = json!({"resourceRules": [{"resources": ["pods"]}], "excludeResourceRules": [{"scope": "Cluster"}]});
    let filled = json!({
        "matchPolicy": "Equivalent", "namespaceSelector": {}, "objectSelector": {},
        "resourceRules": [{"resources": ["pods"], "scope": "*"}], "excludeResourceRules": [{"scope": "Cluster"}],
    });
    for kind in ["ValidatingAdmissionPolicy", "MutatingAdmissionPolicy"] {
        let policy = defaulted("admissionregistration.k8s.io/v1", kind, json!({"spec": {"matchConstraints": rules}}));
        assert_eq!((&policy["spec"]["failurePolicy"], &policy["spec"]["matchConstraints"]), (&json!("Fail"), &filled), "{kind}");
        let kind = format!("{kind}Binding");
        let binding = defaulted("admissionregistration.k8s.io/v1", &kind, json!({"spec": {"matchResources": rules}}));
        assert_eq!(binding["spec"]["matchResources"], filled, "{kind}");
    }
}

// BDF-14, BDF-17, BDF-18, BDF-19
#[test]
fn the_rest() {
    let role_ref = json!({"kind": "Role", "name": "r"});
    let subjects = json!([{"kind": "User", "name": "u"}, {"kind": "ServiceAccount", "name": "s", "namespace": "n"}]);
    let binding = defaulted("rbac.authorization.k8s.io/v1", "RoleBinding", json!({"roleRef": role_ref, "subjects": subjects}));
    assert_eq!(binding["roleRef"]["apiGroup"], json!("rbac.authorization.k8s.io"));
    assert_eq!(binding["subjects"][0]["apiGroup"], json!("rbac.authorization.k8s.io"));
    assert_eq!(binding["subjects"][1].get("apiGroup"), None);

    let autoscaler = defaulted("autoscaling/v2", "HorizontalPodAutoscaler", json!({"spec": {"maxReplicas": 3}}));
    assert_eq!(autoscaler["spec"]["minReplicas"], json!(1));
    assert_eq!(autoscaler["spec"]["metrics"][0]["resource"]["target"], json!({"type": "Utilization", "averageUtilization": 80}));

    let egress = json!({"spec": {"egress": [{"ports": [{"port": 53}]}]}});
    let policy = defaulted("networking.k8s.io/v1", "NetworkPolicy", egress);
    let expected = json!({"podSelector": {}, "policyTypes": ["Ingress", "Egress"], "egress": [{"ports": [{"port": 53, "protocol": "TCP"}]}]});
    assert_eq!(policy["spec"], expected);

    let class = defaulted("storage.k8s.io/v1", "StorageClass", json!({"provisioner": "p"}));
    assert_eq!(class, json!({"provisioner": "p", "reclaimPolicy": "Delete", "volumeBindingMode": "Immediate"}));

    let service =
        defaulted("apiregistration.k8s.io/v1", "APIService", json!({"spec": {"service": {"name": "s", "namespace": "n"}}}));
    assert_eq!(service["spec"]["service"]["port"], json!(443));

    let claim = defaulted("v1", "PersistentVolumeClaim", json!({}));
    assert_eq!(claim, json!({"spec": {"resources": {}, "volumeMode": "Filesystem"}, "status": {"phase": "Pending"}}));

    let limits = json!([{"type": "Container", "max": {"cpu": "2"}, "min": {"cpu": "1", "memory": "1Mi"}}]);
    let range = defaulted("v1", "LimitRange", json!({"spec": {"limits": limits}}));
    let limit = &range["spec"]["limits"][0];
    assert_eq!((&limit["default"], &limit["defaultRequest"]), (&json!({"cpu": "2"}), &json!({"cpu": "2", "memory": "1Mi"})));

    let class = defaulted("scheduling.k8s.io/v1", "PriorityClass", json!({}));
    assert_eq!(class, json!({"value": 0, "preemptionPolicy": "PreemptLowerPriority"}));
}
