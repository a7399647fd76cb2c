//! Names of members as rules write them.

use kube_cel::cel::objects::Key;

/// Reserved words, which cannot be identifiers.
pub(crate) const RESERVED: [&str; 21] = [
    "true",
    "false",
    "null",
    "in",
    "as",
    "break",
    "const",
    "continue",
    "else",
    "for",
    "function",
    "if",
    "import",
    "let",
    "loop",
    "package",
    "namespace",
    "return",
    "var",
    "void",
    "while",
];

/// Returns the name of a member as a rule writes it, or `None` for a name that cannot be written.
///
/// See <https://kubernetes.io/docs/reference/using-api/cel/#escaping>.
pub(crate) fn declared_name(name: &str) -> Option<String> {
    if RESERVED.contains(&name) {
        return Some(format!("__{name}__"));
    }
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '-' | '/');
    if name.is_empty() || name.starts_with(|c: char| c.is_ascii_digit()) || !name.chars().all(plain) {
        return None;
    }
    Some(name.replace("__", "__underscores__").replace('.', "__dot__").replace('-', "__dash__").replace('/', "__slash__"))
}

/// The prefix of the name of a field that is not in the schema of its object. No rule can refer to such a field, but the field counts when
/// objects are compared.
pub(crate) const UNKNOWN: char = '\0';

/// Returns true if a key belongs to a field that is not in the schema.
pub(super) fn is_unknown(key: &Key) -> bool {
    matches!(key, Key::String(name) if name.starts_with(UNKNOWN))
}
