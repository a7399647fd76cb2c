//! The input of a rendering: release, values, capabilities.

use std::sync::Arc;

use serde_json::{Map, Value};

use crate::scope::ChartCapabilities;

/// The input of one rendering.
#[derive(Clone, Debug)]
pub struct ChartRequest {
    /// The release.
    pub release: ChartRelease,
    /// The values of the user. A null deletes a default.
    pub values: Map<String, Value>,
    /// The capabilities of the cluster.
    pub capabilities: Arc<ChartCapabilities>,
    /// True if the values are checked against the schemas of the charts. The default is true.
    pub validates_values: bool,
}

/// `.Release`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChartRelease {
    /// The name.
    pub name: String,
    /// The namespace.
    pub namespace: String,
    /// The revision. The default is 1.
    pub revision: i64,
    /// True for an upgrade; an install otherwise.
    pub is_upgrade: bool,
    /// The name of the program that renders. The default is `Helm`.
    pub service: String,
}

impl ChartRequest {
    /// Creates the request of a first install without values of the user and without a cluster.
    pub fn new(name: impl Into<String>, namespace: impl Into<String>) -> Self {
        let release = ChartRelease {
            name: name.into(),
            namespace: namespace.into(),
            revision: 1,
            is_upgrade: false,
            service: "Helm".to_owned(),
        };
        Self { release, values: Map::new(), capabilities: Arc::default(), validates_values: true }
    }
}
