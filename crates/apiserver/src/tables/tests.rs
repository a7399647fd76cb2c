use jiff::Timestamp;
use serde_json::{Value, json};

use super::*;
use crate::definition;
use crate::kinds::{KindSpec, Registry};

const CREATED: &str = "2026-01-01T00:00:00Z";

fn now() -> Timestamp {
    "2026-01-01T00:05:00Z".parse().unwrap()
}

fn kind(group: &str, kind: &str) -> std::sync::Arc<KindSpec> {
    Registry::builtin().preferred(group, kind).unwrap().clone()
}

/// Returns the cells of an object by the names of their columns.
fn cells(group: &str, name: &str, mut object: Value) -> Value {
    object["metadata"]["name"] = json!("n");
    object["metadata"]["creationTimestamp"] = json!(CREATED);
    object["kind"] = json!(name);
    let kind = kind(group, name);
    let table = Table::new(&kind, IncludeObject::None, "v1").render([&object], json!({}), true, now());
    let columns = table["columnDefinitions"].as_array().unwrap();
    let cells = table["rows"][0]["cells"].as_array().unwrap();
    // The real server describes two columns of an IPAddress and fills three.
    assert_eq!(columns.len(), cells.len() - usize::from(name == "IPAddress"), "{name}");
    columns.iter().zip(cells).map(|(column, cell)| (column["name"].as_str().unwrap().to_owned(), cell.clone())).collect()
}

fn check(group: &str, kind: &str, object: Value, expected: &[(&str, Value)]) {
    let cells = cells(group, kind, object);
    for (column, value) in expected {
        assert_eq!(&cells[column], value, "{kind} {column}");
    }
}

// TBL-1
#[test]
fn durations_are_short() {
    for (seconds, text) in [
        (-5, "<invalid>"),
        (0, "0s"),
        (119, "119s"),
        (120, "2m"),
        (125, "2m5s"),
        (600, "10m"),
        (10_799, "179m"),
        (10_800, "3h"),
        (11_160, "3h6m"),
        (28_800, "8h"),
        (172_800, "2d"),
        (183_600, "2d3h"),
        (691_200, "8d"),
        (63_072_000, "2y"),
        (63_158_400, "2y1d"),
        (315_360_000, "10y"),
    ] {
        assert_eq!(human_duration(seconds), text);
    }
}

#[test]
fn paths_find_members_indexes_and_filtered_items() {
    let object = json!({"spec": {"a.b": 1, "list": [{"n": "x", "v": 1}, {"n": "y", "v": 2}]},
        "status": {"conditions": [{"type": "Synced", "status": "True"}, {"type": "Ready", "status": "False"}]}});
    for (path, found) in [
        (".spec.list[0].n", json!(["x"])),
        ("{.spec.list[-1].n}", json!(["y"])),
        (".spec.list[*].v", json!([1, 2])),
        (r".spec.a\.b", json!([1])),
        (".spec['a.b']", json!([1])),
        (r#".status.conditions[?(@.type=="Ready")].status"#, json!(["False"])),
        (".status.conditions[?(@.type!='Ready')].status", json!(["True"])),
        (".spec.list[?(@.v>1)].n", json!(["y"])),
        ("..n", json!(["x", "y"])),
        (".missing.member", json!([])),
    ] {
        let path_found: Vec<_> = JsonPath::parse(path).unwrap().find(&object).into_iter().cloned().collect();
        assert_eq!(Value::Array(path_found), found, "{path}");
    }
    for path in [".a[", ".a[x]", ".a]", "..*", ".a....b", ".l[?(@[?(@.x)])]", ".l[?(@.a[?(@.b==1)]==1)]"] {
        assert!(JsonPath::parse(path).is_err(), "{path}");
    }
    assert!(JsonPath::parse(".spec..").unwrap().first(&object).is_some());
}

#[test]
fn paths_cost_no_more_than_the_values_they_pass() {
    let filters = format!(".a{}", "[?(@".repeat(20_000));
    assert!(JsonPath::parse(&filters).is_err());
    assert!(JsonPath::parse(&format!("{filters}{}", ")]".repeat(20_000))).is_err());
    let nested = (0..100).fold(json!(1), |inner, _| json!([inner, 2]));
    let everywhere = JsonPath::parse(&format!(".{}", "..[*]".repeat(1_000))).unwrap();
    assert_eq!(everywhere.find(&nested).len(), 0);
    // The result has two values on each of the 51 innermost levels.
    assert_eq!(JsonPath::parse(&format!(".{}..", "..[*]".repeat(50))).unwrap().find(&nested).len(), 2 * 51);
}

// NEG-2
#[test]
fn table_rows_contain_the_form_of_the_object_that_include_object_requests() {
    let object = json!({"kind": "ConfigMap", "apiVersion": "v1", "metadata": {"name": "p1", "creationTimestamp": CREATED}, "data": {"a": "b"}});
    let kind = kind("", "ConfigMap");
    let render = |include: &str| {
        Table::new(&kind, IncludeObject::parse(include).unwrap(), "v1").render(
            [&object],
            json!({"resourceVersion": "5"}),
            true,
            now(),
        )
    };
    let table = render("");
    assert_eq!((&table["kind"], &table["apiVersion"]), (&json!("Table"), &json!("meta.k8s.io/v1")));
    assert_eq!(table["metadata"], json!({"resourceVersion": "5"}));
    assert_eq!(table["rows"][0]["cells"], json!(["p1", 1, "5m"]));
    assert_eq!(table["rows"][0]["object"]["kind"], "PartialObjectMetadata");
    assert_eq!(render("Object")["rows"][0]["object"], object);
    assert_eq!(render("None")["rows"][0]["object"], Value::Null);
    assert_eq!(
        IncludeObject::parse("Bogus").unwrap_err().to_string(),
        "Unable to convert to Table as requested: includeObject: Invalid value: \"Bogus\": must be 'Metadata', 'Object', 'None', or empty"
    );
    let later = Table::new(&kind, IncludeObject::None, "v1").render([&object], json!({}), false, now());
    assert_eq!(later["columnDefinitions"], Value::Null);
}

// TBL-1, NEG-3
#[test]
fn custom_resources_show_the_columns_of_their_definition() {
    let definition = |columns: Value| {
        json!({"metadata": {"name": "ws.ex.io"}, "spec": {"group": "ex.io", "scope": "Namespaced", "names": {"plural": "ws", "kind": "W"},
            "versions": [{"name": "v1", "served": true, "storage": true, "schema": {"openAPIV3Schema": {"type": "object"}},
                "additionalPrinterColumns": columns}]}})
    };
    let object = json!({"metadata": {"name": "a", "creationTimestamp": CREATED}, "spec": {"size": 6, "color": "red", "on": true, "tags": ["x"]}});
    let columns = json!([{"name": "Size", "type": "integer", "jsonPath": ".spec.size"},
        {"name": "Age", "type": "date", "jsonPath": ".metadata.creationTimestamp"},
        {"name": "Wide", "type": "string", "priority": 1, "jsonPath": ".spec.color"},
        {"name": "On", "type": "boolean", "jsonPath": ".spec.on"}, {"name": "Miss", "type": "string", "jsonPath": ".spec.miss"},
        {"name": "Tags", "type": "string", "jsonPath": ".spec.tags"}]);
    let kinds = definition::kinds(&definition(columns));
    let table = Table::new(&kinds[0], IncludeObject::None, "v1").render([&object], json!({}), true, now());
    assert_eq!(table["rows"][0]["cells"], json!(["a", 6, "5m", "red", true, null, "[\"x\"]"]));
    let header = &table["columnDefinitions"][3];
    assert_eq!((&header["name"], &header["priority"]), (&json!("Wide"), &json!(1)));
    assert_eq!(header["description"], "Custom resource definition column (in JSONPath format): .spec.color");

    let kinds = definition::kinds(&definition(json!([])));
    let table = Table::new(&kinds[0], IncludeObject::None, "v1").render([&object], json!({}), true, now());
    assert_eq!(table["rows"][0]["cells"], json!(["a", "5m"]));
    assert_eq!(table["columnDefinitions"][1]["type"], "date");
}

// TBL-2
#[test]
fn every_built_in_kind_has_as_many_cells_as_columns() {
    for kind in Registry::builtin().kinds() {
        cells(&kind.group, &kind.kind, json!({"metadata": {}}));
    }
}

// TBL-3
#[test]
fn pod_tables_show_the_readiness_status_and_restarts_of_containers() {
    let pod = |status: Value| json!({"spec": {"containers": [{"name": "c"}], "nodeName": "node"}, "status": status});
    check(
        "",
        "Pod",
        pod(json!({"phase": "Running", "podIP": "10.0.0.1",
            "containerStatuses": [{"name": "c", "ready": true, "restartCount": 2, "state": {"running": {}},
                "lastState": {"terminated": {"finishedAt": "2026-01-01T00:01:00Z"}}}]})),
        &[
            ("Ready", json!("1/1")),
            ("Status", json!("Running")),
            ("Restarts", json!("2 (4m ago)")),
            ("IP", json!("10.0.0.1")),
            ("Node", json!("node")),
            ("Nominated Node", json!("<none>")),
        ],
    );
    check(
        "",
        "Pod",
        pod(json!({"phase": "Pending"})),
        &[("Ready", json!("0/1")), ("Status", json!("Pending")), ("Restarts", json!("0"))],
    );
    let waiting =
        json!({"phase": "Pending", "containerStatuses": [{"name": "c", "state": {"waiting": {"reason": "ImagePullBackOff"}}}]});
    check("", "Pod", pod(waiting), &[("Status", json!("ImagePullBackOff"))]);
    let mut initializing = pod(json!({"phase": "Pending", "initContainerStatuses": [{"name": "i", "state": {"running": {}}}]}));
    initializing["spec"]["initContainers"] = json!([{"name": "i"}]);
    check("", "Pod", initializing, &[("Status", json!("Init:0/1"))]);
    let mut deleted = pod(json!({"phase": "Running"}));
    deleted["metadata"] = json!({"deletionTimestamp": CREATED});
    check("", "Pod", deleted, &[("Status", json!("Terminating"))]);
}

// TBL-3
#[test]
fn workloads_show_their_progress() {
    let template = json!({"spec": {"containers": [{"name": "a", "image": "x"}, {"name": "b", "image": "y"}]}});
    check(
        "apps",
        "Deployment",
        json!({"spec": {"replicas": 2, "selector": {"matchLabels": {"app": "w"}}, "template": template},
            "status": {"readyReplicas": 1, "updatedReplicas": 2, "availableReplicas": 1}}),
        &[
            ("Ready", json!("1/2")),
            ("Up-to-date", json!(2)),
            ("Available", json!(1)),
            ("Containers", json!("a,b")),
            ("Images", json!("x,y")),
            ("Selector", json!("app=w")),
        ],
    );
    check("apps", "StatefulSet", json!({"spec": {"replicas": 3}}), &[("Ready", json!("0/3")), ("Age", json!("5m"))]);
    check(
        "apps",
        "DaemonSet",
        json!({"status": {"desiredNumberScheduled": 1}}),
        &[("Desired", json!(1)), ("Node Selector", json!("<none>"))],
    );
    check(
        "batch",
        "Job",
        json!({"spec": {"completions": 1}, "status": {"succeeded": 1, "startTime": CREATED, "completionTime": "2026-01-01T00:00:07Z",
            "conditions": [{"type": "Complete", "status": "True"}]}}),
        &[("Status", json!("Complete")), ("Completions", json!("1/1")), ("Duration", json!("7s"))],
    );
    check(
        "batch",
        "CronJob",
        json!({"spec": {"schedule": "* * * * *", "suspend": false}}),
        &[
            ("Schedule", json!("* * * * *")),
            ("Suspend", json!("False")),
            ("Active", json!(0)),
            ("Last Schedule", json!("<none>")),
        ],
    );
}

// TBL-3
#[test]
fn services_show_addresses_and_ports() {
    let ports = json!([{"port": 80, "protocol": "TCP"}, {"port": 443, "nodePort": 30443, "protocol": "TCP"}]);
    let service = |type_: &str| json!({"spec": {"type": type_, "clusterIP": "10.0.0.1", "ports": ports, "selector": {"a": "b"}}});
    check(
        "",
        "Service",
        service("ClusterIP"),
        &[
            ("Cluster-IP", json!("10.0.0.1")),
            ("External-IP", json!("<none>")),
            ("Port(s)", json!("80/TCP,443:30443/TCP")),
            ("Selector", json!("a=b")),
        ],
    );
    check("", "Service", service("LoadBalancer"), &[("External-IP", json!("<pending>"))]);
    check(
        "networking.k8s.io",
        "Ingress",
        json!({"spec": {"ingressClassName": "c", "rules": [{"host": "a.b"}], "tls": [{}]}}),
        &[("Class", json!("c")), ("Hosts", json!("a.b")), ("Ports", json!("80, 443"))],
    );
    check(
        "discovery.k8s.io",
        "EndpointSlice",
        json!({"addressType": "IPv4", "ports": [{"port": 80}], "endpoints": [{"addresses": ["1.1.1.1"]}]}),
        &[("AddressType", json!("IPv4")), ("Ports", json!("80")), ("Endpoints", json!("1.1.1.1"))],
    );
    let (addresses, ports): (Vec<_>, Vec<_>) =
        (0..40_000).map(|n| (json!({"ip": format!("10.0.{}.{}", n / 256, n % 256)}), json!({"port": n}))).unzip();
    check(
        "",
        "Endpoints",
        json!({"subsets": [{"addresses": [{"ip": "a::b"}]}, {"addresses": addresses, "ports": ports}]}),
        &[("Endpoints", json!("a::b,10.0.0.0:0,10.0.0.1:0 + 1599999998 more..."))],
    );
}

// TBL-3
#[test]
fn tables_show_kind_specific_columns_of_secrets_nodes_events_and_other_kinds() {
    check("", "Secret", json!({"type": "Opaque", "data": {"a": ""}}), &[("Type", json!("Opaque")), ("Data", json!(1))]);
    check("", "Namespace", json!({"status": {"phase": "Active"}}), &[("Status", json!("Active"))]);
    check(
        "",
        "Node",
        json!({"metadata": {"labels": {"node-role.kubernetes.io/control-plane": ""}},
            "status": {"conditions": [{"type": "Ready", "status": "True"}]}}),
        &[("Status", json!("Ready")), ("Roles", json!("control-plane")), ("External-IP", json!("<none>"))],
    );
    check(
        "events.k8s.io",
        "Event",
        json!({"eventTime": CREATED, "type": "Normal", "reason": "Ready", "regarding": {"kind": "Pod", "name": "p"}, "note": "all well"}),
        &[("Last Seen", json!("5m")), ("Object", json!("pod/p")), ("Message", json!("all well")), ("Count", json!(1))],
    );
    check(
        "policy",
        "PodDisruptionBudget",
        json!({"spec": {"minAvailable": 1}}),
        &[("Min Available", json!("1")), ("Max Unavailable", json!("N/A")), ("Allowed Disruptions", json!(0))],
    );
    check(
        "autoscaling",
        "HorizontalPodAutoscaler",
        json!({"spec": {"scaleTargetRef": {"kind": "Deployment", "name": "d"}, "maxReplicas": 3, "minReplicas": 1,
            "metrics": [{"type": "Resource", "resource": {"name": "cpu", "target": {"type": "Utilization", "averageUtilization": 80}}}]}}),
        &[("Reference", json!("Deployment/d")), ("Targets", json!("cpu: <unknown>/80%")), ("MinPods", json!("1"))],
    );
    check(
        "",
        "PersistentVolumeClaim",
        json!({"spec": {"volumeName": "v", "storageClassName": "s"}, "status": {"phase": "Bound", "accessModes": ["ReadWriteOnce"],
            "capacity": {"storage": "1Gi"}}}),
        &[("Status", json!("Bound")), ("Capacity", json!("1Gi")), ("Access Modes", json!("RWO"))],
    );
    check(
        "rbac.authorization.k8s.io",
        "RoleBinding",
        json!({"roleRef": {"kind": "Role", "name": "r"}, "subjects": [{"kind": "ServiceAccount", "namespace": "n", "name": "s"}]}),
        &[("Role", json!("Role/r")), ("ServiceAccounts", json!("n/s")), ("Users", json!(""))],
    );
    check(
        "apiregistration.k8s.io",
        "APIService",
        json!({"spec": {"service": {"namespace": "n", "name": "s"}},
            "status": {"conditions": [{"type": "Available", "status": "False", "reason": "MissingEndpoints"}]}}),
        &[("Service", json!("n/s")), ("Available", json!("False (MissingEndpoints)"))],
    );
}

// NEG-1
#[test]
fn objects_are_reduced_to_their_metadata() {
    let object = json!({"kind": "ConfigMap", "apiVersion": "v1", "metadata": {"name": "a"}, "data": {}});
    let partial = json!({"kind": "PartialObjectMetadata", "apiVersion": "meta.k8s.io/v1", "metadata": {"name": "a"}});
    assert_eq!(partial_metadata(&object, "v1"), partial);
    assert_eq!(
        partial_metadata_list([&object], json!({"resourceVersion": "1"}), "v1"),
        json!({"kind": "PartialObjectMetadataList", "apiVersion": "meta.k8s.io/v1", "metadata": {"resourceVersion": "1"}, "items": [partial]})
    );
}
