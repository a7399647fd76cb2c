//! The fields of a manifest that the server does not know (WRITE-12).

use serde_json::Value;

use super::Refusal;

/// The text of the server's answer to an apply with a field that the schema lacks.
const NOT_DECLARED: &str = ": field not declared in schema";

/// Returns the fields that the answer to an apply contains, such as `.spec.template.colour`; none if the answer has another cause.
pub(super) fn fields_of_refusal(refusal: &Refusal) -> Vec<String> {
    let mut fields = Vec::new();
    let mut rest = refusal.message.as_str();
    while let Some(end) = rest.find(NOT_DECLARED) {
        let before = &rest[..end];
        // A single field follows the name of the object; several fields have lines of their own.
        let start = [before.rfind('\n').map(|at| at + 1), before.rfind("): ").map(|at| at + 3)];
        let field = before[start.into_iter().flatten().max().unwrap_or(0)..].trim();
        if field.starts_with('.') && !fields.iter().any(|known| known == field) {
            fields.push(field.to_owned());
        }
        rest = &rest[end + NOT_DECLARED.len()..];
    }
    fields
}

/// Returns the field of a warning like `unknown field "spec.colour"`, in the same form: `.spec.colour`.
pub(super) fn field_of_warning(warning: &str) -> Option<String> {
    let field = warning.strip_prefix("unknown field \"")?.strip_suffix('"')?;
    Some(format!(".{field}"))
}

/// Removes these fields from an object. Fields that it lacks are ignored.
pub(super) fn remove(object: &mut Value, fields: &[String]) {
    for field in fields {
        remove_field(object, field);
    }
}

/// Removes a field at a path. Names of fields may contain dots, so the keys of the object decide where a name ends.
fn remove_field(value: &mut Value, path: &str) {
    match value {
        Value::Object(map) => {
            let Some(rest) = path.strip_prefix('.') else { return };
            let starts = |name: &&String| {
                rest.strip_prefix(name.as_str()).is_some_and(|after| after.is_empty() || after.starts_with(['.', '[']))
            };
            let Some(name) = map.keys().filter(starts).max_by_key(|name| name.len()).cloned() else { return };
            match &rest[name.len()..] {
                "" => {
                    map.remove(&name);
                }
                after => {
                    if let Some(inner) = map.get_mut(&name) {
                        remove_field(inner, after);
                    }
                }
            }
        }
        Value::Array(list) => {
            let Some((selector, after)) = path.strip_prefix('[').and_then(|rest| rest.split_once(']')) else { return };
            if let Some(entry) = find_entry(list, selector) {
                remove_field(entry, after);
            }
        }
        _ => {}
    }
}

/// Returns the entry of a list that `3` or `name="a",port=80` selects.
fn find_entry<'a>(list: &'a mut [Value], selector: &str) -> Option<&'a mut Value> {
    if let Ok(index) = selector.parse::<usize>() {
        return list.get_mut(index);
    }
    let keys: Vec<(&str, Value)> = selector
        .split(',')
        .filter_map(|pair| {
            let (name, value) = pair.split_once('=')?;
            Some((name, serde_json::from_str(value).ok()?))
        })
        .collect();
    if keys.is_empty() {
        return None;
    }
    // A key that the manifest leaves to its default matches as well.
    list.iter_mut().find(|entry| keys.iter().all(|(name, wanted)| entry.get(name).is_none_or(|found| found == wanted)))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn refusal(message: &str) -> Refusal {
        Refusal { code: 500, message: message.to_owned(), ..Refusal::default() }
    }

    // WRITE-12
    #[test]
    fn the_fields_that_an_answer_names_are_found() {
        let one =
            refusal("failed to create typed patch object (demo/one; /v1, Kind=ConfigMap): .colour: field not declared in schema");
        assert_eq!(fields_of_refusal(&one), [".colour"]);
        let two = refusal(
            "failed to create typed patch object (demo/d; apps/v1, Kind=Deployment): errors:\n  .spec.a: field not declared in schema\n  .spec.template.spec.containers[name=\"c\"].b: field not declared in schema",
        );
        assert_eq!(fields_of_refusal(&two), [".spec.a", ".spec.template.spec.containers[name=\"c\"].b"]);
        assert!(fields_of_refusal(&refusal("etcdserver: request timed out")).is_empty());
        assert_eq!(field_of_warning("unknown field \"spec.a\"").as_deref(), Some(".spec.a"));
        assert_eq!(field_of_warning("spec.a is deprecated"), None);
    }

    #[test]
    fn named_fields_are_taken_out_of_maps_and_of_list_entries() {
        let mut object = json!({
            "metadata": { "annotations": { "a.b/c": "x", "a.b": "y" } },
            "spec": { "a": 1, "list": [{ "name": "c", "b": 1, "keep": 2 }, { "name": "d", "b": 1 }], "plain": [{ "z": 1 }] },
        });
        let fields =
            [".spec.a", ".metadata.annotations.a.b/c", ".spec.list[name=\"c\",port=80].b", ".spec.plain[0].z", ".spec.none.x"];
        remove(&mut object, &fields.map(str::to_owned));
        assert_eq!(
            object,
            json!({
                "metadata": { "annotations": { "a.b": "y" } },
                "spec": { "list": [{ "name": "c", "keep": 2 }, { "name": "d", "b": 1 }], "plain": [{}] },
            })
        );
    }
}
