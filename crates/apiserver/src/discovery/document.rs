//! Discovery documents with their ETags, cached until the registry changes.

use std::sync::Arc;

use bytes::Bytes;
use parking_lot::Mutex;
use serde_json::Value;
use sha2::{Digest as _, Sha512};

use super::aggregated;
use crate::kinds::Registry;

/// The media type of aggregated discovery, in `Accept` and in `Content-Type`.
pub const AGGREGATED: &str = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";

/// A response body with its ETag.
#[derive(Clone, Debug)]
pub struct Document {
    /// The body in JSON.
    pub body: Bytes,
    /// The strong ETag, including its quotes.
    pub etag: String,
}

impl Document {
    /// Encodes a document.
    pub fn new(value: &Value) -> Self {
        let body = Bytes::from(value.to_string());
        let digest = upper_hex(&Sha512::digest(&body));
        Self { body, etag: format!("\"{digest}\"") }
    }

    /// Returns true if an `If-None-Match` header names this document.
    pub fn matches(&self, if_none_match: &str) -> bool {
        if_none_match.split(',').map(str::trim).any(|tag| tag == "*" || tag == self.etag)
    }
}

fn upper_hex(bytes: &[u8]) -> String {
    use std::fmt::Write as _;
    bytes.iter().fold(String::with_capacity(bytes.len() * 2), |mut text, byte| {
        // Writing to a string cannot fail.
        let _ = write!(text, "{byte:02X}");
        text
    })
}

/// The aggregated documents of one revision of the registry.
#[derive(Debug)]
pub struct Documents {
    /// The document at `/api`.
    pub core: Document,
    /// The document at `/apis`.
    pub groups: Document,
}

/// The aggregated documents of a server, rebuilt when its registry has changed.
#[derive(Debug, Default)]
pub struct DiscoveryDocuments {
    made: Mutex<Option<(u64, Arc<Documents>)>>,
}

impl DiscoveryDocuments {
    /// Returns a copy with the cached documents, for a fork of the server.
    pub(crate) fn fork(&self) -> Self {
        Self { made: Mutex::new(self.made.lock().clone()) }
    }

    /// Returns the documents of the registry. All registries passed in must be states of the same one.
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
