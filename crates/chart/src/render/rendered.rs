//! The output of a rendering.

use std::sync::Arc;

use serde_json::Value;

use super::hook::ChartHook;
use super::order::{HelmOrdered, in_helm_order};
use crate::compat::HelmCompat;
use crate::source::ChartFile;

/// The output of a chart.
#[derive(Clone, Debug, PartialEq)]
pub struct RenderedChart {
    /// The documents of the templates, hooks too: by the paths of the files, and by their order in the file. Those without content are left out.
    pub documents: Vec<ChartDocument>,
    /// The objects of `crds/` of all enabled charts.
    pub crds: Vec<ChartDocument>,
    /// The files of `crds/` of all enabled charts, by their paths in the tree of charts: `chart/crds/file.yaml`.
    pub crd_files: Vec<ChartFile>,
    /// The text of `NOTES.txt`.
    pub notes: Option<String>,
    /// The warnings of Helm about values and dependencies.
    pub warnings: Vec<String>,
    pub(super) compat: HelmCompat,
}

/// A document of a template's output.
#[derive(Clone, Debug, PartialEq)]
pub struct ChartDocument {
    /// The path of the template: `chart/templates/file.yaml`.
    pub file: String,
    /// The index in the output of the template, from 0.
    pub index: usize,
    /// The text, without white space around it as far as Helm removes it. Renderings that print it again share it.
    pub text: Arc<str>,
    /// The object; null for a document of comments alone. Renderings with the same text share it.
    pub object: Arc<Value>,
    /// The hook that the annotations make of the document.
    pub hook: Option<ChartHook>,
}

impl ChartDocument {
    /// Returns the kind of the object; the empty text if it has none.
    pub fn kind(&self) -> &str {
        self.object["kind"].as_str().unwrap_or_default()
    }
}

impl HelmOrdered for ChartDocument {
    fn kind(&self) -> &str {
        self.kind()
    }

    fn hook(&self) -> Option<&ChartHook> {
        self.hook.as_ref()
    }
}

/// The texts that a chart renders, as `helm template` prints them.
#[derive(Clone, Debug, PartialEq)]
pub struct RenderedTexts {
    /// The texts of the documents of the templates, hooks too: by the paths of the files, and by their order in the file. Those without content are left out.
    pub documents: Vec<ChartText>,
    /// The files of `crds/` of all enabled charts, by their paths in the tree of charts: `chart/crds/file.yaml`.
    pub crd_files: Vec<ChartFile>,
    /// The text of `NOTES.txt`.
    pub notes: Option<String>,
    /// The warnings of Helm about values and dependencies.
    pub warnings: Vec<String>,
    pub(super) compat: HelmCompat,
}

/// The text of a document of a template's output.
#[derive(Clone, Debug, PartialEq)]
pub struct ChartText {
    /// The path of the template: `chart/templates/file.yaml`.
    pub file: String,
    /// The text, without white space around it as far as Helm removes it.
    pub text: String,
    /// The kind of the object; the empty text if it has none.
    pub kind: String,
    /// The hook that the annotations make of the document.
    pub hook: Option<ChartHook>,
}

impl HelmOrdered for ChartText {
    fn kind(&self) -> &str {
        &self.kind
    }

    fn hook(&self) -> Option<&ChartHook> {
        self.hook.as_ref()
    }
}

impl RenderedTexts {
    /// Returns the texts in the order in which `helm template` prints them. See [`RenderedChart::in_helm_order`].
    pub fn in_helm_order(&self) -> Vec<&ChartText> {
        in_helm_order(&self.documents, self.compat)
    }
}

impl RenderedChart {
    /// Returns the documents in the order in which `helm template` prints them: by kind as Helm installs them, hooks last, those of unknown events left out.
    pub fn in_helm_order(&self) -> Vec<&ChartDocument> {
        in_helm_order(&self.documents, self.compat)
    }
}
