//! Services: their cluster-wide unique addresses and node ports.

use std::sync::atomic::{AtomicUsize, Ordering};

use kubewright_apiserver::ApiServer;
use serde_json::{Value, json};

use crate::cluster::{Answer, Cluster};

const SERVICES: &str = "/api/v1/namespaces/default/services";

async fn create(cluster: &Cluster, name: &str, spec: Value) -> Answer {
    cluster.post(SERVICES, json!({"metadata": {"name": name}, "spec": spec})).await
}

async fn create_ports(cluster: &Cluster, name: &str, kind: &str, ports: Value) -> Answer {
    create(cluster, name, json!({"type": kind, "ports": ports})).await
}

async fn change_ports(cluster: &Cluster, name: &str, kind: &str, ports: Value) -> Answer {
    cluster.merge(&format!("{SERVICES}/{name}"), json!({"spec": {"type": kind, "ports": ports}})).await
}

fn port(name: &str, port: u16, node_port: u16) -> Value {
    json!({"name": name, "port": port, "nodePort": node_port})
}

// BI-4, BDF-13
#[tokio::test(start_paused = true)]
async fn a_port_of_the_nodes_stands_once_per_protocol() {
    let cluster = Cluster::start();
    let twice = |kind| create_ports(&cluster, "a", kind, json!([port("a", 80, 31080), port("b", 80, 31080)]));
    let answer = twice("NodePort").await;
    let pair = r#"{"Name":"","Protocol":"TCP","AppProtocol":null,"Port":80,"TargetPort":0,"NodePort":0}"#;
    let repeated = format!("spec.ports[1].nodePort: Duplicate value: 31080, spec.ports[1]: Duplicate value: {pair}");
    assert_eq!(answer.message(), format!("Service \"a\" is invalid: [{repeated}]"));
    let answer = twice("ClusterIP").await;
    let forbidden = |index| format!("spec.ports[{index}].nodePort: Forbidden: may not be used when `type` is 'ClusterIP'");
    assert_eq!(answer.message(), format!("Service \"a\" is invalid: [{}, {}, {repeated}]", forbidden(0), forbidden(1)));
    let answer = create_ports(&cluster, "a", "NodePort", json!([port("a", 80, 31080), port("b", 81, 31080)])).await;
    let taken = "Service \"a\" is invalid: spec.ports[1].nodePort: Invalid value: 31080: provided port is already allocated";
    assert_eq!(answer.message(), taken);
    assert_eq!(create_ports(&cluster, "a", "NodePort", json!([port("a", 80, 31080)])).await.code, 201);
    let answer = change_ports(&cluster, "a", "NodePort", json!([port("a", 80, 31081), port("b", 81, 31081)])).await;
    assert_eq!((answer.code, answer.message()), (500, "duplicate nodePort: {TCP 31081}"));
    let mut other = port("b", 81, 31080);
    other["protocol"] = json!("UDP");
    assert_eq!(change_ports(&cluster, "a", "NodePort", json!([port("a", 80, 31080), other])).await.code, 200);
}

// BI-4
#[tokio::test(start_paused = true)]
async fn an_unavailable_node_port_is_reported_before_other_errors() {
    let cluster = Cluster::start();
    assert_eq!(create_ports(&cluster, "a", "NodePort", json!([port("a", 80, 31080)])).await.code, 201);
    let answer = create_ports(&cluster, "b", "NodePort", json!([port("A_", 80, 31080), port("b", 81, 99)])).await;
    let taken = "Service \"b\" is invalid: spec.ports[0].nodePort: Invalid value: 31080: provided port is already allocated";
    assert_eq!(answer.message(), taken);
    let answer = create_ports(&cluster, "b", "NodePort", json!([port("b", 81, 99)])).await;
    let range = "provided port is not in the valid range. The range of valid ports is 30000-32767";
    assert_eq!(answer.message(), format!("Service \"b\" is invalid: spec.ports[0].nodePort: Invalid value: 99: {range}"));
}

// BI-4
#[tokio::test(start_paused = true)]
async fn entries_of_a_new_service_with_one_port_share_that_of_the_nodes() {
    let cluster = Cluster::start();
    let ports = json!([port("a", 80, 31080), {"name": "b", "port": 80, "protocol": "UDP"}]);
    let answer = create_ports(&cluster, "a", "NodePort", ports).await;
    assert_eq!(answer.body["spec"]["ports"][1]["nodePort"], 31080, "{}", answer.body);
}

// BI-4, BDF-13
#[tokio::test(start_paused = true)]
async fn the_port_of_a_health_check_is_one_of_the_nodes() {
    let cluster = Cluster::start();
    let balancer = |health_check: u16, node_port: u16| {
        json!({
            "type": "LoadBalancer", "externalTrafficPolicy": "Local", "healthCheckNodePort": health_check,
            "ports": [{"port": 80, "nodePort": node_port}],
        })
    };
    let refused = |answer: &Answer, port: u16| {
        let text = format!("failed to allocate requested HealthCheck NodePort {port}: provided port is already allocated");
        assert_eq!((answer.code, answer.message()), (500, format!("Internal error occurred: {text}").as_str()));
    };
    assert_eq!(create_ports(&cluster, "a", "NodePort", json!([port("a", 80, 31080)])).await.code, 201);
    refused(&create(&cluster, "b", balancer(31080, 31082)).await, 31080);
    refused(&create(&cluster, "b", balancer(31085, 31085)).await, 31085);
    assert_eq!(create(&cluster, "b", balancer(31081, 31082)).await.code, 201);
    let answer = create_ports(&cluster, "c", "NodePort", json!([port("a", 80, 31081)])).await;
    let taken = "Service \"c\" is invalid: spec.ports[0].nodePort: Invalid value: 31081: provided port is already allocated";
    assert_eq!(answer.message(), taken);
    let becomes = json!({"spec": {"type": "LoadBalancer", "externalTrafficPolicy": "Local", "healthCheckNodePort": 31081}});
    refused(&cluster.merge(&format!("{SERVICES}/a"), becomes).await, 31081);
}

/// The number of times that a client checks for the arrival of the other one: a minute or two.
const LOOKS: u64 = 100_000_000;

/// Returns the answers to two clients that write at the same time, in each round.
fn at_once(rounds: usize, write: impl Fn(usize, &str) -> u16 + Sync) -> Vec<[u16; 2]> {
    let arrived = AtomicUsize::new(0);
    let client = |name: &str| -> Vec<u16> {
        let turn = |round: usize| {
            arrived.fetch_add(1, Ordering::SeqCst);
            let mut looks = 0_u64;
            while arrived.load(Ordering::SeqCst) < 2 * (round + 1) {
                looks += 1;
                assert!(
                    looks < LOOKS,
                    "the other client has not arrived at round {round}; it has failed, or waits for an answer"
                );
                std::thread::yield_now();
            }
            write(round, name)
        };
        (0..rounds).map(turn).collect()
    };
    let (one, other) = std::thread::scope(|scope| {
        let (one, other) = (scope.spawn(|| client("a")), scope.spawn(|| client("b")));
        (one.join().unwrap(), other.join().unwrap())
    });
    one.into_iter().zip(other).map(|(one, other)| [one.min(other), one.max(other)]).collect()
}

// BDF-13
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn of_two_services_with_one_address_or_port_at_once_one_is_refused() {
    const ROUNDS: usize = 300;
    let cluster = Cluster::from(ApiServer::builder().seed(7).build().unwrap());
    let runtime = tokio::runtime::Handle::current();
    let codes = at_once(ROUNDS, |round, name| {
        let spec = json!({
            "type": "NodePort", "clusterIP": format!("10.0.{}.{}", 1 + round / 200, round % 200),
            "ports": [port("a", 80, u16::try_from(31_000 + round).unwrap())],
        });
        runtime.block_on(create(&cluster, &format!("{name}-{round}"), spec)).code
    });
    assert_eq!(codes, vec![[201, 422]; ROUNDS]);
}
