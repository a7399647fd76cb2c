//! Writing a document.

use serde_json::Value;

/// The YAML text of a value: keys sorted, lists not indented, texts quoted where a reader could take them for something
/// else.
pub fn to_string(value: &Value) -> String {
    let options = serde_saphyr::ser_options! { compact_list_indent: true };
    // The writer fails for types that JSON does not have; JSON itself is YAML too.
    serde_saphyr::to_string_with_options(value, options).unwrap_or_else(|_| format!("{value}\n"))
}
