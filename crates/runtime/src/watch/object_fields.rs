use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;

use kubewright_machinery::object::{FieldName, Fields};
use serde::de::{Deserialize, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;
use serde_json::{Map, Value};

/// The fields of an object in their order, each value still as text, and those of its metadata likewise: what a list or an event holds of it, read in one
/// go. Empty for what is no object.
#[derive(Debug, Default)]
pub(super) struct ObjectFields<'a>(pub(super) Vec<(Cow<'a, str>, Part<'a>)>);

/// The value of a field.
#[derive(Debug)]
pub(super) enum Part<'a> {
    Text(&'a RawValue),
    /// The value of `metadata`, if it is an object.
    Metadata(Fields<'a>),
}

impl<'a> ObjectFields<'a> {
    /// The text of a field other than `metadata`.
    pub(super) fn text(&self, wanted: &str) -> Option<&'a str> {
        self.0.iter().find_map(|(name, part)| match part {
            Part::Text(text) if name == wanted => Some(text.get()),
            _ => None,
        })
    }

    /// The text of a field of the metadata.
    pub(super) fn metadata(&self, wanted: &str) -> Option<&'a str> {
        let mut parts = self.0.iter();
        let fields = parts.find_map(|(_, part)| match part {
            Part::Metadata(fields) => Some(fields),
            Part::Text(_) => None,
        })?;
        fields.0.iter().find(|(name, _)| name == wanted).map(|(_, text)| text.get())
    }

    /// The object as a tree.
    pub(super) fn tree(&self) -> Result<Map<String, Value>, serde_json::Error> {
        let tree = |(name, part): &(Cow<'_, str>, Part<'_>)| {
            let value = match part {
                Part::Text(text) => serde_json::from_str(text.get())?,
                Part::Metadata(fields) => Value::Object(tree_of(fields)?),
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
        struct Top<'a>(PhantomData<&'a ()>);

        impl<'de: 'a, 'a> FieldsOf<'de> for Top<'a> {
            type Value = ObjectFields<'a>;

            fn read<A: MapAccess<'de>>(mut map: A) -> Result<ObjectFields<'a>, A::Error> {
                let mut fields = Vec::new();
                while let Some(FieldName(name)) = map.next_key()? {
                    let part = if name == "metadata" {
                        let Metadata(fields) = map.next_value()?;
                        fields.map(Part::Metadata)
                    } else {
                        Some(Part::Text(map.next_value()?))
                    };
                    fields.extend(part.map(|part| (name, part)));
                }
                Ok(ObjectFields(fields))
            }
        }

        deserializer.deserialize_any(AnyValue::<Top<'a>>(PhantomData)).map(Option::unwrap_or_default)
    }
}

/// None for metadata that is no object.
struct Metadata<'a>(Option<Fields<'a>>);

impl<'de: 'a, 'a> Deserialize<'de> for Metadata<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Nested<'a>(PhantomData<&'a ()>);

        impl<'de: 'a, 'a> FieldsOf<'de> for Nested<'a> {
            type Value = Fields<'a>;

            fn read<A: MapAccess<'de>>(map: A) -> Result<Fields<'a>, A::Error> {
                Fields::deserialize(serde::de::value::MapAccessDeserializer::new(map))
            }
        }

        deserializer.deserialize_any(AnyValue::<Nested<'a>>(PhantomData)).map(Self)
    }
}

/// Reads the fields of an object.
trait FieldsOf<'de> {
    type Value;

    fn read<A: MapAccess<'de>>(map: A) -> Result<Self::Value, A::Error>;
}

/// Reads any value; none if it is no object.
struct AnyValue<F>(PhantomData<F>);

impl<'de, F: FieldsOf<'de>> Visitor<'de> for AnyValue<F> {
    type Value = Option<F::Value>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Self::Value, A::Error> {
        F::read(map).map(Some)
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
