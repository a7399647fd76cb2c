//! Texts that a reader of YAML takes for values of other types, which are therefore quoted.

use kubewright_machinery::yaml::PlainScalar;

use super::YamlDialect;

/// Returns true if a plain scalar of this text would not be read as a text, or by some readers not.
pub(super) fn is_ambiguous(text: &str, dialect: YamlDialect) -> bool {
    PlainScalar::resolve(text) != PlainScalar::Text
        || is_sexagesimal(text)
        || (dialect == YamlDialect::Third && is_third_octal(text))
}

/// Returns true for a number to the base of 60, which only YAML 1.1 has: `12:30:45`.
fn is_sexagesimal(text: &str) -> bool {
    let is_digit = |byte: u8| byte.is_ascii_digit() || byte == b'_';
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    let mut parts = unsigned.split(':');
    let first = parts.next().unwrap_or_default();
    let rest: Vec<_> = parts.collect();
    let Some((last, middle)) = rest.split_last() else { return false };
    let is_sixtieth = |part: &str| match part.as_bytes() {
        [digit] => digit.is_ascii_digit(),
        [tens, digit] => matches!(tens, b'0'..=b'5') && digit.is_ascii_digit(),
        _ => false,
    };
    let (last, fraction) = last.split_once('.').unwrap_or((last, ""));
    first.starts_with(|digit: char| digit.is_ascii_digit())
        && first.bytes().all(is_digit)
        && middle.iter().all(|part| is_sixtieth(part))
        && is_sixtieth(last)
        && fraction.bytes().all(is_digit)
}

/// Returns true for an octal number with a sign after its prefix.
fn is_third_octal(text: &str) -> bool {
    let digits = text.strip_prefix("0o-").or_else(|| text.strip_prefix("0o+"));
    digits.is_some_and(|digits| i64::from_str_radix(&digits.replace('_', ""), 8).is_ok() && !digits.starts_with(['+', '-']))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_that_look_like_other_types_are_ambiguous() {
        for text in [
            "",
            "~",
            "y",
            "No",
            ".inf",
            "1",
            "1.5",
            "0x1F",
            "010",
            "1_000",
            "2020-01-02",
            "12:30:45",
            "190:20:30.15",
            "-1:30",
            "1_0:59",
        ] {
            assert!(is_ambiguous(text, YamlDialect::Kubernetes), "{text}");
        }
        for text in ["a", "yEs", ".", "1.2.3", "10.0.0.1", "1:60", "1:", ":1", "1:2:", "a:1", "=", "<<", "-", "100m"] {
            assert!(!is_ambiguous(text, YamlDialect::Kubernetes), "{text}");
        }
    }
}
