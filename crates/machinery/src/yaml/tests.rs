use std::fmt::Write as _;

use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;
use crate::object::testing::any_value;

fn read(scalar: &str) -> Value {
    document(&format!("value: {scalar}\n")).unwrap()["value"].clone()
}

// YAML-1
#[test]
fn yes_and_no_are_booleans() {
    for text in ["on", "yes", "y", "true", "On", "YES", "True"] {
        assert_eq!(read(text), json!(true), "{text}");
    }
    for text in ["off", "no", "n", "false", "Off", "NO"] {
        assert_eq!(read(text), json!(false), "{text}");
    }
    assert_eq!(document("yes: 1").unwrap(), json!({"yes": 1}));
}

#[test]
fn yes_and_no_are_texts_in_yaml_1_2() {
    let read = documents_of_yaml_1_2("{yes: on, n: [y, off, True, 010, ~]}").unwrap();
    assert_eq!(read, [json!({"yes": "on", "n": ["y", "off", true, 8, null]})]);
}

// YAML-2, YAML-3, YAML-4
#[test]
fn numbers_are_read_as_kubernetes_reads_them() {
    for (text, number) in [
        ("0644", json!(420)),
        ("0o644", json!(420)),
        ("08", json!(8)),
        ("09", json!(9)),
        ("1e3", json!(1000)),
        ("1_000", json!(1000)),
        ("-010", json!(-8)),
        ("0x1F", json!(31)),
        ("0b11", json!(3)),
        ("1.0", json!(1)),
        ("1.5", json!(1.5)),
        ("-2", json!(-2)),
        ("18446744073709551615", json!(18_446_744_073_709_551_615_u64)),
    ] {
        assert_eq!(read(text), number, "{text}");
    }
}

// YAML-5
#[test]
fn times_and_dates_are_strings() {
    for text in ["12:30:45", "2001-01-01", "1.2.3", "2001-01-01T00:00:00Z", "100m", "v1"] {
        assert_eq!(read(text), json!(text));
    }
}

#[test]
fn nulls_and_quoted_scalars() {
    for text in ["", "~", "null", "Null"] {
        assert_eq!(read(text), Value::Null, "{text}");
    }
    for (text, value) in [("\"yes\"", "yes"), ("'1'", "1"), ("!!str 1", "1"), ("\"0644\"", "0644")] {
        assert_eq!(read(text), json!(value), "{text}");
    }
}

// YAML-6
#[test]
fn a_duplicate_key_is_an_error_with_its_line_and_column() {
    let error = documents("a: 1\nb:\n  c: secret\n  c: secret\n").unwrap_err();
    assert_eq!(error.location(), Some((4, 3)));
    let text = error.to_string();
    assert!(text.starts_with("read YAML: ") && text.contains("line 4") && text.contains("column 3"), "{text}");
    assert!(text.contains('c') && !text.contains("secret"), "{text}");
}

// YAML-7
#[test]
fn merge_keys_merge() {
    let text = "base: &base {a: 1, b: 2}\nderived:\n  <<: *base\n  b: 3\n";
    assert_eq!(document(text).unwrap()["derived"], json!({"a": 1, "b": 3}));
}

// YAML-8
#[test]
fn binary_is_decoded() {
    assert_eq!(read("!!binary aGVsbG8="), json!("hello"));
}

// YAML-9
#[test]
fn json_has_no_infinity() {
    for text in [".inf", "-.inf", ".nan", ".NaN", "1e999"] {
        assert!(document(&format!("a: {text}")).is_err(), "{text}");
    }
}

#[test]
fn empty_documents_are_left_out() {
    let text = "# a comment\n---\na: 1\n---\n---\n# nothing\n---\nb: 2\n...\n";
    assert_eq!(documents(text).unwrap(), [json!({"a": 1}), json!({"b": 2})]);
    assert_eq!(documents("").unwrap(), Vec::<Value>::new());
    assert_eq!(document(text).unwrap_err().to_string(), "read YAML: found 2 documents instead of one");
    assert_eq!(document("---\n").unwrap_err().to_string(), "read YAML: found 0 documents instead of one");
}

#[test]
fn json_is_yaml() {
    let text = r#"{"a": [1, "x", null, {"b": "\u00e9\n"}], "c": {}}"#;
    assert_eq!(document(text).unwrap(), json!({"a": [1, "x", null, {"b": "é\n"}], "c": {}}));
}

type DocumentReader = fn(&str) -> Result<Vec<Value>, YamlError>;

/// The readers of documents that share no parser options, by name.
const READERS: [(&str, DocumentReader); 3] = [
    ("documents", documents),
    ("documents_of_yaml_1_2", documents_of_yaml_1_2),
    ("first_document", |text| first_document(text).map(|document| vec![document])),
];

#[test]
fn texts_that_ask_for_too_much_are_refused() {
    let deep = format!("{}{}", "[".repeat(200), "]".repeat(200));
    let mut bomb = String::from("a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n");
    for level in 1..10 {
        let inner = format!("*a{}, ", level - 1).repeat(10);
        let _ = writeln!(bomb, "a{level}: &a{level} [{inner}]");
    }
    let mut deep_by_aliases = String::from("a0: &a0 [x]\n");
    for level in 1..300 {
        let _ = writeln!(deep_by_aliases, "a{level}: &a{level} [*a{}]", level - 1);
    }
    for (name, read) in READERS {
        for text in [&deep, &bomb, &deep_by_aliases] {
            assert!(read(text).is_err(), "{name}: {}", &text[..40]);
        }
    }
}

#[test]
fn large_texts_are_not_copied_often() {
    let large = "x".repeat(1 << 20);
    let by_aliases = format!("a: &a {large}\nb: [{}]", "*a, ".repeat(40));
    let by_anchors =
        format!("{}{large}{}", (0..40).fold(String::new(), |text, level| text + &format!("&a{level} [")), "]".repeat(40));
    for (name, read) in &READERS[1..] {
        for text in [&by_aliases, &by_anchors] {
            assert!(read(text).unwrap_err().to_string().contains("document contains excessive aliasing"), "{name}");
        }
        assert!(read(&format!("a: &a {large}\nb: [*a, *a]")).is_ok(), "{name}");
    }
}

#[test]
fn quoted_texts_may_continue_with_little_indentation() {
    for (name, read) in READERS {
        let text = "a:\n- b: \"x\ny\n\nz\"\n  c: 'p\nq'\n";
        assert_eq!(read(text).unwrap(), [json!({"a": [{"b": "x y\nz", "c": "p q"}]})], "{name}");
    }
}

#[test]
fn a_last_line_without_a_break_has_one_for_kubectl_alone() {
    for (name, read) in READERS {
        let expected = if name == "documents" { "b\n" } else { "b" };
        for header in ["|", "|+", ">"] {
            assert_eq!(read(&format!("a: {header}\n  b")).unwrap(), [json!({"a": expected})], "{name}: {header}");
        }
        assert_eq!(read("a: |\n  b\n").unwrap(), [json!({"a": "b\n"})], "{name}");
        assert_eq!(read("a: |-\n  b").unwrap(), [json!({"a": "b"})], "{name}");
    }
}

#[test]
fn keys_of_yaml_1_2_are_unique_and_precede_merged_ones() {
    let error = documents_of_yaml_1_2("a: 1\nb:\n  c: secret\n  c: secret\n").unwrap_err();
    assert_eq!(error.to_string(), "read YAML: mapping key \"c\" already defined at line 4, column 3");
    assert_eq!(error.location(), Some((4, 3)));
    let text = "base: &base {a: 1, b: 2}\nderived:\n  b: 3\n  <<: *base\n0x10: &k yes\n? *k\n: 1e3\n---\n---\nTrue: 08\n";
    let first = json!({"base": {"a": 1, "b": 2}, "derived": {"a": 1, "b": 3}, "0x10": "yes", "yes": 1000});
    assert_eq!(documents_of_yaml_1_2(text).unwrap(), [first, json!({"True": 8})]);
}

// YAML-10
#[test]
fn written_texts_stay_texts() {
    for text in [
        "yes", "on", "y", "~", "null", "1e3", "0x1F", "=", "<<", "", "true", "0644", "1_000", " x", "x ", "a: b", "- a", "#x",
        "1.0", "a\nb", "a\nb\n", "\n", "é", "\u{1}", "'", "\"", "*a", "&a", "!a", "%a", "@a", "`a", "{", "[", "|", ">", "?", "-",
        "a #b", "12:30", ".inf", "---", "...", "\t", "a\tb", "\u{feff}", "\u{85}", "\u{2028}", "  a\nb", "\r\n", "0o17", "08",
        "+1", "-", ",a", "a:", "nan",
    ] {
        for value in [json!({"k": text}), json!([text]), json!({ text: 1 }), json!({"k": [{"a": text}]})] {
            let written = to_string(&value);
            assert_eq!(document(&written).unwrap(), value, "{written}");
        }
    }
}

#[test]
fn written_documents_look_like_those_of_kubectl() {
    let value = json!({"spec": {"ports": [{"name": "web", "port": 80}], "on": "yes"}, "empty": {}, "none": []});
    assert_eq!(to_string(&value), "empty: {}\nnone: []\nspec:\n  \"on\": \"yes\"\n  ports:\n  - name: web\n    port: 80\n");
}

proptest! {
    #[test]
    fn documents_survive_their_text(value in any_value()) {
        let value = json!({"value": value});
        let written = to_string(&value);
        prop_assert_eq!(document(&written).unwrap(), without_whole_floats(value), "{}", written);
    }

    #[test]
    fn no_text_makes_the_reader_fail_badly(text in "[a-c0-9:\\-\\[\\]{}&*!|>#'\" \n]{0,60}") {
        let _ = documents(&text);
    }
}

/// Converts whole floats to whole numbers, as reading does (YAML-3).
fn without_whole_floats(mut value: Value) -> Value {
    match &mut value {
        Value::Number(number) if number.as_f64().is_some_and(|f| number.is_f64() && f.fract() == 0.0) => {
            json!(number.as_f64().unwrap() as i64)
        }
        Value::Array(items) => items.drain(..).map(without_whole_floats).collect(),
        Value::Object(map) => std::mem::take(map).into_iter().map(|(key, value)| (key, without_whole_floats(value))).collect(),
        _ => value,
    }
}

#[test]
fn of_a_repeated_key_the_last_value_can_count() {
    let (documents, repeated) = documents_with_repeats("a: 1\nb: {c: 1, c: 2}\n").unwrap();
    assert_eq!(documents, [json!({"a": 1, "b": {"c": 2}})]);
    assert_eq!(repeated, Some(RepeatedKey { line: 2, key: "c".to_owned() }));
    assert_eq!(documents_with_repeats("a: 1").unwrap().1, None);
    assert!(documents_with_repeats("a: [").is_err());
}

#[test]
fn documents_nested_99_levels_deep_are_read_on_a_small_stack() {
    let flow = |open: &str, close: &str| open.repeat(99) + "1" + &close.repeat(99);
    let block = (0..99).fold(String::new(), |text, level| text + &" ".repeat(level) + "a:\n") + &" ".repeat(99) + "b\n";
    let hidden = format!("{{s: \"{}\", q: it\"s, v: {}}}", "]".repeat(500), "[".repeat(98) + &"]".repeat(98));
    let texts = [flow("[", "]"), flow("{\"a\":", "}"), flow("{a: ", "}"), block, "- ".repeat(99) + "1", hidden];
    for text in texts {
        for (name, read) in READERS {
            let text = text.clone();
            let reading = std::thread::Builder::new().stack_size(1 << 20).spawn(move || read(&text).map(|read| read.len()));
            assert_eq!(reading.unwrap().join().unwrap().unwrap(), 1, "{name}");
        }
    }
}

#[test]
fn texts_are_read_as_they_are_written() {
    let text = "# a comment\nfloat: 0.10\nyes: yes\nquoted: \" a \"\nempty:\nnothing: null\nblock: |\n  a\n  b\noctal: 010\nlist: '1, 2'\n";
    let read: Vec<_> = texts(text).unwrap().into_iter().collect();
    let expected = [
        ("block", "a\nb\n"),
        ("empty", ""),
        ("float", "0.10"),
        ("list", "1, 2"),
        ("nothing", ""),
        ("octal", "010"),
        ("quoted", " a "),
        ("yes", "yes"),
    ];
    assert_eq!(read, expected.map(|(key, text)| (key.to_owned(), text.to_owned())));
    for empty in ["", "\n", "# nothing\n# else\n", "{}", "---\n"] {
        assert!(texts(empty).unwrap().is_empty(), "{empty:?}");
    }
    for bad in ["a: {b: c}", "a: [b]", "- a", "a: 1\na: 2", "a: b\n---\nc: d", "text"] {
        assert!(texts(bad).is_err(), "{bad:?}");
    }
}

#[test]
fn the_first_document_is_read_alone_with_keys_of_all_types() {
    for (text, value) in [
        ("a: 1\n---\nb: 2\n", json!({"a": 1})),
        ("a: 1\n---\nb: [\n", json!({"a": 1})),
        ("# a comment\n---\na: 1\n", json!({"a": 1})),
        ("\u{feff}a: 1", json!({"a": 1})),
        (
            "yes: 1\nno: 2\n3: c\n1.5: d\n007: e\n\"on\": f\n1e7: g\n",
            json!({"true": 1, "false": 2, "3": "c", "1.5": "d", "7": "e", "on": "f", "1e+07": "g"}),
        ),
        ("a: {y: 1}", json!({"a": {"true": 1}})),
        ("a: 1\na: 2\n", json!({"a": 2})),
        ("- a\n- {b: c}\n", json!(["a", {"b": "c"}])),
        ("a: &x {k: v}\nb: *x\nc: {<<: *x, z: 1}", json!({"a": {"k": "v"}, "b": {"k": "v"}, "c": {"k": "v", "z": 1}})),
        ("? a\n: b", json!({"a": "b"})),
        ("", Value::Null),
        ("null", Value::Null),
        ("a text", json!("a text")),
        ("a: |\n  b\n  c", json!({"a": "b\nc"})),
        ("a: >-\n  b\n  c", json!({"a": "b c"})),
        ("a:\n- b: \"x\ny\n  z\"\n  c: 1\n", json!({"a": [{"b": "x y z", "c": 1}]})),
        ("a: |\n  b\n", json!({"a": "b\n"})),
        ("a: |\n  b\n\nc: d", json!({"a": "b\n", "c": "d"})),
        ("{a: 1, <<: {a: 2, b: 3}}", json!({"a": 2, "b": 3})),
        ("tRue: yEs", json!({"tRue": "yEs"})),
        ("a: !!int \"7\"\nb: !!str 7\nc: !own 7", json!({"a": 7, "b": "7", "c": "7"})),
    ] {
        assert_eq!(first_document(text).unwrap(), value, "{text}");
    }
    for text in ["a: [", "NULL: 1", "? {a: 1}\n: b\n", "a: .inf", "a: *nope", "\ta: 1", "a: b: c"] {
        assert!(first_document(text).is_err(), "{text}");
    }
}

const FIELDS: [&str; 3] = ["kind", "metadata", "on"];

/// Returns the named fields of the whole document.
fn fields_of_whole(text: &str) -> Result<Value, String> {
    let mut document = first_document(text).map_err(|error| error.to_string())?;
    if let Value::Object(fields) = &mut document {
        fields.retain(|name, _| FIELDS.contains(&name.as_str()));
    }
    Ok(document)
}

fn some_fields(text: &str) -> Result<Value, String> {
    fields_of_first_document(text, &FIELDS).map_err(|error| error.to_string())
}

#[test]
fn some_fields_are_those_of_the_whole_document_and_errors_too() {
    for text in [
        "",
        "# nothing",
        "text",
        "- kind: A",
        "kind: A",
        "kind: A\nspec: {a: [1, {b: c}], d: \"e\"}\nmetadata: {name: x}\n",
        "spec:\n  - |\n    kind: B\n  - a: b\nkind: A\n---\nkind: C\n",
        "kind: A\nkind: B\nspec: 1\nspec: 2",
        "\"kind\": A\n'metadata': {}\nspec: 1",
        "yes: 1\non: 2\n80: 3",
        "? [kind]\n: 1\nkind: A",
        "spec: &a {name: x}\nmetadata: *a",
        "metadata: &a {name: x}\nspec: *a",
        "metadata: &a {name: x}\nkind: *a\nspec: {<<: 1}",
        "<<: {kind: A}\nspec: 1",
        "kind: A\nspec: {<<: {a: 1}}",
        "kind: A\nspec: {<<: 1}",
        "kind: A\nspec: !!int x",
        "kind: A\nspec: !own x",
        "kind: A\nspec: [.inf]",
        "kind: A\nspec: {.nan: 1}",
        "kind: A\nspec: {~: 1}",
        "kind: A\nspec: {18446744073709551615: 1}",
        "kind: A\nspec: {[a]: 1}",
        "kind: .nan\nspec: 1",
        "kind: A\nspec:\n\t- a",
        "kind: A\nspec: [a",
        "kind: A\nspec: \"a",
        "kind: A\n spec: a",
        "kind: A\nspec: *unknown",
        "kind: A\n---\n]",
        "kind: A\n...\n]",
        &format!("kind: A\nspec: {}1{}", "[".repeat(300), "]".repeat(300)),
    ] {
        assert_eq!(some_fields(text), fields_of_whole(text), "{text}");
    }
}

#[test]
fn the_number_of_nodes_is_limited_where_fields_are_passed_over() {
    let text = format!("kind: A\nspec: [{}]", "1,".repeat(read::NODES));
    let error = some_fields(&text).unwrap_err();
    assert!(error.contains("nodes"), "{error}");
}

proptest! {
    #[test]
    fn some_fields_of_any_object_are_those_of_the_whole(kind in any_value(), metadata in any_value(), spec in any_value()) {
        let text = to_string(&json!({"kind": kind, "metadata": metadata, "spec": spec}));
        prop_assert_eq!(some_fields(&text), fields_of_whole(&text));
    }

    #[test]
    fn some_fields_of_any_pieces_of_yaml_are_those_of_the_whole(pieces in prop::collection::vec(0..PIECES.len(), 0..12)) {
        let text: String = pieces.into_iter().map(|piece| PIECES[piece]).collect();
        prop_assert_eq!(some_fields(&text), fields_of_whole(&text));
    }
}

const PIECES: [&str; 24] = [
    "kind: ",
    "metadata:",
    "spec: ",
    "a: ",
    "\n",
    "\n  ",
    "- ",
    "[",
    "]",
    "{",
    "}",
    ", ",
    "b",
    "&x ",
    "*x",
    "<<: ",
    "\"c\"",
    "1",
    ".inf",
    "!!str ",
    "---\n",
    "on: ",
    "|\n   d\n",
    "? ",
];
