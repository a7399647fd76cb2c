//! The page of the book about defaults, which is generated from the files `defaults.rs` of the crates.

use std::fmt::Write as _;

use crate::repository::{Text, root};

/// The crates with a file of defaults, from high to low.
const CRATES: [&str; 3] = ["component", "runtime", "core"];

const PAGE: &str = "docs/src/reference/defaults.md";
const BEGIN: &str = "<!-- generated: begin -->\n";
const END: &str = "<!-- generated: end -->\n";

/// The environment variable with which the test writes the page instead of checking it.
const WRITE: &str = "KUBEWRIGHT_WRITE_README";

/// A constant of a file of defaults.
struct DefaultValue {
    name: String,
    value: String,
    meaning: String,
}

/// Reads the constants of a file, each on one line after its documentation.
fn values(file: &str) -> Vec<DefaultValue> {
    let (mut values, mut meaning) = (Vec::new(), Vec::new());
    for line in file.lines() {
        if let Some(text) = line.strip_prefix("/// ") {
            meaning.push(text);
            continue;
        }
        let meaning = std::mem::take(&mut meaning).join(" ");
        let Some((_, constant)) = line.split_once("const ").filter(|(before, _)| before.starts_with("pub")) else { continue };
        let (name, rest) = constant.split_once(": ").unwrap();
        let value = rest.split_once(" = ").and_then(|(_, value)| value.strip_suffix(';'));
        let value = readable(value.unwrap_or_else(|| panic!("{name}: the value of a default ends on the line of its name")));
        values.push(DefaultValue { name: name.to_owned(), value, meaning });
    }
    values
}

/// Returns a value with its unit.
fn readable(value: &str) -> String {
    for (call, unit) in [("from_millis", "ms"), ("from_secs", "s"), ("from_mins", "min"), ("from_hours", "h")] {
        let number = value.strip_prefix(&format!("Duration::{call}(")).and_then(|rest| rest.strip_suffix(')'));
        if let Some(number) = number {
            return format!("{number} {unit}");
        }
    }
    value.replace('"', "`")
}

fn tables() -> String {
    let mut text = String::new();
    for krate in CRATES {
        let path = format!("crates/{krate}/src/defaults.rs");
        writeln!(text, "\n## `{path}`\n\n| Constant | Default | Meaning |\n|---|---|---|").unwrap();
        for DefaultValue { name, value, meaning } in values(&Text::read(&path).content) {
            writeln!(text, "| `{name}` | {value} | {meaning} |").unwrap();
        }
    }
    text
}

#[test]
fn the_page_of_defaults_is_generated_from_the_code() {
    let page = Text::read(PAGE);
    let (head, rest) = page.content.split_once(BEGIN).unwrap();
    let (found, tail) = rest.split_once(END).unwrap();
    let expected = tables() + "\n";
    if std::env::var_os(WRITE).is_some() {
        std::fs::write(root().join(PAGE), [head, BEGIN, &expected, END, tail].concat()).unwrap();
        return;
    }
    assert_eq!(found, expected, "run the test with {WRITE}=1");
}

#[test]
fn constants_are_read_with_units_and_meanings() {
    let file = "/// The limit\n/// of it.\npub(crate) const LIMIT: Duration = Duration::from_secs(30);\n/// A name.\npub const NAME: &str = \"a\";\n";
    let read: Vec<_> = values(file).into_iter().map(|value| [value.name, value.value, value.meaning]).collect();
    assert_eq!(read, [["LIMIT", "30 s", "The limit of it."], ["NAME", "`a`", "A name."]]);
}
