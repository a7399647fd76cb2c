//! Random histories as scripts (DFT-7): creates, updates, patches, applies and deletes of a few objects, the same for the same seed.

use std::collections::BTreeMap;

use kubewright_middleware::Seed;
use serde_json::{Value, json};

use crate::script::{Header, Script, ScriptStep};

/// The kind of the objects in a history.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HistorySubject {
    /// ConfigMaps. They have no other writers, so everything is compared.
    ConfigMap,
    /// A paused Deployment. A controller writes its status, so only the fields that clients write are compared.
    Deployment,
}

/// The names of the objects in a history.
const NAMES: [&str; 2] = ["a", "b"];
const MANAGERS: [&str; 3] = ["probe", "one", "two"];
const WORDS: [&str; 3] = ["x", "y", "z"];
const FINALIZERS: [&str; 2] = ["x.io/f", "x.io/g"];
/// The fields of a Deployment that only clients write.
const OF_CLIENTS: [&str; 5] =
    ["/spec", "/metadata/labels", "/metadata/finalizers", "/metadata/generation", "/metadata/deletionGracePeriodSeconds"];

/// Returns a history of this many requests.
pub fn history(subject: HistorySubject, seed: u64, length: usize) -> Script {
    let mut author = HistoryGenerator { subject, dice: Seed::new(seed) };
    let mut steps: Vec<ScriptStep> = (0..length).map(|number| author.step(number)).collect();
    steps.extend(NAMES.iter().map(|name| author.get(name, format!("end-{name}"))));
    let about = format!("A random history of a {subject:?}, seed {seed}.");
    Script { id: format!("history/{subject:?}-{seed}"), header: Header { about, ..Header::default() }, steps }
}

/// The generator of random requests.
struct HistoryGenerator {
    subject: HistorySubject,
    dice: Seed,
}

impl HistoryGenerator {
    fn below(&self, bound: usize) -> usize {
        usize::try_from(self.dice.below(bound as u64)).unwrap_or_default()
    }

    fn one_of<'a, T>(&self, choices: &'a [T]) -> &'a T {
        &choices[self.below(choices.len())]
    }

    fn step(&mut self, number: usize) -> ScriptStep {
        let name = *self.one_of(&NAMES);
        let mut step = match self.below(10) {
            0 | 1 => self.create(name),
            2 => self.update(name),
            3 | 4 => self.merge(name),
            5 => self.json_patch(name),
            6 => self.strategic(name),
            7 => self.apply(name),
            8 => self.delete(name),
            _ => self.release(name),
        };
        step.id = format!("{number}-{}", step.id);
        self.limit(step)
    }

    fn get(&self, name: &str, id: String) -> ScriptStep {
        self.limit(ScriptStep { id, path: self.path(name), ..ScriptStep::default() })
    }

    /// Limits the comparison to the fields that are the same in every run.
    fn limit(&self, mut step: ScriptStep) -> ScriptStep {
        if self.subject == HistorySubject::Deployment {
            step.only = OF_CLIENTS.map(str::to_owned).to_vec();
        }
        step
    }

    fn path(&self, name: &str) -> String {
        match self.subject {
            HistorySubject::ConfigMap => format!("/api/v1/namespaces/$ns/configmaps/{name}"),
            HistorySubject::Deployment => format!("/apis/apps/v1/namespaces/$ns/deployments/{name}"),
        }
    }

    fn request(&self, id: &str, method: &str, path: String, body: Value) -> ScriptStep {
        let manager = *self.one_of(&MANAGERS);
        let path =
            if path.contains('?') { format!("{path}&fieldManager={manager}") } else { format!("{path}?fieldManager={manager}") };
        ScriptStep { id: id.to_owned(), method: method.to_owned(), path, body: Some(body), ..ScriptStep::default() }
    }

    fn patch(&self, id: &str, content_type: &str, name: &str, body: Value) -> ScriptStep {
        let headers = BTreeMap::from([("content-type".to_owned(), content_type.to_owned())]);
        ScriptStep { headers, ..self.request(id, "PATCH", self.path(name), body) }
    }

    fn create(&self, name: &str) -> ScriptStep {
        let path = self.path("");
        let object = self.object(name);
        self.request("create", "POST", path.trim_end_matches('/').to_owned(), object)
    }

    fn update(&self, name: &str) -> ScriptStep {
        let mut object = self.object(name);
        if self.below(4) == 0 {
            object["metadata"]["resourceVersion"] = "1".into();
        }
        self.request("update", "PUT", self.path(name), object)
    }

    fn merge(&self, name: &str) -> ScriptStep {
        let body = match self.below(4) {
            0 => json!({"metadata": {"labels": self.some_or_null()}}),
            1 => json!({"metadata": {"finalizers": self.finalizers()}}),
            2 => json!({"metadata": {"annotations": {"note": self.word()}, "generation": 50}}),
            _ => self.content_patch(),
        };
        self.patch("merge", "application/merge-patch+json", name, body)
    }

    fn json_patch(&self, name: &str) -> ScriptStep {
        let path = match self.subject {
            HistorySubject::ConfigMap => "/data/k",
            HistorySubject::Deployment => "/spec/minReadySeconds",
        };
        let value = match self.subject {
            HistorySubject::ConfigMap => self.word().into(),
            HistorySubject::Deployment => json!(self.below(3)),
        };
        let operation = match self.below(3) {
            0 => json!({"op": "add", "path": path, "value": value}),
            1 => json!({"op": "replace", "path": path, "value": value}),
            _ => json!({"op": "remove", "path": path}),
        };
        self.patch("json", "application/json-patch+json", name, json!([operation]))
    }

    fn strategic(&self, name: &str) -> ScriptStep {
        let body = match self.below(3) {
            0 => json!({"metadata": {"finalizers": [self.one_of(&FINALIZERS)]}}),
            1 => json!({"metadata": {"$deleteFromPrimitiveList/finalizers": [self.one_of(&FINALIZERS)]}}),
            _ => self.content_patch(),
        };
        self.patch("strategic", "application/strategic-merge-patch+json", name, body)
    }

    fn apply(&self, name: &str) -> ScriptStep {
        let mut object = self.object(name);
        if let Some(metadata) = object["metadata"].as_object_mut() {
            metadata.remove("finalizers");
        }
        let force = if self.below(2) == 0 { "?force=true" } else { "" };
        let headers = BTreeMap::from([("content-type".to_owned(), "application/apply-patch+yaml".to_owned())]);
        let path = format!("{}{force}", self.path(name));
        ScriptStep { headers, ..self.request("apply", "PATCH", path, object) }
    }

    fn delete(&self, name: &str) -> ScriptStep {
        let body = match self.below(4) {
            0 => json!({"propagationPolicy": "Background"}),
            1 => json!({"preconditions": {"uid": "00000000-0000-4000-8000-000000000000"}}),
            2 => json!({"gracePeriodSeconds": self.below(3)}),
            _ => json!({}),
        };
        let path = self.path(name);
        ScriptStep { id: "delete".into(), method: "DELETE".into(), path, body: Some(body), ..ScriptStep::default() }
    }

    /// Removes all finalizers, so that some deletions complete.
    fn release(&self, name: &str) -> ScriptStep {
        let body = json!({"metadata": {"finalizers": null}});
        self.patch("release", "application/merge-patch+json", name, body)
    }

    fn word(&self) -> &'static str {
        WORDS[self.below(WORDS.len())]
    }

    fn some_or_null(&self) -> Value {
        if self.below(3) == 0 { Value::Null } else { json!({"l": self.word()}) }
    }

    fn finalizers(&self) -> Value {
        match self.below(3) {
            0 => json!([]),
            1 => json!([FINALIZERS[0]]),
            _ => json!(FINALIZERS),
        }
    }

    fn content_patch(&self) -> Value {
        match self.subject {
            HistorySubject::ConfigMap => {
                let key = *self.one_of(&["k", "l"]);
                let value = if self.below(3) == 0 { Value::Null } else { self.word().into() };
                json!({"data": {key: value}})
            }
            HistorySubject::Deployment if self.below(2) == 0 => json!({"spec": {"replicas": self.below(3)}}),
            HistorySubject::Deployment => {
                json!({"spec": {"template": {"spec": {"containers": [{"name": "c", "image": self.word()}]}}}})
            }
        }
    }

    fn object(&self, name: &str) -> Value {
        let mut metadata = json!({"name": name});
        if self.below(2) == 0 {
            metadata["labels"] = json!({"l": self.word()});
        }
        if self.below(3) == 0 {
            metadata["finalizers"] = self.finalizers();
        }
        match self.subject {
            HistorySubject::ConfigMap => {
                let mut object = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata});
                if self.below(4) > 0 {
                    object["data"] = json!({"k": self.word()});
                }
                if self.below(4) == 0 {
                    object["data"]["l"] = self.word().into();
                }
                object
            }
            HistorySubject::Deployment => json!({
                "apiVersion": "apps/v1", "kind": "Deployment", "metadata": metadata,
                "spec": {
                    "paused": true, "replicas": self.below(2), "selector": {"matchLabels": {"a": "b"}},
                    "template": {
                        "metadata": {"labels": {"a": "b"}},
                        "spec": {"containers": [{"name": "c", "image": self.word()}]},
                    },
                },
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_seeds_give_equal_histories() {
        let requests = |seed| history(HistorySubject::ConfigMap, seed, 20).to_text().unwrap_or_default();
        assert_eq!(requests(7), requests(7));
        assert_ne!(requests(7), requests(8));
    }
}
