//! Conversion of the case of names.

/// Converts CamelCase to kebab-case: `SsaOverride` and `ssaOverride` become `ssa-override`.
pub(crate) fn to_kebab(text: &str) -> String {
    let mut kebab = String::with_capacity(text.len() + 4);
    for character in text.chars() {
        if character.is_ascii_uppercase() && !kebab.is_empty() && !kebab.ends_with('-') {
            kebab.push('-');
        }
        kebab.push(character.to_ascii_lowercase());
    }
    kebab
}
