use std::fs;
use std::path::{Path, PathBuf};

use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;
use crate::object::testing::any_value;
use crate::yaml::compose::{GoYaml, composed_document, composed_documents};
use crate::yaml::to_string;

/// Checks that a text which is read has the documents, and the fields, that the reader of all of YAML finds. Returns true if its first document is read.
fn is_read_alike(text: &str) -> bool {
    let composed = composed_document(text, GoYaml::V2).map_err(|error| error.to_string());
    let found = document(text, GoYaml::V2);
    if let Some(found) = &found {
        assert_eq!(Ok(found), composed.as_ref(), "{text}");
    }
    let names = ["a", "b", "kind", "metadata"];
    if let Some(fields) = fields_of_document(text, GoYaml::V2, &names) {
        let Ok(Value::Object(mut composed)) = composed else { panic!("{text}: {composed:?}") };
        composed.retain(|name, _| names.contains(&name.as_str()));
        assert_eq!(fields, composed, "{text}");
    }
    are_read_alike(text);
    found.is_some()
}

/// Checks that a text whose documents are all read has those that the reader of all of YAML finds.
fn are_read_alike(text: &str) {
    if let Some(found) = documents(text, GoYaml::V3) {
        let composed = composed_documents(text, GoYaml::V3).map_err(|error| error.to_string());
        assert_eq!(Ok(found), composed, "{text}");
    }
}

#[test]
fn usual_texts_are_read() {
    for (text, value) in [
        ("a: 1", json!({"a": 1})),
        ("---\na: b # c\n# d\n  # e\nb:\n---\n]", json!({"a": "b", "b": null})),
        (
            "a:\n  b:\n  - c\n  - d: e\n    f: 1.5\n  -\n    - g\n  - - h\n    - i\n  j: y\n",
            json!({"a": {"b": ["c", {"d": "e", "f": 1.5}, ["g"], ["h", "i"]], "j": true}}),
        ),
        ("\n  - a\n  # b\n  - c\n  -\n", json!(["a", "c", null])),
        (
            "yes: a\n1: b\n1.5: c\n\"on\": d\n'it''s': e\nf g : h\n:i: j:k\n",
            json!({"true": "a", "1": "b", "1.5": "c", "on": "d", "it's": "e", "f g": "h", ":i": "j:k"}),
        ),
        ("a: 1\na: 2", json!({"a": 2})),
        ("a: b\n  c # d\ne: f\n\n\n  - g\n  h", json!({"a": "b c", "e": "f\n\n- g h"})),
        ("a: 'b''\n  c\n\n d '\ne: \"f\\n\\\"\n g\"", json!({"a": "b' c\nd ", "e": "f\n\" g"})),
        (
            "a: |\n  b\n\n    c # d\n \n# e\nf: |-\n  g\n\nh: |+ # i\n j\n\nk:\n- |\n l\n",
            json!({"a": "b\n\n  c # d\n", "f": "g", "h": "j\n\n", "k": ["l\n"]}),
        ),
        ("a: >\n  b\n  c\n\n  d\ne: >-\n\n f\n\n\ng: >+\n h\n\n", json!({"a": "b c\nd\n", "e": "\nf", "g": "h\n\n"})),
        ("a: |\n# b\nc: |-\n\n\nd: >\ne: 1", json!({"a": "", "c": "", "d": "", "e": 1})),
        ("a: |\n  b\n  c", json!({"a": "b\nc"})),
        (
            "a: {b: [1, \"c\", d e], 'f':true, g: {}, h: []} # i",
            json!({"a": {"b": [1, "c", "d e"], "f": true, "g": {}, "h": []}}),
        ),
        ("a: [\n  b, # c\n\n  {d: e,\n   f: --g}\n  ]\nh: i", json!({"a": ["b", {"d": "e", "f": "--g"}], "h": "i"})),
        ("{\n  \"a\": [\n    1\n  ]\n}\n", json!({"a": [1]})),
        ("a: é\nb: \"ü\"\n", json!({"a": "é", "b": "ü"})),
    ] {
        assert_eq!(document(text, GoYaml::V2), Some(value), "{text}");
        is_read_alike(text);
    }
    assert_eq!(documents("y: on\n---\n- 1\n", GoYaml::V3), Some(vec![json!({"y": "on"}), json!([1])]));
    assert_eq!(documents("a: 1\na: 2\n", GoYaml::V3), None);
}

#[test]
fn unusual_texts_and_errors_are_left_to_the_other_reader() {
    for text in [
        "",
        "# a",
        "---\n",
        "a",
        "\"a\"",
        "a:\tb",
        "a: b\r\n",
        "a: \u{7}",
        "a: \u{85}",
        "a: \u{2028}",
        "a: \u{feff}",
        "a: &b c",
        "a: *b",
        "a: !!str b",
        "<<: {a: b}",
        "%YAML 1.2\n---\na: b",
        "a: b\n...\n",
        "? a\n: b",
        "a: |2\n   b\n",
        "a: |\n    \n  b\n",
        "a: |\n  b\n  ",
        "a: >\n  b\n    c\n",
        "a: \"\\u00e9\"",
        "a: \"b\\\n  c\"",
        "a: \"b\n---\nc\"",
        "a: [b#c]",
        "a: [b: c]",
        "a: [b,\nc]",
        "a: {b}",
        "a: {<<: b}",
        "a: [.inf]",
        "NULL: 1",
        "a: .nan",
        "a: b: c",
        "a: - b",
        "a: @b",
        "a: %b",
        "a: `b",
        "a:\n  b: c\n d: e",
        "a:\n b: c\n  d: e",
        "- a\nb: c",
        "a: b\n- c",
        "a: 'b",
        "a: \"b",
        "a: [b",
        "a: 'b' c",
        "a: 'b'#c",
        "[a]: b",
        "a: b\n c: d",
        "a: b\n #c\n d",
    ] {
        assert_eq!(document(text, GoYaml::V2), None, "{text}");
    }
    let deep = "- ".repeat(150) + "a";
    assert_eq!(document(&deep, GoYaml::V2), None);
    assert_eq!(document(&format!("a: {}", "[".repeat(150) + &"]".repeat(150)), GoYaml::V2), None);
    for (open, close) in [("", ": b"), ("a: {", ": b}"), ("a: {\"", "\": b}")] {
        assert_eq!(document(&format!("{open}{}{close}", "a".repeat(2000)), GoYaml::V2), None);
    }
}

#[test]
fn every_character_is_read_alike() {
    let planes = (1..17).flat_map(|plane| [plane << 16, (plane << 16) + 0xfffe, (plane << 16) + 0xffff]);
    for character in (0..0x10000).chain(planes).filter_map(char::from_u32) {
        for text in [format!("a: b{character}c"), format!("a: \"{character}\""), format!("{character}b: |\n  {character}c\n")] {
            is_read_alike(&text);
        }
    }
}

fn yaml_files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            yaml_files(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "yaml") {
            found.push(path);
        }
    }
}

#[test]
fn recorded_files_are_read_alike_and_almost_all_of_them() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data/charts");
    let mut files = Vec::new();
    yaml_files(&folder, &mut files);
    if files.is_empty() {
        println!("skipped: {} is absent", folder.display());
        return;
    }
    let (mut read, mut valid) = (0, 0);
    for text in files.iter().filter_map(|file| fs::read_to_string(file).ok()) {
        are_read_alike(&text);
        for part in text.split("\n---\n") {
            let is_read = is_read_alike(part);
            read += usize::from(is_read);
            valid += usize::from(is_read || composed_document(part, GoYaml::V2).is_ok_and(|value| value.is_object()));
        }
    }
    println!("{read} of {valid} documents are read");
    assert!(read * 100 >= valid * 99, "{read} of {valid}");
}

/// Writes a value in the styles that the numbers choose.
struct AnyStyle {
    choices: Vec<u8>,
    chosen: usize,
    text: String,
}

impl AnyStyle {
    fn write(value: &Value, choices: Vec<u8>) -> String {
        let mut style = Self { choices, chosen: 0, text: String::new() };
        style.block(value, 0);
        style.text
    }

    fn choose(&mut self, count: u8) -> u8 {
        let choice = self.choices.get(self.chosen % self.choices.len().max(1)).copied().unwrap_or_default();
        self.chosen += 1;
        choice % count
    }

    fn end_line(&mut self, indentation: usize) {
        match self.choose(8) {
            0 => self.text.push_str(" # c: 'd\n"),
            1 => self.text.push_str("  \n"),
            2 => self.text.push_str("\n\n"),
            3 => {
                self.text.push('\n');
                self.text.push_str(&" ".repeat(indentation));
                self.text.push_str("# - e\n");
            }
            _ => self.text.push('\n'),
        }
    }

    fn indent(&mut self, indentation: usize) {
        self.text.push_str(&" ".repeat(indentation));
    }

    /// Writes a node behind a key or a dash.
    fn block(&mut self, value: &Value, indentation: usize) {
        match value {
            Value::Object(fields) if !fields.is_empty() && self.choose(5) > 0 => {
                for (key, value) in fields {
                    self.indent(indentation);
                    self.key(key);
                    self.behind(value, indentation);
                }
            }
            Value::Array(items) if !items.is_empty() && self.choose(5) > 0 => {
                for item in items {
                    self.indent(indentation);
                    self.text.push('-');
                    self.behind(item, indentation);
                }
            }
            _ => {
                self.indent(indentation);
                self.flow(value, indentation);
                self.end_line(indentation);
            }
        }
    }

    fn behind(&mut self, value: &Value, indentation: usize) {
        let width = 1 + usize::from(self.choose(4));
        match value {
            Value::Object(_) | Value::Array(_) if self.choose(5) > 0 => {
                self.end_line(indentation);
                self.block(value, indentation + width);
            }
            Value::String(text) if self.choose(2) == 0 && !text.is_empty() && !text.starts_with([' ', '\n']) => {
                let header = [" |\n", " |-\n", " |+\n", " >\n", " >-\n", " >+ # f\n"][usize::from(self.choose(6))];
                self.text.push_str(header);
                for line in text.split('\n') {
                    self.indent(indentation + width);
                    self.text.push_str(line);
                    self.text.push('\n');
                }
            }
            _ => {
                self.text.push_str(&" ".repeat(width));
                self.flow(value, indentation);
                self.end_line(indentation);
            }
        }
    }

    fn key(&mut self, key: &str) {
        self.scalar(key, "");
        self.text.push(':');
    }

    fn scalar(&mut self, text: &str, line_start: &str) {
        let written = match self.choose(4) {
            0 => format!("'{}'", text.replace('\'', "''").replace('\n', &format!("\n\n{line_start}"))),
            1 => {
                let escaped = text.replace('\\', "\\\\").replace('"', "\\\"");
                format!("\"{}\"", escaped.replace('\n', &format!("\\n{line_start}")))
            }
            _ => text.replace('\n', &format!("\n{line_start}")),
        };
        self.text.push_str(&written);
    }

    fn flow(&mut self, value: &Value, indentation: usize) {
        let line_start = " ".repeat(indentation + 2);
        let space = match self.choose(4) {
            0 => format!(" # g\n{line_start}"),
            1 => format!("\n{line_start}"),
            _ => " ".to_owned(),
        };
        match value {
            Value::Object(fields) => {
                self.text.push('{');
                for (key, value) in fields {
                    self.key(key);
                    self.text.push_str(&space);
                    self.flow(value, indentation);
                    self.text.push(',');
                    self.text.push_str(&space);
                }
                self.text.push('}');
            }
            Value::Array(items) => {
                self.text.push('[');
                for item in items {
                    self.flow(item, indentation);
                    self.text.push(',');
                    self.text.push_str(&space);
                }
                self.text.push(']');
            }
            Value::String(text) => self.scalar(text, &line_start),
            _ => self.text.push_str(&value.to_string()),
        }
    }
}

/// Generates values with texts in which characters with a meaning are frequent.
fn any_written_value() -> impl Strategy<Value = Value> {
    let text = "[abc1 .:#'\"\\\\\n-]{0,8}|[a-c]{1,4}( [a-c]{1,3}){0,3}|[a-c \n]{0,9}|yes|~|1e3|--a|a: b|- c|\\{\\}";
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i8>().prop_map(Value::from),
        text.prop_map(Value::from)
    ];
    let value = leaf.prop_recursive(5, 32, 4, |inner| {
        let key = "[a-d]|kind|metadata|[a-c1:# .'-]{1,4}";
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::vec((key, inner), 0..4).prop_map(|fields| Value::Object(fields.into_iter().collect())),
        ]
    });
    prop::collection::vec(("[a-d]|kind", value), 1..3).prop_map(|fields| Value::Object(fields.into_iter().collect()))
}

proptest! {
    #[test]
    fn written_values_are_read_alike(value in any_value()) {
        is_read_alike(&to_string(&json!({"a": value})));
    }

    #[test]
    fn values_in_any_style_are_read_alike(value in any_written_value(), choices in prop::collection::vec(any::<u8>(), 1..40)) {
        is_read_alike(&AnyStyle::write(&value, choices));
    }

    #[test]
    fn any_pieces_are_read_alike(pieces in prop::collection::vec(0..PIECES.len(), 0..16)) {
        is_read_alike(&pieces.into_iter().map(|piece| PIECES[piece]).collect::<String>());
    }
}

const PIECES: [&str; 50] = [
    "a: ", "b:", "a", "- ", "-", "\n", "\n", "\n  ", "\n  ", "\n    ", "\n      ", " ", "  ", "\n\n", "\n  \n", "c d", "# e",
    " # f", "|", ">", "|-", ">-", "|+", ">+", "\"g\"", "'h'", "\"", "'", "''", "\\n", "\\", "[", "]", "{", "}", ", ", "1", "0x1",
    "true", "~", ": ", ":", "<<", "---", "...", "é", "?", "&", "%", "\n- ",
];
