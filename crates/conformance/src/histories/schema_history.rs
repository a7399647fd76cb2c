//! Random definitions, and requests of several field managers about their objects (DFT-7).

use std::collections::BTreeMap;

use kubewright_apiserver::definition;
use kubewright_middleware::Seed;
use serde_json::{Value, json};

use super::random_schema::{below, once_in, one_of, random_schema};
use super::random_value::value_of;
use crate::script::{Header, Script, ScriptStep};

const MANAGERS: [&str; 3] = ["one", "two", "three"];
const NAMES: [&str; 2] = ["a", "b"];
const OBJECTS: &str = "/apis/$group/v1/namespaces/$ns/gadgets";

/// Returns a random schema, in the form in which the definition of its objects contains it.
pub fn schema(seed: u64) -> Value {
    random_schema(&Seed::new(seed))
}

/// Returns random objects of a random schema; most are valid.
pub fn objects(seed: u64, count: usize) -> Vec<Value> {
    let dice = Seed::new(seed);
    let schema = random_schema(&dice);
    (0..count).map(|_| value_of(&dice, &schema, true)).collect()
}

/// Returns a random definition, and this many requests about its objects.
pub fn schema_history(seed: u64, length: usize) -> Script {
    let dice = Seed::new(seed);
    let schema = random_schema(&dice);
    let definition = definition_of(&schema);
    let mut steps = vec![ScriptStep {
        id: "definition".into(),
        method: "POST".into(),
        path: "/apis/apiextensions.k8s.io/v1/customresourcedefinitions".into(),
        body: Some(definition.clone()),
        only: ["/kind", "/reason", "/details/causes", "/spec/versions"].map(str::to_owned).to_vec(),
        ..ScriptStep::default()
    }];
    // A definition that is rejected has no objects.
    if definition::validate(&with_group(&definition), None).is_empty() {
        let author = SchemaHistoryGenerator { dice, schema };
        steps.push(ScriptStep {
            id: "served".into(),
            path: OBJECTS.into(),
            until: BTreeMap::from([("code".to_owned(), json!(200))]),
            ..ScriptStep::default()
        });
        steps.extend((0..length).map(|number| author.step(number)));
        steps.extend(NAMES.iter().map(|name| ScriptStep {
            id: format!("end-{name}"),
            path: format!("{OBJECTS}/{name}"),
            ..ScriptStep::default()
        }));
    }
    let about = format!("A random definition and its objects, seed {seed}.");
    Script { id: format!("history/Schema-{seed}"), header: Header { about, ..Header::default() }, steps }
}

fn definition_of(schema: &Value) -> Value {
    json!({"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "metadata": {"name": "gadgets.$group"},
        "spec": {"group": "$group", "scope": "Namespaced", "names": {"plural": "gadgets", "kind": "Gadget", "singular": "gadget",
            "listKind": "GadgetList"}, "conversion": {"strategy": "None"},
            "versions": [{"name": "v1", "served": true, "storage": true, "schema": {"openAPIV3Schema": schema}, "subresources": {"status": {}}}]}})
}

/// Returns the definition in the form in which it is sent.
fn with_group(definition: &Value) -> Value {
    let mut definition = definition.clone();
    definition["metadata"]["name"] = "gadgets.ex.dev".into();
    definition["spec"]["group"] = "ex.dev".into();
    definition["status"] = json!({"storedVersions": ["v1"]});
    definition
}

/// The generator of random requests.
struct SchemaHistoryGenerator {
    dice: Seed,
    schema: Value,
}

impl SchemaHistoryGenerator {
    fn step(&self, number: usize) -> ScriptStep {
        let name = one_of(&self.dice, &NAMES);
        let manager = one_of(&self.dice, &MANAGERS);
        let at = format!("{OBJECTS}/{name}");
        let (kind, method, path, content, body) = match below(&self.dice, 14) {
            0..=2 => ("create", "POST", OBJECTS.to_owned(), "application/json", self.object(name)),
            3..=6 => ("apply", "PATCH", at, "application/apply-patch+yaml", self.object(name)),
            7 | 8 => ("merge", "PATCH", at, "application/merge-patch+json", json!({"spec": self.part("spec")})),
            9 => {
                let replace = json!([{"op": "replace", "path": "/spec", "value": self.part("spec")}]);
                ("json", "PATCH", at, "application/json-patch+json", replace)
            }
            10 => (
                "merge-status",
                "PATCH",
                format!("{at}/status"),
                "application/merge-patch+json",
                json!({"status": self.part("status")}),
            ),
            11 => {
                let mut object = self.object(name);
                object["status"] = self.part("status");
                ("apply-status", "PATCH", format!("{at}/status"), "application/apply-patch+yaml", object)
            }
            12 => {
                ("label", "PATCH", at, "application/merge-patch+json", json!({"metadata": {"labels": {"l": number.to_string()}}}))
            }
            _ => ("delete", "DELETE", at, "application/json", json!({})),
        };
        let mut query = format!("fieldManager={manager}");
        if kind.starts_with("apply") && once_in(&self.dice, 2) {
            query.push_str("&force=true");
        }
        if method != "DELETE" && once_in(&self.dice, 6) {
            query.push_str(one_of(&self.dice, &["&fieldValidation=Strict", "&fieldValidation=Ignore", "&dryRun=All"]));
        }
        ScriptStep {
            id: format!("{number}-{kind}"),
            method: method.into(),
            path: if method == "DELETE" { path } else { format!("{path}?{query}") },
            headers: BTreeMap::from([("content-type".to_owned(), content.to_owned())]),
            body: Some(body),
            ..ScriptStep::default()
        }
    }

    fn part(&self, name: &str) -> Value {
        value_of(&self.dice, &self.schema["properties"][name], true)
    }

    fn object(&self, name: &str) -> Value {
        let mut object = json!({"apiVersion": "$group/v1", "kind": "Gadget", "metadata": {"name": name}});
        if !once_in(&self.dice, 12) {
            object["spec"] = self.part("spec");
        }
        object
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_seeds_give_equal_histories() {
        let requests = |seed| schema_history(seed, 20).to_text().unwrap_or_default();
        assert_eq!(requests(7), requests(7));
        assert_ne!(requests(7), requests(8));
    }

    // DFT-7: most definitions are accepted, so that most histories have requests about objects.
    #[test]
    fn most_definitions_are_accepted() {
        let accepted = (0..100).filter(|seed| schema_history(*seed, 1).steps.len() > 1).count();
        assert!(accepted > 60, "{accepted} of 100");
    }
}
