use kubewright_core::filter::{Cause, Change, Filter, FilterExt as _, primary_default, status};
use kubewright_core::finalizer::FinalizerName;
use serde_json::Value;

use crate::store::Kept;

/// Returns the filter of the changes of objects of the primary kind that start a pass (TRF-3): generation, labels, annotations, owner references, finalizers
/// other than the controller's, deletion. For kinds without generation, it passes all changes but those that passes write themselves.
pub(super) fn primary_filter<T: 'static>(
    own: &[FinalizerName],
    on_status_change: bool,
) -> impl Filter<Kept<T>> + Send + Sync + 'static {
    let by_metadata = primary_default(own);
    let own: Vec<FinalizerName> = own.to_vec();
    let by_status = status().and(|change: &Change<Kept<T>>| change.cause != Cause::OwnWrite);
    move |change: &Change<Kept<T>>| {
        if let Some((old, new)) = change.update()
            && let (Some(old), Some(new)) = (generation(old), generation(new))
            && old != new
        {
            return true;
        }
        let by_status = || on_status_change && by_status.passes(change);
        if !by_metadata.passes(change) {
            return by_status();
        }
        match (change.cause, change.update()) {
            // The answer to an own write may contain a change of another writer, whose event the store will then not report as a change.
            (Cause::OwnWrite, Some((old, new))) => generation(new).is_some() || rest(old, &own) != rest(new, &own),
            _ => true,
        }
    }
}

fn generation<T>(object: &Kept<T>) -> Option<i64> {
    object.object_text().basics().generation
}

/// Returns an object without the fields that passes write.
fn rest<T>(object: &Kept<T>, own: &[FinalizerName]) -> Value {
    let mut object = object.json();
    if let Some(fields) = object.as_object_mut() {
        fields.remove("status");
    }
    if let Some(metadata) = object.get_mut("metadata").and_then(Value::as_object_mut) {
        metadata.remove("resourceVersion");
        if let Some(Value::Array(finalizers)) = metadata.get_mut("finalizers") {
            finalizers.retain(|finalizer| !own.iter().any(|own| finalizer == own.as_str()));
            if finalizers.is_empty() {
                metadata.remove("finalizers");
            }
        }
    }
    object
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use k8s_openapi::api::core::v1::ConfigMap;
    use kubewright_machinery::object::Key;
    use serde_json::json;

    use super::*;

    fn kept(object: Value) -> Arc<Kept<ConfigMap>> {
        Arc::new(Kept::of(&object).unwrap())
    }

    // TRF-3
    #[test]
    fn own_writes_start_no_pass_unless_they_bring_something_else() {
        let own = [FinalizerName::parse("example.com/mine").unwrap()];
        let object = |version: &str, finalizers: Value, data: &str| {
            kept(json!({"metadata": {"name": "a", "resourceVersion": version, "finalizers": finalizers}, "data": {"a": data}}))
        };
        let passes = |cause, old: &Arc<Kept<ConfigMap>>, new: &Arc<Kept<ConfigMap>>| {
            let change = Change { key: Key::new("", "a"), old: Some(Arc::clone(old)), new: Some(Arc::clone(new)), cause };
            primary_filter(&own, false).passes(&change)
        };
        let before = object("1", json!([]), "x");
        let marked = object("2", json!(["example.com/mine"]), "x");
        let edited = object("3", json!(["example.com/mine"]), "y");
        assert!(!passes(Cause::OwnWrite, &before, &marked));
        assert!(passes(Cause::OwnWrite, &before, &edited));
        assert!(passes(Cause::Event, &marked, &edited));
    }
}
