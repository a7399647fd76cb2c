//! The removal of credentials from conditions and events.

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

pub(super) const MASK: &str = "***";

/// Masks text that looks like a credential: PEM private keys, `Bearer` tokens, and user names and passwords in URLs.
pub fn redact(text: &str) -> Cow<'_, str> {
    if !(text.contains("PRIVATE KEY-----") || text.contains("earer ") || text.contains("://")) {
        return Cow::Borrowed(text);
    }
    Cow::Owned(mask_urls(&mask_tokens(&mask_keys(text))))
}

/// The masks of an operator: those of [`redact`], and those that the operator adds (SW-9). Cheap to clone.
#[derive(Clone, Default)]
pub struct Redactor {
    /// The added masks; none if there are none.
    added: Option<Arc<[Mask]>>,
}

type Mask = Arc<dyn Fn(&str) -> Option<String> + Send + Sync>;

impl Redactor {
    /// Adds a mask. It gets a text and returns the text to show instead, or none to keep it. Masks are called in the order in which they were added,
    /// each on the result of the previous ones; [`redact`] is called first. They are called often, also inside passes, so they must be fast; equal
    /// texts must give equal results, otherwise each pass would change the status.
    #[must_use]
    pub fn masking(self, mask: impl Fn(&str) -> Option<String> + Send + Sync + 'static) -> Self {
        let before = self.added.iter().flat_map(|masks| masks.iter().map(Arc::clone));
        Self { added: Some(before.chain([Arc::new(mask) as Mask]).collect()) }
    }

    /// Returns true if masks were added to those of [`redact`].
    pub const fn is_extended(&self) -> bool {
        self.added.is_some()
    }

    /// Returns the text with all confidential parts masked.
    pub fn redact<'a>(&self, text: &'a str) -> Cow<'a, str> {
        let mut masked = redact(text);
        for mask in self.added.iter().flat_map(|masks| masks.iter()) {
            if let Some(text) = mask(&masked) {
                masked = Cow::Owned(text);
            }
        }
        masked
    }
}

impl fmt::Debug for Redactor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Redactor({} added)", self.added.as_ref().map_or(0, |masks| masks.len()))
    }
}

fn mask_keys(text: &str) -> String {
    let mut rest = text;
    let mut masked = String::with_capacity(text.len());
    while let Some(begin) = rest.find("-----BEGIN ") {
        let header = &rest[begin..];
        let is_key = header[11..].find("-----").is_some_and(|end| header[11..11 + end].ends_with("PRIVATE KEY"));
        if !is_key {
            masked.push_str(&rest[..begin + 11]);
            rest = &rest[begin + 11..];
            continue;
        }
        masked.push_str(&rest[..begin]);
        masked.push_str(MASK);
        // A truncated key is masked to the end of the text.
        rest = header.find("-----END ").map_or("", |end| {
            let after = &header[end + 9..];
            after.find("-----").map_or("", |close| &after[close + 5..])
        });
    }
    masked.push_str(rest);
    masked
}

fn mask_tokens(text: &str) -> String {
    let mut rest = text;
    let mut masked = String::with_capacity(text.len());
    while let Some(at) = rest.find("earer ") {
        let after = at + "earer ".len();
        masked.push_str(&rest[..after]);
        rest = &rest[after..];
        let is_keyword = masked[..masked.len() - 6].ends_with(['B', 'b']);
        let token = rest.find(|c: char| !(c.is_ascii_alphanumeric() || "-._~+/=".contains(c))).unwrap_or(rest.len());
        if is_keyword && token > 0 {
            masked.push_str(MASK);
            rest = &rest[token..];
        }
    }
    masked.push_str(rest);
    masked
}

fn mask_urls(text: &str) -> String {
    let mut rest = text;
    let mut masked = String::with_capacity(text.len());
    while let Some(at) = rest.find("://") {
        masked.push_str(&rest[..at + 3]);
        rest = &rest[at + 3..];
        let authority = rest.find(|c: char| c.is_whitespace() || "/?#\"'<>".contains(c)).unwrap_or(rest.len());
        if let Some(user) = rest[..authority].rfind('@') {
            masked.push_str(MASK);
            rest = &rest[user..];
        }
    }
    masked.push_str(rest);
    masked
}
