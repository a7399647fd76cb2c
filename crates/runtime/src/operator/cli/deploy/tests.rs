use std::time::Duration;

use clap::Parser as _;
use serde_json::{Value, json};

use super::super::args::{Cli, Command};
use super::error::DeployError;
use crate::leadership::Leadership;
use crate::operator::Operator;

const IMAGE: [&str; 4] = ["--image", "example.com/demo:1", "--system-namespace", "demo-system"];

fn operator() -> Operator {
    Operator::new("demo.example.com").version("1.2.3+build.7")
}

/// Returns the documents that the command prints for an operator.
fn printed_by(operator: Operator, args: &[&str]) -> Result<Vec<Value>, DeployError> {
    let cli = Cli::try_parse_from(["demo", "deploy"].iter().chain(args)).unwrap();
    let Some(Command::Deploy(args)) = cli.command else { panic!("another command") };
    args.documents(operator).map(|(documents, _)| documents)
}

/// Returns the documents that the command prints with an image and a namespace.
fn printed(args: &[&str]) -> Vec<Value> {
    printed_by(operator(), &[&IMAGE[..], args].concat()).unwrap()
}

fn refused(args: &[&str]) -> String {
    printed_by(operator(), args).unwrap_err().to_string()
}

fn kinds(documents: &[Value]) -> Vec<&str> {
    documents.iter().map(|document| document["kind"].as_str().unwrap()).collect()
}

fn of_kind<'a>(documents: &'a [Value], kind: &str) -> &'a Value {
    documents.iter().find(|document| document["kind"] == kind).unwrap()
}

fn deployment(args: &[&str]) -> Value {
    of_kind(&printed(args), "Deployment").clone()
}

fn container(args: &[&str]) -> Value {
    deployment(args)["spec"]["template"]["spec"]["containers"][0].clone()
}

// CMD-6
#[test]
fn two_replicas_have_leases_and_a_disruption_budget_and_a_single_replica_has_no_budget() {
    let two = printed(&[]);
    let expected = [
        "Namespace",
        "ClusterRole",
        "Role",
        "ServiceAccount",
        "ClusterRoleBinding",
        "RoleBinding",
        "PodDisruptionBudget",
        "Deployment",
    ];
    assert_eq!(kinds(&two), expected);
    let role = of_kind(&two, "Role");
    assert_eq!(role["metadata"]["namespace"], "demo-system");
    let verbs = ["create", "delete", "get", "list", "update", "watch"];
    let leases = json!({"apiGroups": ["coordination.k8s.io"], "resources": ["leases"], "verbs": verbs});
    let configuration = json!({"apiGroups": [""], "resources": ["configmaps"], "verbs": ["get", "list", "watch"]});
    assert_eq!(role["rules"], json!([configuration, leases]));
    assert_eq!(of_kind(&two, "PodDisruptionBudget")["spec"]["minAvailable"], 1);
    let deployment = of_kind(&two, "Deployment");
    assert_eq!((&deployment["spec"]["replicas"], &deployment["spec"]["strategy"]["type"]), (&json!(2), &json!("RollingUpdate")));

    let one = printed(&["--replicas", "1"]);
    let expected: Vec<&str> = expected.into_iter().filter(|kind| *kind != "PodDisruptionBudget").collect();
    assert_eq!(kinds(&one), expected);
    let deployment = of_kind(&one, "Deployment");
    assert_eq!(deployment["spec"]["strategy"], json!({"type": "Recreate"}));
    assert!(deployment["spec"]["template"]["spec"].get("topologySpreadConstraints").is_none());
}

// CMD-6
#[test]
fn roles_of_a_confined_operator_are_in_its_namespaces() {
    let documents = printed(&["--watch-namespaces", "a,b"]);
    let roles = documents.iter().filter(|document| document["kind"] == "Role");
    let namespaces: Vec<&str> = roles.map(|role| role["metadata"]["namespace"].as_str().unwrap()).collect();
    assert_eq!(namespaces, ["a", "b", "demo-system"]);
    assert!(!kinds(&documents).contains(&"ClusterRole"));
    assert_eq!(container(&["--watch-namespaces", "a,b"])["args"], json!(["run", "--watch-namespaces=a,b"]));
    // As with `rbac`, the operator runs in the first of them unless another is named.
    let documents = printed_by(operator(), &["--image", "i", "--watch-namespaces", "a,b"]).unwrap();
    assert_eq!(of_kind(&documents, "Deployment")["metadata"]["namespace"], "a");
}

// CMD-6
#[test]
fn names_of_pods_have_no_dots_and_labels_tell_the_operators_of_a_namespace_apart() {
    let documents = printed(&["--metrics-service"]);
    let name = |kind: &str| of_kind(&documents, kind)["metadata"]["name"].as_str().unwrap();
    assert_eq!((name("Deployment"), name("PodDisruptionBudget"), name("Service")), ("demo", "demo", "demo-metrics"));
    assert_eq!((name("ServiceAccount"), name("ClusterRole")), ("demo.example.com", "demo.example.com"));
    let labels = json!({
        "app.kubernetes.io/name": "demo",
        "app.kubernetes.io/instance": "demo.example.com",
        "app.kubernetes.io/version": "1.2.3_build.7",
        "app.kubernetes.io/managed-by": "kubewright",
    });
    for document in documents.iter().filter(|document| document["kind"] != "Namespace") {
        assert_eq!(document["metadata"]["labels"], labels, "{document}");
    }
    assert_eq!(of_kind(&documents, "Namespace")["metadata"], json!({"name": "demo-system"}));
    let spec = &of_kind(&documents, "Deployment")["spec"];
    assert_eq!(spec["template"]["metadata"]["labels"], labels);
    // A version that changes must not change the selector, which is immutable.
    let selector = json!({"app.kubernetes.io/name": "demo", "app.kubernetes.io/instance": "demo.example.com"});
    assert_eq!(spec["selector"]["matchLabels"], selector);
    assert_eq!(of_kind(&documents, "Service")["spec"]["selector"], selector);
    assert_eq!(of_kind(&documents, "PodDisruptionBudget")["spec"]["selector"]["matchLabels"], selector);

    let other = printed(&["--prefix", "shop"]);
    assert_eq!(of_kind(&other, "Deployment")["metadata"]["name"], "shop");
    assert_eq!(of_kind(&other, "Deployment")["spec"]["template"]["spec"]["serviceAccountName"], "shop");
    assert_eq!(of_kind(&other, "ServiceAccount")["metadata"]["name"], "shop");
}

// CMD-6
#[test]
fn an_unknown_version_is_no_label() {
    let documents = printed_by(Operator::new("demo"), &IMAGE).unwrap();
    assert!(of_kind(&documents, "Deployment")["metadata"]["labels"].get("app.kubernetes.io/version").is_none());
}

// CMD-6: the requirements of Kubernetes' profile `restricted`, and a read-only root file system.
#[test]
fn pods_have_no_privileges() {
    let pod = deployment(&[])["spec"]["template"]["spec"].clone();
    assert_eq!(pod["securityContext"]["runAsNonRoot"], true);
    assert_eq!(pod["securityContext"]["seccompProfile"], json!({"type": "RuntimeDefault"}));
    let expected = json!({"allowPrivilegeEscalation": false, "capabilities": {"drop": ["ALL"]}, "readOnlyRootFilesystem": true});
    assert_eq!(pod["containers"][0]["securityContext"], expected);
    assert_eq!(pod["enableServiceLinks"], false);
}

// CMD-6
#[test]
fn limits_of_the_pod_are_longer_than_those_of_the_operator() {
    let grace = |args: &[&str]| deployment(args)["spec"]["template"]["spec"]["terminationGracePeriodSeconds"].clone();
    assert_eq!(grace(&[]), 35);
    assert_eq!(grace(&["--", "--shutdown-timeout", "90.5s"]), 101);
    let start = |args: &[&str]| {
        let probe = container(args)["startupProbe"].clone();
        probe["periodSeconds"].as_u64().unwrap() * probe["failureThreshold"].as_u64().unwrap()
    };
    assert_eq!(start(&[]), 300);
    assert_eq!(start(&["--", "--startup-timeout", "15m"]), 900);
    assert_eq!(start(&["--", "--startup-timeout", "0"]), 300);
    // The program's own value counts if the command line has none.
    let built = operator().options(|options| options.shutdown_timeout = Duration::from_secs(50));
    let documents = printed_by(built, &IMAGE).unwrap();
    assert_eq!(of_kind(&documents, "Deployment")["spec"]["template"]["spec"]["terminationGracePeriodSeconds"], 60);
}

// CMD-6, HLT-1
#[test]
fn probes_ask_the_admin_server() {
    let probed = container(&["--", "--admin-addr", "0.0.0.0:9000"]);
    assert_eq!(probed["ports"], json!([{"name": "admin", "containerPort": 9000, "protocol": "TCP"}]));
    for (probe, path) in [("startupProbe", "/livez"), ("livenessProbe", "/livez"), ("readinessProbe", "/readyz")] {
        assert_eq!(probed[probe]["httpGet"], json!({"path": path, "port": "admin"}), "{probe}");
    }
    let silent = container(&["--", "--admin-addr", "off"]);
    for field in ["ports", "startupProbe", "livenessProbe", "readinessProbe"] {
        assert!(silent.get(field).is_none(), "{field}");
    }
    for unreachable in ["127.0.0.1:8080", "[::1]:8080", "[::]:0"] {
        let error = refused(&[&IMAGE[..], &["--", "--admin-addr", unreachable]].concat());
        assert!(error.contains(unreachable) && error.contains("[::]:8080"), "{error}");
    }
    let error = refused(&[&IMAGE[..], &["--metrics-service", "--", "--admin-addr", "off"]].concat());
    assert!(error.contains("--metrics-service"), "{error}");
}

// CMD-6
#[test]
fn metrics_of_each_replica_are_found_by_a_headless_service() {
    assert!(!kinds(&printed(&[])).contains(&"Service"));
    let documents = printed(&["--metrics-service"]);
    let spec = &of_kind(&documents, "Service")["spec"];
    assert_eq!((&spec["clusterIP"], &spec["publishNotReadyAddresses"]), (&json!("None"), &json!(true)));
    assert_eq!(spec["ports"], json!([{"name": "metrics", "port": 8080, "targetPort": "admin", "protocol": "TCP"}]));
}

// CMD-6, 2.2
#[test]
fn a_pod_knows_its_name_and_namespace_and_gets_the_flags_behind_the_dashes() {
    let field = |name: &str, path: &str| json!({"name": name, "valueFrom": {"fieldRef": {"fieldPath": path}}});
    let plain = container(&[]);
    let env = [field("POD_NAME", "metadata.name"), field("SYSTEM_NAMESPACE", "metadata.namespace")];
    assert_eq!((&plain["env"], &plain["args"]), (&json!(env), &json!(["run"])));
    let maps = [
        "--config-logging-name=levels",
        "--config-timing-name=delays",
        "--config-observability-name=export",
        "--config-leader-election-name=leases",
    ];
    let told = container(&[&maps[..], &["--", "--resync", "1h", "--log-format=json"]].concat());
    assert_eq!(told["args"], json!(["run", "--resync", "1h", "--log-format=json"]));
    let variable = |name: &str, value: &str| json!({"name": name, "value": value});
    let names = [
        variable("CONFIG_LOGGING_NAME", "levels"),
        variable("CONFIG_TIMING_NAME", "delays"),
        variable("CONFIG_OBSERVABILITY_NAME", "export"),
        variable("CONFIG_LEADERELECTION_NAME", "leases"),
    ];
    assert_eq!(told["env"].as_array().unwrap()[2..], names);
}

// CMD-6
#[test]
fn a_pod_requests_the_configured_cpu_and_memory_and_invalid_values_are_refused() {
    let plain = json!({"requests": {"cpu": "50m", "memory": "64Mi"}});
    assert_eq!(container(&[])["resources"], plain);
    assert_eq!(container(&["--cpu", "1", "--memory", "1Gi"])["resources"]["requests"], json!({"cpu": "1", "memory": "1Gi"}));
    for wrong in ["--cpu=0", "--cpu=-1", "--memory=lots", "--replicas=0"] {
        assert_eq!(Cli::try_parse_from(["demo", "deploy", wrong]).unwrap_err().exit_code(), 2, "{wrong}");
    }
}

// CMD-6, LDR-3
#[test]
fn replicas_of_an_operator_without_leadership_are_refused() {
    let alone = || operator().leadership(Leadership::off());
    let error = printed_by(alone(), &IMAGE).unwrap_err().to_string();
    assert!(error.contains("--replicas \"2\" cannot be used: the leadership of the operator is off"), "{error}");
    let one = printed_by(alone(), &[&IMAGE[..], &["--replicas", "1"]].concat()).unwrap();
    assert_eq!(kinds(&one), ["Namespace", "ClusterRole", "ServiceAccount", "ClusterRoleBinding", "Deployment"]);
}

// CMD-6
#[test]
fn namespace_and_crds_are_left_out_on_demand() {
    assert_eq!(kinds(&printed(&["--no-namespace"]))[0], "ClusterRole");
    assert_eq!(kinds(&printed(&["--no-namespace", "--no-crds", "--replicas=1"])).len(), 6);
}

// CMD-6
#[test]
fn the_program_may_name_its_image_and_its_namespace() {
    let built = || {
        operator().options(|options| {
            options.image = Some("built:1".to_owned());
            options.system_namespace = Some("built".to_owned());
        })
    };
    let of = |args: &[&str]| of_kind(&printed_by(built(), args).unwrap(), "Deployment").clone();
    let (plain, told) = (of(&[]), of(&IMAGE));
    assert_eq!(plain["metadata"]["namespace"], "built");
    assert_eq!(plain["spec"]["template"]["spec"]["containers"][0]["image"], "built:1");
    assert_eq!(told["metadata"]["namespace"], "demo-system");
    assert_eq!(told["spec"]["template"]["spec"]["containers"][0]["image"], "example.com/demo:1");
}

// CMD-6, 2.2
#[test]
fn missing_or_invalid_flags_are_errors_that_name_flag_value_and_remedy() {
    let error = refused(&["--system-namespace", "s"]);
    assert!(error.contains("--image") && error.contains("options.image"), "{error}");
    assert!(refused(&["--image", "i"]).contains("--system-namespace"));
    for (args, expected) in [
        (&["--image", "two words"][..], "--image \"two words\""),
        (&["--prefix", "Demo"], "--prefix \"Demo\""),
        (&["--prefix", ""], "--prefix \"\""),
        (&["--prefix", "9.demo", "--metrics-service"], "--metrics-service \"9-metrics\""),
        (&["--", "--no-such-flag"], "unexpected argument '--no-such-flag' found; the command `run --help` lists them"),
        (&["--", "--resync", "soon"], "it must be a duration"),
        (&["--", "--help"], "'--help'"),
        (&["--", "--watch-namespaces", "a"], "--watch-namespaces decides about roles too"),
        (&["--", "--system-namespace", "a"], "--system-namespace decides about roles too"),
    ] {
        let named: Vec<&str> =
            IMAGE.chunks(2).filter(|flag| !args.contains(&flag[0]) || args[0] == "--").flatten().copied().collect();
        let error = refused(&[&named[..], args].concat());
        assert!(error.contains(expected), "{args:?}: {error}");
    }
    for (flag, names, bad) in [("--watch-namespaces", "a,B", "B"), ("--system-namespace", "a.b", "a.b")] {
        let error = Cli::try_parse_from(["demo", "deploy", "--image", "i", flag, names]).unwrap_err();
        assert_eq!(error.exit_code(), 2);
        let text = error.to_string();
        assert!(text.contains(flag) && text.contains(&format!("'{bad}'")) && text.contains("name of a namespace"), "{text}");
    }
    let built = operator().options(|options| options.system_namespace = Some("Built".to_owned()));
    let error = printed_by(built, &["--image", "i"]).unwrap_err().to_string();
    assert!(error.contains("--system-namespace \"Built\""), "a name that the program sets: {error}");
    let long = "a".repeat(64);
    assert!(refused(&[&IMAGE[..], &["--prefix", &long]].concat()).contains("no more than 63 bytes"));
}
