//! The answer of a server to a step, as it was received.

use http::HeaderMap;
use serde_json::Value;

use super::field_path;

/// The answer of a server to one step.
#[derive(Clone, Debug, Default)]
pub struct Answer {
    /// The status code; 0 for the step that reads a watch, since the status belongs to the step that opened it.
    pub code: u16,
    /// The protocol, if the step offers protocols.
    pub protocol: String,
    /// The headers.
    pub headers: HeaderMap,
    /// The number of line ends in the body, without one at its last byte.
    pub lines: usize,
    /// The body.
    pub content: Content,
}

/// The body of an answer.
#[derive(Clone, Debug, Default)]
pub enum Content {
    /// No bytes.
    #[default]
    Empty,
    /// A JSON value.
    Json(Value),
    /// A text that is not JSON.
    Text(String),
    /// Bytes that are neither JSON nor text; only the first bytes and the size are kept.
    Binary {
        /// The first bytes, at most eight.
        magic: Vec<u8>,
        /// The number of bytes.
        size: usize,
    },
    /// The events of a watch.
    Events {
        /// The events in the order of arrival.
        events: Vec<Value>,
        /// True if the server ended the stream.
        ended: bool,
    },
}

impl Answer {
    /// Creates an answer, with the body decoded by its content.
    pub fn new(code: u16, headers: HeaderMap, body: &[u8]) -> Self {
        let is_yaml = headers.get(http::header::CONTENT_TYPE).is_some_and(|value| value == "application/yaml");
        let content = match serde_json::from_slice(body) {
            _ if is_yaml => match std::str::from_utf8(body).map(kubewright_machinery::yaml::document) {
                Ok(Ok(value)) => Content::Json(value),
                _ => Content::Text(String::from_utf8_lossy(body).into_owned()),
            },
            _ if body.is_empty() => Content::Empty,
            Ok(json) => Content::Json(json),
            Err(_) => match std::str::from_utf8(body) {
                Ok(text) if !text.contains('\0') => Content::Text(text.to_owned()),
                _ => Content::Binary { magic: body.iter().take(8).copied().collect(), size: body.len() },
            },
        };
        let lines = body.trim_ascii_end().split(|byte| *byte == b'\n').count() - 1;
        Self { code, protocol: String::new(), headers, lines, content }
    }

    /// Returns the value at a path: a JSON pointer (`[name=x]` selects the first element with that value), or `header:NAME`.
    pub fn at(&self, path: &str) -> Option<Value> {
        match path.strip_prefix("header:") {
            Some(name) => self.headers.get(name).and_then(|value| value.to_str().ok()).map(Value::from),
            None => match &self.content {
                Content::Json(json) => field_path::find(json, path).cloned(),
                _ => None,
            },
        }
    }

    /// Returns true if a real server has not filled its cache of the kind yet, so that clients retry.
    pub fn is_too_early(&self) -> bool {
        let says =
            |words: &str| self.at("/message").is_some_and(|message| message.as_str().is_some_and(|text| text.contains(words)));
        self.code == 429 && (says("storage is (re)initializing") || says("apiserver cacher is stopped"))
    }

    /// Returns true if the answer has all of these values: JSON pointers, `null` for absent, and `code`.
    pub fn has<'a>(&self, wanted: impl IntoIterator<Item = (&'a String, &'a Value)>) -> bool {
        wanted.into_iter().all(|(path, value)| match path.as_str() {
            "code" => value.as_u64() == Some(u64::from(self.code)),
            path => self.at(path).unwrap_or_default() == *value,
        })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn answer(code: u16, body: &Value) -> Answer {
        Answer::new(code, HeaderMap::new(), body.to_string().as_bytes())
    }

    // DFT-2
    #[test]
    fn an_unfilled_cache_is_distinguished_from_other_refusals() {
        assert!(answer(429, &json!({"message": "storage is (re)initializing"})).is_too_early());
        assert!(
            !answer(429, &json!({"message": "Cannot evict pod as it would violate the pod's disruption budget."})).is_too_early()
        );
        assert!(!answer(200, &json!({"message": "storage is (re)initializing"})).is_too_early());
    }

    #[test]
    fn values_are_found_by_pointer_and_by_key() {
        let found = answer(200, &json!({"items": [{"metadata": {"name": "a"}}, {"metadata": {"name": "b.c"}, "x": 1}]}));
        assert!(found.has([(&"code".to_owned(), &json!(200)), (&"/items/[metadata.name=b.c]/x".to_owned(), &json!(1))]));
        assert!(found.has([(&"/items/[metadata.name=d]".to_owned(), &Value::Null), (&"/items/2".to_owned(), &Value::Null)]));
        assert!(!found.has([(&"/items/0/x".to_owned(), &json!(1))]));
    }
}
