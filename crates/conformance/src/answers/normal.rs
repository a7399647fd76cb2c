//! Normalisation (DFT-2): values that differ from run to run are replaced by placeholders for their meaning. No I/O.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use base64::Engine as _;
use http::HeaderMap;
use http::header::{CACHE_CONTROL, CONTENT_TYPE, ETAG, LOCATION, RETRY_AFTER, WARNING};
use serde_json::{Map, Value, json};

use super::answer::{Answer, Content};
use super::field_path;
use super::text::{ADDRESS, AGE, HASH, MICRO_TIME, NUMBER, TIME, TOKEN, UID};
use crate::script::{Outcome, Script, Step};

/// The `Cache-Control` of nearly every answer.
const USUAL_CACHING: &str = "no-cache, private";

/// Returns the answers to a script's steps in comparable form, one for each step. `id` is the id of the run.
pub fn normalise(script: &Script, id: &str, answers: &[Answer]) -> Vec<Outcome> {
    let mut names = VaryingValues::new(script, id, answers);
    script.steps.iter().zip(answers).map(|(step, answer)| names.outcome(step, answer)).collect()
}

/// The varying values that were seen in a run so far.
struct VaryingValues {
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
    fn new(script: &Script, id: &str, answers: &[Answer]) -> Self {
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

    fn outcome(&mut self, step: &Step, answer: &Answer) -> Outcome {
        let header = |name| header(&answer.headers, name);
        let caching = header(CACHE_CONTROL);
        let mut outcome = Outcome {
            code: answer.code,
            protocol: answer.protocol.clone(),
            lines: step.layout.then_some(answer.lines),
            content_type: header(CONTENT_TYPE),
            warnings: warnings(&answer.headers).iter().map(|text| self.text(text)).collect(),
            retry_after: header(RETRY_AFTER),
            location: self.text(&header(LOCATION)),
            cache_control: if caching == USUAL_CACHING { String::new() } else { caching },
            etag: answer.headers.contains_key(ETAG),
            ..Outcome::default()
        };
        match &answer.content {
            Content::Empty => {}
            Content::Text(text) => outcome.body = self.text(text).into(),
            Content::Binary { magic, .. } => {
                outcome.body = json!({"binary": String::from_utf8_lossy(&magic[..magic.len().min(4)])});
            }
            Content::Json(body) => {
                outcome.body = self.value(body, None, false);
                outcome.messages = take_messages(&mut outcome.body);
                for message in &mut outcome.messages {
                    *message = self.versions_in(message);
                }
                if !step.only.is_empty() && outcome.body["status"] != "Failure" {
                    outcome.body = field_path::keep(&outcome.body, &step.only);
                }
                for path in &step.without {
                    field_path::remove(&mut outcome.body, path);
                }
            }
            Content::Events { events, ended } => {
                outcome.events = self.events(step, events);
                outcome.ended = *ended;
            }
        }
        outcome
    }

    fn events(&mut self, step: &Step, events: &[Value]) -> Value {
        let stop = step.watch.clone().unwrap_or_default();
        let mut in_order = Vec::new();
        let mut by_object = BTreeMap::<String, Vec<Value>>::new();
        for event in events {
            let is_bookmark = event["type"] == "BOOKMARK";
            if is_bookmark && !stop.bookmarks {
                continue;
            }
            let mut object = self.value(&event["object"], None, is_bookmark);
            let messages = take_messages(&mut object);
            if !step.only.is_empty() && event["type"] != "ERROR" {
                object = field_path::keep(&object, &step.only);
            }
            for path in &step.without {
                field_path::remove(&mut object, path);
            }
            let mut entry = json!({"type": event["type"], "object": object});
            if step.message && !messages.is_empty() {
                let messages: Vec<String> = messages.iter().map(|message| self.versions_in(message)).collect();
                entry["messages"] = messages.into();
            }
            by_object.entry(self.key(event)).or_default().push(entry.clone());
            in_order.push(entry);
        }
        if stop.ordered { in_order.into() } else { json!(by_object) }
    }

    /// Returns the key of the object that an event is about.
    fn key(&mut self, event: &Value) -> String {
        let kind = event["type"].as_str().unwrap_or_default();
        if kind == "BOOKMARK" || kind == "ERROR" {
            return kind.to_owned();
        }
        let object = &event["object"];
        let metadata = object.pointer("/rows/0/object/metadata").unwrap_or_else(|| &object["metadata"]);
        let part = |name: &str| metadata[name].as_str().unwrap_or_default();
        let key = format!("{}/{}", part("namespace"), part("name"));
        self.text(&key)
    }

    /// Normalises a value. `is_list` is true if the version in the metadata of this value is that of the whole store.
    fn value(&mut self, value: &Value, key: Option<&str>, is_list: bool) -> Value {
        match value {
            Value::Object(members) => self.object(members, is_list),
            Value::Array(items) => {
                let mut items: Vec<Value> = items.iter().map(|item| self.value(item, key, false)).collect();
                if key == Some("managedFields") {
                    // The server sorts them by time first, and two requests may or may not fall into the same second.
                    items.sort_by_key(|item| json!([item["operation"], item["manager"], item]).to_string());
                }
                items.into()
            }
            Value::String(text) => self.member(key, text),
            Value::Number(number) if matches!(key, Some("nodePort" | "healthCheckNodePort")) => {
                let port = number.as_u64().unwrap_or_default();
                if self.said.contains(&port.to_string()) {
                    return value.clone();
                }
                format!("<port:{}>", index(&mut self.ports, port)).into()
            }
            other => other.clone(),
        }
    }

    fn object(&mut self, members: &Map<String, Value>, is_list: bool) -> Value {
        let is_table = members.get("kind").is_some_and(|kind| kind == "Table");
        let is_list = is_list || members.contains_key("items") || is_table;
        let mut result = Map::new();
        for (key, value) in members {
            let normal = match (key.as_str(), value) {
                ("metadata", Value::Object(metadata)) if is_list => self.list_metadata(metadata),
                ("cells", Value::Array(cells)) => cells.iter().map(|cell| self.cell(cell)).collect(),
                _ => self.value(value, Some(key), false),
            };
            result.insert(self.text(key), normal);
        }
        result.into()
    }

    fn list_metadata(&mut self, metadata: &Map<String, Value>) -> Value {
        let mut result = Map::new();
        for (key, value) in metadata {
            let normal = match (key.as_str(), value.as_str()) {
                ("resourceVersion", Some(version)) => self.list_version(version).into(),
                ("continue", Some(token)) if !token.is_empty() => self.token(token),
                _ => self.value(value, Some(key), false),
            };
            result.insert(key.clone(), normal);
        }
        result.into()
    }

    /// Replaces the version of a list by the number of known versions up to it: other clients write to the same server, so the version itself varies.
    fn list_version(&self, version: &str) -> String {
        match version.parse::<u64>() {
            Ok(version) => format!("<list:{}>", self.versions.iter().filter(|known| **known <= version).count()),
            Err(_) => version.to_owned(),
        }
    }

    fn token(&self, token: &str) -> Value {
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

    fn cell(&mut self, cell: &Value) -> Value {
        match cell.as_str() {
            Some(text) if AGE.is_match(text) => "<age>".into(),
            _ => self.value(cell, None, false),
        }
    }

    fn member(&mut self, key: Option<&str>, text: &str) -> Value {
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

    fn text(&mut self, text: &str) -> String {
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
    fn versions_in(&self, message: &str) -> String {
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

/// Removes the texts from a failure and sorts its causes; exact duplicates are dropped (UPD-7).
fn take_messages(body: &mut Value) -> Vec<String> {
    if body["kind"] != "Status" || body["status"] != "Failure" {
        return Vec::new();
    }
    let mut messages = Vec::new();
    if let Some(Value::String(message)) = body.as_object_mut().and_then(|body| body.remove("message")) {
        messages.push(message);
    }
    if let Some(causes) = body.pointer_mut("/details/causes").and_then(Value::as_array_mut) {
        causes.sort_by_key(Value::to_string);
        causes.dedup();
        causes.sort_by_key(|cause| json!([cause["field"], cause["reason"], cause["message"]]).to_string());
        for cause in causes {
            if let Some(Value::String(message)) = cause.as_object_mut().and_then(|cause| cause.remove("message")) {
                messages.push(message);
            }
        }
    }
    messages
}

fn header(headers: &HeaderMap, name: http::HeaderName) -> String {
    headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default().to_owned()
}

/// Returns the quoted texts of the warnings.
fn warnings(headers: &HeaderMap) -> Vec<String> {
    let text = |value: &http::HeaderValue| {
        let value = String::from_utf8_lossy(value.as_bytes()).into_owned();
        value.strip_prefix("299 - ").map_or_else(|| value.clone(), Into::into)
    };
    headers.get_all(WARNING).iter().map(text).collect()
}

#[cfg(test)]
#[path = "normal_tests.rs"]
mod tests;
