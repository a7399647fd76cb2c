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

/// Returns the files of `crds/` of a tree of charts, with their paths in it.
pub(super) fn crd_files(root: &ChartNode) -> Vec<ChartFile> {
    let own = root.chart.crds().map(|file| file.renamed(&path_of(root, file)));
    own.chain(root.children.iter().flat_map(crd_files)).collect()
}

fn path_of(node: &ChartNode, file: &ChartFile) -> String {
    format!("{}/{}", node.path, file.name)
}

impl ParsedCrds {
    /// Returns the objects of a tree of charts.
    pub(super) fn documents(&self, root: &ChartNode) -> Result<Vec<ChartDocument>, ChartError> {
        let mut documents = Vec::new();
        self.add(root, &mut documents)?;
        Ok(documents)
    }

    fn add(&self, node: &ChartNode, documents: &mut Vec<ChartDocument>) -> Result<(), ChartError> {
        for (index, file) in node.chart.crds().enumerate() {
            let path = path_of(node, file);
            let read = self.file((Arc::as_ptr(&node.chart) as usize, index), &path, file)?;
            // A chart that has an alias has another path.
            documents.extend(read.iter().map(|document| ChartDocument { file: path.clone(), ..document.clone() }));
        }
        node.children.iter().try_for_each(|child| self.add(child, documents))
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
