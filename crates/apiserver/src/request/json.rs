//! JSON that notices repeated keys.

use std::{cell::RefCell, fmt};

use serde::de::{Deserialize, DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value, map::Entry};

/// Reads a document; the second part are the paths of keys that occur more than once in one object.
pub(crate) fn parse(text: &[u8]) -> Result<(Value, Vec<String>), serde_json::Error> {
    let repeated = RefCell::new(Vec::new());
    let mut deserializer = serde_json::Deserializer::from_slice(text);
    let value = Reader { repeated: &repeated }.deserialize(&mut deserializer)?;
    deserializer.end()?;
    Ok((value, repeated.into_inner()))
}

/// The paths of all members of a document, in the order of the text. Empty for what is no JSON.
pub(crate) fn paths(text: &[u8]) -> Vec<String> {
    let mut paths = Vec::new();
    let mut deserializer = serde_json::Deserializer::from_slice(text);
    let walk = Walk { prefix: String::new(), paths: &mut paths };
    if walk.deserialize(&mut deserializer).is_err() { Vec::new() } else { paths }
}

/// Notes the paths of members; everything else passes.
struct Walk<'a> {
    prefix: String,
    paths: &'a mut Vec<String>,
}

impl<'de> DeserializeSeed<'de> for Walk<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Walk<'_> {
    type Value = ();

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a JSON value")
    }

    fn visit_bool<E>(self, _: bool) -> Result<(), E> {
        Ok(())
    }

    fn visit_i64<E>(self, _: i64) -> Result<(), E> {
        Ok(())
    }

    fn visit_u64<E>(self, _: u64) -> Result<(), E> {
        Ok(())
    }

    fn visit_f64<E>(self, _: f64) -> Result<(), E> {
        Ok(())
    }

    fn visit_str<E>(self, _: &str) -> Result<(), E> {
        Ok(())
    }

    fn visit_unit<E>(self) -> Result<(), E> {
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut access: A) -> Result<(), A::Error> {
        let mut index = 0;
        while access.next_element_seed(Walk { prefix: format!("{}[{index}]", self.prefix), paths: self.paths })?.is_some() {
            index += 1;
        }
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut access: A) -> Result<(), A::Error> {
        while let Some(key) = access.next_key::<String>()? {
            let path = if self.prefix.is_empty() { key } else { format!("{}.{key}", self.prefix) };
            self.paths.push(path.clone());
            access.next_value_seed(Walk { prefix: path, paths: self.paths })?;
        }
        Ok(())
    }
}

#[derive(Clone, Copy)]
struct Reader<'a> {
    repeated: &'a RefCell<Vec<String>>,
}

impl Reader<'_> {
    /// Prefixes the paths that were found inside a child.
    fn inside(self, from: usize, prefix: impl Fn(&str) -> String) {
        for path in self.repeated.borrow_mut().iter_mut().skip(from) {
            *path = prefix(path);
        }
    }
}

impl<'de> DeserializeSeed<'de> for Reader<'_> {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Reader<'_> {
    type Value = Value;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a JSON value")
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
        Ok(Number::from_f64(value).map_or(Value::Null, Value::Number))
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_string<E>(self, value: String) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_none<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        Value::deserialize(deserializer)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut access: A) -> Result<Value, A::Error> {
        let mut items = Vec::new();
        loop {
            let before = self.repeated.borrow().len();
            let Some(item) = access.next_element_seed(self)? else { break };
            self.inside(before, |path| join_index(items.len(), path));
            items.push(item);
        }
        Ok(Value::Array(items))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut access: A) -> Result<Value, A::Error> {
        let mut members = Map::new();
        while let Some(key) = access.next_key::<String>()? {
            let before = self.repeated.borrow().len();
            let value = access.next_value_seed(self)?;
            self.inside(before, |path| if path.starts_with('[') { format!("{key}{path}") } else { format!("{key}.{path}") });
            match members.entry(key) {
                Entry::Vacant(entry) => {
                    entry.insert(value);
                }
                Entry::Occupied(mut entry) => {
                    self.repeated.borrow_mut().push(entry.key().clone());
                    entry.insert(value);
                }
            }
        }
        Ok(Value::Object(members))
    }
}

fn join_index(index: usize, path: &str) -> String {
    if path.starts_with('[') { format!("[{index}]{path}") } else { format!("[{index}].{path}") }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    // REQ-8, REQ-9
    #[test]
    fn repeated_keys_are_found_by_path_and_the_last_wins() {
        let (value, repeated) = parse(br#"{"data":{"a":"1","a":"2"},"list":[{"x":1},{"x":1,"x":2}]}"#).unwrap();
        assert_eq!(value, json!({"data": {"a": "2"}, "list": [{"x": 1}, {"x": 2}]}));
        assert_eq!(repeated, ["data.a", "list[1].x"]);
    }

    // REQ-8
    #[test]
    fn paths_come_in_the_order_of_the_text() {
        assert_eq!(paths(br#"{"b":{"x":1},"a":[{"y":1}],"b":2}"#), ["b", "b.x", "a", "a[0].y", "b"]);
    }

    #[test]
    fn a_document_ends_where_it_ends() {
        assert!(parse(b"{} x").is_err());
        assert!(parse(b"{\"a\":").unwrap_err().is_eof());
    }
}
