use serde_json::json;

use crate::library::fake::{call, check_errors, check_results, shown};
use crate::value::GoValue;

#[test]
fn expressions_are_found() {
    check_results([
        ("regexMatch", json!(["^a+b$", "aaab"]), "true"),
        ("regexMatch", json!(["[", "x"]), "false"),
        ("regexMatch", json!(["a{,2}", "a{,2}"]), "true"),
        ("mustRegexMatch", json!([r"^\d$", "٣"]), "false"),
        ("regexFind", json!(["[0-9]+", "ab123cd45"]), "123"),
        ("regexFind", json!(["z", "abc"]), ""),
        ("regexFindAll", json!(["[a-z][0-9]", "a1 b2 c3", -1]), "[a1 b2 c3]"),
        ("regexFindAll", json!(["[a-z][0-9]", "a1 b2 c3", 2]), "[a1 b2]"),
        ("regexFindAll", json!(["a", "aaa", 0]), "[]"),
        ("regexQuoteMeta", json!(["1.2.3[a]*é"]), r"1\.2\.3\[a\]\*é"),
    ]);
}

#[test]
fn texts_are_replaced_with_groups() {
    check_results([
        ("regexReplaceAll", json!(["a(x*)b", "-ab-axxb-", "${1}W"]), "-W-xxW-"),
        ("regexReplaceAll", json!(["a(x*)b", "-ab-axxb-", "$1W"]), "---"),
        ("regexReplaceAll", json!(["(?P<first>[a-z]+) (?P<second>[a-z]+)", "hello world", "${second} $first"]), "world hello"),
        ("regexReplaceAll", json!(["(a)(b)?", "ac", "[$1|$2|$3]"]), "[a||]c"),
        ("regexReplaceAll", json!(["x", "axb", "$$|$|${1|$ |${}|$0"]), "a$|$|${1|$ |${}|xb"),
        ("regexReplaceAll", json!(["x", "axb", "[$00|$01]"]), "a[|]b"),
        ("regexReplaceAll", json!(["(?P<n>a)|(?P<n>b)", "ab", "<$n>"]), "<a><b>"),
        ("regexReplaceAll", json!(["", "abc", "-"]), "-a-b-c-"),
        ("regexReplaceAll", json!(["b*", "abc", "-"]), "-a-c-"),
        ("regexReplaceAllLiteral", json!(["a(x*)b", "-ab-axxb-", "${1}"]), "-${1}-${1}-"),
    ]);
}

#[test]
fn texts_are_split_at_expressions() {
    check_results([
        ("regexSplit", json!(["z+", "pizza", -1]), "[pi a]"),
        ("regexSplit", json!([",", "a,b,c", 2]), "[a b,c]"),
        ("regexSplit", json!([",", "a,b,c", 1]), "[a,b,c]"),
        ("regexSplit", json!([",", "a,b,c", 0]), "[]"),
        ("regexSplit", json!(["", "abc", -1]), "[a b c]"),
        ("regexSplit", json!([",", "", -1]), "[]"),
        ("regexSplit", json!([",", ",a,", -1]), "[ a ]"),
    ]);
}

#[test]
fn empty_matches_are_none_behind_other_matches() {
    let found = call("regexFindAll", ["a*".into(), "baac".into(), GoValue::int(-1)]).unwrap();
    assert_eq!(shown(&call("join", ["|".into(), found]).unwrap()), "|aa|");
}

#[test]
fn bytes_that_are_no_characters_are_kept() {
    let replaced = call("regexReplaceAll", [GoValue::from("b"), GoValue::string(&b"\xffb\xe6\x97b"[..]), "$0$0".into()]).unwrap();
    let GoValue::String(replaced) = replaced else { panic!("a string") };
    assert_eq!(replaced.as_bytes(), b"\xffbb\xe6\x97bb");
    let found = call("regexFind", [GoValue::from("^."), GoValue::string(&b"\xffb"[..])]).unwrap();
    let GoValue::String(found) = found else { panic!("a string") };
    assert_eq!(found.as_bytes(), b"\xff");
}

#[test]
fn expressions_that_do_not_compile_are_errors() {
    check_errors([
        ("mustRegexMatch", json!(["[", "x"]), "error parsing regexp: missing closing ]: `[`"),
        ("mustRegexReplaceAll", json!(["(", "a", "b"]), "error parsing regexp: missing closing ): `(`"),
        ("regexFind", json!(["(", "a"]), "regexp: Compile(`(`): error parsing regexp: missing closing ): `(`"),
        ("regexSplit", json!(["(`", "a", -1]), "regexp: Compile(\"(`\"): error parsing regexp: missing closing ): `(``"),
    ]);
}
