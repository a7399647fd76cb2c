//! Objects that cannot be decoded, such as very deep ones: what can still be said of them, so that they stop no other (STORE-9).

use serde::de::IgnoredAny;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::wire::ListMeta;

/// What is read of an object when not all of it can be.
#[derive(Deserialize)]
struct Object {
    metadata: Identity,
}

#[derive(Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
struct Identity {
    name: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    namespace: String,
    #[serde(default)]
    uid: String,
    resource_version: String,
}

#[derive(Deserialize)]
struct Line {
    #[serde(rename = "type")]
    kind: String,
    object: Object,
}

#[derive(Deserialize)]
struct List {
    metadata: ListMeta,
}

impl Object {
    fn into_value(self) -> Value {
        json!({"metadata": self.metadata})
    }
}

/// Which object it is, and of which version.
pub(super) fn object(text: &[u8]) -> Option<Value> {
    serde_json::from_slice(text).ok().map(Object::into_value)
}

/// The type of an event, and which object it is about.
pub(super) fn line(text: &[u8]) -> Option<(String, Value)> {
    let line: Line = serde_json::from_slice(text).ok()?;
    Some((line.kind, line.object.into_value()))
}

/// What a list says besides its items, and the texts of these.
pub(super) fn list(body: &[u8]) -> Option<(ListMeta, Vec<&[u8]>)> {
    let list: List = serde_json::from_slice(body).ok()?;
    Some((list.metadata, items(body)?))
}

fn items(body: &[u8]) -> Option<Vec<&[u8]>> {
    let mut at = after(body, 0, b'{')?;
    loop {
        let end = end_of_value(body, at)?;
        let is_items = body.get(at..end)?.trim_ascii() == br#""items""#;
        at = after(body, end, b':')?;
        if is_items {
            break;
        }
        at = after(body, end_of_value(body, at)?, b',')?;
    }
    at = after(body, at, b'[')?;
    let mut items = Vec::new();
    loop {
        let end = end_of_value(body, at)?;
        items.push(body.get(at..end)?);
        match after(body, end, b',') {
            Some(next) => at = next,
            None => return Some(items),
        }
    }
}

/// Where the value that begins here ends.
fn end_of_value(body: &[u8], at: usize) -> Option<usize> {
    let mut values = serde_json::Deserializer::from_slice(body.get(at..)?).into_iter::<IgnoredAny>();
    values.next()?.ok()?;
    Some(at + values.byte_offset())
}

/// The position behind a sign that comes next.
fn after(body: &[u8], at: usize, sign: u8) -> Option<usize> {
    let rest = body.get(at..)?;
    let space = rest.len() - rest.trim_ascii_start().len();
    (rest.get(space) == Some(&sign)).then_some(at + space + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_is_cut_into_its_items_whatever_they_contain() {
        let deep = format!(r#"{{"metadata":{{"name":"a","resourceVersion":"3"}},"x":{}{}}}"#, "[".repeat(500), "]".repeat(500));
        let body =
            format!(r#" {{ "kind" : "L,ist", "metadata":{{"resourceVersion":"7"}}, "items" : [ {deep} , {{"b":"]}},"}} ] }} "#);
        let (meta, items) = list(body.as_bytes()).unwrap();
        assert_eq!(meta.resource_version, "7");
        let texts: Vec<_> = items.iter().map(|item| std::str::from_utf8(item).unwrap().trim()).collect();
        assert_eq!(texts, [deep.as_str(), r#"{"b":"]},"}"#]);
        assert!(serde_json::from_str::<Value>(&deep).is_err());
        assert_eq!(object(items[0]).unwrap(), json!({"metadata": {"name": "a", "uid": "", "resourceVersion": "3"}}));
        assert!(object(items[1]).is_none());
    }

    #[test]
    fn what_is_no_list_or_event_is_none() {
        assert!(list(br#"{"metadata":{},"items":[{"a":1},"#).is_none());
        assert!(line(br#""nonsense""#).is_none());
        assert!(line(br#"{"type":"ADDED","object":{}}"#).is_none());
    }
}
