use super::*;
use crate::library::fake::call_in;
use crate::value::{ElementType, GoList};

fn call(flavour: DataFlavour, name: &str, argument: impl Into<GoValue>) -> Result<GoValue, String> {
    let mut functions = FunctionSet::new();
    add(&mut functions, flavour);
    call_in(&functions, name, [argument.into()])
}

#[track_caller]
fn helm(name: &str, argument: impl Into<GoValue>) -> String {
    match call(DataFlavour::Helm, name, argument).unwrap() {
        GoValue::String(text) => text.to_text().into_owned(),
        value => json(&value, JsonStyle::default()).unwrap().to_text().into_owned(),
    }
}

fn map<const N: usize>(entries: [(&'static str, GoValue); N]) -> GoValue {
    GoMap::from_pairs(entries).into()
}

#[test]
fn lists_in_maps_are_not_indented_unless_the_text_is_pretty() {
    let items = GoValue::list([GoValue::int(1), map([("c", GoValue::list([])), ("d", GoValue::list(["x".into()]))])]);
    let value = map([("b", items), ("a", map([])), ("e", GoValue::Nil)]);
    assert_eq!(helm("toYaml", value.clone()), "a: {}\nb:\n- 1\n- c: []\n  d:\n  - x\ne: null");
    assert_eq!(helm("toYamlPretty", value), "a: {}\nb:\n  - 1\n  - c: []\n    d:\n      - x\ne: null");
    let nested = GoValue::list([GoValue::list([GoValue::int(2), GoValue::list([GoValue::int(3)])]), "".into()]);
    assert_eq!(helm("toYaml", nested), "- - 2\n  - - 3\n- \"\"");
}

#[test]
fn texts_are_quoted_where_a_reader_would_take_them_for_something_else() {
    for (text, yaml) in [
        ("plain", "plain"),
        ("", "\"\""),
        ("yes", "\"yes\""),
        ("1.5", "\"1.5\""),
        ("2020-01-02", "\"2020-01-02\""),
        ("12:30:45", "\"12:30:45\""),
        ("a: b", "'a: b'"),
        ("a:b", "a:b"),
        ("it's", "it's"),
        ("# it's", "'# it''s'"),
        (" a", "' a'"),
        ("@a", "'@a'"),
        ("a\tb", "\"a\\tb\""),
        ("😀", "\"\\U0001F600\""),
        ("<<", "<<"),
        ("a\nb", "|-\n  a\n  b"),
        ("a\nb\n", "|\n  a\n  b"),
        ("a\n\n", "|+\n  a\n"),
        (" a\nb", "|2-\n   a\n  b"),
        ("a \nb", "\"a \\nb\""),
    ] {
        assert_eq!(helm("toYaml", text), yaml, "{text:?}");
    }
}

#[test]
fn long_texts_are_folded_and_long_keys_are_marked() {
    let (text, key) = ("word ".repeat(20), "k".repeat(129));
    let folded = format!("'{}\n  word word word '", "word ".repeat(17).trim_end());
    assert_eq!(helm("toYaml", text.as_str()), folded);
    assert_eq!(helm("toYamlPretty", text.as_str()), format!("'{text}'"));
    let long = GoMap::from_pairs([(key.as_str(), GoValue::int(1)), ("a\nb", map([("c", GoValue::int(2))]))]);
    assert_eq!(helm("toYaml", GoValue::from(long)), format!("? |-\n  a\n  b\n: c: 2\n? {key}\n: 1"));
}

#[test]
fn numbers_pass_through_json() {
    let numbers = GoValue::list(
        [1e6, 1e21, 1e-7, -0.0, 12_345_678_901_234_567_890.0, 18_446_744_073_709_551_615.0, 1.5].map(GoValue::Float),
    );
    assert_eq!(
        helm("toYaml", numbers.clone()),
        "- 1000000\n- 1e+21\n- 1e-07\n- 0\n- 12345678901234567000\n- 1.8446744073709552e+19\n- 1.5"
    );
    assert_eq!(helm("toJson", numbers.clone()), "[1000000,1e+21,1e-7,-0,12345678901234567000,18446744073709552000,1.5]");
    assert!(helm("toYamlPretty", numbers).starts_with("- 1e+06\n- 1e+21\n- 1e-07\n- -0\n"));
}

#[test]
fn json_escapes_html_unless_it_is_raw() {
    let text = GoValue::string(&b"<a>&\"\\\n\x01\xff\xe2\x80\xa8\x7f"[..]);
    assert_eq!(helm("toJson", text.clone()), "\"\\u003ca\\u003e\\u0026\\\"\\\\\\n\\u0001\\ufffd\\u2028\x7f\"");
    assert_eq!(helm("toJson", "1 € – é & 2"), "\"1 € – é \\u0026 2\"");
    assert_eq!(helm("toRawJson", text), "\"<a>&\\\"\\\\\\n\\u0001\\ufffd\\u2028\x7f\"");
    let value = map([("b", GoValue::list([GoValue::int(1), map([])])), ("B", GoValue::list([]))]);
    assert_eq!(helm("toPrettyJson", value), "{\n  \"B\": [],\n  \"b\": [\n    1,\n    {}\n  ]\n}");
}

#[test]
fn toml_has_tables_after_other_keys() {
    let tables = GoValue::list([map([("x", GoValue::int(1))]), map([("x", 2.0.into())])]);
    let value = map([
        ("z", GoValue::int(1)),
        ("t", map([("k", "v\n".into()), ("n", map([("m", true.into())]))])),
        ("a b", tables),
        ("l", GoValue::list([GoValue::int(1), map([("q", "r".into())])])),
    ]);
    let expected = "l = [1, {q = \"r\"}]\nz = 1\n\n[[\"a b\"]]\n  x = 1\n\n[[\"a b\"]]\n  x = 2.0\n\n[t]\n  k = \"v\\n\"\n  [t.n]\n    m = true\n";
    assert_eq!(helm("toToml", value), expected);
    assert_eq!(helm("toToml", GoValue::list([GoValue::Nil])), "toml: cannot encode array with nil element");
    assert!(call(DataFlavour::Helm, "mustToToml", GoValue::list([GoValue::Nil])).is_err());
}

#[test]
fn yaml_is_read_as_kubernetes_reads_it() {
    for (text, json) in [
        (
            "a: 010\nb: 0o10\nc: 0x1f\nd: 1e3\ne: yes\nf: on\ng: ~\nh: 2020-01-01\ni: 1_000\nn: +5",
            r#"{"a":8,"b":8,"c":31,"d":1000,"e":true,"f":true,"false":5,"g":null,"h":"2020-01-01","i":1000}"#,
        ),
        ("a: !!str 5\nb: !!int \"7\"\nc: !custom x\nd: !!binary aGVsbG8=", r#"{"a":"5","b":7,"c":"x","d":"hello"}"#),
        ("a: &x {k: v}\nb: {<<: *x, z: 1}", r#"{"a":{"k":"v"},"b":{"k":"v","z":1}}"#),
        ("a: 1\n---\nb: [", r#"{"a":1}"#),
        ("1: a\ntrue: b\n1.5: c", r#"{"1":"a","1.5":"c","true":"b"}"#),
        ("", "{}"),
        (
            "- a",
            r#"{"Error":"error unmarshaling JSON: while decoding JSON: json: cannot unmarshal array into Go value of type map[string]interface {}"}"#,
        ),
        ("a: [", r#"{"Error":"error converting YAML to JSON: yaml: line 1: did not find expected node content"}"#),
        ("\ta: 1", r#"{"Error":"error converting YAML to JSON: yaml: found character that cannot start any token"}"#),
        ("a: .inf", r#"{"Error":"error converting YAML to JSON: json: unsupported value: +Inf"}"#),
    ] {
        assert_eq!(helm("fromYaml", text), json, "{text}");
    }
    assert_eq!(helm("fromYamlArray", "- a\n- {b: 1}"), r#"["a",{"b":1}]"#);
    assert_eq!(helm("fromYamlArray", ""), "[]");
    assert!(helm("fromYamlArray", "a: 1").contains("cannot unmarshal object into Go value of type []interface {}"));
}

#[test]
fn json_is_read_as_go_reads_it() {
    for (text, json) in [
        (r#"{"a":1,"a":2,"b":"\ud83d\ude00\ud800x"}"#, "{\"a\":2,\"b\":\"😀\u{fffd}x\"}"),
        ("null", "null"),
        ("[1]", r#"{"Error":"json: cannot unmarshal array into Go value of type map[string]interface {}"}"#),
        ("bad", r#"{"Error":"invalid character 'b' looking for beginning of value"}"#),
        ("{bad", r#"{"Error":"invalid character 'b' looking for beginning of object key string"}"#),
        ("{} x", r#"{"Error":"invalid character 'x' after top-level value"}"#),
        ("{\"a\":nul", r#"{"Error":"invalid character ' ' in literal null (expecting 'l')"}"#),
        ("", r#"{"Error":"unexpected end of JSON input"}"#),
        (r#"{"a":"b"#, r#"{"Error":"unexpected end of JSON input"}"#),
        ("{\"a\":\"b\n\"}", r#"{"Error":"invalid character '\\n' in string literal"}"#),
    ] {
        assert_eq!(helm("fromJson", text), json, "{text}");
    }
    let no_unicode = GoValue::string(b"{\"a\":\"x\xffy\",\"b\":\"\xc3\xa9\\n\xff\"}".as_slice());
    assert_eq!(helm("fromJson", no_unicode), "{\"a\":\"x\u{fffd}y\",\"b\":\"é\\n\u{fffd}\"}");
    assert_eq!(helm("fromJsonArray", "[1,\"a\",{\"b\":2}]"), r#"[1,"a",{"b":2}]"#);
    assert_eq!(
        call(DataFlavour::Helm, "mustFromJson", "{bad").unwrap_err(),
        "invalid character 'b' looking for beginning of object key string"
    );
}

#[test]
fn toml_is_read_with_integers_and_times() {
    assert_eq!(
        helm("fromToml", "l = [1, 2]\nf = 1.5\nd = 2020-01-02T03:04:05Z\n[[t]]\nx = true"),
        r#"{"d":"2020-01-02T03:04:05Z","f":1.5,"l":[1,2],"t":[{"x":true}]}"#
    );
    assert_eq!(helm("fromToml", "bad"), r#"{"Error":"toml: line 1: unexpected EOF; expected key separator '='"}"#);
}

#[test]
fn nil_as_a_toml_document_fails_in_all_flavours() {
    for flavour in [DataFlavour::Helm, DataFlavour::Strict] {
        assert!(call(flavour, "toToml", GoValue::Nil).is_err(), "{flavour:?}");
    }
    assert_eq!(helm("toToml", GoMap::from_pairs([("a", GoValue::Nil)])), "");
    assert_eq!(helm("toToml", GoList::nil(ElementType::Any)), "[]");
}

#[test]
fn texts_that_indentation_makes_enormous_are_errors() {
    let lines = GoValue::string("a\n".repeat(500_000));
    let nested = (0..200).fold(lines, |value, _| GoValue::list([value]));
    for name in ["toYaml", "toPrettyJson"] {
        let rows = GoValue::list((0..300_000).map(|_| GoValue::Nil));
        let rows = (0..200).fold(rows, |value, _| GoValue::list([value]));
        let value = if name == "toYaml" { nested.clone() } else { rows };
        let error = call(DataFlavour::Strict, name, value).unwrap_err();
        assert_eq!(error, "the text of the value is larger than 67108864 bytes", "{name}");
    }
}

#[test]
fn texts_of_too_many_values_are_not_read() {
    let items = "0,".repeat(4_000_001);
    assert_eq!(
        call(DataFlavour::Strict, "fromJson", format!("[{items}0]")).unwrap_err(),
        "the value has more than 4000000 parts"
    );
    let error = call(DataFlavour::Strict, "fromToml", format!("a = [{items}]")).unwrap_err();
    assert_eq!(error, "toml: the text has more than 4000000 values");
}

#[test]
fn the_strict_flavour_fails_and_reads_any_type() {
    let endless = GoMap::from_pairs([("a", GoValue::int(1))]);
    endless.set("b".into(), endless.clone().into());
    for name in ["toYaml", "toJson", "toPrettyJson", "toRawJson", "toToml"] {
        let error = call(DataFlavour::Strict, name, endless.clone()).unwrap_err();
        assert!(error.contains("nested more than 300 levels deep"), "{name}: {error}");
    }
    assert_eq!(helm("toYaml", endless.clone()), "");
    endless.remove(&"b".into());
    assert!(call(DataFlavour::Strict, "toJson", f64::NAN).is_err());
    for (name, text) in
        [("fromYaml", "a: ["), ("fromYamlArray", "a: 1"), ("fromJson", "x"), ("fromJsonArray", "{}"), ("fromToml", "x")]
    {
        assert!(call(DataFlavour::Strict, name, text).is_err(), "{name}");
    }
    assert!(matches!(call(DataFlavour::Strict, "fromYaml", "- a"), Ok(GoValue::List(_))));
    assert!(matches!(call(DataFlavour::Strict, "fromJson", "\"a\""), Ok(GoValue::String(_))));
}
