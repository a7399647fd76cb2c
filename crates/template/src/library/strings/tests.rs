use serde_json::json;

use super::words::{pascal_case, separated};
use crate::library::fake::{call, check_errors, check_results, printed, shown};
use crate::value::GoValue;

/// Calls a function of a number and bytes that are no text.
fn cut(name: &str, number: i64, bytes: &[u8]) -> Vec<u8> {
    match call(name, [GoValue::int(number), GoValue::string(bytes)]).unwrap() {
        GoValue::String(text) => text.as_bytes().to_vec(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn strings_are_trimmed_and_searched() {
    check_results([
        ("trim", json!(["  a b\u{a0}\n"]), "a b"),
        ("trim", json!([" \t "]), ""),
        ("trimAll", json!(["ab", "abcba"]), "c"),
        ("trimAll", json!(["é", "éaé"]), "a"),
        ("trimAll", json!(["", "a"]), "a"),
        ("trimall", json!(["$", "$5$"]), "5"),
        ("trimSuffix", json!(["-", "a--"]), "a-"),
        ("trimPrefix", json!(["-", "--a"]), "-a"),
        ("contains", json!(["", "x"]), "true"),
        ("contains", json!(["cat", "concatenate"]), "true"),
        ("hasPrefix", json!(["ca", "cat"]), "true"),
        ("hasSuffix", json!(["at", "dog"]), "false"),
        ("replace", json!([" ", "-", "a b c"]), "a-b-c"),
        ("replace", json!(["", "-", "aé"]), "-a-é-"),
        ("repeat", json!([3, "ab"]), "ababab"),
        ("indent", json!([2, "a\nb\n\nc"]), "  a\n  b\n  \n  c"),
        ("nindent", json!([0, ""]), "\n"),
    ]);
}

#[test]
fn strings_are_cut_between_bytes() {
    check_results([
        ("trunc", json!([5, "hello world"]), "hello"),
        ("trunc", json!([-5, "hello world"]), "world"),
        ("trunc", json!([-50, "short"]), "short"),
        ("trunc", json!([i64::MIN, "short"]), "short"),
        ("substr", json!([3, -1, "hello"]), "lo"),
        ("substr", json!([-1, 3, "hello"]), "hel"),
        ("substr", json!([0, 99, "hi"]), "hi"),
        ("abbrev", json!([5, "hello world"]), "he..."),
        ("abbrev", json!([3, "hello"]), "hello"),
        ("abbrevboth", json!([5, 10, "1234 5678 9123"]), "...5678..."),
        ("abbrevboth", json!([1, 4, "hello"]), "hello"),
        ("abbrevboth", json!([99, 9, "1234 5678 9123"]), "...8 9123"),
        ("abbrevboth", json!([i64::MIN, 5, "hello world"]), "he..."),
        ("nospace", json!(["h e\tl l\no"]), "hello"),
        ("nospace", json!(["é"]), "é"),
        ("nospace", json!(["é a"]), "Ã©a"),
        ("initials", json!(["First Try"]), "FT"),
        ("wrap", json!([5, "aa bb cc dd"]), "aa bb\ncc dd"),
        ("wrap", json!([3, "longword x"]), "longword\nx"),
        ("wrap", json!([0, "ab"]), "ab"),
        ("wrapWith", json!([5, "\t", "Hello World"]), "Hello\tWorld"),
        ("wrapWith", json!([2, "", "abcde"]), "ab\ncd\ne"),
    ]);
    assert_eq!(cut("trunc", 2, "hé".as_bytes()), b"h\xc3");
    assert_eq!(cut("trunc", -1, "é".as_bytes()), b"\xa9");
}

#[test]
fn numbers_that_are_no_bounds_are_errors() {
    check_errors([
        ("repeat", json!([-1, "ab"]), "strings: negative Repeat count"),
        ("indent", json!([-1, "ab"]), "strings: negative Repeat count"),
        ("substr", json!([2, 1, "hello"]), "runtime error: slice bounds out of range [2:1]"),
        ("substr", json!([7, -1, "hello"]), "runtime error: slice bounds out of range [7:5]"),
        ("substr", json!([-1, 7, "hello"]), "runtime error: slice bounds out of range [:7] with length 5"),
        ("substr", json!([-1, -2, "hello"]), "runtime error: slice bounds out of range [:-2]"),
    ]);
}

#[test]
fn results_of_enormous_size_are_errors() {
    for (name, arguments) in [
        ("repeat", json!([i64::MAX, "ab"])),
        ("indent", json!([i64::MAX, "a"])),
        ("randAlpha", json!([1_i64 << 40])),
        ("replace", json!(["", "x".repeat(10_000), "y".repeat(10_000)])),
        ("join", json!([",", vec!["x".repeat(10_000_000); 7]])),
        ("sortAlpha", json!([vec!["x".repeat(10_000_000); 7]])),
        ("regexReplaceAll", json!([".+", "x".repeat(1_000_000), "$0".repeat(100)])),
    ] {
        let problem = printed(name, &arguments).unwrap_err();
        assert!(problem.ends_with("is larger than the limit of 67108864 bytes"), "{name}: {problem}");
    }
    assert!(
        printed("snakecase", &json!(["a".repeat(2_000_000)])).unwrap_err().ends_with("longer than the limit of 1048576 bytes")
    );
}

#[test]
fn lists_of_enormous_length_are_errors() {
    let text = "x".repeat(1_000_001);
    for (name, arguments) in [
        ("splitList", json!(["", text])),
        ("split", json!(["", text])),
        ("regexFindAll", json!(["x", text, -1])),
        ("regexSplit", json!(["", text, -1])),
    ] {
        assert_eq!(
            printed(name, &arguments).unwrap_err(),
            "list of 1000001 elements is longer than the limit of 1000000",
            "{name}"
        );
    }
}

#[test]
fn the_case_of_letters_is_changed_one_by_one() {
    check_results([
        ("upper", json!(["héllo ß"]), "HÉLLO ß"),
        ("lower", json!(["HÉLLO İ"]), "héllo i"),
        ("title", json!(["hello wORLD foo-bar ab_cd"]), "Hello WORLD Foo-Bar Ab_cd"),
        ("untitle", json!(["Hello World"]), "hello world"),
        ("swapcase", json!(["This Is A.Test"]), "tHIS iS a.tEST"),
        ("swapcase", json!(["ABC def"]), "abc DEF"),
    ]);
}

#[test]
fn names_change_their_form() {
    for (name, snake, pascal) in [
        ("FirstName", "first_name", "FirstName"),
        ("HTTPServer", "http_server", "Httpserver"),
        ("NoHTTPS", "no_https", "NoHTTPS"),
        ("GO_PATH", "go_path", "GoPath"),
        ("GO PATH", "go_path", "GoPath"),
        ("http2xx", "http_2xx", "Http2xx"),
        ("HTTP20xOK", "http_20x_ok", "Http20xOK"),
        ("Duration2m3s", "duration_2m3s", "Duration2m3s"),
        ("Bld4Floor3rd", "bld4_floor_3rd", "Bld4Floor3rd"),
        ("_complex__case_", "_complex__case_", "_Complex_Case_"),
        ("IOReader42", "io_reader42", "Ioreader42"),
        ("HTTPServer-x y", "http_server_x_y", "HttpserverXY"),
        ("", "", ""),
        ("_", "_", "__"),
        ("a", "a", "A"),
        ("a.b/c", "a.b/c", "A.b/c"),
        ("2x", "2x", "2x"),
        ("日本Go", "日本_go", "日本Go"),
    ] {
        assert_eq!((separated(name.as_bytes(), '_').unwrap(), pascal_case(name).as_str()), (snake.into(), pascal), "{name}");
    }
}

#[test]
fn strings_are_split() {
    check_results([
        ("split", json!([",", "a,b,c"]), "map[_0:a _1:b _2:c]"),
        ("splitn", json!([",", 2, "a,b,c"]), "map[_0:a _1:b,c]"),
        ("splitn", json!([",", 0, "a,b,c"]), "map[]"),
        ("splitn", json!([",", -1, "a,b,c"]), "map[_0:a _1:b _2:c]"),
        ("splitn", json!(["", 2, "abc"]), "map[_0:a _1:bc]"),
        ("splitList", json!([",", "a,b,c"]), "[a b c]"),
        ("splitList", json!(["", "aé"]), "[a é]"),
        ("splitList", json!([",", ""]), "[]"),
        ("splitList", json!(["", ""]), "[]"),
    ]);
    let length = |separator: &str| match call("splitList", [separator.into(), "".into()]).unwrap() {
        GoValue::List(list) => list.len(),
        other => panic!("{other:?}"),
    };
    assert_eq!((length(","), length("")), (1, 0));
    assert_eq!(call("split", [",".into(), "a".into()]).unwrap().type_name(), "map[string]string");
}

#[test]
fn values_become_strings() {
    check_results([
        ("toString", json!([1.5]), "1.5"),
        ("toString", json!([null]), "<nil>"),
        ("toString", json!([[1, 2]]), "[1 2]"),
        ("toStrings", json!([[1, null, "a"]]), "[1 a]"),
        ("toStrings", json!(["a"]), "[a]"),
        ("toStrings", json!([null]), "[]"),
        ("quote", json!(["a", 1, true, null, "b\"c"]), r#""a" "1" "true" "b\"c""#),
        ("quote", json!(["é☃\u{0}\n"]), r#""é☃\x00\n""#),
        ("quote", json!([null]), ""),
        ("squote", json!(["a", 1, "it's", null]), "'a' '1' 'it's'"),
        ("cat", json!(["a", 1, null, " b "]), "a 1  b "),
        ("join", json!(["-", [1, "a", true, 2.5, null]]), "1-a-true-2.5"),
        ("join", json!([",", "abc"]), "abc"),
        ("join", json!([",", null]), ""),
        ("sortAlpha", json!([["b", "A", "a", "10", "9"]]), "[10 9 A a b]"),
        ("sortAlpha", json!([null]), "[<nil>]"),
        ("plural", json!(["one", "many", 1]), "one"),
        ("plural", json!(["one", "many", 0]), "many"),
        ("hello", json!([]), "Hello!"),
    ]);
    let bytes = GoValue::List(crate::value::GoList::new(
        b"hi".map(|byte| GoValue::Integer(byte.into(), crate::value::IntegerType::Uint8)).to_vec(),
        crate::value::ElementType::Byte,
    ));
    assert_eq!(shown(&call("toString", [bytes.clone()]).unwrap()), "hi");
    assert_eq!(shown(&call("squote", [bytes]).unwrap()), "'[104 105]'");
}

#[test]
fn equal_hosts_give_equal_randomness() {
    for (name, is_in) in [
        ("randAlphaNum", (|c| c.is_ascii_alphanumeric()) as fn(&char) -> bool),
        ("randAlpha", char::is_ascii_alphabetic),
        ("randNumeric", char::is_ascii_digit),
        ("randAscii", |c| (' '..='~').contains(c)),
    ] {
        let text = printed(name, &json!([300])).unwrap();
        assert!(text.len() == 300 && text.chars().all(|c| is_in(&c)), "{name}: {text}");
        assert_eq!(printed(name, &json!([300])).unwrap(), text);
        assert_eq!(printed(name, &json!([-1])).unwrap(), "");
    }
    let shuffled = printed("shuffle", &json!(["abcdéf"])).unwrap();
    let mut sorted: Vec<char> = shuffled.chars().collect();
    sorted.sort_unstable();
    assert_eq!(sorted, ['a', 'b', 'c', 'd', 'f', 'é']);
}
