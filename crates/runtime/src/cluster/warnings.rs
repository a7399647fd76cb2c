use std::collections::HashSet;

use http::HeaderMap;
use parking_lot::Mutex;

/// How many distinct texts are remembered.
const KEPT: usize = 1024;

/// Warnings of the API server, logged once per distinct text.
#[derive(Debug, Default)]
pub(super) struct Warnings {
    seen: Mutex<HashSet<String>>,
}

impl Warnings {
    /// Takes the warnings out of an answer and logs new ones.
    pub(super) fn take(&self, headers: &HeaderMap) -> Vec<String> {
        let texts: Vec<_> =
            headers.get_all(http::header::WARNING).iter().filter_map(|value| text(value.to_str().ok()?)).collect();
        for warning in &texts {
            if self.remember(warning) {
                tracing::warn!("API Warning: {warning}");
            }
        }
        texts
    }

    fn remember(&self, warning: &str) -> bool {
        let mut seen = self.seen.lock();
        if seen.contains(warning) {
            return false;
        }
        if seen.len() >= KEPT {
            seen.clear();
        }
        seen.insert(warning.to_owned())
    }
}

/// The text of `299 - "text"`; other codes are not for us.
fn text(header: &str) -> Option<String> {
    let rest = header.trim().strip_prefix("299 ")?;
    let quoted = rest[rest.find('"')? + 1..].strip_suffix('"').or_else(|| {
        // A date may follow the text.
        let rest = &rest[rest.find('"')? + 1..];
        rest.rfind("\" \"").map(|end| &rest[..end])
    })?;
    let quoted = quoted.find("\" \"").map_or(quoted, |end| &quoted[..end]);
    let plain = quoted.replace("\\\"", "\"").replace("\\\\", "\\");
    Some(plain).filter(|plain| !plain.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    // CHK-5
    #[test]
    fn only_texts_with_code_299_count() {
        assert_eq!(text(r#"299 - "use \"v2\"""#).as_deref(), Some(r#"use "v2""#));
        assert_eq!(text(r#"299 - "old" "Wed, 21 Oct 2026 07:28:00 GMT""#).as_deref(), Some("old"));
        assert_eq!(text(r#"299 - """#), None);
        assert_eq!(text(r#"199 - "other""#), None);
    }

    // CHK-5
    #[test]
    fn a_text_is_remembered() {
        let warnings = Warnings::default();
        assert!(warnings.remember("a"));
        assert!(!warnings.remember("a"));
        assert!(warnings.remember("b"));
    }
}
