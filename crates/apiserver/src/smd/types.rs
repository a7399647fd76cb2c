//! How values are put together, as far as ownership is concerned (SMD-3).

use std::fmt;
use std::sync::{LazyLock, OnceLock};

use serde_json::Value;

/// What a value may be: a scalar, a list or a map, or any of several.
#[derive(Clone, Debug, Default)]
pub struct Type {
    pub(super) scalar: Option<Scalar>,
    pub(super) list: Option<List>,
    pub(super) map: Option<Map>,
}

/// What a scalar may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Scalar {
    String,
    Numeric,
    Boolean,
    Untyped,
}

/// A list.
#[derive(Clone, Debug)]
pub(super) struct List {
    /// Whether it is one piece.
    pub(super) atomic: bool,
    /// The fields that tell its items apart; without them its items are scalars that tell themselves apart.
    pub(super) keys: Vec<ListKey>,
    pub(super) items: Reference,
}

/// One of the fields that tell items apart.
#[derive(Clone, Debug)]
pub(super) struct ListKey {
    pub(super) name: String,
    /// What an item has that does not say.
    pub(super) default: Option<Value>,
}

/// A map.
#[derive(Clone, Debug, Default)]
pub(super) struct Map {
    /// Whether it is one piece.
    pub(super) atomic: bool,
    /// The declared members, sorted by name.
    pub(super) fields: Vec<(String, Reference)>,
    /// The type of all other members; without it there are none.
    pub(super) entries: Option<Reference>,
}

/// The type of a part.
#[derive(Clone)]
pub(super) enum Reference {
    Inline(Box<Type>),
    /// A published definition. They can contain themselves, so that they are looked at one by one.
    Named(&'static Named),
    /// Whatever the value says: maps are granular, lists are one piece.
    Deduced,
}

/// A published definition whose type is made when it is first needed.
pub(super) struct Named {
    pub(super) name: &'static str,
    pub(super) type_: OnceLock<Type>,
}

/// How a value is treated.
#[derive(Clone, Copy, Debug)]
pub(super) enum Shape<'a> {
    Scalar(Scalar),
    List(&'a List),
    Map(&'a Map),
}

static DEDUCED: LazyLock<Type> = LazyLock::new(|| Type {
    scalar: Some(Scalar::Untyped),
    list: Some(List { atomic: true, keys: Vec::new(), items: Reference::Deduced }),
    map: Some(Map { entries: Some(Reference::Deduced), ..Map::default() }),
});

impl Type {
    /// The type of values of which nothing is known.
    pub fn deduced() -> &'static Self {
        &DEDUCED
    }

    /// The members that a map declares.
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

    /// How a value of this type is treated. A value that fits none of the possibilities is treated as the first of them.
    pub(super) fn shape(&self, value: &Value) -> Shape<'_> {
        let fitting = match value {
            Value::Object(_) => self.map.as_ref().map(Shape::Map),
            Value::Array(_) => self.list.as_ref().map(Shape::List),
            Value::Null => None,
            Value::Bool(_) | Value::Number(_) | Value::String(_) => self.scalar.map(Shape::Scalar),
        };
        fitting.unwrap_or_else(|| self.first_shape())
    }

    /// How a value is treated of which nothing is known but its type.
    pub(super) fn first_shape(&self) -> Shape<'_> {
        match (&self.map, self.scalar, &self.list) {
            (Some(map), _, _) => Shape::Map(map),
            (None, None, Some(list)) => Shape::List(list),
            (None, scalar, _) => Shape::Scalar(scalar.unwrap_or(Scalar::Untyped)),
        }
    }
}

impl Map {
    /// The type of a declared member.
    pub(super) fn field(&self, name: &str) -> Option<&Type> {
        let index = self.fields.binary_search_by(|(field, _)| field.as_str().cmp(name)).ok()?;
        Some(self.fields[index].1.get())
    }

    /// The type of a member that may exist.
    pub(super) fn declared_member(&self, name: &str) -> Option<&Type> {
        self.field(name).or_else(|| self.entries.as_ref().map(Reference::get))
    }

    /// The type of a member; of one that may not exist, nothing is known.
    pub(super) fn member(&self, name: &str) -> &Type {
        match self.declared_member(name) {
            Some(declared) => declared,
            None => Type::deduced(),
        }
    }
}

impl Reference {
    pub(super) fn get(&self) -> &Type {
        match self {
            Self::Inline(type_) => type_,
            Self::Named(named) => named.get(),
            Self::Deduced => Type::deduced(),
        }
    }
}

impl fmt::Debug for Reference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Inline(type_) => type_.fmt(f),
            Self::Named(named) => f.write_str(named.name),
            Self::Deduced => f.write_str("deduced"),
        }
    }
}
