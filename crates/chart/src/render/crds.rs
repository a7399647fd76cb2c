//! The objects of `crds/`, which are no templates.

use std::collections::HashMap;
use std::sync::Arc;

use parking_lot::Mutex;

use super::document_cache::DocumentCache;
use super::documents::documents_of;
use super::rendered::ChartDocument;
use crate::compat::HelmCompat;
use crate::dependencies::ChartNode;
use crate::error::ChartError;
use crate::source::ChartFile;

/// A file of `crds/`: its chart by address, and its index there. Charts live as long as their parsed files.
type CrdKey = (usize, usize);

/// The files of `crds/` that were read as YAML. They are the same in each rendering, and often larger than all templates.
#[derive(Debug, Default)]
pub(super) struct ParsedCrds {
    files: Mutex<HashMap<CrdKey, Arc<[ChartDocument]>>>,
}

/// The files of `crds/` of the enabled charts, and their objects.
#[derive(Debug, Default)]
pub(super) struct EnabledCrds {
    pub(super) files: Vec<ChartFile>,
    pub(super) documents: Vec<ChartDocument>,
}

impl ParsedCrds {
    /// Returns those of a tree of charts.
    pub(super) fn of(&self, root: &ChartNode) -> Result<EnabledCrds, ChartError> {
        let mut enabled = EnabledCrds::default();
        self.add(root, &mut enabled)?;
        Ok(enabled)
    }

    fn add(&self, node: &ChartNode, enabled: &mut EnabledCrds) -> Result<(), ChartError> {
        for (index, file) in node.chart.crds().enumerate() {
            let path = format!("{}/{}", node.path, file.name);
            let documents = self.file((Arc::as_ptr(&node.chart) as usize, index), &path, file)?;
            // A chart that has an alias has another path.
            enabled.documents.extend(documents.iter().map(|document| ChartDocument { file: path.clone(), ..document.clone() }));
            enabled.files.push(file.renamed(&path));
        }
        node.children.iter().try_for_each(|child| self.add(child, enabled))
    }

    fn file(&self, key: CrdKey, path: &str, file: &ChartFile) -> Result<Arc<[ChartDocument]>, ChartError> {
        if let Some(documents) = self.files.lock().get(&key) {
            return Ok(documents.clone());
        }
        let documents = documents_of(path, &String::from_utf8_lossy(&file.data), HelmCompat::Helm4, &DocumentCache::default())?;
        let documents: Arc<[ChartDocument]> = documents.into_iter().filter(|document| !document.object.is_null()).collect();
        self.files.lock().insert(key, documents.clone());
        Ok(documents)
    }
}
