//! Warnings about ServiceAccounts.

use serde_json::Value;

use crate::types::warnings::is_annotated;

pub(in crate::types::warnings) fn service_account(warnings: &mut Vec<String>, object: &Value, stored: Option<&Value>) {
    const ENFORCED: &str = "kubernetes.io/enforce-mountable-secrets";
    if is_annotated(object, ENFORCED) && stored.is_none_or(|stored| !is_annotated(stored, ENFORCED)) {
        warnings.push(format!(
            "metadata.annotations[{ENFORCED}]: deprecated in v1.32+; prefer separate namespaces to isolate access to mounted secrets"
        ));
    }
}
