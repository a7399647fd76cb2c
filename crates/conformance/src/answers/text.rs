//! Patterns of texts that differ from run to run.

use std::sync::LazyLock;

use regex::Regex;

/// Compiles a pattern that is a constant of this file.
#[allow(clippy::unwrap_used)] // constants, compiled by every test
fn pattern(text: &str) -> Regex {
    Regex::new(text).unwrap()
}

macro_rules! patterns {
    ($($(#[$doc:meta])* $name:ident = $text:literal;)*) => {
        $($(#[$doc])* pub(super) static $name: LazyLock<Regex> = LazyLock::new(|| pattern($text));)*
    };
}

patterns! {
    /// The UID of an object.
    UID = r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}";
    /// A time in whole seconds.
    TIME = r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ";
    /// A time with a fraction.
    MICRO_TIME = r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d+Z";
    /// A whole IPv4 address.
    ADDRESS = r"^\d{1,3}\.\d{1,3}\.\d{1,3}\.\d{1,3}$";
    /// A signed token.
    TOKEN = r"eyJ[A-Za-z0-9_-]+\.eyJ[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+";
    /// A SHA-512 in hexadecimal digits.
    HASH = r"\b[0-9A-F]{128}\b";
    /// An age in a table.
    AGE = r"^\d+[smhdy](\d+[smh])?$";
    /// A whole number in a text.
    NUMBER = r"\b\d+\b";
}
