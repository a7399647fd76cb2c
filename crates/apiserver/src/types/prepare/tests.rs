use kubewright_machinery::object::GroupVersionKind;
use kubewright_middleware::{Identity, Seed};
use serde_json::{Value, json};

use crate::model::{Model as _, Preparation};
use crate::store::{ObjectName, ObjectStore, Resource, StoreChange};
use crate::types::Builtin;

struct Server {
    store: ObjectStore,
    seed: Seed,
}

impl Server {
    fn new() -> Self {
        Self { store: ObjectStore::new(1000), seed: Seed::new(7) }
    }

    fn write(&self, api_version: &str, kind: &str, mut object: Value, stored: Option<&Value>) -> Value {
        let model = Builtin::of_gvk(&GroupVersionKind::from_api_version(api_version, kind).unwrap()).unwrap();
        model.normalise(&mut object, &mut Vec::new()).unwrap();
        model.default(&mut object);
        let (user, snapshot) = (Identity::user("ann").with_group("g"), self.store.snapshot());
        let context = Preparation { user: &user, snapshot: &snapshot, seed: &self.seed, now: "2026-01-01T00:00:00Z" };
        model.prepare(&mut object, stored, &context);
        object
    }

    fn service(&self, name: &str, spec: Value) -> Value {
        let service = self.write("v1", "Service", json!({"metadata": {"name": name}, "spec": spec}), None);
        let change = StoreChange::create(Resource::new("", "services"), ObjectName::new("n", name), service.clone());
        self.store.commit(vec![change]).unwrap();
        service
    }
}

// VEC-10
#[test]
fn new_pods_are_pending() {
    let class = |resources: Value| {
        let spec = json!({"containers": [{"name": "c", "image": "i", "resources": resources}]});
        Server::new().write("v1", "Pod", json!({"spec": spec}), None)["status"].clone()
    };
    assert_eq!(class(json!({})), json!({"phase": "Pending", "qosClass": "BestEffort"}));
    assert_eq!(class(json!({"requests": {"cpu": "1"}}))["qosClass"], json!("Burstable"));
    assert_eq!(class(json!({"limits": {"cpu": "1", "memory": "1Gi"}}))["qosClass"], json!("Guaranteed"));
    assert_eq!(
        class(json!({"limits": {"cpu": "1", "memory": "1Gi"}, "requests": {"cpu": "500m"}}))["qosClass"],
        json!("Burstable")
    );
}

// VEC-11
#[test]
fn services_get_addresses_of_their_own() {
    let server = Server::new();
    let ports = json!([{"port": 80}]);
    let (one, two) = (server.service("one", json!({"ports": ports})), server.service("two", json!({"ports": ports})));
    let address = |service: &Value| service["spec"]["clusterIP"].as_str().unwrap().to_owned();
    let is_drawn = |address: &str| address.starts_with("10.0.") && !address.starts_with("10.0.0.");
    assert!(is_drawn(&address(&one)) && is_drawn(&address(&two)) && address(&one) != address(&two));
    let expected = json!({
        "clusterIP": address(&one), "clusterIPs": [address(&one)], "ipFamilies": ["IPv4"], "ipFamilyPolicy": "SingleStack",
        "internalTrafficPolicy": "Cluster", "sessionAffinity": "None", "type": "ClusterIP",
        "ports": [{"port": 80, "protocol": "TCP", "targetPort": 80}],
    });
    assert_eq!((&one["spec"], &one["status"]), (&expected, &json!({"loadBalancer": {}})));
}

// BDF-13
#[test]
fn addresses_do_not_run_out() {
    let server = Server::new();
    let addresses: std::collections::BTreeSet<String> =
        (0..300).map(|index| server.service(&format!("s{index}"), json!({}))["spec"]["clusterIP"].to_string()).collect();
    assert_eq!(addresses.len(), 300);
}

// BDF-13
#[test]
fn headless_and_external_services_have_no_address() {
    let server = Server::new();
    let headless = server.service("a", json!({"clusterIP": "None", "selector": {"a": "b"}}))["spec"].clone();
    assert_eq!((&headless["clusterIPs"], &headless["ipFamilies"]), (&json!(["None"]), &json!(["IPv4"])));
    let open = server.service("b", json!({"clusterIP": "None"}))["spec"].clone();
    assert_eq!((&open["ipFamilyPolicy"], &open["ipFamilies"]), (&json!("RequireDualStack"), &json!(["IPv4", "IPv6"])));
    let external = server.service("c", json!({"type": "ExternalName", "externalName": "x.io"}))["spec"].clone();
    assert_eq!(external, json!({"type": "ExternalName", "externalName": "x.io", "sessionAffinity": "None"}));
}

// BDF-13
#[test]
fn node_ports_are_allocated_kept_and_given_up() {
    let server = Server::new();
    let ports = json!([{"name": "a", "port": 80}, {"name": "b", "port": 81, "nodePort": 30_001}]);
    let service = server.service("s", json!({"type": "NodePort", "ports": ports}));
    let node_port = |service: &Value, index: usize| service["spec"]["ports"][index]["nodePort"].as_u64();
    let first = node_port(&service, 0).unwrap();
    assert!((30_086..=32_767).contains(&first) && node_port(&service, 1) == Some(30_001));

    let ports = json!([{"name": "a", "port": 80}, {"name": "b", "port": 81}]);
    let update = json!({"metadata": {"name": "s"}, "spec": {"type": "NodePort", "ports": ports}});
    let updated = server.write("v1", "Service", update, Some(&service));
    assert_eq!(updated["spec"], service["spec"]);

    let update = json!({"metadata": {"name": "s"}, "spec": {"type": "ClusterIP", "ports": ports}});
    let updated = server.write("v1", "Service", update, Some(&service));
    assert_eq!((node_port(&updated, 0), &updated["spec"]["clusterIP"]), (None, &service["spec"]["clusterIP"]));
}

// BDF-10
#[test]
fn jobs_select_by_their_uid() {
    let job = |spec: Value| {
        let metadata = json!({"name": "j", "uid": "u-1"});
        Server::new().write("batch/v1", "Job", json!({"metadata": metadata, "spec": spec}), None)["spec"].clone()
    };
    let spec = job(json!({}));
    assert_eq!(spec["selector"], json!({"matchLabels": {"batch.kubernetes.io/controller-uid": "u-1"}}));
    let labels = json!({
        "batch.kubernetes.io/controller-uid": "u-1", "controller-uid": "u-1",
        "batch.kubernetes.io/job-name": "j", "job-name": "j",
    });
    assert_eq!(spec["template"]["metadata"]["labels"], labels);
    let own = json!({"matchLabels": {"a": "b"}});
    assert_eq!(job(json!({"manualSelector": true, "selector": own}))["selector"], own);
}

// BDF-8
#[test]
fn the_template_of_a_daemon_set_is_counted() {
    let server = Server::new();
    let generation = |set: &Value| set["metadata"]["annotations"]["deprecated.daemonset.template.generation"].clone();
    let given = |label: &str| json!({"metadata": {}, "spec": {"template": {"metadata": {"labels": {"a": label}}}}});
    let first = server.write("apps/v1", "DaemonSet", given("1"), None);
    let same = server.write("apps/v1", "DaemonSet", given("1"), Some(&first));
    let second = server.write("apps/v1", "DaemonSet", given("2"), Some(&same));
    assert_eq!([generation(&first), generation(&same), generation(&second)], [json!("1"), json!("1"), json!("2")]);
}

#[test]
fn the_status_that_a_create_drops_prints_empty() {
    let server = Server::new();
    let model = Builtin::of_gvk(&GroupVersionKind::new("apps", "v1", "Deployment")).unwrap();
    let (user, snapshot) = (Identity::admin(), server.store.snapshot());
    let context = Preparation { user: &user, snapshot: &snapshot, seed: &server.seed, now: "" };
    let mut object = json!({"metadata": {"name": "d"}, "spec": {}});
    model.prepare(&mut object, None, &context);
    assert_eq!(object["status"], json!({}));
}
