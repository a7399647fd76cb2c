//! The transfer of fields that another manager, or an earlier operation of ours, owns to our applies (WRITE-5, WRITE-6).

use kubewright_machinery::fieldset::{FieldSet, Path, PathElement};
use kubewright_machinery::object::ObjectExt;
use serde_json::{Value, json};

use super::ProjectionContext;

/// The managedFields entries that our applies take over.
#[derive(Clone, Copy, Debug)]
pub(super) struct Claims<'a> {
    pub(super) context: &'a ProjectionContext,
    /// True if entries of reclaimed managers are taken over as well (policy SsaOverride).
    pub(super) others: bool,
    /// The finalizers that are sent in any case. Other finalizers are not claimed.
    pub(super) finalizers: &'a [String],
}

impl Claims<'_> {
    fn covers(self, manager: &str) -> bool {
        manager == self.context.field_manager || (self.others && self.context.reclaims(manager))
    }
}

/// Returns the JSON patch that moves the fields into the entry of our applies; `None` if there are no fields to move.
pub(super) fn patch(live: &Value, claims: Claims<'_>) -> Option<Value> {
    let entries = live.metadata().get("managedFields")?.as_array()?;
    let ours = entries.iter().position(|entry| {
        text(entry, "manager") == claims.context.field_manager && text(entry, "operation") == "Apply" && is_main(entry)
    });
    let mut merged = FieldSet::new();
    let mut template = None;
    let mut kept = Vec::with_capacity(entries.len());
    for (index, entry) in entries.iter().enumerate() {
        if Some(index) == ours {
            continue;
        }
        let claimed = is_main(entry) && claims.covers(text(entry, "manager"));
        let fields = if claimed { entry.get("fieldsV1").and_then(|fields| FieldSet::parse(fields).ok()) } else { None };
        let Some(fields) = fields else {
            kept.push(entry.clone());
            continue;
        };
        let left = unowned_finalizers(&fields, claims.finalizers);
        let taken = fields.difference(&left);
        if taken.is_empty() {
            kept.push(entry.clone());
            continue;
        }
        merged = merged.union(&taken);
        template.get_or_insert(entry);
        if !left.is_empty() {
            let mut rest = entry.clone();
            rest["fieldsV1"] = left.to_value();
            kept.push(rest);
        }
    }
    if merged.is_empty() {
        return None;
    }
    if let Some(index) = ours {
        template = Some(&entries[index]);
        let own = entries[index].get("fieldsV1").and_then(|fields| FieldSet::parse(fields).ok()).unwrap_or_default();
        merged = merged.union(&own);
    }
    let mut entry = template?.clone();
    entry["manager"] = claims.context.field_manager.clone().into();
    entry["operation"] = "Apply".into();
    entry["fieldsV1"] = merged.to_value();
    kept.insert(0, entry);
    Some(json!([
        { "op": "replace", "path": "/metadata/managedFields", "value": kept },
        { "op": "replace", "path": "/metadata/resourceVersion", "value": live.resource_version() },
    ]))
}

/// Returns true if an entry contains fields other than finalizers, which can be claimed.
pub(super) fn is_claimable(entry: &Value) -> bool {
    let fields = entry.get("fieldsV1").and_then(|fields| FieldSet::parse(fields).ok()).unwrap_or_default();
    is_main(entry) && !fields.difference(&unowned_finalizers(&fields, &[])).is_empty()
}

fn is_main(entry: &Value) -> bool {
    text(entry, "subresource").is_empty()
}

fn text<'a>(entry: &'a Value, field: &str) -> &'a str {
    entry.get(field).and_then(Value::as_str).unwrap_or_default()
}

/// Returns the paths of finalizers that are not in this list, with the path of the finalizer list itself.
fn unowned_finalizers(fields: &FieldSet, sent: &[String]) -> FieldSet {
    let list = Path::fields(["metadata", "finalizers"]);
    let sent = |element: &PathElement| matches!(element, PathElement::Value(Value::String(name)) if sent.contains(name));
    let members = fields.below(&list);
    let mut left = FieldSet::new();
    for (element, _, _) in members.elements().filter(|(element, _, _)| !sent(element)) {
        let mut path: Vec<PathElement> = list.to_vec();
        path.push(element.clone());
        left.insert(&path);
    }
    if fields.has(&list) {
        left.insert(&list);
    }
    left
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::manifest::OperatorName;

    fn context() -> ProjectionContext {
        ProjectionContext::new(OperatorName::new("op.example.com").unwrap())
    }

    fn entry(manager: &str, operation: &str, fields: Value) -> Value {
        json!({"manager": manager, "operation": operation, "apiVersion": "v1", "fieldsType": "FieldsV1", "fieldsV1": fields})
    }

    fn claimed(entries: Vec<Value>, others: bool, finalizers: &[String]) -> Option<Vec<Value>> {
        let context = context();
        let live = json!({"metadata": {"resourceVersion": "7", "managedFields": entries}});
        let patch = patch(&live, Claims { context: &context, others, finalizers })?;
        assert_eq!(patch[1], json!({"op": "replace", "path": "/metadata/resourceVersion", "value": "7"}));
        Some(patch[0]["value"].as_array().unwrap().clone())
    }

    // WRITE-5
    #[test]
    fn earlier_updates_of_ours_become_applies() {
        let entries = vec![
            entry("op.example.com", "Update", json!({"f:data": {".": {}, "f:a": {}}})),
            entry("other", "Update", json!({"f:data": {"f:b": {}}})),
        ];
        let after = claimed(entries.clone(), false, &[]).unwrap();
        assert_eq!(after[0], entry("op.example.com", "Apply", json!({"f:data": {".": {}, "f:a": {}}})));
        assert_eq!(after[1], entries[1]);
    }

    // WRITE-5
    #[test]
    fn only_an_override_takes_the_fields_of_reclaimed_managers() {
        let mut status = entry("kubectl", "Update", json!({"f:status": {"f:x": {}}}));
        status["subresource"] = json!("status");
        let entries = vec![
            entry("op.example.com", "Apply", json!({"f:data": {"f:a": {}}})),
            entry("kubectl-edit", "Update", json!({"f:data": {"f:b": {}}})),
            status.clone(),
        ];
        assert!(claimed(entries.clone(), false, &[]).is_none());
        let after = claimed(entries, true, &[]).unwrap();
        assert_eq!(after, [entry("op.example.com", "Apply", json!({"f:data": {"f:a": {}, "f:b": {}}})), status]);
    }

    // WRITE-6
    #[test]
    fn finalizers_of_others_are_never_claimed() {
        let fields =
            json!({"f:metadata": {"f:finalizers": {".": {}, "v:\"mine\"": {}, "v:\"theirs\"": {}}, "f:labels": {"f:a": {}}}});
        let after = claimed(vec![entry("op.example.com", "Update", fields)], true, &["mine".to_owned()]).unwrap();
        assert_eq!(after.len(), 2);
        assert_eq!(after[0]["fieldsV1"], json!({"f:metadata": {"f:finalizers": {"v:\"mine\"": {}}, "f:labels": {"f:a": {}}}}));
        assert_eq!(after[1]["fieldsV1"], json!({"f:metadata": {"f:finalizers": {".": {}, "v:\"theirs\"": {}}}}));
        let alone = entry("op.example.com", "Update", json!({"f:metadata": {"f:finalizers": {".": {}, "v:\"theirs\"": {}}}}));
        assert!(!is_claimable(&alone));
        assert!(claimed(vec![alone], true, &[]).is_none());
    }
}
