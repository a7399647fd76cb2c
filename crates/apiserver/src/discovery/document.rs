//! Documents with their ETags, kept as long as the registry does not change.

use std::sync::Arc;

use bytes::Bytes;
use parking_lot::Mutex;
use serde_json::Value;
use sha2::{Digest as _, Sha512};

use crate::kinds::Registry;

use super::aggregated;

/// The media type of aggregated discovery, in `Accept` and in `Content-Type`.
pub const AGGREGATED: &str = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";

/// A body and its ETag.
#[derive(Clone, Debug)]
pub struct Document {
    /// JSON.
    pub body: Bytes,
    /// A strong ETag, with its quotes.
    pub etag: String,
}

impl Document {
    /// Encodes a document.
    pub fn new(value: &Value) -> Self {
        let body = Bytes::from(value.to_string());
        let digest = upper_hex(&Sha512::digest(&body));
        Self { body, etag: format!("\"{digest}\"") }
    }

    /// Whether an `If-None-Match` header names this document.
    pub fn matches(&self, if_none_match: &str) -> bool {
        if_none_match.split(',').map(str::trim).any(|tag| tag == "*" || tag == self.etag)
    }
}

fn upper_hex(bytes: &[u8]) -> String {
    use std::fmt::Write as _;
    bytes.iter().fold(String::with_capacity(bytes.len() * 2), |mut text, byte| {
        // Writing to a text cannot fail.
        let _ = write!(text, "{byte:02X}");
        text
    })
}

/// The aggregated documents of one state of the registry.
#[derive(Debug)]
pub struct Documents {
    /// `/api`.
    pub core: Document,
    /// `/apis`.
    pub groups: Document,
}

/// The aggregated documents of a server; made anew when its registry has changed.
#[derive(Debug, Default)]
pub struct Discovery {
    made: Mutex<Option<(u64, Arc<Documents>)>>,
}

impl Discovery {
    /// What was made so far, for a server that goes on from here.
    pub(crate) fn fork(&self) -> Self {
        Self { made: Mutex::new(self.made.lock().clone()) }
    }

    /// The documents of the registry. All registries passed in are states of one and the same.
    pub fn documents(&self, registry: &Registry) -> Arc<Documents> {
        let mut made = self.made.lock();
        match &*made {
            Some((revision, documents)) if *revision == registry.revision() => documents.clone(),
            _ => {
                let documents = Arc::new(Documents {
                    core: Document::new(&aggregated::aggregated_core(registry)),
                    groups: Document::new(&aggregated::aggregated_groups(registry)),
                });
                *made = Some((registry.revision(), documents.clone()));
                documents
            }
        }
    }
}
