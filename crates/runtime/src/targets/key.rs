use kubewright_machinery::object::sha256_hex;
use serde_json::json;

use crate::cluster::ImpersonatedIdentity;

/// The identity of a target: its kubeconfig, or the user in whose name the operator's own cluster is used.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct TargetKey(String);

impl TargetKey {
    /// Returns the key of a target, or `None` for the operator's own cluster under its own identity.
    pub fn of(kubeconfig: Option<&[u8]>, who: Option<&ImpersonatedIdentity>) -> Option<Self> {
        let kubeconfig = kubeconfig.filter(|text| !text.is_empty());
        // If there is a kubeconfig, the impersonation is not part of the key.
        let who = who.filter(|_| kubeconfig.is_none());
        if kubeconfig.is_none() && who.is_none() {
            return None;
        }
        let parts = json!([kubeconfig.map(sha256_hex), who.map(|who| json!([who.user, who.groups]))]);
        Some(Self(sha256_hex(parts.to_string().as_bytes())))
    }

    /// Returns the name of the target in logs, metrics and health, which is long enough to distinguish targets.
    pub fn name(&self) -> String {
        format!("target-{}", self.0.get(..8).unwrap_or(&self.0))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    // TGT-2, TGT-4
    #[test]
    fn equal_kubeconfigs_and_identities_are_one_target_and_nothing_set_is_the_own_cluster() {
        let (alice, bob) = (ImpersonatedIdentity::user("alice"), ImpersonatedIdentity::user("bob"));
        let of = |text: &str, who: Option<&ImpersonatedIdentity>| TargetKey::of(Some(text.as_bytes()), who);
        assert_eq!(TargetKey::of(None, None), None);
        assert_eq!(of("", None), None);
        assert_eq!(of("a", None), of("a", None));
        assert_eq!(of("a", Some(&alice)), of("a", Some(&bob)), "a kubeconfig alone decides");
        let keys = [of("a", None), of("b", None), TargetKey::of(None, Some(&alice)), of("", Some(&bob))];
        assert_eq!(keys.iter().flatten().collect::<HashSet<_>>().len(), 4);
    }
}
