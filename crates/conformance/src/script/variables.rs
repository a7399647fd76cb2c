//! Variables that are replaced before a request is sent.

use std::collections::BTreeMap;

use serde_json::Value;

/// The variables `$id`, `$ns` and `$group` of a run, and the variables that steps captured.
#[derive(Clone, Debug)]
pub(crate) struct Variables(BTreeMap<String, Value>);

impl Variables {
    /// Returns the variables of a run. `id` consists of eight letters, and is unique among the runs on the server.
    pub(crate) fn new(id: &str) -> Self {
        let text = |text: String| Value::from(text);
        Self(BTreeMap::from([
            ("$id".to_owned(), text(id.to_owned())),
            ("$ns".to_owned(), text(format!("ns-{id}"))),
            ("$group".to_owned(), text(format!("{id}.example.com"))),
        ]))
    }

    pub(crate) fn set(&mut self, name: &str, value: Value) {
        self.0.insert(name.to_owned(), value);
    }

    /// Returns a text with its variables replaced. Longer names are replaced first, since one name may begin with another.
    pub(crate) fn fill(&self, text: &str) -> String {
        if !text.contains('$') {
            return text.to_owned();
        }
        let mut names: Vec<&String> = self.0.keys().collect();
        names.sort_by_key(|name| std::cmp::Reverse(name.len()));
        let mut text = text.to_owned();
        for name in names {
            let value = match &self.0[name] {
                Value::String(value) => value.clone(),
                value => value.to_string(),
            };
            text = text.replace(name, &value);
        }
        text
    }

    /// Returns a value with its variables replaced, also in keys. A text that consists of a single variable becomes the value of that variable.
    pub(crate) fn fill_value(&self, value: &Value) -> Value {
        match value {
            Value::String(text) => self.0.get(text).cloned().unwrap_or_else(|| self.fill(text).into()),
            Value::Array(items) => items.iter().map(|item| self.fill_value(item)).collect(),
            Value::Object(members) => members.iter().map(|(key, value)| (self.fill(key), self.fill_value(value))).collect(),
            other => other.clone(),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn variables_are_replaced_in_texts_keys_and_whole_values() {
        let mut variables = Variables::new("kaaaaaaa");
        variables.set("$item", json!({"a": 1}));
        variables.set("$it", json!("x"));
        let filled = variables.fill_value(&json!({"$id/k": ["$item", "in $ns", "$it", "$patch"]}));
        assert_eq!(filled, json!({"kaaaaaaa/k": [{"a": 1}, "in ns-kaaaaaaa", "x", "$patch"]}));
    }
}
