//! The fields that other managers hold in a live object (DRIFT-5).

use kubewright_machinery::fieldset::{FieldSet, PathElement};
use kubewright_machinery::object::ObjectExt;
use serde_json::Value;

/// The number of claims that are kept per object.
const CLAIMS: usize = 16;
/// The longest text of the claims of one object, in bytes.
const LENGTH: usize = 768;

/// A field, and a manager other than ours that holds it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::dependents) struct FieldClaim {
    /// The name of the manager.
    pub(in crate::dependents) manager: String,
    /// The path of the field, such as `.spec.replicas`.
    pub(in crate::dependents) field: String,
}

/// Returns the claims of all managers except one, one per line. The status is left out. If there are too many, the claims of the latest writes are
/// kept, because one of these writes caused a drift.
pub(super) fn text_of(live: &Value, own: &str) -> String {
    let entries = live.metadata().get("managedFields").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    let text = |entry: &Value, name: &str| entry.get(name).and_then(Value::as_str).unwrap_or("").to_owned();
    let mut entries: Vec<&Value> =
        entries.iter().filter(|entry| text(entry, "manager") != own && text(entry, "subresource") != "status").collect();
    entries.sort_by_key(|entry| std::cmp::Reverse(text(entry, "time")));
    let (mut lines, mut length) = (Vec::new(), 0);
    for entry in entries {
        let Some(Ok(fields)) = entry.get("fieldsV1").map(FieldSet::parse) else { continue };
        for path in fields.leaves() {
            if matches!(path.first(), Some(PathElement::Field(name)) if &**name == "status") {
                continue;
            }
            let line = format!("{}\t{path}\n", text(entry, "manager"));
            length += line.len();
            if lines.len() == CLAIMS || length > LENGTH {
                break;
            }
            lines.push(line);
        }
    }
    lines.sort_unstable();
    lines.dedup();
    lines.concat()
}

/// Parses the claims of a text that [`text_of`] returned.
pub(super) fn parse(text: &str) -> impl Iterator<Item = FieldClaim> {
    let claim = |line: &str| {
        let (manager, field) = line.split_once('\t')?;
        Some(FieldClaim { manager: manager.to_owned(), field: field.to_owned() })
    };
    text.lines().filter_map(claim)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn claims(live: &Value) -> Vec<(String, String)> {
        parse(&text_of(live, "op")).map(|claim| (claim.manager, claim.field)).collect()
    }

    // DRIFT-5
    #[test]
    fn claims_are_the_fields_of_other_managers_outside_the_status() {
        let live = json!({ "metadata": { "managedFields": [
            { "manager": "op", "fieldsV1": { "f:spec": { "f:image": {} } } },
            { "manager": "kubectl", "subresource": "scale", "fieldsV1": { "f:spec": { "f:replicas": {} } } },
            { "manager": "controller", "subresource": "status", "fieldsV1": { "f:status": { "f:ready": {} } } },
            { "manager": "editor", "fieldsV1": { "f:status": { "f:phase": {} }, "f:data": { "f:a": {} } } },
        ] } });
        let expected = [("editor", ".data.a"), ("kubectl", ".spec.replicas")];
        assert_eq!(claims(&live), expected.map(|(manager, field)| (manager.to_owned(), field.to_owned())));
    }

    // DRIFT-5
    #[test]
    fn of_too_many_claims_those_of_the_latest_write_are_kept() {
        let many: serde_json::Map<String, Value> = (0..40).map(|number| (format!("f:a{number}"), json!({}))).collect();
        let live = json!({ "metadata": { "managedFields": [
            { "manager": "old", "time": "2026-01-01T00:00:00Z", "fieldsV1": { "f:data": many } },
            { "manager": "new", "time": "2026-01-01T00:00:01Z", "fieldsV1": { "f:data": { "f:b": {} } } },
        ] } });
        let claims = claims(&live);
        assert_eq!(claims.len(), CLAIMS);
        assert!(claims.contains(&("new".to_owned(), ".data.b".to_owned())), "{claims:?}");
    }
}
