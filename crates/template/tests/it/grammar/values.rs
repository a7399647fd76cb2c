//! Random data: keys whose values are of a known type, so that templates can use them in a meaningful way, and one of any type.

use serde_json::{Map, Value, json};

use super::dice::SeededDice;

const TEXTS: [&str; 12] =
    ["", "text", "Hello World", "a-b_c", "é日本", "line\nbreak", "12", "1.5", "true", "null", "<&>", " padded "];
const NUMBERS: [f64; 10] = [0.0, 1.0, -1.0, 2.5, 3.0, 1e6, 1e21, -0.5, 1e-7, 12_345_678.0];

/// Returns the root of the data.
pub(super) fn root(dice: &mut SeededDice) -> Value {
    json!({
        "s": dice.pick(&TEXTS),
        "n": dice.pick(&NUMBERS),
        "b": dice.one_in(2),
        "l": list(dice, 2),
        "ls": (0..dice.roll(4)).map(|_| dice.pick(&TEXTS)).collect::<Vec<_>>(),
        "m": map(dice, 2),
        "mm": {"s": dice.pick(&TEXTS), "m": map(dice, 1), "l": list(dice, 1)},
        "e": dice.pick(&["null", "\"\"", "[]", "{}", "0", "false"]).parse::<Value>().unwrap(),
        "x": any(dice, 2),
    })
}

/// Returns values with one entry or item less.
pub(super) fn smaller(value: &Value) -> Vec<Value> {
    match value {
        Value::Object(entries) => {
            let without = entries.keys().map(|key| {
                let mut rest = entries.clone();
                rest.remove(key);
                rest.into()
            });
            let inside = entries.iter().flat_map(|(key, value)| {
                smaller(value).into_iter().map(move |value| {
                    let mut entries = entries.clone();
                    entries.insert(key.clone(), value);
                    Value::Object(entries)
                })
            });
            without.chain(inside).collect()
        }
        Value::Array(items) => {
            let without = (0..items.len()).map(|index| {
                let mut rest = items.clone();
                rest.remove(index);
                rest.into()
            });
            without.collect()
        }
        _ => Vec::new(),
    }
}

fn any(dice: &mut SeededDice, depth: usize) -> Value {
    match dice.roll(if depth == 0 { 4 } else { 6 }) {
        0 => Value::Null,
        1 => dice.one_in(2).into(),
        2 => dice.pick(&NUMBERS).into(),
        3 => dice.pick(&TEXTS).into(),
        4 => list(dice, depth - 1),
        _ => map(dice, depth - 1),
    }
}

fn list(dice: &mut SeededDice, depth: usize) -> Value {
    (0..dice.roll(4)).map(|_| any(dice, depth)).collect()
}

fn map(dice: &mut SeededDice, depth: usize) -> Value {
    const KEYS: [&str; 7] = ["s", "m", "a", "B", "key", "with space", "10"];
    let mut entries = Map::new();
    for _ in 0..dice.roll(4) {
        let key = dice.pick(&KEYS);
        entries.insert(key.to_owned(), if key == "s" { dice.pick(&TEXTS).into() } else { any(dice, depth) });
    }
    entries.into()
}
