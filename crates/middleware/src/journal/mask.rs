//! Masking of secrets in bodies before they reach a log or a failure message.

use serde_json::Value;

const HIDDEN: &str = "***";
/// The annotation in which kubectl keeps the whole applied object.
const LAST_APPLIED: &str = "/metadata/annotations/kubectl.kubernetes.io~1last-applied-configuration";

/// Masks the secrets in a body for a resource: an object, a merge patch or a JSON patch of a Secret, or a token to be reviewed. The resource of the
/// request counts, not the type that the body claims.
pub(super) fn mask(group: &str, plural: &str, body: &mut Value) {
    match (group, plural) {
        ("", "secrets") => mask_secret(body),
        ("authentication.k8s.io", "tokenreviews") => hide(body.pointer_mut("/spec/token")),
        _ => {}
    }
}

fn mask_secret(body: &mut Value) {
    // The body may be a JSON patch, whose operations carry the values.
    for operation in body.as_array_mut().into_iter().flatten() {
        hide(operation.get_mut("value"));
    }
    for field in ["data", "stringData"] {
        for value in body.get_mut(field).and_then(Value::as_object_mut).into_iter().flat_map(|values| values.values_mut()) {
            hide(Some(value));
        }
    }
    hide(body.pointer_mut(LAST_APPLIED));
}

/// Masks a value. Null stays, since it marks a removal in a merge patch.
fn hide(value: Option<&mut Value>) {
    if let Some(value) = value.filter(|value| !value.is_null()) {
        *value = HIDDEN.into();
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn masked(group: &str, plural: &str, mut body: Value) -> Value {
        mask(group, plural, &mut body);
        body
    }

    // JRN-1
    #[test]
    fn whatever_is_sent_to_a_secret_is_hidden() {
        let applied = "kubectl.kubernetes.io/last-applied-configuration";
        let patch = json!({"data": {"a": "c2VjcmV0", "gone": null}, "stringData": {"b": "secret"},
                           "metadata": {"annotations": {applied: "{\"data\":{\"a\":\"c2VjcmV0\"}}", "other": "seen"}}});
        let hidden = json!({"data": {"a": "***", "gone": null}, "stringData": {"b": "***"},
                            "metadata": {"annotations": {applied: "***", "other": "seen"}}});
        assert_eq!(masked("", "secrets", patch), hidden);
        let operations = json!([{"op": "add", "path": "/data/a", "value": "c2VjcmV0"}, {"op": "remove", "path": "/data/b"}]);
        let hidden = json!([{"op": "add", "path": "/data/a", "value": "***"}, {"op": "remove", "path": "/data/b"}]);
        assert_eq!(masked("", "secrets", operations), hidden);
    }

    // JRN-1
    #[test]
    fn tokens_are_hidden_and_other_objects_are_not() {
        let review = json!({"spec": {"token": "abc", "audiences": ["a"]}});
        assert_eq!(
            masked("authentication.k8s.io", "tokenreviews", review),
            json!({"spec": {"token": "***", "audiences": ["a"]}})
        );
        let map = json!({"kind": "ConfigMap", "data": {"a": "b"}});
        assert_eq!(masked("", "configmaps", map.clone()), map);
    }
}
