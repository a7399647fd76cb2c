//! Confidential values of an object, masked in texts about it.

use std::borrow::Cow;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::Value;

use super::redact::MASK;

/// The length below which parts of values are common words, and are not masked.
const SHORTEST: usize = 4;
/// The length from which on parts are masked inside of words, too.
const ANYWHERE: usize = 8;
/// The words that occur in names of confidential fields, in lower case and without separators.
const TELLING: [&str; 14] = [
    "password",
    "passwd",
    "passphrase",
    "secret",
    "token",
    "credential",
    "apikey",
    "accesskey",
    "privatekey",
    "signingkey",
    "encryptionkey",
    "connectionstring",
    "dsn",
    "authorization",
];
/// The endings of fields that refer to a confidential value, but do not contain it.
const POINTING: [&str; 5] = ["name", "names", "ref", "refs", "namespace"];

/// The confidential values of objects: the data of Secrets, and of fields whose names indicate a secret. An API server, a webhook or a decoder may
/// quote them in its errors.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Confidential {
    /// The parts to mask, the longest first, so that a value which contains another one is masked as a whole.
    parts: Vec<String>,
}

impl Confidential {
    /// Collects the confidential values of an object, or of a patch for it. `secret` is true for a patch of a Secret, which does not contain its
    /// kind.
    pub fn of(object: &Value, secret: bool) -> Self {
        let mut found = Self::default();
        let is_secret = secret || object.get("kind").and_then(Value::as_str) == Some("Secret");
        if is_secret {
            for field in ["data", "stringData"] {
                if let Some(data) = object.get(field) {
                    found.all(data);
                }
            }
        }
        found.telling(object);
        found.parts.sort_by_key(|part| std::cmp::Reverse(part.len()));
        found.parts.dedup();
        found
    }

    /// Returns the text with all confidential values masked.
    pub fn mask<'a>(&self, text: &'a str) -> Cow<'a, str> {
        let mut masked = Cow::Borrowed(text);
        for part in &self.parts {
            if masked.contains(part) {
                masked = Cow::Owned(replace(&masked, part));
            }
        }
        masked
    }

    /// Masks all texts of a value.
    pub fn mask_value(&self, value: &mut Value) {
        match value {
            Value::String(text) => {
                if let Cow::Owned(masked) = self.mask(text) {
                    *text = masked;
                }
            }
            Value::Array(items) => items.iter_mut().for_each(|item| self.mask_value(item)),
            Value::Object(fields) => fields.values_mut().for_each(|field| self.mask_value(field)),
            _ => {}
        }
    }

    /// Returns true if there are no values to mask.
    pub fn is_empty(&self) -> bool {
        self.parts.is_empty()
    }

    fn telling(&mut self, value: &Value) {
        match value {
            Value::Array(items) => items.iter().for_each(|item| self.telling(item)),
            Value::Object(fields) => {
                for (name, field) in fields {
                    if tells(name) {
                        self.texts(field);
                    }
                    self.telling(field);
                }
                // The entry is an environment variable, a header, or an operation of a JSON patch.
                let named = ["name", "path"].iter().filter_map(|key| fields.get(*key)).filter_map(Value::as_str).any(tells);
                if let (true, Some(value)) = (named, fields.get("value")) {
                    self.texts(value);
                }
            }
            _ => {}
        }
    }

    /// Adds the texts and numbers of this value, or of the items of a list.
    fn texts(&mut self, value: &Value) {
        match value {
            Value::String(text) => self.add(text),
            Value::Number(number) => self.add(&number.to_string()),
            Value::Array(items) => items.iter().for_each(|item| self.texts(item)),
            _ => {}
        }
    }

    /// Adds all texts and numbers of this value, at any depth.
    fn all(&mut self, value: &Value) {
        match value {
            Value::Object(fields) => fields.values().for_each(|field| self.all(field)),
            Value::Array(items) => items.iter().for_each(|item| self.all(item)),
            other => self.texts(other),
        }
    }

    fn add(&mut self, text: &str) {
        self.add_parts(text);
        // Servers quote decoded values as well as sent ones.
        let decoded = STANDARD.decode(text.trim()).ok().and_then(|bytes| String::from_utf8(bytes).ok());
        if let Some(plain) = &decoded {
            self.add_parts(plain);
        }
        self.add_parts(&STANDARD.encode(text));
    }

    /// Adds the parts of a text. Quoting changes control characters, quotes and backslashes, so that only the parts between them are found in other
    /// texts.
    fn add_parts(&mut self, text: &str) {
        let parts = text.split(|c: char| c.is_control() || matches!(c, '"' | '\\')).map(str::trim);
        self.parts.extend(parts.filter(|part| part.len() >= SHORTEST).map(str::to_owned));
    }
}

/// Shows the number of values, but not the values.
impl std::fmt::Debug for Confidential {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Confidential").field("parts", &self.parts.len()).finish()
    }
}

/// Returns true if a field of this name, or the last field of this path, holds a secret.
fn tells(name: &str) -> bool {
    let name = name.rsplit('/').next().unwrap_or_default();
    let name: String = name.chars().filter(char::is_ascii_alphanumeric).map(|c| c.to_ascii_lowercase()).collect();
    TELLING.iter().any(|telling| name.contains(telling)) && !POINTING.iter().any(|pointing| name.ends_with(pointing))
}

fn replace(text: &str, part: &str) -> String {
    let mut masked = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(part) {
        masked.push_str(&rest[..at]);
        rest = &rest[at + part.len()..];
        let in_word = begins_in_word(&masked) || rest.starts_with(char::is_alphanumeric);
        masked.push_str(if part.len() < ANYWHERE && in_word { part } else { MASK });
    }
    masked.push_str(rest);
    masked
}

/// Returns true if the text ends within a word; an escape such as `\n` is not part of a word.
fn begins_in_word(text: &str) -> bool {
    let mut last = text.chars().rev();
    last.next().is_some_and(char::is_alphanumeric) && last.next() != Some('\\')
}
