//! Expectations: wait for a state of an object on a watch, and report the state found if it does not come.

use std::marker::PhantomData;
use std::time::Duration;

use futures::StreamExt as _;
use kube::core::GroupVersionKind;
use kubewright_machinery::object::ObjectExt as _;
use serde_json::Value;

use crate::objects::{gvk, value};
use crate::{TestCluster, report};

/// The default time limit of an expectation on the embedded server.
const PATIENCE: Duration = Duration::from_secs(30);

/// An expectation of a test about one object.
#[must_use = "an expectation checks nothing until one of its methods is awaited"]
#[derive(Debug)]
pub struct Expectation<'a, K = ()> {
    cluster: &'a TestCluster,
    kind: GroupVersionKind,
    namespace: Option<String>,
    name: String,
    patience: Duration,
    typed: PhantomData<fn() -> K>,
}

impl TestCluster {
    /// Returns an expectation about an object in the namespace of the test.
    pub fn expect<K: kube::Resource<DynamicType = ()>>(&self, name: &str) -> Expectation<'_, K> {
        Expectation::new(self, gvk::<K>(), name)
    }

    /// Returns the default time limit of an expectation. It is longer on a real server, which shares the machine with its controllers.
    pub(crate) fn patience(&self) -> Duration {
        if self.is_embedded() { PATIENCE } else { PATIENCE * 5 }
    }

    /// Returns an expectation about an object of a kind known at run time.
    pub fn expect_object(&self, kind: &GroupVersionKind, name: &str) -> Expectation<'_> {
        Expectation::new(self, kind.clone(), name)
    }
}

impl<'a, K> Expectation<'a, K> {
    fn new(cluster: &'a TestCluster, kind: GroupVersionKind, name: &str) -> Self {
        Self { cluster, kind, namespace: None, name: name.to_owned(), patience: cluster.patience(), typed: PhantomData }
    }

    /// Looks for the object in another namespace than the test's.
    pub fn in_namespace(mut self, namespace: &str) -> Self {
        self.namespace = Some(namespace.to_owned());
        self
    }

    /// Sets the time limit. Default 30 s, on a real server 150 s.
    pub fn within(mut self, patience: Duration) -> Self {
        self.patience = patience;
        self
    }

    /// Waits until the object exists.
    pub async fn to_exist(self) -> Value {
        self.matching("it exists", |_| true).await
    }

    /// Waits until the object does not exist.
    pub async fn to_be_gone(self) {
        self.until("it is gone", |object| object.is_none()).await;
    }

    /// Waits until the object is ready for its present generation: state `Ready` of a component, else condition `Ready` True, by the rule
    /// of `kubectl wait --for=condition=Ready`.
    pub async fn ready(self) -> Value {
        self.matching("it is ready for its generation", is_ready).await
    }

    /// Waits until a component is in this state, for its present generation.
    pub async fn state(self, state: &str) -> Value {
        let wanted = state.to_owned();
        self.matching(&format!("its state is {state}"), move |object| {
            is_observed(object) && object.pointer("/status/state").and_then(Value::as_str) == Some(&wanted)
        })
        .await
    }

    /// Waits until the object has this condition.
    pub async fn condition(self, kind: &str, status: &str, reason: &str) -> Value {
        let what = format!("condition {kind} is {status} with reason {reason}");
        let [kind, status, reason] = [kind, status, reason].map(str::to_owned);
        self.matching(&what, move |object| {
            condition(object, &kind).is_some_and(|found| found["status"] == *status && found["reason"] == *reason)
        })
        .await
    }

    /// Waits until the object exists and satisfies the predicate; `what` completes "expected that".
    pub async fn matching(self, what: &str, predicate: impl Fn(&Value) -> bool) -> Value {
        self.until(what, |object| object.is_some_and(&predicate)).await.unwrap_or_default()
    }

    async fn until(self, what: &str, satisfied: impl Fn(Option<&Value>) -> bool) -> Option<Value> {
        let api = self.cluster.api(&self.kind, self.namespace.as_deref()).await;
        let mut last = None;
        let watching = async {
            let mut stream = std::pin::pin!(kube::runtime::watcher::watch_object(api, &self.name));
            while let Some(seen) = stream.next().await {
                match seen {
                    Ok(object) => {
                        let object = object.as_ref().map(value);
                        let done = satisfied(object.as_ref());
                        last = Some(object);
                        if done {
                            return;
                        }
                    }
                    // The watcher retries by itself; an error that persists becomes a time-out that reports the last state seen.
                    Err(error) => {
                        tracing::debug!(%error, "an expectation's watch failed");
                        tokio::time::sleep(Duration::from_millis(200)).await;
                    }
                }
            }
        };
        if tokio::time::timeout(self.patience, watching).await.is_ok() {
            return last.flatten();
        }
        let namespace = self.namespace.as_deref().unwrap_or_else(|| self.cluster.namespace());
        let subject = format!("{} {}/{}", self.kind.kind, namespace, self.name);
        let text = report::expectation(self.cluster, &subject, what, self.patience, last.as_ref(), namespace, &self.name).await;
        self.cluster.fail(&text)
    }
}

fn is_ready(object: &Value) -> bool {
    if let Some(state) = object.pointer("/status/state").and_then(Value::as_str) {
        return is_observed(object) && state == "Ready";
    }
    condition(object, "Ready").is_some_and(|found| {
        // A condition with an observed generation of its own is valid for that generation only.
        let observed = found.get("observedGeneration").and_then(Value::as_i64).map(Some);
        found["status"] == "True" && observed.map_or_else(|| is_observed(object), |observed| observed == object.generation())
    })
}

/// Returns true if the status is about the present generation, or names no generation.
fn is_observed(object: &Value) -> bool {
    let observed = object.pointer("/status/observedGeneration").and_then(Value::as_i64);
    observed.is_none() || observed == object.generation()
}

fn condition<'v>(object: &'v Value, kind: &str) -> Option<&'v Value> {
    let conditions = object.pointer("/status/conditions")?.as_array()?;
    conditions.iter().find(|condition| condition["type"] == *kind)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    // STA-11
    #[test]
    fn ready_is_ready_in_the_present_generation() {
        let object = |status: Value| json!({ "metadata": { "generation": 2 }, "status": status });
        let ready = |extra: Value| {
            let mut condition = json!({ "type": "Ready", "status": "True" });
            condition.as_object_mut().unwrap().extend(extra.as_object().unwrap().clone());
            json!([condition])
        };
        let rows = [
            (json!({ "state": "Ready", "observedGeneration": 2, "conditions": ready(json!({})) }), true),
            (json!({ "state": "Ready", "observedGeneration": 1, "conditions": ready(json!({})) }), false),
            (json!({ "state": "Processing", "observedGeneration": 2 }), false),
            (json!({ "conditions": ready(json!({})) }), true),
            (json!({ "observedGeneration": 2, "conditions": ready(json!({})) }), true),
            (json!({ "observedGeneration": 1, "conditions": ready(json!({})) }), false),
            (json!({ "observedGeneration": 1, "conditions": ready(json!({ "observedGeneration": 2 })) }), true),
            (json!({ "observedGeneration": 2, "conditions": ready(json!({ "observedGeneration": 1 })) }), false),
            (json!({}), false),
        ];
        for (status, expected) in rows {
            assert_eq!(is_ready(&object(status.clone())), expected, "{status}");
        }
    }
}
