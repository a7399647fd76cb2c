//! Printing of a document.

use serde_json::Value;

/// Returns the YAML text of a value: keys sorted, lists not indented, texts quoted if a reader could take them for another type.
pub fn to_string(value: &Value) -> String {
    let options = serde_saphyr::ser_options! { compact_list_indent: true };
    // The writer fails for types that JSON does not have; JSON itself is also YAML.
    serde_saphyr::to_string_with_options(value, options).unwrap_or_else(|_| format!("{value}\n"))
}
