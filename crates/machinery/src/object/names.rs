//! Name syntax. Every check returns the problems of a name, in the words of the real API server; an empty list means that the name is valid.

const DNS_1123_LABEL: &str = "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and \
    must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is \
    '[a-z0-9]([-a-z0-9]*[a-z0-9])?')";
const DNS_1123_SUBDOMAIN: &str = "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' \
    or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is \
    '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
const DNS_1035_LABEL: &str = "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an \
    alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for \
    validation is '[a-z]([-a-z0-9]*[a-z0-9])?')";
const QUALIFIED_NAME: &str = "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an \
    alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is \
    '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";
const LABEL_VALUE: &str = "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', \
    and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for \
    validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";
const CONFIG_KEY: &str = "a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  \
    or 'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')";

const C_IDENTIFIER: &str = "a valid C identifier must start with alphabetic character or '_', followed by a string of \
    alphanumeric characters or '_' (e.g. 'my_name',  or 'MY_NAME',  or 'MyName', regex used for validation is \
    '[A-Za-z_][A-Za-z0-9_]*')";

const LABEL_LENGTH: usize = 63;
const SUBDOMAIN_LENGTH: usize = 253;

/// Checks `[a-z0-9]([-a-z0-9]*[a-z0-9])?`, at most 63 bytes: namespaces, containers, ports.
pub fn dns_1123_label(name: &str) -> Vec<String> {
    let mut problems = too_long(name, LABEL_LENGTH);
    if !is_dns_label(name) {
        // A dotted name gets a text of its own, which is more helpful than the general one.
        let dotted = is_dns_subdomain(name);
        problems.push(if dotted { "must not contain dots".to_owned() } else { DNS_1123_LABEL.to_owned() });
    }
    problems
}

/// Checks labels joined by dots, at most 253 bytes: most objects.
pub fn dns_1123_subdomain(name: &str) -> Vec<String> {
    let mut problems = too_long(name, SUBDOMAIN_LENGTH);
    if !is_dns_subdomain(name) {
        problems.push(DNS_1123_SUBDOMAIN.to_owned());
    }
    problems
}

/// Checks `[a-z]([-a-z0-9]*[a-z0-9])?`, at most 63 bytes: plurals, versions, old service names.
pub fn dns_1035_label(name: &str) -> Vec<String> {
    let mut problems = too_long(name, LABEL_LENGTH);
    if !is_dns_label(name) || !name.starts_with(|first: char| first.is_ascii_lowercase()) {
        problems.push(DNS_1035_LABEL.to_owned());
    }
    problems
}

/// Checks a name that can be a segment of a path: roles and their bindings.
pub fn path_segment(name: &str) -> Vec<String> {
    if name == "." || name == ".." {
        return vec![format!("may not be '{name}'")];
    }
    ["/", "%"].iter().filter(|part| name.contains(**part)).map(|part| format!("may not contain '{part}'")).collect()
}

/// Checks `prefix/name` or `name`: keys of labels and annotations, finalizers, condition types.
pub fn qualified_name(name: &str) -> Vec<String> {
    let mut problems = Vec::new();
    let part = match name.split_once('/') {
        None => name,
        Some((_, rest)) if rest.contains('/') => {
            return vec![format!(
                "a valid label key {QUALIFIED_NAME} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')"
            )];
        }
        Some((prefix, part)) => {
            if prefix.is_empty() {
                problems.push("prefix part must be non-empty".to_owned());
            } else {
                problems.extend(subdomain_prefix(prefix).into_iter().map(|problem| format!("prefix part {problem}")));
            }
            part
        }
    };
    if part.is_empty() {
        problems.push("name part must be non-empty".to_owned());
    } else {
        problems.extend(too_many_bytes(part, LABEL_LENGTH).into_iter().map(|problem| format!("name part {problem}")));
    }
    if !is_name_part(part) {
        problems.push(format!("name part {QUALIFIED_NAME}"));
    }
    problems
}

/// Checks a label's value: empty, or like the name part of a key.
pub fn label_value(value: &str) -> Vec<String> {
    let mut problems = too_many_bytes(value, LABEL_LENGTH);
    if !value.is_empty() && !is_name_part(value) {
        problems.push(LABEL_VALUE.to_owned());
    }
    problems
}

/// Checks a key of a ConfigMap or Secret.
pub fn config_key(key: &str) -> Vec<String> {
    let mut problems = too_long(key, SUBDOMAIN_LENGTH);
    if key.is_empty() || !key.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-._".contains(&byte)) {
        problems.push(CONFIG_KEY.to_owned());
    } else if key == "." || key == ".." {
        problems.push(format!("must not be '{key}'"));
    } else if key.starts_with("..") {
        problems.push("must not start with '..'".to_owned());
    }
    problems
}

/// Checks `[A-Za-z_][A-Za-z0-9_]*`, of any length: kinds.
pub fn c_identifier(name: &str) -> Vec<String> {
    let is_letter = |byte: &u8| byte.is_ascii_alphabetic() || *byte == b'_';
    let bytes = name.as_bytes();
    let valid = bytes.first().is_some_and(is_letter) && bytes.iter().all(|byte| is_letter(byte) || byte.is_ascii_digit());
    if valid { Vec::new() } else { vec![C_IDENTIFIER.to_owned()] }
}

/// Checks the length like `too_long`, in the words of newer checks.
fn too_many_bytes(text: &str, most: usize) -> Vec<String> {
    if text.len() > most { vec![format!("must be no more than {most} bytes")] } else { Vec::new() }
}

/// Checks the part before the slash of a qualified name.
fn subdomain_prefix(prefix: &str) -> Vec<String> {
    let mut problems = too_many_bytes(prefix, SUBDOMAIN_LENGTH);
    if !is_dns_subdomain(prefix) {
        problems.push(DNS_1123_SUBDOMAIN.to_owned());
    }
    problems
}

fn too_long(text: &str, most: usize) -> Vec<String> {
    if text.len() > most { vec![format!("must be no more than {most} characters")] } else { Vec::new() }
}

fn is_dns_label(text: &str) -> bool {
    is_bounded(text, |byte| byte.is_ascii_lowercase() || byte.is_ascii_digit(), b"-")
}

fn is_dns_subdomain(text: &str) -> bool {
    text.split('.').all(is_dns_label)
}

fn is_name_part(text: &str) -> bool {
    is_bounded(text, |byte| byte.is_ascii_alphanumeric(), b"-_.")
}

/// Returns true if the text is not empty, starts and ends with an outer character, and has only outer and inner characters.
fn is_bounded(text: &str, outer: impl Fn(u8) -> bool, inner: &[u8]) -> bool {
    let bytes = text.as_bytes();
    match (bytes.first(), bytes.last()) {
        (Some(&first), Some(&last)) => {
            outer(first) && outer(last) && bytes.iter().all(|&byte| outer(byte) || inner.contains(&byte))
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_judged_by_their_grammar() {
        for good in ["a", "a-b", "0a", "123"] {
            assert_eq!(dns_1123_label(good), Vec::<String>::new(), "{good}");
        }
        for bad in ["", "-a", "a-", "A", "a_b", "ä", "a.b"] {
            assert_eq!(dns_1123_label(bad).len(), 1, "{bad}");
        }
        assert_eq!(dns_1123_label("a.b"), ["must not contain dots"]);
        assert!(dns_1123_subdomain("a.b-c.0").is_empty() && !dns_1123_subdomain("a..b").is_empty());
        assert!(dns_1035_label("a1").is_empty() && !dns_1035_label("1a").is_empty());
        assert_eq!(dns_1123_label(&"a".repeat(64)), ["must be no more than 63 characters"]);
        assert_eq!(dns_1123_subdomain(&"a".repeat(254)), ["must be no more than 253 characters"]);
    }

    // META-5
    #[test]
    fn a_bad_name_is_explained_in_the_words_of_the_server() {
        assert_eq!(
            dns_1123_subdomain("Bad_Name"),
            ["a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must \
              start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is \
              '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')"]
        );
    }

    #[test]
    fn keys_may_have_one_prefix() {
        for good in ["a", "A_b.c-1", "x.io/f", "kubernetes.io/tls"] {
            assert!(qualified_name(good).is_empty(), "{good}");
        }
        assert_eq!(qualified_name("/a"), ["prefix part must be non-empty"]);
        assert_eq!(qualified_name("x.io/")[0], "name part must be non-empty");
        assert!(qualified_name("a/b/c")[0].starts_with("a valid label key must consist of"));
        assert!(qualified_name("X.io/b")[0].starts_with("prefix part a lowercase RFC 1123 subdomain"));
    }

    #[test]
    fn label_values_and_config_keys() {
        assert!(label_value("").is_empty() && label_value("a_B.c").is_empty() && !label_value("-a").is_empty());
        assert!(config_key("a.b_C-").is_empty() && config_key(".a").is_empty());
        assert_eq!(config_key(".."), ["must not be '..'"]);
        assert_eq!(config_key("..a"), ["must not start with '..'"]);
        assert_eq!(config_key("a b").len(), 1);
    }

    #[test]
    fn identifiers_start_with_a_letter_and_have_no_dashes() {
        for good in ["a", "_", "MyKind1"] {
            assert!(c_identifier(good).is_empty(), "{good}");
        }
        for bad in ["", "1a", "my-kind", "kïnd", "a.b"] {
            assert_eq!(c_identifier(bad), [C_IDENTIFIER], "{bad}");
        }
    }

    #[test]
    fn path_segments_refuse_double_dots_slashes_and_percent_signs() {
        assert!(path_segment("system:node:a b").is_empty());
        assert_eq!(path_segment(".."), ["may not be '..'"]);
        assert_eq!(path_segment("a/b%"), ["may not contain '/'", "may not contain '%'"]);
    }
}
