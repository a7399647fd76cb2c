//! Names of ConfigMaps and of their keys.

use std::collections::BTreeMap;

use syn::{Error, LitStr, Result};

use super::fields::{ConfigField, Source};

/// Rejects names that a ConfigMap cannot have.
pub(super) fn check_name(name: &LitStr) -> Result<()> {
    let text = name.value();
    let edge = |byte: Option<&u8>| byte.is_some_and(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit());
    let inner = |byte: &u8| edge(Some(byte)) || *byte == b'-';
    let is_label = |label: &str| {
        let bytes = label.as_bytes();
        edge(bytes.first()) && edge(bytes.last()) && bytes.iter().all(inner)
    };
    if text.len() <= 253 && text.split('.').all(is_label) {
        return Ok(());
    }
    let message = "the name of a ConfigMap consists of lower case letters, digits, `-` and `.`, at most 253; each part between dots \
                   starts and ends with a letter or digit";
    Err(Error::new_spanned(name, message))
}

/// Rejects keys that a ConfigMap cannot have, and keys that two fields would read.
pub(super) fn check(fields: &[ConfigField]) -> Result<()> {
    let mut keys = BTreeMap::new();
    let mut prefixes = BTreeMap::<String, String>::new();
    for field in fields {
        let ident = field.ident.to_string();
        match &field.source {
            Source::Key { name, aliases } => {
                for literal in [name].into_iter().chain(aliases) {
                    check_key(literal)?;
                    if let Some(other) = keys.insert(literal.value(), ident.clone()) {
                        let message = format!("the key {:?} is read twice: by `{other}` and by `{ident}`", literal.value());
                        return Err(Error::new_spanned(literal, message));
                    }
                }
            }
            Source::Prefix(literal) => {
                check_key(literal)?;
                let prefix = literal.value();
                let within =
                    |one: &str, other: &str| one == other || one.strip_prefix(other).is_some_and(|rest| rest.starts_with('.'));
                if let Some((_, other)) =
                    prefixes.iter().find(|(earlier, _)| within(&prefix, earlier) || within(earlier, &prefix))
                {
                    let message = format!("keys with the prefix {prefix:?} are read twice: by `{other}` and by `{ident}`");
                    return Err(Error::new_spanned(literal, message));
                }
                prefixes.insert(prefix, ident);
            }
        }
    }
    Ok(())
}

fn check_key(key: &LitStr) -> Result<()> {
    let text = key.value();
    if text == "_example" {
        return Err(Error::new_spanned(key, "the key `_example` holds documentation and is never read"));
    }
    let allowed = |byte: u8| byte.is_ascii_alphanumeric() || b"-._".contains(&byte);
    if (1..=253).contains(&text.len()) && text != "." && !text.starts_with("..") && text.bytes().all(allowed) {
        return Ok(());
    }
    let message = "a key of a ConfigMap consists of letters, digits, `-`, `_` and `.`, at most 253, and does not start with `..`";
    Err(Error::new_spanned(key, message))
}
