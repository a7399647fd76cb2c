//! Reading of resources from the documents of a file.

use std::collections::VecDeque;

use kubewright_machinery::object::json_type;
use kubewright_machinery::yaml;
use serde_json::Value;

use super::object::BuildResource;
use crate::error::BuildProblem;

/// Reads the resources of a file. Empty documents are left out, and lists are replaced by their items, behind all documents of the file.
pub(crate) fn read_resources(bytes: &[u8]) -> Result<Vec<BuildResource>, BuildProblem> {
    let text = std::str::from_utf8(bytes).map_err(|_| BuildProblem::new("the file is not UTF-8"))?;
    let documents = yaml::documents_of_yaml_1_2(text).map_err(|error| BuildProblem(error.to_string()))?;
    let mut waiting: VecDeque<Value> = VecDeque::new();
    for document in documents {
        waiting.extend(checked(document)?);
    }
    let mut resources = Vec::new();
    while let Some(mut object) = waiting.pop_front() {
        let kind = object["kind"].as_str().unwrap_or_default();
        if !kind.ends_with("List") || object.get("items").is_none() {
            resources.push(BuildResource::new(object));
            continue;
        }
        match object["items"].take() {
            Value::Null => {}
            Value::Array(items) => {
                for item in items {
                    waiting.extend(checked(item)?);
                }
            }
            other => {
                return Err(BuildProblem(format!("expected array in {}/items, but found {}", object["kind"], json_type(&other))));
            }
        }
    }
    Ok(resources)
}

/// Checks that a document is an object with a kind and a name. Returns `None` for an empty one.
fn checked(document: Value) -> Result<Option<Value>, BuildProblem> {
    let Value::Object(members) = &document else {
        return match document {
            Value::Null => Ok(None),
            other => Err(BuildProblem(format!("expected an object, but found {}", json_type(&other)))),
        };
    };
    if members.is_empty() {
        return Ok(None);
    }
    let resource = BuildResource::new(document);
    if resource.kind_name().is_empty() {
        return Err(BuildProblem::new("missing kind in object; every object must have apiVersion, kind and metadata.name"));
    }
    if resource.name().is_empty() && !resource.kind_name().ends_with("List") {
        return Err(BuildProblem(format!("missing metadata.name in object of kind {}", resource.kind_name())));
    }
    if let Some(path) = null_item(&resource.object) {
        return Err(BuildProblem(format!("empty item at {path} in object {}", resource.id())));
    }
    Ok(Some(resource.object))
}

/// Returns the path of a list that has a null as an item.
fn null_item(value: &Value) -> Option<String> {
    match value {
        Value::Array(items) if items.iter().any(Value::is_null) => Some(String::new()),
        Value::Array(items) => items.iter().find_map(null_item),
        Value::Object(members) => members.iter().find_map(|(name, member)| Some(format!("{name}/{}", null_item(member)?))),
        _ => None,
    }
}
