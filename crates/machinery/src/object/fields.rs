use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;

use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;

/// The fields of a JSON object in their order, each value as unparsed text: one level is read, and none below it.
#[derive(Debug, Default)]
pub struct Fields<'a>(pub Vec<(Cow<'a, str>, &'a RawValue)>);

impl<'a> Fields<'a> {
    /// Reads the fields of an object's text; returns none if the text is not a JSON object.
    pub fn read(text: &'a str) -> Option<Self> {
        serde_json::from_str(text).ok()
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Fields<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct OfMap<'a>(PhantomData<&'a ()>);

        impl<'de: 'a, 'a> Visitor<'de> for OfMap<'a> {
            type Value = Fields<'a>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a JSON object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Fields<'a>, A::Error> {
                let mut fields = Vec::new();
                while let Some(FieldName(name)) = map.next_key()? {
                    fields.push((name, map.next_value()?));
                }
                Ok(Fields(fields))
            }
        }

        deserializer.deserialize_map(OfMap(PhantomData))
    }
}

/// The name of a field; borrowed unless it has escapes.
#[derive(Debug)]
pub struct FieldName<'a>(pub Cow<'a, str>);

impl<'de: 'a, 'a> Deserialize<'de> for FieldName<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct OfText<'a>(PhantomData<&'a ()>);

        impl<'de: 'a, 'a> Visitor<'de> for OfText<'a> {
            type Value = FieldName<'a>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("the name of a field")
            }

            fn visit_borrowed_str<E>(self, text: &'de str) -> Result<FieldName<'a>, E> {
                Ok(FieldName(Cow::Borrowed(text)))
            }

            fn visit_str<E>(self, text: &str) -> Result<FieldName<'a>, E> {
                Ok(FieldName(Cow::Owned(text.to_owned())))
            }
        }

        deserializer.deserialize_str(OfText(PhantomData))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // WHY-3
    #[test]
    fn one_level_is_read_as_text() {
        let text = r#"{"a": {"b":  1}, "c\n": [1, 2], "d": "x"}"#;
        let fields: Vec<(String, &str)> =
            Fields::read(text).unwrap().0.into_iter().map(|(name, value)| (name.into_owned(), value.get())).collect();
        let expected = [("a", r#"{"b":  1}"#), ("c\n", "[1, 2]"), ("d", "\"x\"")];
        assert_eq!(fields, expected.map(|(name, value)| (name.to_owned(), value)));
        assert!(Fields::read("[]").is_none() && Fields::read("{").is_none());
    }
}
