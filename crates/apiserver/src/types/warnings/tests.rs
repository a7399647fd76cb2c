use serde_json::{Value, json};

use super::warnings;

const DEPLOYMENT: &str = "io.k8s.api.apps.v1.Deployment";

fn deployment(name: &str, container: &Value) -> Value {
    json!({"metadata": {"name": name}, "spec": {"template": {"spec": {"containers": [container]}}}})
}

// BVA-5
#[test]
fn a_variable_that_extends_its_former_value_hides_nothing() {
    let of = |value: &str| {
        let env = json!([{"name": "PATH", "value": "/bin"}, {"name": "PATH", "value": value}]);
        warnings("io.k8s.api.core.v1.Pod", &json!({"metadata": {"name": "a"}, "spec": {"containers": [{"env": env}]}}), None)
    };
    assert!(of("$(PATH):/usr/bin").is_empty());
    for value in ["/usr/bin", "$(PATH)"] {
        assert_eq!(
            of(value),
            ["spec.containers[0].env[1]: hides previous definition of \"PATH\", which may be dropped when using apply"]
        );
    }
}

// BVA-5
#[test]
fn a_template_is_looked_at_again_only_when_the_spec_changes() {
    let ports = json!({"ports": [{"containerPort": 1, "protocol": "TCP"}, {"containerPort": 1, "protocol": "TCP"}]});
    let stored = deployment("a.b", &ports);
    let created = warnings(DEPLOYMENT, &stored, None);
    assert_eq!(created.len(), 2, "{created:?}");
    assert!(created[0].starts_with("metadata.name: this is used in Pod names and hostnames"), "{created:?}");
    assert!(warnings(DEPLOYMENT, &stored, Some(&stored)).is_empty());
    let mut changed = stored.clone();
    changed["spec"]["replicas"] = 2.into();
    assert_eq!(
        warnings(DEPLOYMENT, &changed, Some(&stored)),
        ["spec.template.spec.containers[0].ports[1]: duplicate port definition with spec.template.spec.containers[0].ports[0]"]
    );
}

#[test]
fn thousands_of_equal_ports_yield_a_bounded_number_of_warnings() {
    let ports: Vec<Value> = (0..10_000).map(|_| json!({"containerPort": 1, "protocol": "TCP"})).collect();
    let many = deployment("a", &json!({"name": "c", "image": "i", "ports": ports}));
    let told = warnings(DEPLOYMENT, &many, None);
    assert!((50..=200).contains(&told.len()), "{}", told.len());
}

// BVA-5
#[test]
fn overlapping_file_paths_in_a_volume_yield_warnings() {
    let items = |paths: &[&str]| paths.iter().map(|path| json!({"key": "k", "path": path})).collect::<Vec<_>>();
    let volumes = json!([
        {"name": "m", "configMap": {"name": "c", "items": items(&["a", "b", "a", "a/b/", "ab"])}},
        {"name": "s", "secret": {"secretName": "t", "items": items(&["x/y", "x"])}},
        {"name": "d", "downwardAPI": {"items": items(&["p", "p"])}},
        {"name": "p", "projected": {"sources": [
            {"configMap": {"name": "c", "items": items(&["a"])}},
            {"serviceAccountToken": {"path": "a"}},
            {"secret": {"name": "t"}},
        ]}},
    ]);
    let pod = json!({"metadata": {"name": "a"}, "spec": {"containers": [], "volumes": volumes}});
    assert_eq!(
        warnings("io.k8s.api.core.v1.Pod", &pod, None),
        [
            r#"volume "m" (ConfigMap "c"): overlapping paths: "a" with "a""#,
            r#"volume "m" (ConfigMap "c"): overlapping paths: "a/b" with "a""#,
            r#"volume "m" (ConfigMap "c"): overlapping paths: "a/b" with "a""#,
            r#"volume "s" (Secret "t"): overlapping paths: "x" with "x/y""#,
            r#"volume "d" (DownwardAPI): overlapping paths: "p" with "p""#,
            r#"volume "p" (Projected): overlapping paths: "a" (ServiceAccountToken) with "a" (ConfigMap "c")"#,
        ]
    );
}
