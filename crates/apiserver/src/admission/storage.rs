//! Protection of storage objects in use: claims, volumes and their attributes classes get a finalizer at creation (PIPE-21). A controller removes it
//! once no other object uses them (CTL-9).

use kubewright_machinery::object::ObjectExt as _;
use serde_json::Value;

use crate::kinds::KindSpec;

/// Returns the protection finalizer of a kind, or `None` if the kind is not protected.
pub(crate) fn finalizer_of(group: &str, plural: &str) -> Option<&'static str> {
    match (group, plural) {
        ("", "persistentvolumeclaims") => Some("kubernetes.io/pvc-protection"),
        ("", "persistentvolumes") => Some("kubernetes.io/pv-protection"),
        ("storage.k8s.io", "volumeattributesclasses") => Some("kubernetes.io/vac-protection"),
        _ => None,
    }
}

/// Adds the protection finalizer to a new object.
pub(super) fn protect(kind: &KindSpec, object: &mut Value) {
    if let Some(finalizer) = finalizer_of(&kind.group, &kind.plural) {
        object.add_finalizer(finalizer);
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::kinds::Registry;

    fn finalizers(group: &str, plural: &str, present: Value) -> Value {
        let registry = Registry::builtin();
        let mut object = json!({"metadata": {"name": "x"}});
        if !present.is_null() {
            object["metadata"]["finalizers"] = present;
        }
        protect(registry.resource(group, "v1", plural).unwrap(), &mut object);
        object["metadata"]["finalizers"].take()
    }

    // PIPE-21
    #[test]
    fn storage_objects_get_their_protection_finalizer_once() {
        let claim = "kubernetes.io/pvc-protection";
        assert_eq!(finalizers("", "persistentvolumeclaims", Value::Null), json!([claim]));
        assert_eq!(finalizers("", "persistentvolumeclaims", json!(["x.io/a"])), json!(["x.io/a", claim]));
        assert_eq!(finalizers("", "persistentvolumeclaims", json!([claim, "x.io/a"])), json!([claim, "x.io/a"]));
        assert_eq!(finalizers("", "persistentvolumes", Value::Null), json!(["kubernetes.io/pv-protection"]));
        assert_eq!(finalizers("storage.k8s.io", "volumeattributesclasses", Value::Null), json!(["kubernetes.io/vac-protection"]));
        assert_eq!(finalizers("", "configmaps", Value::Null), Value::Null);
    }
}
