//! Lookups of charts in clusters.

use std::collections::BTreeSet;
use std::sync::Arc;

use async_trait::async_trait;
use kubewright_machinery::object::GroupVersionKind;
use kubewright_render::{
    Environment, HelmChart, ListQuestion, LookupKubeconfig, ObjectQuestion, Place, Question, RenderContext, RenderError,
};
use parking_lot::Mutex;
use serde_json::{Map, Value, json};

use crate::cluster::{FakeCluster, context, inputs, objects};

fn secret() -> GroupVersionKind {
    GroupVersionKind::new("", "v1", "Secret")
}

fn object(place: Place, name: &str) -> Question {
    Question::Object(ObjectQuestion { place, gvk: secret(), namespace: "shop".to_owned(), name: name.to_owned() })
}

fn list(place: Place, selector: &str) -> Question {
    Question::List(ListQuestion { place, gvk: secret(), namespace: "shop".to_owned(), selector: selector.to_owned() })
}

fn serves(api: &str) -> Question {
    Question::Serves(api.to_owned())
}

/// Returns a cluster that has a Secret `first`, which names another one, and one beside the component.
fn cluster() -> FakeCluster {
    let named = |name: &str, data: Value| json!({ "metadata": { "name": name }, "data": data });
    FakeCluster::default()
        .with(serves("v1"), json!(true))
        .with(object(Place::Target, "first"), named("first", json!({ "next": "second", "size": 3_000_000 })))
        .with(object(Place::Target, "second"), named("second", json!({ "value": "found" })))
        .with(object(Place::Local, "first"), named("first", json!({ "next": "here" })))
        .with(list(Place::Target, ""), json!([named("first", json!({})), named("second", json!({}))]))
        .with(list(Place::Target, "a=b"), json!([named("second", json!({}))]))
        .with(list(Place::Local, "a=b"), json!([named("first", json!({}))]))
        .with(object(given("s3cr3t"), "first"), named("first", json!({ "next": "far" })))
        .with(object(given("other"), "first"), named("first", json!({ "next": "farther" })))
        .with(list(given("s3cr3t"), "a=b"), json!([named("far", json!({}))]))
}

/// Returns the place of the cluster of a kubeconfig.
fn given(kubeconfig: &str) -> Place {
    Place::Kubeconfig(LookupKubeconfig::new(kubeconfig).digest())
}

/// Returns a chart with a template of one expression.
fn chart(expression: &str) -> HelmChart {
    let template = format!(
        "apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: web}}\ndata:\n  a: {{{{ {expression} | toJson | quote }}}}\n"
    );
    HelmChart::files([("Chart.yaml", "apiVersion: v2\nname: web\nversion: 1.0.0\n"), ("templates/map.yaml", template.as_str())])
}

/// Renders a template of one expression. Returns its text and the questions that became inputs.
async fn render(expression: &str) -> (Result<String, RenderError>, BTreeSet<Question>) {
    let chart = chart(expression);
    let context = context(&cluster(), json!({}), inputs());
    let found = objects(&chart, &context).await;
    let text = found.map(|objects| objects[0]["data"]["a"].as_str().unwrap().to_owned());
    (text, context.asked().into_keys().collect())
}

async fn text(expression: &str) -> String {
    render(expression).await.0.unwrap()
}

async fn error(expression: &str) -> String {
    let error = render(expression).await.0.unwrap_err();
    assert!(matches!(error, RenderError::Input(_)), "{error:?}");
    error.to_string()
}

// TPL: lookup
#[tokio::test]
async fn a_looked_up_object_is_an_input() {
    let (found, asked) = render("(lookup \"v1\" \"Secret\" \"shop\" \"first\").data.size").await;
    assert_eq!(found.unwrap(), "3000000");
    assert_eq!(asked, BTreeSet::from([object(Place::Target, "first")]));
}

#[tokio::test]
async fn a_lookup_may_depend_on_another_one() {
    let (found, asked) =
        render("(lookup \"v1\" \"Secret\" \"shop\" (lookup \"v1\" \"Secret\" \"shop\" \"first\").data.next).data.value").await;
    assert_eq!(found.unwrap(), "\"found\"");
    assert_eq!(asked, BTreeSet::from([object(Place::Target, "first"), object(Place::Target, "second")]));
}

#[tokio::test]
async fn an_absent_object_is_an_empty_map_or_an_error() {
    let (found, asked) = render("lookup \"v1\" \"Secret\" \"shop\" \"none\"").await;
    assert_eq!(found.unwrap(), "{}");
    assert_eq!(asked, BTreeSet::from([object(Place::Target, "none"), serves("v1")]));
    let error = error("mustLookup \"v1\" \"Secret\" \"shop\" \"none\"").await;
    assert!(error.contains("Secret shop/none of v1 does not exist"), "{error}");
    assert_eq!(text("(mustLookup \"v1\" \"Secret\" \"shop\" \"second\").data.value").await, "\"found\"");
}

#[tokio::test]
async fn an_unknown_type_is_an_error() {
    for lookup in ["lookup \"x.example.com/v1\" \"Gadget\" \"shop\" \"one\"", "lookup \"a/b/c\" \"Gadget\" \"shop\" \"one\""] {
        let error = error(lookup).await;
        assert!(error.starts_with("web/templates/map.yaml:5: column ") && error.contains("Gadget"), "{error}");
    }
}

#[tokio::test]
async fn an_empty_name_gives_a_list() {
    let names = "(list (index $found.items 0).metadata.name (index $found.items 1).metadata.name $found.kind)";
    let expression = format!("with $found := lookup \"v1\" \"Secret\" \"shop\" \"\" }}}}{{{{ {names}");
    let template = format!(
        "data: {{{{ {expression} | toJson | quote }}}}{{{{ end }}}}\napiVersion: v1\nkind: ConfigMap\nmetadata: {{name: web}}\n"
    );
    let chart = HelmChart::files([
        ("Chart.yaml", "apiVersion: v2\nname: web\nversion: 1.0.0\n"),
        ("templates/map.yaml", template.as_str()),
    ]);
    let context = context(&cluster(), json!({}), inputs());
    let found = objects(&chart, &context).await.unwrap();
    assert_eq!(found[0]["data"], "[\"first\",\"second\",\"SecretList\"]");
    assert_eq!(context.asked().into_keys().collect::<Vec<_>>(), [list(Place::Target, "")]);
}

// TPL: lookupList, localLookup, mustLocalLookup, localLookupList
#[tokio::test]
async fn lists_are_selected_and_the_cluster_of_the_component_is_asked() {
    let first = |list: &str| format!("(index ({list}).items 0).metadata.name");
    assert_eq!(text(&first("lookupList \"v1\" \"Secret\" \"shop\" \"a=b\"")).await, "\"second\"");
    assert_eq!(text(&first("localLookupList \"v1\" \"Secret\" \"shop\" \"a=b\"")).await, "\"first\"");
    assert_eq!(text("(localLookup \"v1\" \"Secret\" \"shop\" \"first\").data.next").await, "\"here\"");
    assert_eq!(text("localLookup \"v1\" \"Secret\" \"shop\" \"second\"").await, "{}");
    let error = error("mustLocalLookup \"v1\" \"Secret\" \"shop\" \"second\"").await;
    assert!(error.contains("Secret shop/second of v1 does not exist"), "{error}");
}

// TPL: lookupWithKubeConfig, mustLookupWithKubeConfig, lookupListWithKubeConfig
#[tokio::test]
async fn the_cluster_of_a_kubeconfig_is_asked_and_its_text_is_not_part_of_the_question() {
    let (found, asked) = render("(lookupWithKubeConfig \"v1\" \"Secret\" \"shop\" \"first\" \"s3cr3t\").data.next").await;
    assert_eq!(found.unwrap(), "\"far\"");
    assert_eq!(asked, BTreeSet::from([object(given("s3cr3t"), "first")]));
    assert!(!format!("{asked:?}").contains("s3cr3t"), "{asked:?}");
    assert_eq!(text("(mustLookupWithKubeConfig \"v1\" \"Secret\" \"shop\" \"first\" \"other\").data.next").await, "\"farther\"");
    let list = "(index (lookupListWithKubeConfig \"v1\" \"Secret\" \"shop\" \"a=b\" \"s3cr3t\").items 0).metadata.name";
    assert_eq!(text(list).await, "\"far\"");
    assert_eq!(text("lookupWithKubeConfig \"v1\" \"Secret\" \"shop\" \"second\" \"s3cr3t\"").await, "{}");
    let absent = error("mustLookupWithKubeConfig \"v1\" \"Secret\" \"shop\" \"second\" (print \"s3c\" \"r3t\")").await;
    assert!(absent.contains("Secret shop/second of v1 does not exist") && !absent.contains("s3cr3t"), "{absent}");
}

// TGT-2: an empty kubeconfig does not mean the operator's own cluster.
#[tokio::test]
async fn an_empty_kubeconfig_is_an_error() {
    let error = error("lookupWithKubeConfig \"v1\" \"Secret\" \"shop\" \"first\" \" \"").await;
    assert!(error.starts_with("web/templates/map.yaml:5: column ") && error.contains("the kubeconfig is empty"), "{error}");
}

/// A cluster that connects to the kubeconfig `s3cr3t` only, and notes the connections.
struct Connecting(FakeCluster, Mutex<Vec<(String, Question)>>);

#[async_trait]
impl Environment for Connecting {
    async fn answer(&self, question: &Question) -> Result<Arc<Value>, RenderError> {
        self.0.answer(question).await
    }

    async fn connect(&self, kubeconfig: &LookupKubeconfig, question: &Question) -> Result<(), RenderError> {
        self.1.lock().push((kubeconfig.text().to_owned(), question.clone()));
        if kubeconfig.text() == "s3cr3t" { Ok(()) } else { Err(RenderError::input("the kubeconfig is refused")) }
    }
}

// GEN-5
#[tokio::test]
async fn the_answers_before_a_refused_kubeconfig_are_inputs() {
    let environment = Arc::new(Connecting(cluster(), Mutex::default()));
    let context = RenderContext::<()>::new((), Map::new(), inputs()).with_environment(environment.clone());
    let near = "lookup \"v1\" \"Secret\" \"shop\" \"first\"";
    let far = "(lookupWithKubeConfig \"v1\" \"Secret\" \"shop\" \"first\" \"s3cr3t\").data.next";
    let refused = format!("list ({near}) (lookupWithKubeConfig \"v1\" \"Secret\" \"shop\" \"first\" {far})");
    let error = objects(&chart(&refused), &context).await.unwrap_err().to_string();
    assert_eq!(error, "the kubeconfig is refused");
    let expected = [("s3cr3t", object(given("s3cr3t"), "first")), ("far", object(given("far"), "first"))];
    assert_eq!(*environment.1.lock(), expected.map(|(text, question)| (text.to_owned(), question)));
    let asked: Vec<Question> = context.asked().into_keys().collect();
    assert_eq!(asked, [object(Place::Target, "first"), object(given("s3cr3t"), "first")]);
}
