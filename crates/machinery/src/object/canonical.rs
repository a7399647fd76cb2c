//! The canonical JSON text of a value, so that equal values have equal digests: keys sorted by bytes, no white space, shortest escapes.

use std::io::{self, Write};

use serde_json::{Map, Value};
use sha2::{Digest, Sha256};

/// Returns the canonical JSON text of a value.
pub fn canonical_json(value: &Value) -> String {
    let mut text = Vec::with_capacity(256);
    // Writing to memory cannot fail, and serde_json writes UTF-8 only.
    let _ = write_canonical(value, &mut text);
    String::from_utf8(text).unwrap_or_default()
}

/// Writes the canonical JSON text of a value.
pub fn write_canonical(value: &Value, writer: &mut impl Write) -> io::Result<()> {
    match value {
        Value::Null => writer.write_all(b"null"),
        Value::Bool(true) => writer.write_all(b"true"),
        Value::Bool(false) => writer.write_all(b"false"),
        Value::Number(number) => Ok(serde_json::to_writer(writer, number)?),
        Value::String(text) => write_string(text, writer),
        Value::Array(items) => {
            writer.write_all(b"[")?;
            for (index, item) in items.iter().enumerate() {
                if index > 0 {
                    writer.write_all(b",")?;
                }
                write_canonical(item, writer)?;
            }
            writer.write_all(b"]")
        }
        Value::Object(map) => write_map(map, writer),
    }
}

/// Returns the SHA-256 of the canonical JSON text of a value, in lower-case hex.
pub fn canonical_sha256(value: &Value) -> String {
    let mut hasher = CanonicalHasher::new();
    hasher.value(value);
    hasher.finish_hex()
}

/// Returns the SHA-256 of the bytes, in lower-case hex.
pub fn sha256_hex(bytes: impl AsRef<[u8]>) -> String {
    hex(&Sha256::digest(bytes.as_ref()))
}

/// A hasher of a JSON text that is composed of values, without building the text.
#[derive(Clone, Debug)]
pub struct CanonicalHasher {
    digest: Sha256,
    // The buffer collects whole blocks, which the digest processes much faster than the many short pieces of a JSON text.
    buffer: [u8; BUFFER],
    used: usize,
}

const BUFFER: usize = 1024;

impl CanonicalHasher {
    /// Creates a hasher of the empty text.
    pub fn new() -> Self {
        Self { digest: Sha256::new(), buffer: [0; BUFFER], used: 0 }
    }

    /// Adds punctuation, or text that is already canonical JSON.
    pub fn raw(&mut self, text: &str) -> &mut Self {
        self.put(text.as_bytes());
        self
    }

    /// Adds a JSON string.
    pub fn string(&mut self, text: &str) -> &mut Self {
        // A hasher never fails to write.
        let _ = write_string(text, self);
        self
    }

    /// Adds a value.
    pub fn value(&mut self, value: &Value) -> &mut Self {
        let _ = write_canonical(value, self);
        self
    }

    /// Returns the SHA-256 of all added text, in lower-case hex.
    pub fn finish_hex(mut self) -> String {
        self.spill();
        hex(&self.digest.finalize())
    }

    fn put(&mut self, bytes: &[u8]) {
        if bytes.len() > BUFFER - self.used {
            self.spill();
        }
        if bytes.len() >= BUFFER {
            self.digest.update(bytes);
        } else {
            self.buffer[self.used..self.used + bytes.len()].copy_from_slice(bytes);
            self.used += bytes.len();
        }
    }

    fn spill(&mut self) {
        self.digest.update(&self.buffer[..self.used]);
        self.used = 0;
    }
}

impl Default for CanonicalHasher {
    fn default() -> Self {
        Self::new()
    }
}

impl Write for CanonicalHasher {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.put(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn write_map(map: &Map<String, Value>, writer: &mut impl Write) -> io::Result<()> {
    writer.write_all(b"{")?;
    // Maps are sorted unless a crate of the build enables serde_json's `preserve_order`; digests must not depend on it.
    if map.keys().is_sorted() {
        write_entries(map.iter(), writer)?;
    } else {
        let mut entries: Vec<_> = map.iter().collect();
        entries.sort_unstable_by_key(|(key, _)| *key);
        write_entries(entries.into_iter(), writer)?;
    }
    writer.write_all(b"}")
}

fn write_entries<'a>(entries: impl Iterator<Item = (&'a String, &'a Value)>, writer: &mut impl Write) -> io::Result<()> {
    for (index, (key, value)) in entries.enumerate() {
        if index > 0 {
            writer.write_all(b",")?;
        }
        write_string(key, writer)?;
        writer.write_all(b":")?;
        write_canonical(value, writer)?;
    }
    Ok(())
}

fn write_string(text: &str, writer: &mut impl Write) -> io::Result<()> {
    Ok(serde_json::to_writer(writer, text)?)
}

fn hex(bytes: &[u8]) -> String {
    data_encoding::HEXLOWER.encode(bytes)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;
    use crate::object::testing::any_value;

    // REF-10
    #[test]
    fn keys_are_sorted_and_nothing_is_spent_on_space() {
        let value = json!({"b": [1, -2, 1.5, true, null], "a": {"é": "\u{1}\"\\/\n\u{7f}", "B": {}}});
        let text = "{\"a\":{\"B\":{},\"é\":\"\\u0001\\\"\\\\/\\n\u{7f}\"},\"b\":[1,-2,1.5,true,null]}";
        assert_eq!(canonical_json(&value), text);
    }

    // DIG-1
    #[test]
    fn the_object_digest_vector_holds() {
        let object = json!({
            "metadata": {"namespace": "demo", "name": "c"}, "kind": "ConfigMap", "data": {"key": "value"}, "apiVersion": "v1",
        });
        assert_eq!(canonical_sha256(&object), "e8eee33b6cb6b06e545e51b88ae3d65b45864f978aee00b706d729fd9a900b10");
    }

    // REF-8
    #[test]
    fn the_reference_digest_vectors_hold() {
        assert_eq!(sha256_hex("s3cr3t"), "4e738ca5563c06cfd0018299933d58db1dd8bf97f6973dc99bf6cdc64b5550bd");
        assert_eq!(
            canonical_sha256(&json!({"b": "2", "a": "1"})),
            "21f76dfbfe6dfe21f762080ef484112cf2952974cef30741fd1931e1c6d92112"
        );
    }

    proptest! {
        #[test]
        fn hashing_equals_hashing_the_text(value in any_value(), long in "[a-z]{0,3000}") {
            let value = json!([value, long]);
            let text = canonical_json(&value);
            prop_assert_eq!(canonical_sha256(&value), sha256_hex(&text));
            prop_assert_eq!(serde_json::from_str::<Value>(&text).unwrap(), value);
        }
    }
}
