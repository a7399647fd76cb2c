//! Reading of some fields of a document.

use serde_json::Value;

use super::block;
use super::compose::{GoYaml, first_document};
use super::depth::with_room;
use super::read::YamlError;

/// Reads these fields of the first document of a text, usually in less time and memory than the whole document. The fields have the values that
/// [`first_document`] gives them, and a text that it refuses is refused with the same error. A document that is no mapping is returned whole.
pub fn fields_of_first_document(text: &str, names: &[&str]) -> Result<Value, YamlError> {
    if let Some(fields) = with_room(text, || block::fields_of_document(text, GoYaml::V2, names)) {
        return Ok(Value::Object(fields));
    }
    let mut document = first_document(text)?;
    if let Value::Object(fields) = &mut document {
        fields.retain(|name, _| names.contains(&name.as_str()));
    }
    Ok(document)
}
