//! Documents and their objects.

use std::collections::BTreeMap;
use std::sync::Arc;

use kubewright_template::library::data::parse_yaml;
use serde_json::Value;

use super::document_cache::{DocumentCache, ReadDocument};
use super::hook::ChartHook;
use super::rendered::ChartDocument;
use super::split::split_documents;
use crate::compat::HelmCompat;
use crate::error::ChartError;
use crate::model::FieldDecoder;

/// Returns the documents of the output of a file. Those whose texts are in the cache are not read again.
pub(super) fn documents_of(
    file: &str,
    output: &str,
    compat: HelmCompat,
    cache: &DocumentCache,
) -> Result<Vec<ChartDocument>, ChartError> {
    let documents = split_documents(output, compat).into_iter().enumerate().map(|(index, text)| {
        let failed = |message| ChartError::Document { file: file.to_owned(), index, message };
        let (text, ReadDocument { object, hook }) = cache.get(text, || read(text, compat)).map_err(failed)?;
        Ok(ChartDocument { file: file.to_owned(), index, text, object, hook })
    });
    documents.collect()
}

fn read(text: &str, compat: HelmCompat) -> Result<ReadDocument, String> {
    // Helm prints a line break behind a document, and applies the printed text: a last block scalar ends with it.
    let object = parse_yaml(format!("{text}\n").as_bytes())?;
    let hook = ChartHook::of(&annotations_of(&object, compat)?);
    Ok(ReadDocument { object: Arc::new(object), hook })
}

/// Checks the part of an object that Helm reads, and returns its annotations.
fn annotations_of(object: &Value, compat: HelmCompat) -> Result<BTreeMap<String, String>, String> {
    let type_name = match compat {
        HelmCompat::Helm4 => "util.SimpleHead",
        HelmCompat::Helm3 => "releaseutil.SimpleHead",
    };
    let Some(head) = FieldDecoder::document(object, type_name)? else { return Ok(BTreeMap::new()) };
    head.text("apiVersion")?;
    head.text("kind")?;
    let metadata_type =
        "struct { Name string \"json:\\\"name\\\"\"; Annotations map[string]string \"json:\\\"annotations\\\"\" }";
    let Some(metadata) = head.object("metadata", metadata_type)? else { return Ok(BTreeMap::new()) };
    metadata.text("name")?;
    metadata.map("annotations")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_document_that_is_no_map_is_an_error() {
        let error = |compat| {
            documents_of("web/templates/a.yaml", "a: 1\n---\ntext", compat, &DocumentCache::default()).unwrap_err().to_string()
        };
        let expected = |name| {
            format!(
                "YAML parse error on web/templates/a.yaml: error unmarshaling JSON: while decoding JSON: json: cannot unmarshal string into Go value of type {name}"
            )
        };
        assert_eq!(error(HelmCompat::Helm4), expected("util.SimpleHead"));
        assert_eq!(error(HelmCompat::Helm3), expected("releaseutil.SimpleHead"));
    }

    #[test]
    fn hooks_are_read_from_annotations() {
        let text = "kind: Job\nmetadata:\n  annotations:\n    helm.sh/hook: pre-install, Post-Install\n    helm.sh/hook-weight: \"-5\"\n    helm.sh/hook-delete-policy: hook-succeeded\n    helm.sh/hook-output-log-policy: hook-failed\n";
        let documents = documents_of("a", text, HelmCompat::Helm4, &DocumentCache::default()).unwrap();
        let hook = documents[0].hook.clone().unwrap();
        assert_eq!(hook.events, ["pre-install", "post-install"]);
        assert_eq!(hook.weight.as_deref(), Some("-5"));
        assert_eq!(hook.delete_policies, ["hook-succeeded"]);
        assert_eq!(hook.log_policies, ["hook-failed"]);
    }
}
