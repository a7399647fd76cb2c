use super::*;

// CRD-2
#[test]
fn expressions_are_read_as_go_reads_them() {
    let matches = |pattern: &str, text: &str| compile(pattern).unwrap().is_match(text);
    assert!(matches("^a{,5}$", "a{,5}"));
    assert!(matches("^[^[]+$", "a]"));
    assert!(matches("^[a&&b]+$", "&b"));
    assert!(matches(r"^\Qa.b\E$", "a.b") && !matches(r"^\Qa.b\E$", "axb"));
    assert!(!matches(r"^\d$", "٣") && matches(r"^[\d\-]+$", "3-"));
    assert!(matches("(?<name>a)", "a") && matches("(?P<n>a)", "a"));
    assert!(matches(r"^\x{41}\x42\103$", "ABC"));
    assert!(matches(r"^\p{^Greek}\P{^Greek}\pL\PL$", "aαa1"));
    assert!(matches("^[[:alpha:]]+$", "ab") && matches("^[]a]+$", "]a"));
}

// CRD-2
#[test]
fn pattern_errors_have_the_messages_of_go() {
    let problem = |pattern: &str| compile(pattern).unwrap_err().replace("error parsing regexp: ", "");
    for (pattern, expected) in [
        ("[", "missing closing ]: `[`"),
        ("(", "missing closing ): `(`"),
        ("a)", "unexpected ): `a)`"),
        ("*", "missing argument to repetition operator: `*`"),
        ("a|*?", "missing argument to repetition operator: `*?`"),
        ("(?", "invalid or unsupported Perl syntax: `(?`"),
        ("(?i", "invalid or unsupported Perl syntax: `(?i`"),
        ("a**", "invalid nested repetition operator: `**`"),
        ("a{2,1}", "invalid repeat count: `{2,1}`"),
        ("a{1001}", "invalid repeat count: `{1001}`"),
        ("((a{40}b){5}){6}", "invalid repeat count: `{6}`"),
        ("[b-a]", "invalid character class range: `b-a`"),
        ("[[:foo:]]", "invalid character class range: `[:foo:]`"),
        (r"\p{Foo}", r"invalid character class range: `\p{Foo}`"),
        (r"\8", r"invalid escape sequence: `\8`"),
        ("(?=x)", "invalid or unsupported Perl syntax: `(?=`"),
        ("(?<=x)", "invalid named capture: `(?<=x)`"),
        ("(?P<n", "invalid named capture: `(?P<n`"),
    ] {
        assert_eq!(problem(pattern), expected);
    }
}

#[test]
fn groups_keep_their_names() {
    let names = GoPattern::compile("(a)(?P<first>b)(?:c)(?<2nd>d)").unwrap().names;
    assert_eq!(names.iter().map(Option::as_deref).collect::<Vec<_>>(), [None, None, Some("first"), Some("2nd")]);
}

#[test]
fn expressions_cost_no_more_than_their_length() {
    for part in ["{", "{1", "[[:x]", "(?:", r"\Q{"] {
        let _ = compile(&part.repeat(100_000 / part.len()));
    }
    let _ = compile(&format!("[{}", "[:".repeat(100_000)));
    assert!(compile("[é[:digit:]]x{2}").unwrap().is_match("5xx"));
}
