//! OpenAPI v2 (DISC-9): all groups in one document, for clients that do not know v3. Its content is that of version 3, in another form.

use serde_json::{Map, Value, json};

use crate::discovery::Document;
use crate::forms::Definitions;

const SCHEMAS: &str = "#/components/schemas/";
const DEFINITIONS: &str = "#/definitions/";
/// The keywords in the schema of a custom type that version 2 does not support.
const UNSAID: [&str; 5] = ["anyOf", "default", "not", "nullable", "oneOf"];

const PRESERVES: &str = "x-kubernetes-preserve-unknown-fields";

/// The content of some documents of version 3, in the form of version 2.
#[derive(Clone, Debug, Default)]
pub(super) struct SwaggerPart {
    paths: Map<String, Value>,
    definitions: Map<String, Value>,
}

/// Converts documents of version 3 to the form of version 2.
pub(super) fn part<'d>(documents: impl Iterator<Item = &'d Document>) -> SwaggerPart {
    let SwaggerPart { mut paths, mut definitions } = SwaggerPart::default();
    for document in documents {
        // The documents were built by this server, so they can be parsed.
        let mut document: Value = serde_json::from_slice(&document.body).unwrap_or_default();
        if let Value::Object(items) = document["paths"].take() {
            paths.extend(items.into_iter().map(|(path, item)| (path, self::item(item))));
        }
        if let Value::Object(schemas) = document["components"]["schemas"].take() {
            for (name, schema) in schemas {
                let definition = Definitions::embedded().schema(&name).cloned().unwrap_or_else(|| custom_kind(schema));
                definitions.insert(name, definition);
            }
        }
    }
    SwaggerPart { paths, definitions }
}

/// Returns the document with the content of two parts.
pub(super) fn document(builtin: &SwaggerPart, custom: SwaggerPart) -> Value {
    let SwaggerPart { mut paths, mut definitions } = builtin.clone();
    paths.extend(custom.paths);
    definitions.extend(custom.definitions);
    json!({
        "swagger": "2.0",
        "info": {"title": "Kubernetes", "version": "1.36"},
        "paths": paths,
        "definitions": definitions,
        "securityDefinitions": {
            "BearerToken": {"type": "apiKey", "name": "authorization", "in": "header", "description": "Bearer Token authentication"},
        },
        "security": [{"BearerToken": []}],
    })
}

/// Converts a path with its operations.
fn item(item: Value) -> Value {
    let Value::Object(members) = item else { return item };
    let convert = |(name, value): (String, Value)| {
        let value = if name == "parameters" { parameters(value) } else { operation(value) };
        (name, value)
    };
    members.into_iter().map(convert).collect::<Map<_, _>>().into()
}

fn operation(mut operation: Value) -> Value {
    let body = operation["requestBody"].take();
    let mut responses = operation["responses"].take();
    let own = operation["parameters"].take();
    let produces = responses.as_object().into_iter().flat_map(Map::values).find_map(|response| types(&response["content"]));
    let mut all: Vec<Value> = Vec::new();
    if let Some(schema) = schema_of(&body["content"]) {
        let mut parameter = json!({"name": "body", "in": "body", "schema": schema});
        if body["required"] == true {
            parameter["required"] = true.into();
        }
        all.push(parameter);
    }
    if let Value::Array(own) = parameters(own) {
        all.extend(own);
    }
    for response in responses.as_object_mut().into_iter().flat_map(Map::values_mut) {
        let schema = schema_of(&response["content"]);
        if let Some(response) = response.as_object_mut() {
            response.remove("content");
            response.extend(schema.map(|schema| ("schema".to_owned(), schema)));
        }
    }
    if let Some(members) = operation.as_object_mut() {
        members.remove("requestBody");
        members.remove("parameters");
        if !all.is_empty() {
            members.insert("parameters".to_owned(), all.into());
        }
        members.insert("responses".to_owned(), responses);
        members.insert("schemes".to_owned(), json!(["https"]));
        members.insert("consumes".to_owned(), types(&body["content"]).unwrap_or_else(|| json!(["*/*"])));
        members.insert("produces".to_owned(), produces.unwrap_or_else(|| json!(["application/json"])));
    }
    operation
}

/// Converts parameters: version 2 has the type of a parameter beside its name.
fn parameters(parameters: Value) -> Value {
    let Value::Array(parameters) = parameters else { return parameters };
    let flat = |mut parameter: Value| {
        let schema = parameter["schema"].take();
        if let (Some(members), Value::Object(schema)) = (parameter.as_object_mut(), schema) {
            members.remove("schema");
            members.extend(schema);
        }
        parameter
    };
    parameters.into_iter().map(flat).collect()
}

/// Returns the media types of a content.
fn types(content: &Value) -> Option<Value> {
    content.as_object().map(|content| content.keys().cloned().collect())
}

/// Returns the schema of a content, which is the same for all media types.
fn schema_of(content: &Value) -> Option<Value> {
    content.as_object()?.values().next().map(|content| moved(content["schema"].clone()))
}

/// Rewrites references to the definitions of version 2.
fn moved(value: Value) -> Value {
    match value {
        Value::Object(members) => {
            let move_one = |(name, value): (String, Value)| {
                let target = value.as_str().filter(|_| name == "$ref").and_then(|target| target.strip_prefix(SCHEMAS));
                let value = target.map(|target| format!("{DEFINITIONS}{target}").into());
                (name, value)
            };
            let mut result = Map::new();
            for (name, value) in members {
                let (name, reference) = move_one((name, value.clone()));
                result.insert(name, reference.unwrap_or_else(|| moved(value)));
            }
            result.into()
        }
        Value::Array(items) => items.into_iter().map(moved).collect(),
        other => other,
    }
}

/// The schema of a custom kind. One that takes unknown fields has no properties: kubectl takes a type with properties for closed.
fn custom_kind(schema: Value) -> Value {
    if schema[PRESERVES] != true {
        return custom(schema);
    }
    let Value::Object(mut members) = schema else { return schema };
    members
        .retain(|name, _| matches!(name.as_str(), "type" | "x-kubernetes-group-version-kind" | "x-kubernetes-selectable-fields"));
    members.into()
}

/// Converts the schema of a custom type, as far as version 2 can express it.
fn custom(schema: Value) -> Value {
    let Value::Object(mut members) = schema else { return schema };
    let is_true = |members: &Map<String, Value>, name: &str| members.get(name) == Some(&Value::Bool(true));
    let is_open = is_true(&members, "nullable");
    let alone = members.remove("allOf").and_then(|all| all.as_array().filter(|all| all.len() == 1).map(|all| all[0].clone()));
    if let Some(Value::Object(alone)) = alone.map(moved) {
        members.extend(alone);
    }
    for name in UNSAID {
        members.remove(name);
    }
    if is_open {
        for name in ["items", "properties", "required", "type"] {
            members.remove(name);
        }
    }
    if is_true(&members, PRESERVES) {
        members.remove("items");
        members.remove("properties");
        if is_true(&members, "x-kubernetes-embedded-resource") {
            members.remove("required");
        }
        if members.get("type").is_some_and(|of| of == "object") {
            members.remove("type");
        }
    }
    if members.get("type").is_some_and(|of| of == "array") && !members.contains_key("items") {
        members.remove("type");
    }
    for (name, value) in &mut members {
        match name.as_str() {
            "properties" => {
                for property in value.as_object_mut().into_iter().flat_map(Map::values_mut) {
                    *property = custom(property.take());
                }
            }
            "items" | "additionalProperties" => *value = custom(value.take()),
            _ => {}
        }
    }
    moved(members.into())
}
