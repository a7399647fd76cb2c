//! Normalisation (DFT-2): values that differ from run to run are replaced by placeholders for their meaning. No I/O.

use std::collections::BTreeMap;

use http::HeaderMap;
use http::header::{CACHE_CONTROL, CONTENT_TYPE, ETAG, LOCATION, RETRY_AFTER, WARNING};
use serde_json::{Map, Value, json};

use super::answer::{Answer, Content};
use super::field_path;
use super::text::AGE;
use super::varying::VaryingValues;
use crate::script::{NormalAnswer, Script, ScriptStep};

/// The `Cache-Control` of nearly every answer.
const USUAL_CACHING: &str = "no-cache, private";

/// Returns the answers to a script's steps in comparable form, one for each step. `id` is the id of the run.
pub fn normalise(script: &Script, id: &str, answers: &[Answer]) -> Vec<NormalAnswer> {
    let mut varying = VaryingValues::new(script, id, answers);
    script.steps.iter().zip(answers).map(|(step, answer)| normal_outcome(&mut varying, step, answer)).collect()
}

fn normal_outcome(varying: &mut VaryingValues, step: &ScriptStep, answer: &Answer) -> NormalAnswer {
    let header = |name| header(&answer.headers, name);
    let caching = header(CACHE_CONTROL);
    let mut outcome = NormalAnswer {
        code: answer.code,
        protocol: answer.protocol.clone(),
        lines: step.layout.then_some(answer.lines),
        content_type: header(CONTENT_TYPE),
        warnings: warnings(&answer.headers).iter().map(|text| varying.text(text)).collect(),
        retry_after: header(RETRY_AFTER),
        location: varying.text(&header(LOCATION)),
        cache_control: if caching == USUAL_CACHING { String::new() } else { caching },
        etag: answer.headers.contains_key(ETAG),
        ..NormalAnswer::default()
    };
    match &answer.content {
        Content::Empty => {}
        Content::Text(text) => outcome.body = varying.text(text).into(),
        Content::Binary { magic, .. } => {
            outcome.body = json!({"binary": String::from_utf8_lossy(&magic[..magic.len().min(4)])});
        }
        Content::Json(body) => {
            outcome.body = normal_value(varying, body, None, false);
            outcome.messages = take_messages(&mut outcome.body);
            for message in &mut outcome.messages {
                *message = varying.versions_in(message);
            }
            if !step.only.is_empty() && outcome.body["status"] != "Failure" {
                outcome.body = field_path::keep(&outcome.body, &step.only);
            }
            for path in &step.without {
                field_path::remove(&mut outcome.body, path);
            }
        }
        Content::Events { events, ended } => {
            outcome.events = normal_events(varying, step, events);
            outcome.ended = *ended;
        }
    }
    outcome
}

fn normal_events(varying: &mut VaryingValues, step: &ScriptStep, events: &[Value]) -> Value {
    let stop = step.watch.clone().unwrap_or_default();
    let mut in_order = Vec::new();
    let mut by_object = BTreeMap::<String, Vec<Value>>::new();
    for event in events {
        let is_bookmark = event["type"] == "BOOKMARK";
        if is_bookmark && !stop.bookmarks {
            continue;
        }
        let mut object = normal_value(varying, &event["object"], None, is_bookmark);
        let messages = take_messages(&mut object);
        if !step.only.is_empty() && event["type"] != "ERROR" {
            object = field_path::keep(&object, &step.only);
        }
        for path in &step.without {
            field_path::remove(&mut object, path);
        }
        let mut entry = json!({"type": event["type"], "object": object});
        if step.message && !messages.is_empty() {
            let messages: Vec<String> = messages.iter().map(|message| varying.versions_in(message)).collect();
            entry["messages"] = messages.into();
        }
        by_object.entry(event_key(varying, event)).or_default().push(entry.clone());
        in_order.push(entry);
    }
    if stop.ordered { in_order.into() } else { json!(by_object) }
}

/// Returns the key of the object that an event is about.
fn event_key(varying: &mut VaryingValues, event: &Value) -> String {
    let kind = event["type"].as_str().unwrap_or_default();
    if kind == "BOOKMARK" || kind == "ERROR" {
        return kind.to_owned();
    }
    let object = &event["object"];
    let metadata = object.pointer("/rows/0/object/metadata").unwrap_or_else(|| &object["metadata"]);
    let part = |name: &str| metadata[name].as_str().unwrap_or_default();
    let key = format!("{}/{}", part("namespace"), part("name"));
    varying.text(&key)
}

/// Normalises a value. `is_list` is true if the version in the metadata of this value is that of the whole store.
fn normal_value(varying: &mut VaryingValues, value: &Value, key: Option<&str>, is_list: bool) -> Value {
    match value {
        Value::Object(members) => normal_object(varying, members, is_list),
        Value::Array(items) => {
            let mut items: Vec<Value> = items.iter().map(|item| normal_value(varying, item, key, false)).collect();
            if key == Some("managedFields") {
                // The server sorts them by time first, and two requests may or may not fall into the same second.
                items.sort_by_key(|item| json!([item["operation"], item["manager"], item]).to_string());
            }
            items.into()
        }
        Value::String(text) => varying.member(key, text),
        Value::Number(number) if matches!(key, Some("nodePort" | "healthCheckNodePort")) => {
            varying.port(number.as_u64().unwrap_or_default()).map_or_else(|| value.clone(), Value::from)
        }
        other => other.clone(),
    }
}

fn normal_object(varying: &mut VaryingValues, members: &Map<String, Value>, is_list: bool) -> Value {
    let is_table = members.get("kind").is_some_and(|kind| kind == "Table");
    let is_list = is_list || members.contains_key("items") || is_table;
    let mut result = Map::new();
    for (key, value) in members {
        let normal = match (key.as_str(), value) {
            ("metadata", Value::Object(metadata)) if is_list => normal_list_metadata(varying, metadata),
            ("cells", Value::Array(cells)) => cells.iter().map(|cell| normal_cell(varying, cell)).collect(),
            _ => normal_value(varying, value, Some(key), false),
        };
        result.insert(varying.text(key), normal);
    }
    result.into()
}

fn normal_list_metadata(varying: &mut VaryingValues, metadata: &Map<String, Value>) -> Value {
    let mut result = Map::new();
    for (key, value) in metadata {
        let normal = match (key.as_str(), value.as_str()) {
            ("resourceVersion", Some(version)) => varying.list_version(version).into(),
            ("continue", Some(token)) if !token.is_empty() => varying.token(token),
            _ => normal_value(varying, value, Some(key), false),
        };
        result.insert(key.clone(), normal);
    }
    result.into()
}

fn normal_cell(varying: &mut VaryingValues, cell: &Value) -> Value {
    match cell.as_str() {
        Some(text) if AGE.is_match(text) => "<age>".into(),
        _ => normal_value(varying, cell, None, false),
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
