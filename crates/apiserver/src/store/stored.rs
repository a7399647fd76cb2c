//! One object at one revision.

use std::sync::{Arc, OnceLock};

use bytes::Bytes;
use kubewright_machinery::object::{MAX_NESTING, ObjectExt as _, is_nested_deeper};
use serde_json::{Map, Value};

/// The members with which every text begins, in this order.
const HEAD: [&str; 2] = ["apiVersion", "kind"];

/// A stored object: its value, its revision, and its JSON text. Either form is made from the other on first use, and at most once (STO-2). Objects
/// that were written a while ago are kept as text only, which is several times smaller.
#[derive(Debug)]
pub struct Stored {
    revision: u64,
    /// The value; at least one of value and text is present.
    value: OnceLock<Value>,
    text: OnceLock<Text>,
}

/// The JSON text of an object.
#[derive(Clone, Debug)]
struct Text {
    bytes: Bytes,
    /// The start of the members after apiVersion and kind.
    rest: usize,
}

impl Stored {
    /// Creates an object at the given revision, which is set in its metadata too.
    pub fn new(mut value: Value, revision: u64) -> Self {
        set_revision(&mut value, revision);
        Self::as_is(value, revision)
    }

    /// Creates an object without changing the revision in its metadata: a view of a stored object, or an object that was never stored.
    pub(crate) fn as_is(value: Value, revision: u64) -> Self {
        Self { revision, value: OnceLock::from(value), text: OnceLock::new() }
    }

    /// Returns the object.
    pub fn value(&self) -> &Value {
        // A value is only replaced by its text if that can be parsed again, so parsing cannot fail.
        self.value.get_or_init(|| self.text.get().and_then(|text| serde_json::from_slice(&text.bytes).ok()).unwrap_or_default())
    }

    /// Returns the revision of the write that stored the object; its `resourceVersion`.
    pub fn revision(&self) -> u64 {
        self.revision
    }

    /// Returns the object as JSON.
    pub fn bytes(&self) -> Bytes {
        self.text().bytes.clone()
    }

    /// Returns the length of the JSON text, if it was made.
    pub(super) fn text_len(&self) -> usize {
        self.text.get().map_or(0, |text| text.bytes.len())
    }

    /// Returns the JSON of the object without apiVersion and kind: all after the opening brace.
    pub(crate) fn members_after_head(&self) -> &[u8] {
        let text = self.text();
        &text.bytes[text.rest..]
    }

    /// Returns the `apiVersion`, or an empty text. It does not parse the text.
    pub fn api_version(&self) -> &str {
        match self.value.get() {
            Some(value) => value.api_version(),
            None => self.text.get().and_then(Text::api_version).unwrap_or_default(),
        }
    }

    /// Returns the uid, or an empty text.
    pub fn uid(&self) -> &str {
        self.value().uid()
    }

    /// Returns the same object as text only; itself if it already is text, or if its text could not be parsed again.
    pub(super) fn cold(self: &Arc<Self>) -> Arc<Self> {
        if self.value.get().is_none_or(|value| is_nested_deeper(value, MAX_NESTING)) {
            return self.clone();
        }
        Arc::new(Self { revision: self.revision, value: OnceLock::new(), text: OnceLock::from(self.text().clone()) })
    }

    fn text(&self) -> &Text {
        self.text.get_or_init(|| Text::of(self.value.get().unwrap_or(&Value::Null)))
    }
}

impl Text {
    fn of(value: &Value) -> Self {
        let mut out = Vec::with_capacity(1024);
        let rest = match value {
            Value::Object(members) => print(members, &mut out),
            other => {
                print_value(other, &mut out);
                0
            }
        };
        // A boxed slice has no spare capacity.
        Self { bytes: out.into_boxed_slice().into(), rest }
    }

    /// Returns the apiVersion. Its text has no escapes, since it was compared with the version of a kind.
    fn api_version(&self) -> Option<&str> {
        let after = self.bytes.strip_prefix(b"{\"apiVersion\":\"")?;
        let end = after.iter().position(|byte| *byte == b'"')?;
        std::str::from_utf8(&after[..end]).ok()
    }
}

/// Prints an object with its head first, and returns the start of the rest.
fn print(members: &Map<String, Value>, out: &mut Vec<u8>) -> usize {
    out.push(b'{');
    let head = HEAD.iter().filter_map(|name| members.get_key_value(*name));
    let rest = || members.iter().filter(|(name, _)| !HEAD.contains(&name.as_str()));
    let has_rest = rest().next().is_some();
    for (name, value) in head {
        if out.len() > 1 {
            out.push(b',');
        }
        print_member(name, value, out);
    }
    if out.len() > 1 && has_rest {
        out.push(b',');
    }
    let begin = out.len();
    for (index, (name, value)) in rest().enumerate() {
        if index > 0 {
            out.push(b',');
        }
        print_member(name, value, out);
    }
    out.push(b'}');
    begin
}

fn print_member(name: &str, value: &Value, out: &mut Vec<u8>) {
    // Printing into memory cannot fail.
    let _ = serde_json::to_writer(&mut *out, name);
    out.push(b':');
    print_value(value, out);
}

fn print_value(value: &Value, out: &mut Vec<u8>) {
    let _ = serde_json::to_writer(out, value);
}

/// Writes a revision into the metadata of an object.
pub(crate) fn set_revision(value: &mut Value, revision: u64) {
    if let Some(metadata) = value.get_mut("metadata").and_then(Value::as_object_mut) {
        metadata.insert("resourceVersion".into(), revision.to_string().into());
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn cold(value: Value) -> Arc<Stored> {
        let stored = Arc::new(Stored::as_is(value, 1)).cold();
        assert!(stored.value.get().is_none());
        stored
    }

    // STO-2
    #[test]
    fn value_and_text_are_made_from_each_other() {
        for value in [
            json!({"apiVersion": "v1", "kind": "ConfigMap", "binaryData": {}, "metadata": {"name": "a\"ä"}, "z": [1, null, 1.5]}),
            json!({"metadata": {}}),
            json!({"apiVersion": "v1"}),
            json!({}),
            json!(null),
        ] {
            assert_eq!(cold(value.clone()).value(), &value);
        }
    }

    #[test]
    fn a_value_that_no_reader_takes_is_kept() {
        let nested = |depth| (0..depth).fold(json!(1), |inner, _| json!([inner]));
        for depth in [MAX_NESTING - 1, MAX_NESTING, MAX_NESTING + 1] {
            let stored = Arc::new(Stored::as_is(nested(depth), 1)).cold();
            assert_eq!((stored.value.get().is_none(), stored.value()), (depth <= MAX_NESTING, &nested(depth)));
        }
    }

    // META-13
    #[test]
    fn the_members_after_the_head_are_an_object_without_it() {
        for value in
            [json!({"apiVersion": "v1", "kind": "X", "a": 1, "metadata": {}}), json!({"a": 1}), json!({"kind": "X"}), json!({})]
        {
            let stored = cold(value.clone());
            let text = [b"{".as_slice(), stored.members_after_head()].concat();
            let mut rest = value;
            rest.as_object_mut().unwrap().retain(|name, _| !HEAD.contains(&name.as_str()));
            assert_eq!(serde_json::from_slice::<Value>(&text).unwrap(), rest);
        }
    }

    #[test]
    fn the_version_is_known_without_the_value() {
        let stored = cold(json!({"apiVersion": "apps/v1", "kind": "Deployment"}));
        assert_eq!(stored.api_version(), "apps/v1");
        assert!(stored.value.get().is_none());
        assert_eq!(cold(json!({"kind": "X"})).api_version(), "");
    }
}
