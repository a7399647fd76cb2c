//! Policies in the form of annotations: `manifest.annotate(UpdatePolicy::SsaMerge)`.

use kubewright_core::manifest::{AdoptionPolicy, DeletePolicy, Lifecycle, ReconcilePolicy, UpdatePolicy};

use crate::Mark;

macro_rules! policy_mark {
    ($type:ty, $key:literal) => {
        impl Mark for $type {
            fn key(&self) -> &'static str {
                $key
            }

            fn value(&self) -> String {
                self.as_kebab().to_owned()
            }
        }
    };
}

policy_mark!(AdoptionPolicy, "adoption-policy");
policy_mark!(ReconcilePolicy, "reconcile-policy");
policy_mark!(UpdatePolicy, "update-policy");
policy_mark!(DeletePolicy, "delete-policy");
policy_mark!(Lifecycle, "lifecycle");

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::Manifest;

    // MARK-2
    #[test]
    fn policies_are_written_as_annotations_spell_them() {
        let manifest = Manifest::from_json(json!({ "kind": "Job", "metadata": { "name": "a" } })).unwrap();
        let manifest = manifest.annotate(UpdatePolicy::SsaOverride).annotate(Lifecycle::PreDelete);
        assert_eq!(
            manifest.resolve("op").unwrap()["metadata"]["annotations"],
            json!({ "op/update-policy": "ssa-override", "op/lifecycle": "pre-delete" })
        );
    }
}
