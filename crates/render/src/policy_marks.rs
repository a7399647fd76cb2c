//! Policies in the form of annotations: `manifest.annotate(UpdatePolicy::SsaMerge)`.

use kubewright_core::manifest::{AdoptionPolicy, DeletePolicy, Lifecycle, ReconcilePolicy, UpdatePolicy, keys};

use crate::ManifestMark;

macro_rules! policy_mark {
    ($type:ty, $key:expr) => {
        impl ManifestMark for $type {
            fn key(&self) -> &'static str {
                $key
            }

            fn value(&self) -> String {
                self.as_kebab().to_owned()
            }
        }
    };
}

policy_mark!(AdoptionPolicy, keys::ADOPTION_POLICY);
policy_mark!(ReconcilePolicy, keys::RECONCILE_POLICY);
policy_mark!(UpdatePolicy, keys::UPDATE_POLICY);
policy_mark!(DeletePolicy, keys::DELETE_POLICY);
policy_mark!(Lifecycle, keys::LIFECYCLE);

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
