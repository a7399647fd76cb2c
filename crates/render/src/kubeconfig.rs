//! Kubeconfigs that templates give to lookups.

use std::fmt;
use std::sync::Arc;

use sha2::{Digest as _, Sha256};

/// A kubeconfig that a template gives to a lookup. The text holds credentials, so `Debug` shows only its digest.
#[derive(Clone)]
pub struct LookupKubeconfig {
    text: Arc<str>,
    digest: KubeconfigDigest,
}

/// The SHA-256 of a kubeconfig, which stands for it in questions, so that these hold no credentials.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct KubeconfigDigest([u8; 32]);

impl LookupKubeconfig {
    /// Creates a kubeconfig from its text.
    pub fn new(text: impl Into<Arc<str>>) -> Self {
        let text = text.into();
        let digest = KubeconfigDigest(Sha256::digest(text.as_bytes()).into());
        Self { text, digest }
    }

    /// Returns the text, which is confidential.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Returns the digest of the text.
    pub const fn digest(&self) -> KubeconfigDigest {
        self.digest
    }
}

impl fmt::Debug for LookupKubeconfig {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LookupKubeconfig").field("digest", &self.digest).finish_non_exhaustive()
    }
}

/// Writes the beginning of the digest, which is long enough to distinguish kubeconfigs.
impl fmt::Debug for KubeconfigDigest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("KubeconfigDigest(")?;
        self.0.iter().take(4).try_for_each(|byte| write!(f, "{byte:02x}"))?;
        f.write_str(")")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_kubeconfigs_have_equal_digests_and_no_text_is_shown() {
        let [first, same, other] = ["token: s3cr3t", "token: s3cr3t", "token: other"].map(LookupKubeconfig::new);
        assert_eq!(first.digest(), same.digest());
        assert_ne!(first.digest(), other.digest());
        let shown = format!("{first:?} {:?}", first.digest());
        assert!(shown.starts_with("LookupKubeconfig { digest: KubeconfigDigest(") && !shown.contains("s3cr3t"), "{shown}");
    }
}
