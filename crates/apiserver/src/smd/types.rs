//! The structure of values, as far as it matters for ownership (SMD-3).

use std::fmt;
use std::sync::{LazyLock, OnceLock};

use serde_json::Value;

/// The type of a value: a scalar, a list, a map, or one of several of them.
#[derive(Clone, Debug, Default)]
pub struct Type {
    pub(super) scalar: Option<Scalar>,
    pub(super) list: Option<List>,
    pub(super) map: Option<Map>,
}

/// The types of a scalar.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Scalar {
    String,
    Numeric,
    Boolean,
    Untyped,
}

/// The type of a list.
#[derive(Clone, Debug)]
pub(super) struct List {
    /// True if the list is owned as a whole.
    pub(super) atomic: bool,
    /// The fields that identify an item. If there are none, the items are scalars that identify themselves.
    pub(super) keys: Vec<ListKey>,
    pub(super) items: PartType,
}

/// A field that identifies the items of a list.
#[derive(Clone, Debug)]
pub(super) struct ListKey {
    pub(super) name: String,
    /// The value for items that omit the field.
    pub(super) default: Option<Value>,
}

/// The type of a map.
#[derive(Clone, Debug, Default)]
pub(super) struct Map {
    /// True if the map is owned as a whole.
    pub(super) atomic: bool,
    /// The declared members, sorted by name.
    pub(super) fields: Vec<(String, PartType)>,
    /// The type of all other members; `None` if there may be none.
    pub(super) entries: Option<PartType>,
}

/// The type of a part.
#[derive(Clone)]
pub(super) enum PartType {
    Inline(Box<Type>),
    /// A published definition. Definitions can contain themselves, so each one is resolved only when it is used.
    Named(&'static Named),
    /// A type deduced from the value: maps are granular, lists are atomic.
    Deduced,
}

/// A published definition whose type is parsed on first use.
pub(super) struct Named {
    pub(super) name: &'static str,
    pub(super) type_: OnceLock<Type>,
}

/// The treatment of a value.
#[derive(Clone, Copy, Debug)]
pub(super) enum Shape<'a> {
    Scalar(Scalar),
    List(&'a List),
    Map(&'a Map),
}

static DEDUCED: LazyLock<Type> = LazyLock::new(|| Type {
    scalar: Some(Scalar::Untyped),
    list: Some(List { atomic: true, keys: Vec::new(), items: PartType::Deduced }),
    map: Some(Map { entries: Some(PartType::Deduced), ..Map::default() }),
});

impl Type {
    /// Returns the type of values without a schema.
    pub fn deduced() -> &'static Self {
        &DEDUCED
    }

    /// Iterates over the members that a map declares.
    pub fn members(&self) -> impl Iterator<Item = &str> {
        self.map.iter().flat_map(|map| &map.fields).map(|(name, _)| name.as_str())
    }

    pub(super) fn scalar(scalar: Scalar) -> Self {
        Self { scalar: Some(scalar), ..Self::default() }
    }

    pub(super) fn list(list: List) -> Self {
        Self { list: Some(list), ..Self::default() }
    }

    pub(super) fn map(map: Map) -> Self {
        Self { map: Some(map), ..Self::default() }
    }

    /// Returns the treatment of a value of this type. A value that fits none of the alternatives is treated as the first of them.
    pub(super) fn shape(&self, value: &Value) -> Shape<'_> {
        let fitting = match value {
            Value::Object(_) => self.map.as_ref().map(Shape::Map),
            Value::Array(_) => self.list.as_ref().map(Shape::List),
            Value::Null => None,
            Value::Bool(_) | Value::Number(_) | Value::String(_) => self.scalar.map(Shape::Scalar),
        };
        fitting.unwrap_or_else(|| self.first_shape())
    }

    /// Returns the treatment of an unknown value of this type.
    pub(super) fn first_shape(&self) -> Shape<'_> {
        match (&self.map, self.scalar, &self.list) {
            (Some(map), _, _) => Shape::Map(map),
            (None, None, Some(list)) => Shape::List(list),
            (None, scalar, _) => Shape::Scalar(scalar.unwrap_or(Scalar::Untyped)),
        }
    }
}

impl Map {
    /// Returns the type of a declared member.
    pub(super) fn field(&self, name: &str) -> Option<&Type> {
        let index = self.fields.binary_search_by(|(field, _)| field.as_str().cmp(name)).ok()?;
        Some(self.fields[index].1.get())
    }

    /// Returns the type of a member, or `None` if the map may not have it.
    pub(super) fn declared_member(&self, name: &str) -> Option<&Type> {
        self.field(name).or_else(|| self.entries.as_ref().map(PartType::get))
    }

    /// Returns the type of a member. A member that the map may not have gets the deduced type.
    pub(super) fn member(&self, name: &str) -> &Type {
        match self.declared_member(name) {
            Some(declared) => declared,
            None => Type::deduced(),
        }
    }
}

impl PartType {
    pub(super) fn get(&self) -> &Type {
        match self {
            Self::Inline(type_) => type_,
            Self::Named(named) => named.get(),
            Self::Deduced => Type::deduced(),
        }
    }
}

impl fmt::Debug for PartType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Inline(type_) => type_.fmt(f),
            Self::Named(named) => f.write_str(named.name),
            Self::Deduced => f.write_str("deduced"),
        }
    }
}
