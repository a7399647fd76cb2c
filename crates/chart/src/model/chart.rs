//! A chart.

use std::sync::Arc;

use serde_json::{Map, Value};

use super::metadata::ChartMetadata;
use crate::compat::HelmCompat;
use crate::source::{ChartFile, ChartLimits, FileUsage};

/// A loaded chart with the charts in it. A [`ChartLoader`](crate::ChartLoader) makes it.
#[derive(Clone, Debug)]
pub struct Chart {
    /// The metadata.
    pub metadata: ChartMetadata,
    /// The default values.
    pub values: Map<String, Value>,
    /// The schema of the values, as JSON.
    pub schema: Option<Arc<[u8]>>,
    /// The content of `Chart.lock` or `requirements.lock`.
    pub lock: Option<Value>,
    /// The files of `templates/`.
    pub templates: Vec<ChartFile>,
    /// All other files.
    pub files: Vec<ChartFile>,
    /// The charts in `charts/`.
    pub dependencies: Vec<Arc<Self>>,
    pub(crate) compat: HelmCompat,
    /// The limits with which the chart was loaded.
    pub(crate) limits: ChartLimits,
    /// The files of the chart without those of the charts in it.
    pub(crate) usage: FileUsage,
}

impl Chart {
    /// Returns the name.
    pub fn name(&self) -> &str {
        &self.metadata.name
    }

    /// Returns the release line of Helm that the chart is rendered like.
    pub const fn compat(&self) -> HelmCompat {
        self.compat
    }

    /// Returns the files of `crds/` that have objects.
    pub(crate) fn crds(&self) -> impl Iterator<Item = &ChartFile> {
        self.files.iter().filter(|file| {
            let extension = file.name.rsplit_once('.').map_or("", |(_, extension)| extension);
            file.name.starts_with("crds/") && ["yaml", "yml", "json"].iter().any(|known| extension.eq_ignore_ascii_case(known))
        })
    }
}
