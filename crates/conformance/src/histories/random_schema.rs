//! Random structural schemas, the same for the same seed: types, defaults, lists and maps of all kinds, limits, and rules.

use kubewright_middleware::Seed;
use serde_json::{Map, Value, json};

use super::random_value::value_of;

/// The depth of nested schemas.
const DEPTH: usize = 3;
const FIELDS: [&str; 7] = ["a", "b", "c", "d-e", "f", "namespace", "g.h"];
const WORDS: [&str; 4] = ["x", "y", "abc", "zz9"];
const PATTERNS: [&str; 4] = ["^[a-z]+$", "^x", r"^[a-z]\w*$", "(x|y)+"];
const FORMATS: [&str; 8] = ["date-time", "date", "duration", "byte", "ipv4", "uuid", "email", "hostname"];

/// Returns a random number below a bound.
pub(super) fn below(dice: &Seed, bound: usize) -> usize {
    usize::try_from(dice.below(bound as u64)).unwrap_or_default()
}

/// Returns true once in this many times on average.
pub(super) fn once_in(dice: &Seed, times: usize) -> bool {
    below(dice, times) == 0
}

pub(super) fn one_of<'a, T: ?Sized>(dice: &Seed, choices: &[&'a T]) -> &'a T {
    choices[below(dice, choices.len())]
}

/// Returns the schema of a whole object with `spec` and `status`.
pub(super) fn random_schema(dice: &Seed) -> Value {
    let author = RandomSchemaGenerator { dice };
    let mut spec = author.object(0);
    spec["type"] = "object".into();
    author.rule(&mut spec);
    let mut root = json!({"type": "object", "properties": {"spec": spec, "status": author.object(1)}});
    if once_in(dice, 4) {
        root["required"] = json!(["spec"]);
    }
    if once_in(dice, 6) {
        root["x-kubernetes-validations"] =
            json!([{"rule": "self.metadata.name != 'b' || has(self.spec)", "message": "b has no spec"}]);
    }
    root
}

struct RandomSchemaGenerator<'d> {
    dice: &'d Seed,
}

impl RandomSchemaGenerator<'_> {
    fn once_in(&self, times: usize) -> bool {
        once_in(self.dice, times)
    }

    fn below(&self, bound: usize) -> usize {
        below(self.dice, bound)
    }

    fn node(&self, depth: usize) -> Value {
        let kinds = if depth >= DEPTH { 6 } else { 13 };
        let mut node = match self.below(kinds) {
            0 | 1 => self.text(),
            2 => self.number("integer"),
            3 => self.number("number"),
            4 => json!({"type": "boolean"}),
            5 => json!({"x-kubernetes-int-or-string": true}),
            6 | 7 => self.object(depth),
            8 => self.map(depth),
            9 => self.list(depth),
            10 => self.set(),
            11 => self.map_list(depth),
            _ => self.free(),
        };
        if self.once_in(8) {
            node["nullable"] = true.into();
        }
        self.rule(&mut node);
        if self.once_in(4) {
            node["default"] = value_of(self.dice, &node, false);
        }
        node
    }

    fn text(&self) -> Value {
        let mut node = json!({"type": "string"});
        match self.below(7) {
            0 => node["enum"] = json!(WORDS[..=self.below(3) + 1].to_vec()),
            1 => node["pattern"] = one_of(self.dice, &PATTERNS).into(),
            2 => node["format"] = one_of(self.dice, &FORMATS).into(),
            3 => node["minLength"] = (self.below(3)).into(),
            _ => {}
        }
        if !self.once_in(3) {
            node["maxLength"] = (2 + self.below(30)).into();
        }
        node
    }

    fn number(&self, type_: &str) -> Value {
        let mut node = json!({"type": type_});
        if self.once_in(3) {
            node["minimum"] = self.below(3).into();
            if self.once_in(3) {
                node["exclusiveMinimum"] = true.into();
            }
        }
        if self.once_in(3) {
            node["maximum"] = (4 + self.below(4)).into();
            if self.once_in(3) {
                node["exclusiveMaximum"] = true.into();
            }
        }
        if self.once_in(6) {
            node["multipleOf"] = 2.into();
        }
        if type_ == "integer" && self.once_in(4) {
            node["format"] = one_of(self.dice, &["int32", "int64"]).into();
        }
        if self.once_in(8) {
            node["enum"] = json!([1, 2, 4]);
        }
        node
    }

    fn object(&self, depth: usize) -> Value {
        let mut properties = Map::new();
        for _ in 0..=self.below(4) {
            properties.insert(one_of(self.dice, &FIELDS).to_owned(), self.node(depth + 1));
        }
        let required: Vec<_> = properties.keys().filter(|_| self.once_in(5)).cloned().collect();
        let mut node = json!({"type": "object", "properties": properties});
        if !required.is_empty() {
            node["required"] = required.into();
        }
        if self.once_in(8) {
            node["x-kubernetes-preserve-unknown-fields"] = true.into();
        }
        if self.once_in(8) {
            node["x-kubernetes-map-type"] = one_of(self.dice, &["atomic", "granular"]).into();
        }
        if self.once_in(10) {
            node["maxProperties"] = (1 + self.below(3)).into();
        }
        if self.once_in(12) {
            node["minProperties"] = 1.into();
        }
        node
    }

    fn map(&self, depth: usize) -> Value {
        let mut node =
            json!({"type": "object", "additionalProperties": self.node(depth + 1), "maxProperties": 2 + self.below(3)});
        if self.once_in(6) {
            node["x-kubernetes-map-type"] = "atomic".into();
        }
        node
    }

    fn list(&self, depth: usize) -> Value {
        let mut node = json!({"type": "array", "items": self.node(depth + 1), "maxItems": 2 + self.below(3)});
        if self.once_in(3) {
            node["x-kubernetes-list-type"] = "atomic".into();
        }
        if self.once_in(6) {
            node["minItems"] = 1.into();
        }
        node
    }

    fn set(&self) -> Value {
        let items = if self.once_in(3) { json!({"type": "integer"}) } else { json!({"type": "string", "maxLength": 5}) };
        json!({"type": "array", "x-kubernetes-list-type": "set", "items": items, "maxItems": 2 + self.below(3)})
    }

    fn map_list(&self, depth: usize) -> Value {
        let mut item = self.object(depth + 1);
        item["properties"]["name"] = json!({"type": "string", "maxLength": 5});
        let mut keys = vec!["name"];
        let mut required = vec![json!("name")];
        if self.once_in(2) {
            item["properties"]["port"] = json!({"type": "integer"});
            keys.push("port");
            if self.once_in(2) {
                item["properties"]["port"]["default"] = 1.into();
            } else {
                required.push(json!("port"));
            }
        }
        required.extend(item["required"].as_array().into_iter().flatten().cloned());
        item["required"] = required.into();
        json!({"type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": keys, "items": item,
            "maxItems": 2 + self.below(3)})
    }

    fn free(&self) -> Value {
        match self.below(3) {
            0 => json!({"x-kubernetes-preserve-unknown-fields": true}),
            1 => json!({"type": "object", "x-kubernetes-preserve-unknown-fields": true}),
            _ => json!({"type": "object", "x-kubernetes-embedded-resource": true, "x-kubernetes-preserve-unknown-fields": true}),
        }
    }

    /// Adds a rule that fits the type, once in four times on average.
    fn rule(&self, node: &mut Value) {
        if !self.once_in(4) {
            return;
        }
        let Some(expression) = self.expression(node) else { return };
        let mut rule = json!({"rule": expression});
        match self.below(4) {
            0 => rule["message"] = "that is wrong".into(),
            1 => rule["messageExpression"] = "1 + 1 == 2 ? 'that is ' + 'wrong' : ''".into(),
            _ => {}
        }
        if self.once_in(4) {
            let reasons = ["FieldValueForbidden", "FieldValueRequired", "FieldValueDuplicate", "FieldValueInvalid"];
            rule["reason"] = one_of(self.dice, &reasons).into();
        }
        if expression.contains("oldSelf") && self.once_in(4) {
            rule["optionalOldSelf"] = false.into();
        }
        node["x-kubernetes-validations"] = json!([rule]);
    }

    fn expression(&self, node: &Value) -> Option<String> {
        let choose = |choices: &[&str]| Some(one_of(self.dice, choices).to_owned());
        let fields: Vec<&str> = node["properties"]
            .as_object()
            .into_iter()
            .flatten()
            .map(|(name, _)| name.as_str())
            .filter(|name| name.len() == 1)
            .collect();
        match node["type"].as_str() {
            Some("string") if node["format"].is_null() => choose(&[
                "self.size() < 4",
                "self != 'y'",
                "self.startsWith('a') || self.size() < 3",
                "self.matches('^[a-z]*$')",
                "self == oldSelf",
                "self in ['x', 'y', 'abc']",
                "self.lowerAscii() == self && !self.contains('zz')",
            ]),
            Some("integer") => choose(&["self > 0", "self >= oldSelf", "self % 2 == 0 || self < 3", "self != 3"]),
            Some("number") => choose(&["self > 0.5", "self != 1.5", "double(int(self)) == self"]),
            Some("boolean") => choose(&["self", "!self || self == oldSelf"]),
            Some("array") => choose(&[
                "self.size() < 3",
                "self.all(x, self.exists_one(y, y == x))",
                "self.exists(x, true) || self.size() == 0",
                "self.map(x, x == self[0]).size() == self.size()",
                "self.size() >= oldSelf.size()",
            ]),
            Some("object") if node["additionalProperties"].is_object() => {
                choose(&["self.all(k, k != 'b')", "self.size() < 3", "!('a' in self)", "oldSelf.all(k, k in self)"])
            }
            Some("object") if !fields.is_empty() => {
                let field = one_of(self.dice, &fields);
                let rules = [
                    format!("has(self.{field})"),
                    format!("!has(self.{field}) || self.{field} == self.{field}"),
                    format!("has(self.{field}) == has(oldSelf.{field})"),
                    "self == oldSelf".to_owned(),
                    format!("self.?{field}.hasValue() || true"),
                ];
                Some(rules[self.below(rules.len())].clone())
            }
            None if node["x-kubernetes-int-or-string"] == true => {
                choose(&["type(self) == int", "self != 1", "self == 'x' || self == 1"])
            }
            _ => None,
        }
    }
}
