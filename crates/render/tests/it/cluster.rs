//! A cluster of tests, which answers the questions of renderings from a table.

use std::collections::BTreeMap;
use std::sync::Arc;

use async_trait::async_trait;
use kubewright_render::{Environment, Generator, Manifest, Question, RenderContext, RenderError, RenderInputs};
use serde_json::{Map, Value, json};

/// A cluster with these answers. It has no other objects and serves no other types.
#[derive(Clone, Default)]
pub(crate) struct FakeCluster {
    pub(crate) answers: BTreeMap<Question, Value>,
}

impl FakeCluster {
    pub(crate) fn with(mut self, question: Question, answer: Value) -> Self {
        self.answers.insert(question, answer);
        self
    }
}

#[async_trait]
impl Environment for FakeCluster {
    async fn answer(&self, question: &Question) -> Result<Arc<Value>, RenderError> {
        let default = match question {
            Question::Version => json!({ "major": "1", "minor": "36", "gitVersion": "v1.36.2" }),
            Question::Serves(_) => json!(false),
            Question::Object(_) => Value::Null,
            _ => json!([]),
        };
        Ok(Arc::new(self.answers.get(question).cloned().unwrap_or(default)))
    }
}

/// Returns the answer of [`Question::ServedTypes`] for these types, such as `apps/v1` and `apps/v1/Deployment`. Their names are those of their kinds.
pub(crate) fn type_lists<'a>(types: impl IntoIterator<Item = &'a str>) -> Value {
    let mut lists: BTreeMap<&str, Vec<Value>> = BTreeMap::new();
    for served in types {
        // A version begins with a small letter and a kind does not, which tells `v1/Pod` from `apps/v1`.
        match served.rsplit_once('/') {
            Some((group_version, kind)) if kind.starts_with(|first: char| first.is_ascii_uppercase()) => {
                lists.entry(group_version).or_default().push(json!({ "name": kind.to_lowercase(), "kind": kind }));
            }
            _ => _ = lists.entry(served).or_default(),
        }
    }
    lists.into_iter().map(|(group_version, resources)| json!({ "groupVersion": group_version, "resources": resources })).collect()
}

/// Returns the inputs of the first revision of the component `shop/web`.
pub(crate) fn inputs() -> RenderInputs {
    RenderInputs {
        operator: "op.example.com".to_owned(),
        namespace: "shop".to_owned(),
        name: "web".to_owned(),
        revision: 1,
        uid: "uid-1".to_owned(),
        ..RenderInputs::default()
    }
}

/// Returns the context of a rendering in a cluster.
pub(crate) fn context(cluster: &FakeCluster, values: Value, inputs: RenderInputs) -> RenderContext<()> {
    let values: Map<String, Value> = values.as_object().cloned().unwrap();
    RenderContext::new((), values, inputs).with_environment(Arc::new(cluster.clone()))
}

/// Returns the objects of a generator, with the annotations of the framework.
pub(crate) async fn objects(generator: &impl Generator<()>, context: &RenderContext<()>) -> Result<Vec<Value>, RenderError> {
    let manifests = generator.render(context).await?;
    Ok(manifests.into_iter().map(|manifest: Manifest| manifest.resolve(context.operator()).unwrap()).collect())
}
