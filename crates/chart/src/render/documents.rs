//! Documents and their objects.

use std::collections::BTreeMap;
use std::sync::Arc;

use kubewright_template::library::data::{parse_yaml, parse_yaml_fields};
use serde_json::Value;

use super::document_cache::{DocumentCache, ReadDocument};
use super::hook::ChartHook;
use super::rendered::{ChartDocument, ChartText};
use super::split::split_documents;
use crate::compat::HelmCompat;
use crate::error::ChartError;
use crate::model::FieldDecoder;

/// The fields of an object that Helm reads.
const HEAD: [&str; 3] = ["apiVersion", "kind", "metadata"];

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

/// Returns the texts of the documents of the output of a file. Only those parts of them are read that Helm reads.
pub(super) fn texts_of(file: &str, output: &str, compat: HelmCompat) -> Result<Vec<ChartText>, ChartError> {
    let texts = split_documents(output, compat).into_iter().enumerate().map(|(index, text)| {
        let failed = |message| ChartError::Document { file: file.to_owned(), index, message };
        let head = parse_yaml_fields(printed(text).as_bytes(), &HEAD).map_err(failed)?;
        let hook = ChartHook::of(&annotations_of(&head, compat).map_err(failed)?);
        let kind = head["kind"].as_str().unwrap_or_default().to_owned();
        Ok(ChartText { file: file.to_owned(), text: text.to_owned(), kind, hook })
    });
    texts.collect()
}

/// Returns the text of a document as it is applied: Helm prints a line break behind it, with which a last block scalar ends.
fn printed(text: &str) -> String {
    format!("{text}\n")
}

fn read(text: &str, compat: HelmCompat) -> Result<ReadDocument, String> {
    let object = parse_yaml(printed(text).as_bytes())?;
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
    fn texts_have_the_kinds_hooks_and_errors_of_documents() {
        for output in [
            "kind: A\nmetadata: {annotations: {helm.sh/hook: test}}\nspec: {a: [1]}\n---\n# nothing\n---\nkind: B",
            "kind: A\nspec: [a",
            "kind: A\n---\ntext",
            "kind: [A]\nspec: 1",
            "kind: A\nmetadata: {name: 1}",
            "kind: A\nspec: {<<: 1}",
        ] {
            let texts = texts_of("a", output, HelmCompat::Helm4).map_err(|error| error.to_string());
            let documents = documents_of("a", output, HelmCompat::Helm4, &DocumentCache::default());
            let expected = documents.map_err(|error| error.to_string()).map(|documents| {
                let text = |document: ChartDocument| {
                    let kind = document.kind().to_owned();
                    ChartText { file: document.file, text: document.text.to_string(), kind, hook: document.hook }
                };
                documents.into_iter().map(text).collect::<Vec<_>>()
            });
            assert_eq!(texts, expected, "{output}");
        }
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
