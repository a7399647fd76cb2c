//! The cluster of the dependents, and the identity that writes them.

use std::collections::BTreeSet;

use kubewright_core::reference::{HoldsReferences, ReferenceKind, ReferenceRules, References, SecretKeyRef};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Setting, Settings};

/// The keys of a secret that are tried for a kubeconfig if none is named.
const FALLBACK_KEYS: &[&str] = &["value", "value.yaml", "value.yml"];

/// The cluster of the dependents, when it is not that of the component. Flattened into the spec.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Target {
    /// How the cluster of the dependents is reached. Default: they live in the cluster of this object.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kube_config: Option<KubeConfig>,
}

/// Where a kubeconfig is.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct KubeConfig {
    /// The secret that holds the kubeconfig, under the key, or under `value`, `value.yaml` or `value.yml`.
    pub secret_ref: SecretKeyRef,
}

impl Target {
    /// Creates a target with the kubeconfig in this secret.
    pub fn of_secret(secret_ref: SecretKeyRef) -> Self {
        Self { kube_config: Some(KubeConfig { secret_ref }) }
    }
}

impl Setting for Target {
    fn contribute(&self, settings: &mut Settings) {
        settings.kube_config = self.kube_config.as_ref().map(|config| config.secret_ref.clone());
    }
}

impl HoldsReferences for Target {
    fn reference_kinds(kinds: &mut BTreeSet<ReferenceKind>) {
        SecretKeyRef::reference_kinds(kinds);
    }

    fn refer(&self, references: &mut References) {
        let Some(config) = &self.kube_config else { return };
        let rules = ReferenceRules { fallback_keys: FALLBACK_KEYS, ..ReferenceRules::default() };
        references.within("kubeConfig", |references| references.field(Some("secretRef"), rules, &config.secret_ref));
    }
}

/// In whose name dependents are written. Flattened into the spec.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Impersonation {
    /// The service account, in the namespace of this object, in whose name dependents are written. No effect together with a
    /// kubeconfig.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub service_account_name: Option<String>,
}

impl Impersonation {
    /// Creates an impersonation of the service account of this name.
    pub fn service_account(name: impl Into<String>) -> Self {
        Self { service_account_name: Some(name.into()) }
    }
}

impl Setting for Impersonation {
    fn contribute(&self, settings: &mut Settings) {
        if let Some(name) = self.service_account_name.as_deref().filter(|name| !name.is_empty()) {
            // An empty namespace stands for that of the component.
            settings.user = Some(format!("system:serviceaccount::{name}"));
        }
    }
}
