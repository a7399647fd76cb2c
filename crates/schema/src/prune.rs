//! Dropping of fields that a schema does not declare.

use serde_json::Value;

use crate::limit::note;
use crate::node::{Additional, SchemaNode};
use crate::path::ValuePath;

/// The members that every object has, whatever its schema says.
const OBJECT_FIELDS: [&str; 3] = ["apiVersion", "kind", "metadata"];

/// Drops all unknown fields; `is_object` is true if apiVersion, kind and metadata are known. Returns their paths in alphabetical order.
pub(crate) fn unknown_fields(object: &mut Value, root: &SchemaNode, is_object: bool) -> Vec<String> {
    let mut dropped = Vec::new();
    prune(object, Some(root), is_object, &ValuePath::Root, &mut dropped);
    dropped.sort();
    dropped
}

/// Drops the unknown fields of a value. `node` is absent below `additionalProperties: true`, where objects lose all their members and lists are
/// walked.
fn prune(value: &mut Value, node: Option<&SchemaNode>, is_object: bool, path: &ValuePath<'_>, dropped: &mut Vec<String>) {
    let preserve = node.is_some_and(|node| node.preserve_unknown);
    match value {
        Value::Object(members) => {
            members.retain(|name, value| {
                let path = path.field(name);
                if is_object && OBJECT_FIELDS.contains(&name.as_str()) {
                    return true;
                }
                match node.map(|node| (node.member(name), &node.additional)) {
                    Some((Some(member), _)) => prune(value, Some(member), member.embedded_resource, &path, dropped),
                    Some((None, Some(Additional::Any))) => {
                        prune(value, None, false, &path, dropped);
                    }
                    _ if preserve => {}
                    _ => {
                        note(dropped, path.length(), || path.to_string());
                        return false;
                    }
                }
                true
            });
        }
        Value::Array(items) => {
            let node = node.and_then(|node| node.items.as_deref());
            if preserve && node.is_none() {
                return;
            }
            for (index, item) in items.iter_mut().enumerate() {
                prune(item, node, node.is_some_and(|node| node.embedded_resource), &path.index(index), dropped);
            }
        }
        _ => {}
    }
}
