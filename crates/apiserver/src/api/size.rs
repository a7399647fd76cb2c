//! The size limit of stored objects, which is that of etcd on the real server (SMD-20).

use kubewright_machinery::object::ObjectExt as _;
use kubewright_middleware::Status;
use serde_json::Value;

use crate::kinds::KindSpec;
use crate::proto;
use crate::status::StatusExt as _;
use crate::store::ObjectName;

/// The size of the largest request that etcd accepts, in bytes.
const LARGEST: usize = 3 << 19;
/// The size of the largest message that is sent to etcd, in bytes.
const LARGEST_MESSAGE: usize = 2 << 20;
/// The size of an etcd request without its object, in bytes.
const ENVELOPE: usize = 64;
/// An upper bound for the overhead of a member or an item besides its text.
const ENTRY: usize = 16;

/// Reduces an object to a size that can be stored: an object that is too large is stored without its managers. Returns true if it lost them.
pub(crate) fn fit(kind: &KindSpec, name: &ObjectName, object: &mut Value) -> Result<bool, Status> {
    if weight(object, LARGEST) < LARGEST {
        return Ok(false);
    }
    let size = |object: &Value| stored_size(kind, object) + ENVELOPE + name.namespace.len() + name.name.len();
    let whole = size(object);
    if whole <= LARGEST {
        return Ok(false);
    }
    if object.metadata_mut().remove("managedFields").is_none() {
        return Err(too_large(whole));
    }
    match size(object) {
        small if small <= LARGEST => Ok(true),
        large => Err(too_large(large)),
    }
}

fn too_large(size: usize) -> Status {
    Status::unknown(if size > LARGEST_MESSAGE {
        format!(
            "rpc error: code = ResourceExhausted desc = trying to send message larger than max ({size} vs. {LARGEST_MESSAGE})"
        )
    } else {
        "etcdserver: request is too large".to_owned()
    })
}

/// Returns the size in which the real server stores an object, in bytes.
fn stored_size(kind: &KindSpec, object: &Value) -> usize {
    let message = if kind.is_custom() { None } else { proto::encode(object) };
    message.map_or_else(|| json_size(object), |message| message.len())
}

/// Returns the size of the JSON that Go writes: it escapes characters with a meaning in HTML and two line separators.
fn json_size(object: &Value) -> usize {
    let Ok(text) = serde_json::to_vec(object) else { return 0 };
    let escaped = text.iter().filter(|byte| matches!(byte, b'<' | b'>' | b'&')).count();
    let ends = text.windows(3).filter(|bytes| matches!(bytes, [0xe2, 0x80, 0xa8 | 0xa9])).count();
    text.len() + escaped * 5 + ends * 3
}

/// Returns a quick estimate that is never below the size; it stops counting at `enough`.
fn weight(value: &Value, enough: usize) -> usize {
    let mut sum = ENTRY;
    match value {
        // Escaping makes a text up to six times as long.
        Value::String(text) => sum += text.len().saturating_mul(6),
        Value::Array(items) => {
            for item in items {
                sum += weight(item, enough.saturating_sub(sum));
                if sum >= enough {
                    break;
                }
            }
        }
        Value::Object(members) => {
            for (name, member) in members {
                sum += name.len().saturating_mul(6) + weight(member, enough.saturating_sub(sum));
                if sum >= enough {
                    break;
                }
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
    sum
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::kinds::Registry;

    fn fitted(plural: &str, mut object: Value) -> (Result<bool, u16>, bool) {
        let registry = Registry::builtin();
        let group = if plural == "controllerrevisions" { "apps" } else { "" };
        let kind = registry.resource(group, "v1", plural).unwrap();
        object["apiVersion"] = kind.api_version().into();
        object["kind"] = kind.kind.as_str().into();
        let outcome = fit(kind, &ObjectName::new("n", "x"), &mut object).map_err(|status| status.code);
        (outcome, object["metadata"]["managedFields"].is_array())
    }

    fn managed(size: usize) -> Value {
        json!([{"manager": "m", "operation": "Update", "apiVersion": "v1", "fieldsType": "FieldsV1", "fieldsV1": {"f:data": {"f:".repeat(size / 2): {}}}}])
    }

    // SMD-20
    #[test]
    fn an_object_that_is_too_large_loses_its_managers_first() {
        let revision = |data: usize, managers: usize| {
            let data = json!({"x": "y".repeat(data)});
            fitted(
                "controllerrevisions",
                json!({"metadata": {"name": "x", "managedFields": managed(managers)}, "data": data, "revision": 1}),
            )
        };
        assert_eq!(revision(100, 100), (Ok(false), true));
        assert_eq!(revision(1_400_000, 100_000), (Ok(false), true));
        assert_eq!(revision(1_400_000, 200_000), (Ok(true), false));
        assert_eq!(revision(1_600_000, 100).0, Err(500));
    }

    // SMD-20
    #[test]
    fn custom_objects_are_as_large_as_go_writes_them() {
        assert_eq!(json_size(&json!({"a": "<&>\u{2028}x"})), r#"{"a":"\u003c\u0026\u003e\u2028x"}"#.len());
        let short: serde_json::Map<String, Value> =
            (0..60_000).map(|index| (format!("\u{1}{index:05}"), "\u{1}\u{2}".into())).collect();
        let object = json!({"spec": short});
        assert!(weight(&object, usize::MAX) >= json_size(&object));
    }

    // SMD-20
    #[test]
    fn built_in_objects_are_as_large_as_their_protobuf_form() {
        let data: serde_json::Map<String, Value> = (0..100_000).map(|index| (index.to_string(), "v".into())).collect();
        assert_eq!(fitted("configmaps", json!({"metadata": {"name": "x"}, "data": data})).0, Ok(false));
    }
}
