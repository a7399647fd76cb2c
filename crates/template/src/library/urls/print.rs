//! URLs as text.

use super::encoding::UrlPart;
use super::parse::{ParsedUrl, UserInfo};

impl UserInfo {
    /// Returns the user with escapes.
    pub(super) fn print(&self) -> Vec<u8> {
        let mut result = UrlPart::User.escape(&self.name);
        if let Some(password) = &self.password {
            result.push(b':');
            result.extend(UrlPart::User.escape(password));
        }
        result
    }
}

impl ParsedUrl {
    /// Returns the URL with escapes.
    pub(super) fn print(&self) -> Vec<u8> {
        let mut result = Vec::new();
        if !self.scheme.is_empty() {
            result.extend_from_slice(&self.scheme);
            result.push(b':');
        }
        if self.opaque.is_empty() {
            self.print_hierarchy(&mut result);
        } else {
            result.extend_from_slice(&self.opaque);
        }
        if !self.query.is_empty() {
            result.push(b'?');
            result.extend_from_slice(&self.query);
        }
        if !self.fragment.is_empty() {
            result.push(b'#');
            result.extend(UrlPart::Fragment.escape(&self.fragment));
        }
        result
    }

    /// Writes the user, the host and the path.
    fn print_hierarchy(&self, result: &mut Vec<u8>) {
        let has_host = !self.host.is_empty();
        if has_host || self.user.is_some() || !self.scheme.is_empty() && !self.path.is_empty() {
            result.extend_from_slice(b"//");
        }
        if let Some(user) = &self.user {
            result.extend(user.print());
            result.push(b'@');
        }
        result.extend(UrlPart::Host.escape(&self.host));
        let path = if self.path == b"*" { self.path.clone() } else { UrlPart::Path.escape(&self.path) };
        if has_host && !path.is_empty() && !path.starts_with(b"/") {
            result.push(b'/');
        }
        // A first part with a colon would be read as a scheme.
        let first = path.split(|byte| *byte == b'/').next().unwrap_or_default();
        if result.is_empty() && first.contains(&b':') {
            result.extend_from_slice(b"./");
        }
        result.extend(path);
    }
}
