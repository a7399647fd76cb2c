//! The types of the language.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use crate::cel::names::declared_name;

#[derive(Clone, Debug, PartialEq)]
pub(super) enum CelType {
    Bool,
    Int,
    Uint,
    Double,
    Text,
    Bytes,
    Null,
    Timestamp,
    Duration,
    /// Any type; the value is checked when it is evaluated.
    Dynamic,
    /// The type of an expression with an error, which is reported once.
    Error,
    List(Arc<Self>),
    Map(Arc<Self>, Arc<Self>),
    Optional(Arc<Self>),
    /// A type as a value.
    #[allow(clippy::enum_variant_names, reason = "the language calls it so")]
    Type(Option<Arc<Self>>),
    /// A type of a library, without fields.
    Opaque(&'static str),
    Object(Arc<Object>),
    /// A type that is not known yet.
    Variable(Variable),
}

/// An unknown type: a type parameter of a declared function, or a type that is inferred for one expression.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Variable {
    Declared(char),
    Free(usize),
}

/// An object with named fields.
#[derive(Debug)]
pub(super) struct Object {
    pub(super) name: String,
    pub(super) fields: BTreeMap<String, CelType>,
}

impl Object {
    /// Returns the type of a field. A field with the name of a keyword can be written with and without its escape.
    pub(super) fn field(&self, name: &str) -> Option<&CelType> {
        self.fields.get(name).or_else(|| self.fields.get(&declared_name(name)?))
    }
}

impl PartialEq for Object {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl CelType {
    pub(super) fn list(element: Self) -> Self {
        Self::List(Arc::new(element))
    }

    pub(super) fn map(key: Self, value: Self) -> Self {
        Self::Map(Arc::new(key), Arc::new(value))
    }

    pub(super) fn optional(content: Self) -> Self {
        Self::Optional(Arc::new(content))
    }

    /// Returns the content of an optional type and true, or the type itself and false.
    pub(super) fn unwrapped(self) -> (Self, bool) {
        match self {
            Self::Optional(content) => ((*content).clone(), true),
            other => (other, false),
        }
    }

    pub(super) fn is_dynamic_or_error(&self) -> bool {
        matches!(self, Self::Dynamic | Self::Error)
    }

    /// Returns the type with this name in expressions.
    pub(super) fn named(name: &str) -> Option<Self> {
        Some(match name {
            "bool" => Self::Bool,
            "int" => Self::Int,
            "uint" => Self::Uint,
            "double" => Self::Double,
            "string" => Self::Text,
            "bytes" => Self::Bytes,
            "null_type" => Self::Null,
            "google.protobuf.Timestamp" => Self::Timestamp,
            "google.protobuf.Duration" => Self::Duration,
            "dyn" => Self::Dynamic,
            "list" => Self::list(Self::Dynamic),
            "map" => Self::map(Self::Dynamic, Self::Dynamic),
            "optional_type" => Self::optional(Self::Dynamic),
            "type" => Self::Type(None),
            _ => Self::Opaque(LIBRARY_TYPES.iter().find(|known| **known == name)?),
        })
    }
}

/// The types of the Kubernetes libraries.
pub(super) const LIBRARY_TYPES: [&str; 6] =
    ["net.IP", "net.CIDR", "kubernetes.URL", "kubernetes.Quantity", "kubernetes.Semver", "kubernetes.NamedFormat"];

impl fmt::Display for CelType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Bool => "bool",
            Self::Int => "int",
            Self::Uint => "uint",
            Self::Double => "double",
            Self::Text => "string",
            Self::Bytes => "bytes",
            Self::Null => "null",
            Self::Timestamp => "timestamp",
            Self::Duration => "duration",
            Self::Dynamic => "dyn",
            Self::Error => "!error!",
            Self::List(element) => return write!(f, "list({element})"),
            Self::Map(key, value) => return write!(f, "map({key}, {value})"),
            Self::Optional(content) => return write!(f, "optional_type({content})"),
            Self::Type(Some(type_)) => return write!(f, "type({type_})"),
            Self::Type(None) => "type",
            Self::Opaque(name) => name,
            Self::Object(object) => &object.name,
            Self::Variable(Variable::Declared(name)) => return write!(f, "{name}"),
            Self::Variable(Variable::Free(number)) => return write!(f, "_var{number}"),
        })
    }
}
