use std::collections::BTreeMap;

use serde_json::Value;

use super::*;

fn variables() -> BTreeMap<String, String> {
    let variables =
        [("a", "abc.abc"), ("B", "/path/To/file.tar"), ("n", "2"), ("m", "-3"), ("e", ""), ("u", "éßx.é"), ("x1", "a/b\\c$d")];
    variables.map(|(name, value)| (name.to_owned(), value.to_owned())).into()
}

fn check(cases: &[(&str, &str)]) {
    for (text, expected) in cases {
        assert_eq!(expand(text, &variables()).as_deref(), Ok(*expected), "{text}");
    }
}

#[test]
fn a_variable_is_replaced_and_an_unknown_one_is_empty() {
    check(&[("${a}", "abc.abc"), ("-${unknown}-", "--"), ("${a}${n}", "abc.abc2"), ("$a {a} $", "$a {a} $"), ("", "")]);
}

#[test]
fn defaults_stand_for_empty_and_unknown_variables() {
    check(&[
        ("${unknown:-d}", "d"),
        ("${unknown=d}", "d"),
        ("${unknown:=d}", "d"),
        ("${e:-d}", "d"),
        ("${e=d}", "d"),
        ("${a:-d}", "abc.abc"),
        ("${unknown:-}", ""),
        ("${unknown:-a b: {c}", "a b: {c"),
        ("${unknown:-http://x:80/y#z%}", "http://x:80/y#z%"),
        ("${unknown:-$$}", "$$"),
    ]);
}

#[test]
fn the_forms_for_alternatives_and_errors_give_defaults_too() {
    check(&[("${unknown:+d}", "d"), ("${a:+d}", "abc.abc"), ("${unknown:?d}", "d")]);
}

#[test]
fn defaults_contain_texts_and_expansions() {
    check(&[
        ("${unknown:-${a}}", "abc.abc"),
        ("${unknown:-x${n}y${unknown:-${m}}}z", "x2y-3z"),
        ("${unknown=${a^^}}", "ABC.ABC"),
    ]);
}

#[test]
fn a_length_is_a_number_of_bytes() {
    check(&[("${#a}", "7"), ("${#e}", "0"), ("${#unknown}", "0"), ("${#u}", "8")]);
}

#[test]
fn letters_change_their_case() {
    check(&[
        ("${a^}", "Abc.abc"),
        ("${a^^}", "ABC.ABC"),
        ("${B,,}", "/path/to/file.tar"),
        ("${u^}", "Éßx.é"),
        ("${e^}", ""),
        ("${a^,}", "abc.abc"),
    ]);
}

#[test]
fn a_part_of_a_value_is_cut_out() {
    check(&[
        ("${a:1}", "bc.abc"),
        ("${a:1:2}", "bc"),
        ("${a:-2}", "abc.abc"),
        ("${a:${m}}", "abc"),
        ("${a:1:-1}", "bc.ab"),
        ("${a:5:-6}", ""),
        ("${a:9}", ""),
        ("${a:0:99}", "abc.abc"),
        ("${a:x}", "abc.abc"),
        ("${a:1:x}", "abc.abc"),
        ("${a:9223372036854775807:9223372036854775807}", ""),
    ]);
    assert_eq!(expand("${u:1}", &variables()), Err(ExpansionError::InsideCharacter));
}

#[test]
fn the_shortest_or_the_longest_prefix_or_suffix_is_removed() {
    check(&[
        ("${B#*/}", "path/To/file.tar"),
        ("${B##*/}", "file.tar"),
        ("${B%/*}", "/path/To"),
        ("${B%%/*}", ""),
        ("${a#abc}", ".abc"),
        ("${a%bc}", "abc.a"),
        ("${a#[ab]?}", "c.abc"),
        ("${a#[^a]}", "abc.abc"),
        ("${a#*}", "bc.abc"),
        ("${u#?}", "ßx.é"),
        ("${u%?}", "éßx."),
        ("${a#x}", "abc.abc"),
        ("${a#[}", "abc.abc"),
        ("${a#${unknown:-a}}", "bc.abc"),
    ]);
}

#[test]
fn occurrences_are_replaced() {
    check(&[
        ("${a/abc/x}", "x.abc"),
        ("${a//abc/x}", "x.x"),
        ("${a/#abc/x}", "x.abc"),
        ("${a/%abc/x}", "abc.x"),
        ("${a/%ab/x}", "abc.abc"),
        ("${a/abc/}", ".abc"),
        ("${a//b/}", "ac.ac"),
        ("${a/#abc/}", "abc.abc"),
        ("${B//\\//-}", "-path-To-file.tar"),
        ("${a/b/$$}", "a$c.abc"),
        ("${a/b/${n}}", "a2c.abc"),
        ("${a/.*/x}", "abc.abc"),
    ]);
}

#[test]
fn two_dollars_are_one() {
    check(&[
        ("$${a}", "${a}"),
        ("$$", "$"),
        ("$$$", "$$"),
        ("$$${a}", "$abc.abc"),
        ("$${a${n}}", "${a2}"),
        ("\\$${a}", "\\${a}"),
    ]);
}

#[test]
fn malformed_expansions_are_errors() {
    for (text, expected) in [
        ("${a", ExpansionError::MissingClosingBrace),
        ("x ${a y", ExpansionError::MissingClosingBrace),
        ("${a-b}", ExpansionError::MissingClosingBrace),
        ("${a:-b", ExpansionError::Argument),
        ("${a:-${b}", ExpansionError::Argument),
        ("${}", ExpansionError::VariableName),
        ("${-a}", ExpansionError::VariableName),
        ("${", ExpansionError::VariableName),
        ("${#}", ExpansionError::BadSubstitution),
        ("${a:", ExpansionError::BadSubstitution),
        ("${a:}", ExpansionError::Argument),
        ("${a:1:}", ExpansionError::Argument),
        ("${a#}", ExpansionError::Argument),
        ("${a//b}", ExpansionError::BadSubstitution),
        ("${a///x}", ExpansionError::Argument),
        ("${a^^x}", ExpansionError::BadSubstitution),
        ("${a#b${n}}", ExpansionError::BadSubstitution),
    ] {
        assert_eq!(expand(text, &variables()), Err(expected), "{text}");
        assert_eq!(fault(text), Some(expected), "{text}");
    }
}

#[test]
fn depth_size_and_work_are_limited() {
    let nested = |depth| format!("{}x{}", "${unknown:-".repeat(depth), "}".repeat(depth));
    assert_eq!(expand(&nested(DEEPEST_EXPANSION), &variables()).as_deref(), Ok("x"));
    assert_eq!(expand(&nested(DEEPEST_EXPANSION + 1), &variables()), Err(ExpansionError::TooDeep));
    assert_eq!(expand(&nested(1_000_000), &variables()), Err(ExpansionError::TooDeep));
    let large = BTreeMap::from([("v".to_owned(), "a".repeat(100_000))]);
    assert_eq!(expand("${v//a/${v}}", &large), Err(ExpansionError::TooLarge));
    assert_eq!(expand(&"${v}".repeat(400), &large), Err(ExpansionError::TooLarge));
    assert_eq!(expand(&format!("${{v##{}b}}", "*a".repeat(1000)), &large), Err(ExpansionError::TooLarge));
}

// The vectors were recorded with github.com/fluxcd/pkg/envsubst v1.9.0.
#[test]
fn results_equal_those_of_flux() {
    let vectors = include_str!("vectors.jsonl");
    for line in vectors.lines() {
        let vector: Value = serde_json::from_str(line).unwrap();
        let found = expand(vector["input"].as_str().unwrap(), &variables()).map_err(|error| error.to_string());
        let expected = vector["output"].as_str().ok_or_else(|| vector["error"].as_str().unwrap().to_owned());
        assert_eq!(found.as_deref().map_err(Clone::clone), expected, "{line}");
    }
    assert_eq!(vectors.lines().count(), 300);
}
