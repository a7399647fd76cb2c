//! Documents with very deep nesting. The real server accepts them, and so does this one as long as it need not store the deep part: marks replace
//! that part, and an object that still holds a mark when it is to be stored is refused. No code here recurses as deeply as a document.

use std::cmp::Ordering;
use std::collections::HashMap;
use std::fmt::Write as _;

use serde::de::IgnoredAny;
use serde_json::{Map, Value};

use super::problem::offset_of;
use super::read::{JsonDocument, Repeated, UnreadableJson};
use super::walk::{JsonToken, Nest, Tokens, key_of};
use crate::model::MAX_DEPTH;

/// The maximum nesting of a document, as on the real server.
pub(crate) const DEEPEST: usize = 10_000;

/// The content of a list or an object whose real content is nested too deeply.
const MARK: &str = "\u{0}nested too deep";

/// Returns true if a value holds a mark of a part that was nested too deeply. It descends a little further than the nesting limit of objects.
pub(crate) fn holds_mark(value: &Value) -> bool {
    match value {
        Value::String(text) => text == MARK,
        Value::Array(items) => items.iter().any(holds_mark),
        Value::Object(members) => members.contains_key(MARK) || members.values().any(holds_mark),
        _ => false,
    }
}

fn mark(nest: Nest) -> Value {
    match nest {
        Nest::List => Value::Array(vec![MARK.into()]),
        Nest::Object => Value::Object(Map::from_iter([(MARK.to_owned(), true.into())])),
    }
}

/// Reads a document of any depth that the real server accepts.
pub(super) fn read(text: &[u8]) -> Result<JsonDocument, UnreadableJson> {
    let too_deep = first_too_deep(text);
    // Ignored values are parsed without recursion.
    if let Err(error) = serde_json::from_slice::<IgnoredAny>(text)
        && too_deep.is_none_or(|at| offset_of(text, &error) < at)
    {
        return Err(UnreadableJson::Syntax(error));
    }
    match too_deep {
        Some(at) => Err(UnreadableJson::TooDeep(at)),
        None => Builder::default().build(text),
    }
}

/// Returns the position of the first list or object whose nesting exceeds the maximum.
fn first_too_deep(text: &[u8]) -> Option<usize> {
    let mut tokens = Tokens::of(text);
    while let Some((at, _)) = tokens.next() {
        if tokens.depth() > DEEPEST {
            return Some(at);
        }
    }
    None
}

/// A list or an object that is being read.
#[derive(Debug)]
struct Frame {
    nest: Nest,
    /// The key of the current value in an object.
    key: String,
    index: usize,
    /// The number of problems that were known before the current value.
    before: usize,
    /// The keys that occurred; true if their repetition was noted.
    seen: HashMap<String, bool>,
    items: Vec<Value>,
    members: Map<String, Value>,
}

impl Frame {
    fn new(nest: Nest) -> Self {
        let (seen, items, members) = (HashMap::new(), Vec::new(), Map::new());
        Self { nest, key: String::new(), index: 0, before: 0, seen, items, members }
    }

    fn into_value(self) -> Value {
        match self.nest {
            Nest::List => Value::Array(self.items),
            Nest::Object => Value::Object(self.members),
        }
    }
}

/// Builds a value from tokens.
#[derive(Debug, Default)]
struct Builder {
    open: Vec<Frame>,
    repeated: Repeated,
    is_cut: bool,
    root: Value,
}

impl Builder {
    fn build(mut self, text: &[u8]) -> Result<JsonDocument, UnreadableJson> {
        for (_, token) in Tokens::of(text) {
            match token {
                JsonToken::Open(nest) => self.open.push(Frame::new(nest)),
                JsonToken::Key(piece) => {
                    let before = self.repeated.paths.len();
                    if let Some(frame) = self.open.last_mut() {
                        (frame.key, frame.before) = (key_of(piece), before);
                    }
                }
                JsonToken::Scalar(_) if self.open.len() > MAX_DEPTH => self.put(Value::Null),
                JsonToken::Scalar(piece) => self.put(serde_json::from_slice(piece).map_err(UnreadableJson::Syntax)?),
                JsonToken::Close => {
                    let Some(frame) = self.open.pop() else { continue };
                    let value = match self.open.len().cmp(&MAX_DEPTH) {
                        Ordering::Less => frame.into_value(),
                        Ordering::Equal => {
                            self.is_cut = true;
                            mark(frame.nest)
                        }
                        Ordering::Greater => Value::Null,
                    };
                    self.put(value);
                }
            }
        }
        Ok(JsonDocument { value: self.root, repeated: self.repeated.paths, is_cut: self.is_cut })
    }

    /// Stores a value at its position, unless that is too deep; a repeated key is noted in any case.
    fn put(&mut self, value: Value) {
        let depth = self.open.len();
        let Some(frame) = self.open.last_mut() else {
            self.root = value;
            return;
        };
        if frame.nest == Nest::List {
            frame.index += 1;
            if depth <= MAX_DEPTH {
                frame.items.push(value);
            }
            return;
        }
        let key = std::mem::take(&mut frame.key);
        let before = frame.before;
        let told = frame.seen.get_mut(&key).map(|told| std::mem::replace(told, true));
        if told.is_none() {
            frame.seen.insert(key.clone(), false);
        }
        if told == Some(false) {
            let outer = &self.open[..depth - 1];
            self.repeated.note(before, || path(outer, &key));
        }
        if let Some(frame) = self.open.last_mut().filter(|_| depth <= MAX_DEPTH) {
            frame.members.insert(key, value);
        }
    }
}

/// Returns the path of a member of the innermost object, given the enclosing frames.
fn path(outer: &[Frame], key: &str) -> String {
    let mut path = String::new();
    for (depth, frame) in outer.iter().enumerate() {
        match frame.nest {
            Nest::List => {
                // Writing into memory cannot fail.
                let _ = write!(path, "[{}]", frame.index);
            }
            Nest::Object => {
                path.push_str(if depth > 0 { "." } else { "" });
                path.push_str(&frame.key);
            }
        }
    }
    path.push_str(if outer.is_empty() { "" } else { "." });
    path + key
}

#[cfg(test)]
mod tests {
    use kubewright_machinery::object::is_nested_deeper;
    use serde_json::json;

    use super::*;
    use crate::json::parse;

    fn lists(depth: usize) -> String {
        "[".repeat(depth) + &"]".repeat(depth)
    }

    fn objects(depth: usize, inner: &str) -> String {
        "{\"a\":".repeat(depth) + inner + &"}".repeat(depth)
    }

    // REQ-5
    #[test]
    fn a_placeholder_replaces_values_that_are_nested_too_deeply() {
        for deep in [lists(5_000), objects(5_000, "1")] {
            let text = format!("{{\"b\":[1,\"x\",{{}}],\"deep\":{deep},\"last\":1.5}}");
            let document = parse(text.as_bytes()).unwrap();
            assert!(document.is_cut && holds_mark(&document.value) && document.repeated.is_empty());
            assert!(!is_nested_deeper(&document.value, MAX_DEPTH + 1));
            let mut rest = document.value;
            rest.as_object_mut().unwrap().remove("deep");
            assert_eq!(rest, json!({"b": [1, "x", {}], "last": 1.5}));
            assert!(!holds_mark(&rest));
        }
    }

    // REQ-5
    #[test]
    fn a_deep_member_that_a_repeated_key_replaces_leaves_no_mark() {
        let document = parse(format!("{{\"a\":{},\"a\":1}}", lists(5_000)).as_bytes()).unwrap();
        assert_eq!((document.value.clone(), document.repeated), (json!({"a": 1}), vec!["a".to_owned()]));
        assert!(!holds_mark(&document.value));
    }

    // REQ-8, REQ-9
    #[test]
    fn repeated_keys_are_found_at_any_depth() {
        let inner = objects(9_000, r#"[0,{"d":1,"d":2,"d":3}]"#);
        let document = parse(format!("{{\"x\":{inner},\"y\":1,\"y\":2}}").as_bytes()).unwrap();
        assert_eq!(document.repeated, [format!("x{}[1].d", ".a".repeat(9_000)), "y".to_owned()]);
        // Both readers must find the same keys.
        let text = |depth| {
            format!(
                r#"{{"a":{{"x":1}},"a":{{"b":1,"b":{{"y":1,"y":1}}}},"a":{{"b":1,"b":1}},"l":[[{{"z":1,"z":1}}]],"deep":{}}}"#,
                lists(depth)
            )
        };
        let (shallow, deep) = (parse(text(1).as_bytes()).unwrap(), parse(text(200).as_bytes()).unwrap());
        assert_eq!(shallow.repeated, deep.repeated);
        assert_eq!(shallow.repeated, ["a", "a.b", "a.b.y", "l[0][0].z"]);
    }

    #[test]
    fn repeated_keys_at_every_depth_cost_little() {
        let key = "k".repeat(150);
        let text = format!("{{\"{key}\":0,\"{key}\":").repeat(9_000) + "1" + &"}".repeat(9_000);
        let document = parse(text.as_bytes()).unwrap();
        assert!(!document.repeated.is_empty() && document.repeated.iter().map(String::len).sum::<usize>() < 32 * 1024 * 1024);
    }

    // REQ-5
    #[test]
    fn no_document_is_nested_deeper_than_ten_thousand() {
        assert!(parse(lists(DEEPEST).as_bytes()).is_ok());
        assert!(matches!(parse(lists(DEEPEST + 1).as_bytes()), Err(UnreadableJson::TooDeep(DEEPEST))));
        assert!(matches!(parse("[".repeat(1_000_000).as_bytes()), Err(UnreadableJson::TooDeep(DEEPEST))));
        assert!(matches!(parse(objects(1_000_000, "1").as_bytes()), Err(UnreadableJson::TooDeep(_))));
    }

    // REQ-5
    #[test]
    fn syntax_errors_in_the_deep_part_of_a_document_are_found() {
        for (text, is_end) in [
            ("[".repeat(500), true),
            (lists(500) + "x", false),
            (objects(500, "1x"), false),
            (objects(500, "\"\\q\""), false),
            (format!("{}x{}", "[".repeat(500), "[".repeat(20_000)), false),
        ] {
            let Err(UnreadableJson::Syntax(error)) = parse(text.as_bytes()) else { panic!("{text}") };
            assert_eq!(error.is_eof(), is_end, "{text}");
        }
    }
}
