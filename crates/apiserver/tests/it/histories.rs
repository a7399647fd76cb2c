//! Random histories against a naive model (EVD-4): the content of lists, pages, older versions, selectors and watches.

use std::collections::BTreeMap;

use proptest::prelude::*;
use serde_json::{Value, json};

use crate::cluster::Cluster;

const SECRETS: &str = "/api/v1/namespaces/default/secrets";

/// An object in the model: the value of its label `x`, and a number that changes with each write.
#[derive(Clone, Debug, PartialEq)]
struct Object {
    label: Option<u8>,
    number: usize,
}

type Content = BTreeMap<String, Object>;

/// A committed write.
#[derive(Clone, Debug)]
struct Write {
    revision: u64,
    name: String,
    before: Option<Object>,
    after: Option<Object>,
}

/// The model: every state, and every write from one state to the next.
#[derive(Default)]
struct Model {
    states: Vec<(u64, Content)>,
    writes: Vec<Write>,
}

#[derive(Clone, Debug)]
enum Step {
    Put { name: u8, label: Option<u8> },
    Delete { name: u8 },
    List { selector: usize, limit: usize, back: usize },
    Watch { selector: usize, back: usize },
}

type Matches = fn(Option<u8>) -> bool;

/// Label selectors with predicates of the same meaning.
const SELECTORS: [(&str, Matches); 7] = [
    ("", |_| true),
    ("x=1", |x| x == Some(1)),
    ("x!=1", |x| x != Some(1)),
    ("x in (1,2)", |x| matches!(x, Some(1 | 2))),
    ("x notin (1,2)", |x| !matches!(x, Some(1 | 2))),
    ("!x", |x| x.is_none()),
    ("x,x!=0", |x| x.is_some_and(|x| x != 0)),
];

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let label = prop::option::of(0u8..3);
    let step = prop_oneof![
        5 => (0u8..5, label).prop_map(|(name, label)| Step::Put { name, label }),
        2 => (0u8..5).prop_map(|name| Step::Delete { name }),
        2 => (0..SELECTORS.len(), 0usize..4, 0usize..6).prop_map(|(selector, limit, back)| Step::List { selector, limit, back }),
        2 => (0..SELECTORS.len(), 0usize..8).prop_map(|(selector, back)| Step::Watch { selector, back }),
    ];
    prop::collection::vec(step, 1..40)
}

impl Model {
    fn present(&self) -> Content {
        self.states.last().map(|(_, content)| content.clone()).unwrap_or_default()
    }

    /// Returns the state `back` writes ago.
    fn back(&self, back: usize) -> &(u64, Content) {
        &self.states[self.states.len() - 1 - back.min(self.states.len() - 1)]
    }

    fn write(&mut self, revision: u64, name: String, after: Option<Object>) {
        let mut content = self.present();
        let before = content.get(&name).cloned();
        match &after {
            Some(object) => content.insert(name.clone(), object.clone()),
            None => content.remove(&name),
        };
        self.states.push((revision, content));
        self.writes.push(Write { revision, name, before, after });
    }

    /// Returns the events of a watch with a selector from a revision on.
    fn events(&self, after: u64, matches: Matches) -> Vec<String> {
        let seen = |object: &Option<Object>| object.as_ref().filter(|object| matches(object.label)).map(|object| object.number);
        let told = self.writes.iter().filter(|write| write.revision > after).filter_map(|write| {
            let (what, number) = match (seen(&write.before), seen(&write.after)) {
                (None, Some(new)) => ("ADDED", new),
                (Some(_), Some(new)) => ("MODIFIED", new),
                // The event has the old content under the new version.
                (Some(old), None) => ("DELETED", old),
                (None, None) => return None,
            };
            Some(format!("{what} {}={number}@{}", write.name, write.revision))
        });
        told.collect()
    }
}

fn shown(content: &Content, matches: Matches) -> Vec<String> {
    content.iter().filter(|(_, object)| matches(object.label)).map(|(name, object)| format!("{name}={}", object.number)).collect()
}

fn number(object: &Value) -> &str {
    object["metadata"]["annotations"]["number"].as_str().unwrap()
}

fn name(object: &Value) -> &str {
    object["metadata"]["name"].as_str().unwrap()
}

fn escaped(selector: &str) -> String {
    selector.replace('=', "%3D").replace(' ', "%20").replace('!', "%21")
}

async fn put(cluster: &Cluster, model: &mut Model, nth: usize, at: u8, label: Option<u8>) {
    let at = format!("s{at}");
    let labels = json!({"x": label.map(|label| label.to_string())});
    let metadata = json!({"name": at, "labels": labels, "annotations": {"number": nth.to_string()}});
    let answer = if model.present().contains_key(&at) {
        cluster.merge(&format!("{SECRETS}/{at}"), json!({"metadata": metadata})).await
    } else {
        let mut object = json!({"metadata": metadata});
        if label.is_none() {
            object["metadata"].as_object_mut().unwrap().remove("labels");
        }
        cluster.post(SECRETS, object).await
    };
    assert!(answer.code < 300, "{}", answer.body);
    model.write(cluster.server.revision(), at, Some(Object { label, number: nth }));
}

/// Reads a list in pages, with concurrent writes between them, and compares it with the state of its version.
async fn list(cluster: &Cluster, model: &Model, selector: usize, limit: usize, back: usize) {
    let (text, matches) = SELECTORS[selector];
    let (revision, content) = model.back(back);
    let exact = if back == 0 { String::new() } else { format!("&resourceVersion={revision}&resourceVersionMatch=Exact") };
    let query = format!("labelSelector={}&limit={limit}", escaped(text));
    let mut page = cluster.get(&format!("{SECRETS}?{query}{exact}")).await;
    let mut found = Vec::new();
    loop {
        assert_eq!((page.code, page.version()), (200, revision.to_string().as_str()), "{}", page.body);
        let items = page.body["items"].as_array().unwrap();
        assert!(limit == 0 || items.len() <= limit);
        found.extend(items.iter().map(|item| format!("{}={}", name(item), number(item))));
        let metadata = &page.body["metadata"];
        let Some(token) = metadata["continue"].as_str() else { break };
        if text.is_empty() {
            assert_eq!(metadata["remainingItemCount"], content.len() - found.len());
        }
        page = cluster.get(&format!("{SECRETS}?{query}&continue={token}")).await;
    }
    assert_eq!(found, shown(content, matches), "{text:?} {back} writes ago in pages of {limit}");
}

async fn watch(cluster: &Cluster, model: &Model, selector: usize, back: usize) {
    let (text, matches) = SELECTORS[selector];
    let (revision, _) = model.back(back);
    let path = format!("{SECRETS}?watch=true&labelSelector={}&resourceVersion={revision}", escaped(text));
    let events = cluster.watch(&path).await.ready();
    let told = events.iter().map(|event| {
        let (kind, object) = (event["type"].as_str().unwrap(), &event["object"]);
        format!("{kind} {}={}@{}", name(object), number(object), object["metadata"]["resourceVersion"].as_str().unwrap())
    });
    assert_eq!(told.collect::<Vec<_>>(), model.events(*revision, matches), "{text:?} from {back} writes ago");
}

async fn run(steps: Vec<Step>) {
    let cluster = Cluster::start();
    let mut model = Model::default();
    model.states.push((cluster.server.revision(), Content::new()));
    // Watches that are open all the time must show the same events as those that begin later.
    let start = cluster.server.revision();
    let mut open = Vec::new();
    for (text, matches) in SELECTORS {
        let path = format!("{SECRETS}?watch=true&labelSelector={}&resourceVersion={start}", escaped(text));
        open.push((cluster.watch(&path).await, matches, 0));
    }
    for (nth, step) in steps.into_iter().enumerate() {
        match step {
            Step::Put { name, label } => put(&cluster, &mut model, nth, name, label).await,
            Step::Delete { name } => {
                let at = format!("s{name}");
                if model.present().contains_key(&at) {
                    assert_eq!(cluster.delete(&format!("{SECRETS}/{at}")).await.code, 200);
                    model.write(cluster.server.revision(), at, None);
                }
            }
            Step::List { selector, limit, back } => list(&cluster, &model, selector, limit, back).await,
            Step::Watch { selector, back } => watch(&cluster, &model, selector, back).await,
        }
        // Each watch is read at a different pace.
        let turn = nth % SELECTORS.len();
        open[turn].2 += open[turn].0.ready().len();
    }
    for (watch, matches, seen) in &mut open {
        *seen += watch.ready().len();
        assert_eq!(*seen, model.events(start, *matches).len());
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    // LIST-1, LIST-2, LIST-5, SEL-1, SWATCH-3, SWATCH-10, SWATCH-11
    #[test]
    fn lists_and_watches_show_what_a_naive_model_says(steps in steps()) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().start_paused(true).build().unwrap();
        runtime.block_on(run(steps));
    }
}
