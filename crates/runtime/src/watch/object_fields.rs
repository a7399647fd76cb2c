use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;

use kubewright_machinery::object::{FieldName, Fields};
use serde::de::{Deserialize, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;
use serde_json::{Map, Value};

/// The fields of an object in their order with the texts of their values, and likewise those of its metadata. It is an item of a list or the object of an
/// event, parsed in one pass. It is empty for a JSON value that is not an object.
#[derive(Debug, Default)]
pub(super) struct ObjectFields<'a>(pub(super) Vec<(Cow<'a, str>, FieldValue<'a>)>);

/// The value of a field.
#[derive(Debug)]
pub(super) enum FieldValue<'a> {
    Text(&'a RawValue),
    /// The value of `metadata`, if it is an object.
    Metadata(Fields<'a>),
}

impl<'a> ObjectFields<'a> {
    /// Returns the text of a field other than `metadata`.
    pub(super) fn text(&self, wanted: &str) -> Option<&'a str> {
        self.0.iter().find_map(|(name, value)| match value {
            FieldValue::Text(text) if name == wanted => Some(text.get()),
            _ => None,
        })
    }

    /// Returns the text of a field of the metadata.
    pub(super) fn metadata(&self, wanted: &str) -> Option<&'a str> {
        let mut parts = self.0.iter();
        let fields = parts.find_map(|(_, value)| match value {
            FieldValue::Metadata(fields) => Some(fields),
            FieldValue::Text(_) => None,
        })?;
        fields.0.iter().find(|(name, _)| name == wanted).map(|(_, text)| text.get())
    }

    /// Returns the object as a tree.
    pub(super) fn tree(&self) -> Result<Map<String, Value>, serde_json::Error> {
        let tree = |(name, part): &(Cow<'_, str>, FieldValue<'_>)| {
            let value = match part {
                FieldValue::Text(text) => serde_json::from_str(text.get())?,
                FieldValue::Metadata(fields) => Value::Object(tree_of(fields)?),
            };
            Ok((name.to_string(), value))
        };
        self.0.iter().map(tree).collect()
    }
}

fn tree_of(fields: &Fields<'_>) -> Result<Map<String, Value>, serde_json::Error> {
    fields.0.iter().map(|(name, text)| Ok((name.to_string(), serde_json::from_str(text.get())?))).collect()
}

impl<'de: 'a, 'a> Deserialize<'de> for ObjectFields<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        IfObject::deserialize(deserializer).map(|IfObject(fields)| fields.unwrap_or_default())
    }
}

/// A type that is read from the fields of an object.
trait OfFields<'de>: Sized {
    fn of_fields<A: MapAccess<'de>>(map: A) -> Result<Self, A::Error>;
}

impl<'de: 'a, 'a> OfFields<'de> for ObjectFields<'a> {
    fn of_fields<A: MapAccess<'de>>(mut map: A) -> Result<Self, A::Error> {
        let mut fields = Vec::new();
        while let Some(FieldName(name)) = map.next_key()? {
            let value = if name == "metadata" {
                let IfObject(metadata) = map.next_value()?;
                metadata.map(FieldValue::Metadata)
            } else {
                Some(FieldValue::Text(map.next_value()?))
            };
            fields.extend(value.map(|value| (name, value)));
        }
        Ok(Self(fields))
    }
}

impl<'de: 'a, 'a> OfFields<'de> for Fields<'a> {
    fn of_fields<A: MapAccess<'de>>(map: A) -> Result<Self, A::Error> {
        Self::deserialize(serde::de::value::MapAccessDeserializer::new(map))
    }
}

/// A value that is read if it is a JSON object, and is None for any other JSON value.
struct IfObject<T>(Option<T>);

impl<'de, T: OfFields<'de>> Deserialize<'de> for IfObject<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(AnyValue(PhantomData)).map(Self)
    }
}

struct AnyValue<T>(PhantomData<T>);

impl<'de, T: OfFields<'de>> Visitor<'de> for AnyValue<T> {
    type Value = Option<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Self::Value, A::Error> {
        T::of_fields(map).map(Some)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Self::Value, A::Error> {
        while let Some(IgnoredAny) = items.next_element()? {}
        Ok(None)
    }

    fn visit_unit<E>(self) -> Result<Self::Value, E> {
        Ok(None)
    }

    fn visit_bool<E>(self, _: bool) -> Result<Self::Value, E> {
        Ok(None)
    }

    fn visit_i64<E>(self, _: i64) -> Result<Self::Value, E> {
        Ok(None)
    }

    fn visit_u64<E>(self, _: u64) -> Result<Self::Value, E> {
        Ok(None)
    }

    fn visit_f64<E>(self, _: f64) -> Result<Self::Value, E> {
        Ok(None)
    }

    fn visit_str<E>(self, _: &str) -> Result<Self::Value, E> {
        Ok(None)
    }
}
