use std::collections::HashSet;

use http::HeaderMap;
use kubewright_core::flow::Redactor;
use parking_lot::Mutex;

use super::ApiRequest;

/// The number of distinct texts that are remembered.
const KEPT: usize = 1024;

/// Warnings of the API server, logged once per distinct text.
#[derive(Debug, Default)]
pub(crate) struct WarningLog {
    seen: Mutex<HashSet<String>>,
    /// The beginnings of warnings that the operator's users cannot avoid.
    expected: Mutex<HashSet<String>>,
    redactor: Redactor,
}

impl WarningLog {
    pub(crate) fn new(redactor: Redactor) -> Self {
        Self { redactor, ..Self::default() }
    }

    /// Suppresses the logging of warnings that begin with this text; they are still returned.
    pub(crate) fn expect(&self, beginning: String) {
        self.expected.lock().insert(beginning);
    }

    /// Takes the warnings out of the answer to a request, without the confidential values of the request, and logs new ones.
    pub(crate) fn take(&self, headers: &HeaderMap, request: &ApiRequest) -> Vec<String> {
        let mut texts: Vec<_> =
            headers.get_all(http::header::WARNING).iter().filter_map(|value| text(value.to_str().ok()?)).collect();
        if texts.is_empty() {
            return texts;
        }
        let confidential = request.confidential();
        for warning in &mut texts {
            *warning = self.redactor.redact(&confidential.mask(warning)).into_owned();
        }
        for warning in &texts {
            if !self.is_expected(warning) && self.remember(warning) {
                tracing::warn!(object = request.object(), verb = request.verb().as_str(), "API Warning: {warning}");
            }
        }
        texts
    }

    fn is_expected(&self, warning: &str) -> bool {
        self.expected.lock().iter().any(|beginning| warning.starts_with(beginning))
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

/// Returns the text of `299 - "text"`; other warning codes do not come from the API server.
fn text(header: &str) -> Option<String> {
    let rest = header.trim().strip_prefix("299 ")?;
    let quoted = rest[rest.find('"')? + 1..].strip_suffix('"').or_else(|| {
        // The text may be followed by a date.
        let rest = &rest[rest.find('"')? + 1..];
        rest.rfind("\" \"").map(|end| &rest[..end])
    })?;
    let quoted = quoted.find("\" \"").map_or(quoted, |end| &quoted[..end]);
    let plain = quoted.replace("\\\"", "\"").replace("\\\\", "\\");
    Some(plain).filter(|plain| !plain.is_empty())
}

#[cfg(test)]
mod tests {
    use kubewright_machinery::object::GroupVersionKind;
    use serde_json::json;

    use super::*;
    use crate::api::ApiResource;
    use crate::testing::CapturedLog;

    // CHK-5
    #[test]
    fn only_texts_with_code_299_count() {
        assert_eq!(text(r#"299 - "use \"v2\"""#).as_deref(), Some(r#"use "v2""#));
        assert_eq!(text(r#"299 - "old" "Wed, 21 Oct 2026 07:28:00 GMT""#).as_deref(), Some("old"));
        assert_eq!(text(r#"299 - """#), None);
        assert_eq!(text(r#"199 - "other""#), None);
    }

    #[test]
    fn an_expected_warning_is_matched_by_its_prefix() {
        let warnings = WarningLog::default();
        warnings.expect("metadata.finalizers: \"own\": prefer".to_owned());
        assert!(warnings.is_expected("metadata.finalizers: \"own\": prefer a domain-qualified finalizer name"));
        assert!(!warnings.is_expected("metadata.finalizers: \"other\": prefer a domain-qualified finalizer name"));
    }

    // SW-9
    #[test]
    fn a_warning_passes_the_redactor() {
        let tokens = |text: &str| text.contains("token-1").then(|| text.replace("token-1", "(token)"));
        let warnings = WarningLog::new(Redactor::default().masking(tokens));
        let mut headers = HeaderMap::new();
        headers.insert(http::header::WARNING, http::HeaderValue::from_static(r#"299 - "token-1 and Bearer abc are deprecated""#));
        let foos = ApiResource::known(&GroupVersionKind::new("example.com", "v1", "Foo"), "foos", true);
        let request = ApiRequest::get(&foos, "demo", "one");
        assert_eq!(warnings.take(&headers, &request), ["(token) and Bearer *** are deprecated"]);
    }

    // CHK-5
    #[test]
    fn a_text_is_remembered() {
        let warnings = WarningLog::default();
        assert!(warnings.remember("a"));
        assert!(!warnings.remember("a"));
        assert!(warnings.remember("b"));
    }

    // CHK-5
    #[test]
    fn a_warning_is_logged_once_with_its_object() {
        let (log, _guard) = CapturedLog::start();
        let warnings = WarningLog::default();
        let mut headers = HeaderMap::new();
        headers.insert(http::header::WARNING, http::HeaderValue::from_static(r#"299 - "unknown field \"spec.colour\"""#));
        let foos = ApiResource::known(&GroupVersionKind::new("example.com", "v1", "Foo"), "foos", true);
        let request =
            ApiRequest::create(&foos, &json!({ "metadata": { "namespace": "demo", "name": "one" }, "spec": { "colour": 1 } }));
        for _ in 0..2 {
            assert_eq!(warnings.take(&headers, &request), [r#"unknown field "spec.colour""#]);
        }
        let text = log.text();
        assert!(text.contains("/apis/example.com/v1/namespaces/demo/foos/one") && text.contains("create"), "{text}");
        assert_eq!(text.matches("API Warning").count(), 1, "{text}");
    }
}
