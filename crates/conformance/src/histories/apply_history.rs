//! Random histories of a custom resource by several field managers (DFT-7): applies, merge patches and writes of the status, at two versions.

use std::collections::BTreeMap;

use kubewright_middleware::Seed;
use serde_json::{Map, Value, json};

use crate::script::{Header, Script, ScriptStep};

const MANAGERS: [&str; 4] = ["one", "two", "three", "four"];
const VERSIONS: [&str; 3] = ["v1", "v1", "v1beta1"];
const WORDS: [&str; 2] = ["x", "y"];
const NAMES: [&str; 2] = ["a", "b"];

/// Returns a history of this many requests, after those that create the definition.
pub fn apply_history(seed: u64, length: usize) -> Script {
    let author = ApplyHistoryGenerator { dice: Seed::new(seed) };
    let definition = ScriptStep {
        id: "definition".into(),
        method: "POST".into(),
        path: "/apis/apiextensions.k8s.io/v1/customresourcedefinitions".into(),
        body: Some(definition()),
        only: vec!["/kind".into()],
        ..ScriptStep::default()
    };
    let first = ScriptStep {
        id: "first".into(),
        method: "POST".into(),
        path: path("v1", ""),
        body: Some(object("v1", "first", json!({}))),
        until: BTreeMap::from([("code".to_owned(), json!(201))]),
        ..ScriptStep::default()
    };
    let mut steps = vec![definition, first];
    steps.extend((0..length).map(|number| author.step(number)));
    steps.extend(NAMES.iter().map(|name| ScriptStep {
        id: format!("end-{name}"),
        path: path("v1", name),
        ..ScriptStep::default()
    }));
    let about = format!("A random history of applies, seed {seed}.");
    Script { id: format!("history/Applies-{seed}"), header: Header { about, ..Header::default() }, steps }
}

fn path(version: &str, name: &str) -> String {
    let slash = if name.is_empty() { "" } else { "/" };
    format!("/apis/$group/{version}/namespaces/$ns/gadgets{slash}{name}")
}

fn object(version: &str, name: &str, spec: Value) -> Value {
    json!({"apiVersion": format!("$group/{version}"), "kind": "Gadget", "metadata": {"name": name}, "spec": spec})
}

/// Returns a definition with every kind of list and map that ownership distinguishes.
fn definition() -> Value {
    let text = json!({"type": "string"});
    let ports = json!({"type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["port", "proto"], "items": {
        "type": "object", "required": ["port"], "properties": {"port": {"type": "integer"},
            "proto": {"type": "string", "default": "TCP"}, "name": text, "opts": {"type": "object", "additionalProperties": text}}}});
    let conditions = json!({"type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["type"], "items": {
        "type": "object", "required": ["type"], "properties": {"type": text, "status": text}}});
    let spec = json!({"type": "object", "properties": {
        "size": {"type": "integer"}, "word": {"type": "string", "default": "w"},
        "atom": {"type": "array", "items": text}, "set": {"type": "array", "x-kubernetes-list-type": "set", "items": text},
        "ports": ports,
        "whole": {"type": "object", "x-kubernetes-map-type": "atomic", "properties": {"x": text, "y": text}},
        "map": {"type": "object", "additionalProperties": text},
        "nested": {"type": "object", "additionalProperties": {"type": "object", "properties": {"x": text, "y": text}}},
        "free": {"type": "object", "x-kubernetes-preserve-unknown-fields": true},
        "either": {"x-kubernetes-int-or-string": true}}});
    let schema = json!({"type": "object", "properties": {"spec": spec,
        "status": {"type": "object", "properties": {"phase": text, "conditions": conditions}}}});
    let version = |name: &str| json!({"name": name, "served": true, "storage": name == "v1", "schema": {"openAPIV3Schema": schema}, "subresources": {"status": {}}});
    json!({"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "metadata": {"name": "gadgets.$group"},
        "spec": {"group": "$group", "scope": "Namespaced", "names": {"plural": "gadgets", "kind": "Gadget"},
            "versions": [version("v1"), version("v1beta1")]}})
}

/// The generator of random requests.
struct ApplyHistoryGenerator {
    dice: Seed,
}

impl ApplyHistoryGenerator {
    fn below(&self, bound: usize) -> usize {
        usize::try_from(self.dice.below(bound as u64)).unwrap_or_default()
    }

    fn one_of<'a, T: ?Sized>(&self, choices: &[&'a T]) -> &'a T {
        choices[self.below(choices.len())]
    }

    fn step(&self, number: usize) -> ScriptStep {
        let (version, name, manager) = (self.one_of(&VERSIONS), self.one_of(&NAMES), self.one_of(&MANAGERS));
        let (kind, at, content, body) = match self.below(10) {
            0..6 => ("apply", path(version, name), "application/apply-patch+yaml", object(version, name, self.spec())),
            6 | 7 => ("merge", path(version, name), "application/merge-patch+json", json!({"spec": self.spec()})),
            8 => {
                let mut applied =
                    json!({"apiVersion": format!("$group/{version}"), "kind": "Gadget", "metadata": {"name": name}});
                applied["status"] = self.status();
                ("apply-status", format!("{}/status", path(version, name)), "application/apply-patch+yaml", applied)
            }
            _ => {
                let at = format!("{}/status", path(version, name));
                ("merge-status", at, "application/merge-patch+json", json!({"status": self.status()}))
            }
        };
        let force = if kind.starts_with("apply") && self.below(2) == 0 { "&force=true" } else { "" };
        ScriptStep {
            id: format!("{number}-{kind}"),
            method: "PATCH".into(),
            path: format!("{at}?fieldManager={manager}{force}"),
            headers: BTreeMap::from([("content-type".to_owned(), content.to_owned())]),
            body: Some(body),
            ..ScriptStep::default()
        }
    }

    fn word(&self) -> Value {
        self.one_of(&WORDS).into()
    }

    /// Returns a random selection of the choices, in random order.
    fn some_of(&self, choices: &[&str]) -> Vec<String> {
        let mut left = choices.to_vec();
        let count = self.below(choices.len() + 1);
        (0..count).map(|_| left.remove(self.below(left.len())).to_owned()).collect()
    }

    fn map(&self, keys: &[&str]) -> Value {
        self.some_of(keys).into_iter().map(|key| (key, self.word())).collect::<Map<_, _>>().into()
    }

    fn ports(&self) -> Value {
        let ports = self.some_of(&["1TCP", "1UDP", "2TCP", "1", "2"]);
        let mut seen = Vec::new();
        let mut items = Vec::new();
        for port in ports {
            let (number, proto) = port.split_at(1);
            let key = (number.to_owned(), if proto.is_empty() { "TCP".to_owned() } else { proto.to_owned() });
            if seen.contains(&key) {
                continue;
            }
            seen.push(key);
            let mut item = json!({"port": number.parse::<i64>().unwrap_or_default()});
            if !proto.is_empty() {
                item["proto"] = proto.into();
            }
            if self.below(3) == 0 {
                item["name"] = self.word();
            }
            if self.below(4) == 0 {
                item["opts"] = self.map(&["a", "b"]);
            }
            items.push(item);
        }
        items.into()
    }

    fn spec(&self) -> Value {
        let mut spec = Map::new();
        let mut put = |chance: usize, field: &str, value: Value| {
            if self.below(10) < chance {
                spec.insert(field.to_owned(), value);
            }
        };
        put(4, "size", self.below(3).into());
        put(2, "word", self.one_of(&["w", "v"]).into());
        put(3, "atom", self.some_of(&["a", "b"]).into());
        put(4, "set", self.some_of(&["a", "b", "c"]).into());
        put(4, "ports", self.ports());
        put(3, "whole", self.map(&["x", "y"]));
        put(4, "map", self.map(&["a", "b", "c"]));
        put(
            3,
            "nested",
            self.some_of(&["m", "n"]).into_iter().map(|key| (key, self.map(&["x", "y"]))).collect::<Map<_, _>>().into(),
        );
        let free = [json!({}), json!({"a": 1}), json!({"a": {"b": [1]}}), json!({"b": "x", "a": 2})];
        put(3, "free", free[self.below(free.len())].clone());
        put(2, "either", if self.below(2) == 0 { 1.into() } else { "1".into() });
        spec.into()
    }

    fn status(&self) -> Value {
        let conditions: Vec<_> =
            self.some_of(&["A", "B"]).into_iter().map(|kind| json!({"type": kind, "status": self.word()})).collect();
        json!({"phase": self.word(), "conditions": conditions})
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_seeds_give_equal_histories() {
        let requests = |seed| apply_history(seed, 20).to_text().unwrap_or_default();
        assert_eq!(requests(7), requests(7));
        assert_ne!(requests(7), requests(8));
    }
}
