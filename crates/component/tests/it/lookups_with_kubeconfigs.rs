//! Lookups of templates in clusters whose kubeconfig they give, and the types that clusters serve. Real connections take real time.

use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use k8s_openapi::api::core::v1::ConfigMap;
use kubewright::prelude::*;
use kubewright::runtime::targets::TargetConnector;
use kubewright_testing::{TestCluster, TestOptions};

use crate::types::{Bundle, bundle, config_map};
use crate::world::{OPERATOR, World, condition, message_of};

/// Renders a ConfigMap `copy-<name>`. A component `far…` without objects looks up ConfigMaps in its own cluster and in that of the Secret `target`; a
/// component `types` shows the entries of deployments.
const TEMPLATE: &str = r#"
apiVersion: v1
kind: ConfigMap
metadata: {name: copy-{{ name }}}
data:
  name: {{ name }}
{{- if and (hasPrefix "far" name) (not .objects) }}
{{- $secret := (mustLocalLookup "v1" "Secret" namespace "target").data }}
{{- $kubeconfig := $secret.value | b64dec }}
{{- $there := $secret.namespace | b64dec }}
  here: {{ dig "data" "value" "none" (lookup "v1" "ConfigMap" namespace "source") | quote }}
  there: {{ dig "data" "value" "none" (lookupWithKubeConfig "v1" "ConfigMap" $there "source" $kubeconfig) | quote }}
{{- $names := list }}
{{- range (lookupListWithKubeConfig "v1" "ConfigMap" $there "role=source" $kubeconfig).items }}
{{- $names = append $names .metadata.name }}
{{- end }}
  names: {{ $names | join "," | quote }}
{{- end }}
{{- if eq name "types" }}
{{- range apiResources }}
{{- range .APIResources }}
{{- if or (eq .Name "deployments") (eq .Name "deployments/scale") }}
  {{ .Name | replace "/" "." }}: {{ . | toJson | quote }}
{{- end }}
{{- end }}
{{- end }}
{{- end }}
"#;

fn operator() -> ComponentBuilder<Bundle> {
    let kustomization = Kustomization::files([("map.yaml", TEMPLATE)], "");
    Operator::new(OPERATOR).component::<Bundle>(kustomization).lookup_types([("", "configmaps"), ("", "secrets")])
}

async fn start() -> World {
    let mut world = World::new().await;
    world.run_other(operator()).await;
    world
}

/// Returns the Secret with a kubeconfig and the namespace that is looked into.
fn target(kubeconfig: &str, namespace: &str) -> Value {
    json!({
        "apiVersion": "v1", "kind": "Secret", "metadata": { "name": "target" },
        "data": { "value": STANDARD.encode(kubeconfig), "namespace": STANDARD.encode(namespace) },
    })
}

/// Returns a kubeconfig of a server, with these fields of the user.
fn kubeconfig(server: &str, user: &str) -> String {
    format!(
        "apiVersion: v1\nkind: Config\ncurrent-context: c\nclusters: [{{name: c, cluster: {{server: '{server}'}}}}]\n\
         contexts: [{{name: c, context: {{cluster: c, user: u}}}}]\nusers: [{{name: u, user: {{{user}}}}}]\n"
    )
}

/// Returns the ConfigMap that lookups find.
fn source(value: &str) -> Value {
    let mut source = config_map("source", value);
    source["metadata"]["labels"] = json!({ "role": "source" });
    source
}

/// Waits until a component has copied this data.
async fn until_copied(world: &World, name: &str, [here, there, names]: [&str; 3]) {
    let data = json!({ "name": name, "here": here, "there": there, "names": names });
    let copy = config_map(&format!("copy-{name}"), "");
    world.until_object(&copy, &format!("a copy of {data}"), |copy| copy["data"] == data).await;
    world.until_ready(name).await;
}

/// Returns the number of clients that were made for other clusters, and of those that exist.
fn clients(world: &World) -> (Option<u64>, Option<u64>) {
    let value = |name: &str| {
        let line = format!("kubewright_{name}{{controller=\"bundle\"}} ");
        world.metrics().lines().find_map(|text| text.strip_prefix(&line)?.parse().ok())
    };
    (value("created_clients_total"), value("active_clients_total"))
}

// TPL: lookupWithKubeConfig, lookupListWithKubeConfig; TGT-2, TGT-4, GEN-5
#[tokio::test(flavor = "multi_thread")]
async fn the_cluster_of_a_kubeconfig_is_told_from_that_of_the_dependents_and_followed() {
    let world = start().await;
    let other = TestCluster::start_with(TestOptions::default().exclusive()).await;
    world.create(&target(&other.kubeconfig().await, other.namespace())).await;
    world.create(&config_map("source", "near")).await;
    other.apply(source("far")).await;
    for name in ["far-a", "far-b"] {
        world.set(&bundle(name, &[])).await;
        until_copied(&world, name, ["near", "far", "source"]).await;
    }
    assert_eq!(clients(&world), (Some(1), Some(1)), "equal kubeconfigs share a client");
    other.patch::<ConfigMap>("source", json!({ "data": { "value": "farther" } })).await;
    until_copied(&world, "far-a", ["near", "farther", "source"]).await;
    other.delete::<ConfigMap>("source").await;
    until_copied(&world, "far-b", ["near", "none", ""]).await;
    world.kill_and_stop(other).await;
}

// TGT-5, GEN-5
#[tokio::test(flavor = "multi_thread")]
async fn a_kubeconfig_of_a_template_that_runs_programs_is_refused_until_it_is_replaced() {
    let world = start().await;
    let other = TestCluster::start_with(TestOptions::default().exclusive()).await;
    other.apply(source("far")).await;
    let program = kubeconfig("https://a", "token: s3cr3t, exec: {command: /bin/true}");
    world.create(&target(&program, other.namespace())).await;
    world.set(&bundle("far", &[])).await;
    let refused = world.until("far", "stalled", |component| condition(component, "Stalled").is_some()).await;
    assert_eq!(condition(&refused, "Stalled").unwrap()["reason"], "CredentialsRefused");
    let message = message_of(&refused);
    let asked = format!("look up ConfigMap {}/source with a kubeconfig: ", other.namespace());
    assert!(message.contains(&format!("{asked}the kubeconfig sets users[0].user.exec, which runs a program")), "{message}");
    assert!(!refused.to_string().contains("s3cr3t"), "{refused}");
    let good = target(&other.kubeconfig().await, other.namespace());
    world.patch(&good, json!({ "data": good["data"] })).await;
    until_copied(&world, "far", ["none", "far", "source"]).await;
    world.kill_and_stop(other).await;
}

// TGT-4
#[tokio::test(flavor = "multi_thread")]
async fn a_kubeconfig_of_an_unreachable_cluster_holds_back_only_the_components_that_look_up_there() {
    let world = start().await;
    // Nothing listens on port 1.
    world.create(&target(&kubeconfig("http://127.0.0.1:1", ""), "default")).await;
    // The number of components exceeds the number of workers.
    for number in 0..20 {
        world.create(&bundle(&format!("far-{number}"), &[])).await;
    }
    world.set(&bundle("near", &[])).await;
    world.until_ready("near").await;
    for number in [0, 19] {
        let far = world.until_state(&format!("far-{number}"), "Pending", "Retrying").await;
        let message = message_of(&far);
        let expected = "look up ConfigMap default/source with a kubeconfig: the target cluster cannot be reached: ";
        assert!(message.starts_with(expected) && !message.contains("it is being asked"), "{message}");
    }
    world.pass(Duration::from_millis(10)).await;
}

// TGT-4: the clock is virtual, because the connector makes no real connection.
#[tokio::test]
async fn the_client_of_a_kubeconfig_is_given_up_a_quarter_of_an_hour_after_the_last_lookup_with_it() {
    let mut world = World::new().await;
    if !world.cluster.is_embedded() {
        return;
    }
    let client = world.cluster.client().clone();
    let operator: Operator = operator().into();
    world.run_other(operator.state(TargetConnector::new(move |_| Some(client.clone())))).await;
    world.create(&target(&kubeconfig("https://far", "token: a"), world.namespace())).await;
    world.create(&source("same")).await;
    world.set(&bundle("far", &[])).await;
    until_copied(&world, "far", ["same", "same", "source"]).await;
    world.pass(Duration::from_mins(30)).await;
    assert_eq!(clients(&world), (Some(1), Some(1)), "a watch uses it");
    // With another kubeconfig there is another client.
    let rotated = target(&kubeconfig("https://far", "token: b"), world.namespace());
    world.patch(&rotated, json!({ "data": rotated["data"] })).await;
    world.pass(Duration::from_secs(30)).await;
    assert_eq!(clients(&world), (Some(2), Some(2)));
    world.patch(&bundle("far", &[]), json!({ "spec": { "objects": [config_map("any", "")] } })).await;
    world.until("far", "at revision 2", |component| component["status"]["revision"] == 2).await;
    world.pass(Duration::from_mins(14)).await;
    assert_eq!(clients(&world), (Some(2), Some(2)));
    world.pass(Duration::from_mins(2)).await;
    assert_eq!(clients(&world), (Some(2), Some(0)));
}

// KUS-10
#[tokio::test]
async fn the_resources_of_the_api_have_their_names_and_verbs() {
    let world = start().await;
    world.set(&bundle("types", &[])).await;
    world.until_ready("types").await;
    let copy = world.get(&config_map("copy-types", "")).await.unwrap();
    let entry = |name: &str| serde_json::from_str::<Value>(copy["data"][name].as_str().unwrap()).unwrap();
    let verbs = json!(["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"]);
    let deployments = json!({
        "name": "deployments", "singularName": "deployment", "namespaced": true, "group": "apps", "version": "v1", "kind": "Deployment",
        "verbs": verbs, "shortNames": ["deploy"], "categories": ["all"],
    });
    assert_eq!(entry("deployments"), deployments);
    let scale = json!({
        "name": "deployments/scale", "singularName": "", "namespaced": true, "group": "autoscaling", "version": "v1", "kind": "Scale",
        "verbs": ["get", "patch", "update"],
    });
    assert_eq!(entry("deployments.scale"), scale);
}
