//! Values of files: reading, and merging of layers before they meet a chart.

use kubewright_machinery::object::json_type;
use kubewright_template::library::data::parse_yaml;
use serde_json::{Map, Value};

use crate::compat::HelmCompat;

/// Reads a values file: one document with Helm 3, several that are merged with Helm 4. The error is worded as Helm's.
pub fn parse_values(text: &[u8], compat: HelmCompat) -> Result<Map<String, Value>, String> {
    match compat {
        HelmCompat::Helm3 => parse_document(text),
        HelmCompat::Helm4 => {
            let mut values = Map::new();
            for document in split_documents(text)? {
                let layer = parse_document(&document).map_err(|error| format!("cannot unmarshal yaml document: {error}"))?;
                merge_values(&mut values, layer);
            }
            Ok(values)
        }
    }
}

/// Merges a layer of values into those below it: maps merge, everything else replaces. A null stays, and deletes the key when the values meet the
/// defaults of a chart.
pub fn merge_values(values: &mut Map<String, Value>, layer: Map<String, Value>) {
    for (key, value) in layer {
        match (values.get_mut(&key), value) {
            (Some(Value::Object(below)), Value::Object(above)) => merge_values(below, above),
            (_, value) => {
                values.insert(key, value);
            }
        }
    }
}

fn parse_document(text: &[u8]) -> Result<Map<String, Value>, String> {
    match parse_yaml(text)? {
        Value::Null => Ok(Map::new()),
        Value::Object(values) => Ok(values),
        other => {
            let found = json_type(&other);
            Err(format!(
                "error unmarshaling JSON: while decoding JSON: json: cannot unmarshal {found} into Go value of type map[string]interface {{}}"
            ))
        }
    }
}

/// Splits a text at lines that begin with `---`, behind which only a comment may stand.
fn split_documents(text: &[u8]) -> Result<Vec<Vec<u8>>, String> {
    let mut documents = Vec::new();
    let mut document: Vec<u8> = Vec::new();
    for line in text.split_inclusive(|byte| *byte == b'\n') {
        if let Some(rest) = line.strip_prefix(b"---") {
            let rest = rest.trim_ascii();
            if !rest.is_empty() && rest[0] != b'#' {
                let rest = String::from_utf8_lossy(rest);
                return Err(format!("error reading yaml document: invalid Yaml document separator: {rest}"));
            }
            if !document.is_empty() {
                documents.push(std::mem::take(&mut document));
                continue;
            }
        }
        document.extend_from_slice(line);
    }
    if !document.is_empty() {
        documents.push(document);
    }
    Ok(documents)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn maps_merge_and_all_else_replaces() {
        let Value::Object(mut values) = json!({"a": {"b": 1, "c": 2}, "l": [1, 2], "m": {"x": 1}, "n": 1}) else { return };
        let Value::Object(layer) = json!({"a": {"b": null, "d": 3}, "l": [3], "m": 1, "n": {"y": 1}}) else { return };
        merge_values(&mut values, layer);
        assert_eq!(Value::Object(values), json!({"a": {"b": null, "c": 2, "d": 3}, "l": [3], "m": 1, "n": {"y": 1}}));
    }

    #[test]
    fn errors_have_the_words_of_helm() {
        let error = "error unmarshaling JSON: while decoding JSON: json: cannot unmarshal array into Go value of type map[string]interface {}";
        assert_eq!(parse_values(b"[1]", HelmCompat::Helm3).unwrap_err(), error);
        assert_eq!(parse_values(b"[1]", HelmCompat::Helm4).unwrap_err(), format!("cannot unmarshal yaml document: {error}"));
    }

    #[test]
    fn documents_without_content_are_left_out() {
        let values = parse_values(b"---\n# comment\n---\na: 1\n---\n", HelmCompat::Helm4).unwrap();
        assert_eq!(Value::Object(values), json!({"a": 1}));
    }

    #[test]
    fn a_separator_with_content_behind_it_is_an_error() {
        let error = parse_values(b"a: 1\n--- b: 2\n", HelmCompat::Helm4).unwrap_err();
        assert_eq!(error, "error reading yaml document: invalid Yaml document separator: b: 2");
    }
}
