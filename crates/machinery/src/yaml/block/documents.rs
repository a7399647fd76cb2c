//! Documents of a text.

use serde_json::{Map, Value};

use super::form::PassedNode;
use super::lines::BlockReader;
use crate::yaml::compose::GoYaml;

/// Reads the first document.
pub(in crate::yaml) fn document(text: &str, version: GoYaml) -> Option<Value> {
    let mut reader = BlockReader::new(text, version)?;
    reader.document_start()?;
    let value = reader.collection()?;
    reader.document_end()?;
    Some(value)
}

/// Reads all documents, of which none is empty.
pub(in crate::yaml) fn documents(text: &str, version: GoYaml) -> Option<Vec<Value>> {
    let mut reader = BlockReader::new(text, version)?;
    let mut documents = Vec::new();
    loop {
        reader.document_start()?;
        documents.push(reader.collection()?);
        reader.document_end()?;
        if reader.is_at_end() {
            return Some(documents);
        }
    }
}

/// Reads these fields of the first document, which is a mapping, and passes over the others.
pub(in crate::yaml) fn fields_of_document(text: &str, version: GoYaml, names: &[&str]) -> Option<Map<String, Value>> {
    let mut reader = BlockReader::new(text, version)?;
    reader.document_start()?;
    let mut fields = Map::new();
    let column = reader.column;
    reader.count(0)?;
    let first = reader.key()?;
    reader.fields(first, column, 0, |reader, key| {
        if names.contains(&&*key) {
            fields.insert(key.into_owned(), reader.field_value(column, 1)?);
        } else {
            reader.field_value::<PassedNode>(column, 1)?;
        }
        Some(())
    })?;
    reader.document_end()?;
    Some(fields)
}
