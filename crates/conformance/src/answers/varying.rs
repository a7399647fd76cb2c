//! Values that differ from run to run, and their placeholders.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use base64::Engine as _;
use serde_json::{Value, json};

use super::answer::{Answer, Content};
use super::text::{ADDRESS, HASH, MICRO_TIME, NUMBER, TIME, TOKEN, UID};
use crate::script::Script;

/// The varying values that were seen in a run so far.
pub(super) struct VaryingValues {
    id: String,
    camel_id: String,
    /// The text of all requests of the script. Values that occur in it stay unchanged.
    said: String,
    /// The versions of objects, sorted.
    versions: Vec<u64>,
    uids: HashMap<String, usize>,
    addresses: HashMap<String, usize>,
    ports: HashMap<u64, usize>,
    /// The generated names, longest first, with their replacements.
    generated: Vec<(String, String)>,
}

impl VaryingValues {
    /// Collects the versions and the generated names of all answers of a run.
    pub(super) fn new(script: &Script, id: &str, answers: &[Answer]) -> Self {
        let mut said = String::new();
        for step in &script.steps {
            let sent = json!([step.path, step.body, step.raw, step.headers]);
            said.push_str(&sent.to_string());
        }
        let mut versions = BTreeSet::new();
        let mut generated = Vec::new();
        for answer in answers {
            for value in values(&answer.content) {
                collect_versions(value, &mut versions);
                collect_generated(value, &mut generated);
            }
        }
        let mut of_base = BTreeMap::<String, usize>::new();
        let mut names: Vec<(String, String)> = Vec::new();
        for (base, name) in generated {
            if names.iter().all(|(known, _)| *known != name) {
                let count = of_base.entry(base.clone()).or_default();
                *count += 1;
                names.push((name, format!("{base}<generated:{count}>")));
            }
        }
        names.sort_by_key(|(name, _)| std::cmp::Reverse(name.len()));
        Self {
            id: id.to_owned(),
            camel_id: id[..1].to_uppercase() + &id[1..],
            said,
            versions: versions.into_iter().collect(),
            uids: HashMap::new(),
            addresses: HashMap::new(),
            ports: HashMap::new(),
            generated: names,
        }
    }

    /// Replaces the version of a list by the number of known versions up to it: other clients write to the same server, so the version itself varies.
    pub(super) fn list_version(&self, version: &str) -> String {
        match version.parse::<u64>() {
            Ok(version) => format!("<list:{}>", self.versions.iter().filter(|known| **known <= version).count()),
            Err(_) => version.to_owned(),
        }
    }

    /// Returns the content of a continue token; a text that is none stays as it is.
    pub(super) fn token(&self, token: &str) -> Value {
        let decoded = base64::engine::general_purpose::URL_SAFE_NO_PAD.decode(token).ok();
        let Some(mut decoded) = decoded.and_then(|bytes| serde_json::from_slice::<Value>(&bytes).ok()) else {
            return token.into();
        };
        let version = decoded["rv"].to_string();
        decoded["rv"] = self.list_version(&version).into();
        if let Some(start) = decoded["start"].as_str() {
            decoded["start"] = self.text_of_generated(start).replace(&self.id, "$id").into();
        }
        decoded
    }

    /// Returns the placeholder of a port, or nothing for a port that the script names.
    pub(super) fn port(&mut self, port: u64) -> Option<String> {
        (!self.said.contains(&port.to_string())).then(|| format!("<port:{}>", index(&mut self.ports, port)))
    }

    /// Returns a text, or its placeholder by the key under which it stands.
    pub(super) fn member(&mut self, key: Option<&str>, text: &str) -> Value {
        if key == Some("resourceVersion")
            && let Ok(version) = text.parse::<u64>()
            && let Ok(rank) = self.versions.binary_search(&version)
        {
            return format!("<version:{}>", rank + 1).into();
        }
        if ADDRESS.is_match(text) && !self.said.contains(text) {
            return format!("<address:{}>", index(&mut self.addresses, text.to_owned())).into();
        }
        self.text(text).into()
    }

    fn text_of_generated(&self, text: &str) -> String {
        self.generated.iter().fold(text.to_owned(), |text, (name, normal)| text.replace(name, normal))
    }

    /// Returns a text with its varying parts replaced.
    pub(super) fn text(&mut self, text: &str) -> String {
        let mut text = self.text_of_generated(text);
        for (pattern, name) in [(&TOKEN, "<token>"), (&HASH, "<hash>"), (&MICRO_TIME, "<micro-time>"), (&TIME, "<time>")] {
            let said = &self.said;
            let replaced =
                pattern.replace_all(
                    &text,
                    |found: &regex::Captures<'_>| {
                        if said.contains(&found[0]) { found[0].to_owned() } else { name.to_owned() }
                    },
                );
            text = replaced.into_owned();
        }
        let (said, uids) = (&self.said, &mut self.uids);
        let replaced = UID.replace_all(&text, |found: &regex::Captures<'_>| {
            if said.contains(&found[0]) { found[0].to_owned() } else { format!("<uid:{}>", index(uids, found[0].to_owned())) }
        });
        // Names of operations are in camel case.
        replaced.replace(&self.id, "$id").replace(&self.camel_id, "$Id")
    }

    /// Returns a message with the versions in it replaced.
    pub(super) fn versions_in(&self, message: &str) -> String {
        if !message.to_lowercase().contains("version") {
            return message.to_owned();
        }
        let replaced = NUMBER.replace_all(message, |found: &regex::Captures<'_>| {
            let number = found[0].parse::<u64>().unwrap_or_default();
            if self.says(&found[0]) || number < 10 { found[0].to_owned() } else { "<version>".to_owned() }
        });
        replaced.into_owned()
    }

    /// Returns true if the script itself contains the number: as a word of its own, not as a part of an id.
    fn says(&self, number: &str) -> bool {
        let is_apart = |neighbour: Option<char>| neighbour.is_none_or(|letter| !letter.is_ascii_alphanumeric());
        self.said.match_indices(number).any(|(at, _)| {
            is_apart(self.said[..at].chars().next_back()) && is_apart(self.said[at + number.len()..].chars().next())
        })
    }
}

/// Returns the number of a value in the order of first occurrence, from 1.
fn index<K: std::hash::Hash + Eq>(known: &mut HashMap<K, usize>, key: K) -> usize {
    let next = known.len() + 1;
    *known.entry(key).or_insert(next)
}

fn values(content: &Content) -> Vec<&Value> {
    match content {
        Content::Json(body) => vec![body],
        Content::Events { events, .. } => {
            events.iter().filter(|event| event["type"] != "BOOKMARK").map(|event| &event["object"]).collect()
        }
        _ => Vec::new(),
    }
}

/// Collects the versions of objects. Versions of lists are those of the whole store, and are left out.
fn collect_versions(value: &Value, versions: &mut BTreeSet<u64>) {
    match value {
        Value::Object(members) => {
            let is_list = members.contains_key("items") || members.get("kind").is_some_and(|kind| kind == "Table");
            if !is_list && let Some(version) = value.pointer("/metadata/resourceVersion").and_then(Value::as_str) {
                versions.extend(version.parse::<u64>());
            }
            members.values().for_each(|value| collect_versions(value, versions));
        }
        Value::Array(items) => items.iter().for_each(|item| collect_versions(item, versions)),
        _ => {}
    }
}

/// Collects the base and name of objects with generated names.
fn collect_generated(value: &Value, names: &mut Vec<(String, String)>) {
    match value {
        Value::Object(members) => {
            let part = |name: &str| members.get(name).and_then(Value::as_str);
            if let (Some(base), Some(name)) = (part("generateName"), part("name"))
                && name.len() > base.len().min(58)
                && name.starts_with(&base[..base.len().min(58)])
            {
                names.push((base[..base.len().min(58)].to_owned(), name.to_owned()));
            }
            members.values().for_each(|value| collect_generated(value, names));
        }
        Value::Array(items) => items.iter().for_each(|item| collect_generated(item, names)),
        _ => {}
    }
}
