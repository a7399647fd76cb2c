//! Values as Go's text/template sees them: with Go's types, with byte strings, and with maps that are shared by reference.

mod cycles;
mod equal;
mod frozen;
mod json;
mod likeness;
mod list;
mod map;
mod object;
mod observation;
mod release;
mod size;
mod text;

pub(crate) use cycles::CycleGuard;
pub(crate) use equal::DeepComparison;
pub use frozen::FrozenMap;
pub(crate) use likeness::{are_alike, likeness_hash};
pub use list::{ElementType, GoList};
pub use map::{GoMap, MapType, NamedType};
pub use object::GoObject;
pub(crate) use observation::{looks, next_observation, observe, oldest_change};
pub(crate) use size::own_size;
pub use text::GoString;

use std::rc::Rc;

/// A value of a template. Copies are cheap; copies of a map are the same map, which `set` and `unset` change.
#[derive(Clone, Debug, Default)]
pub enum GoValue {
    /// `nil`, also the value of a missing key. It prints as `<no value>` in an action and as `<nil>` in `printf "%v"`.
    #[default]
    Nil,
    /// A boolean.
    Bool(bool),
    /// A number of one of Go's integer types.
    Integer(i128, IntegerType),
    /// A `float64`. All numbers of a chart's values are of this type.
    Float(f64),
    /// A string: any bytes, usually UTF-8.
    String(GoString),
    /// A slice. It never changes.
    List(GoList),
    /// A map with strings as keys, shared by reference.
    Map(GoMap),
    /// A value of another Go type: a struct, a type with methods, a time.
    Object(Rc<dyn GoObject>),
}

/// A type of integers. A value is always within the range of its type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum IntegerType {
    /// `int`: literals, `len`, results of `int`.
    Int,
    /// `int32`, the type of a rune.
    Int32,
    /// `int64`: results of arithmetic functions.
    Int64,
    /// `uint8`: a byte of an indexed string.
    Uint8,
    /// `uint32`.
    Uint32,
    /// `uint64`.
    Uint64,
}

impl GoValue {
    /// Returns an `int`.
    pub const fn int(value: i64) -> Self {
        Self::Integer(value as i128, IntegerType::Int)
    }

    /// Returns an `int64`.
    pub const fn int64(value: i64) -> Self {
        Self::Integer(value as i128, IntegerType::Int64)
    }

    /// Returns a string.
    pub fn string(text: impl Into<GoString>) -> Self {
        Self::String(text.into())
    }

    /// Returns a value of another Go type.
    pub fn object(object: impl GoObject) -> Self {
        Self::Object(Rc::new(object))
    }

    /// Returns a `[]interface {}`.
    pub fn list(items: impl IntoIterator<Item = Self>) -> Self {
        Self::List(GoList::new(items.into_iter().collect(), ElementType::Any))
    }

    /// Returns a `[]string`.
    pub fn strings(items: impl IntoIterator<Item = impl Into<GoString>>) -> Self {
        Self::List(GoList::new(items.into_iter().map(Self::string).collect(), ElementType::String))
    }

    /// Returns the name of the value's kind, as `reflect.Kind` prints it; `invalid` for nil.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Nil => "invalid",
            Self::Bool(_) => "bool",
            Self::Integer(_, type_) => type_.name(),
            Self::Float(_) => "float64",
            Self::String(_) => "string",
            Self::List(_) => "slice",
            Self::Map(_) => "map",
            Self::Object(object) => object.kind(),
        }
    }

    /// Returns the name of the value's type, as `%T` prints it: `[]interface {}`, `map[string]interface {}`; `<nil>` for nil.
    pub fn type_name(&self) -> &str {
        match self {
            Self::Nil => "<nil>",
            Self::List(list) => list.type_name(),
            Self::Map(map) => map.type_name(),
            Self::Object(object) => object.type_name(),
            other => other.kind(),
        }
    }

    /// Returns the truth of the value, as `if` sees it: false for nil, false, zero, and everything empty.
    pub fn is_true(&self) -> bool {
        match self {
            Self::Nil => false,
            Self::Bool(value) => *value,
            Self::Integer(value, _) => *value != 0,
            Self::Float(value) => *value != 0.0,
            Self::String(text) => !text.is_empty(),
            Self::List(list) => !list.is_empty(),
            Self::Map(map) => !map.is_empty(),
            Self::Object(object) => object.is_true(),
        }
    }
}

impl IntegerType {
    /// Returns the name of the type.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Int => "int",
            Self::Int32 => "int32",
            Self::Int64 => "int64",
            Self::Uint8 => "uint8",
            Self::Uint32 => "uint32",
            Self::Uint64 => "uint64",
        }
    }

    /// Returns true for the types without negative values.
    pub const fn is_unsigned(self) -> bool {
        matches!(self, Self::Uint8 | Self::Uint32 | Self::Uint64)
    }

    /// Returns the value as it is after a conversion to this type: the low bits, as Go cuts them.
    pub const fn cut(self, value: i128) -> i128 {
        match self {
            Self::Int | Self::Int64 => value as i64 as i128,
            Self::Int32 => value as i32 as i128,
            Self::Uint8 => value as u8 as i128,
            Self::Uint32 => value as u32 as i128,
            Self::Uint64 => value as u64 as i128,
        }
    }
}

impl From<bool> for GoValue {
    fn from(value: bool) -> Self {
        Self::Bool(value)
    }
}

impl From<f64> for GoValue {
    fn from(value: f64) -> Self {
        Self::Float(value)
    }
}

impl From<&str> for GoValue {
    fn from(text: &str) -> Self {
        Self::string(text)
    }
}

impl From<String> for GoValue {
    fn from(text: String) -> Self {
        Self::string(text)
    }
}

impl From<GoString> for GoValue {
    fn from(text: GoString) -> Self {
        Self::String(text)
    }
}

impl From<GoMap> for GoValue {
    fn from(map: GoMap) -> Self {
        Self::Map(map)
    }
}

impl From<GoList> for GoValue {
    fn from(list: GoList) -> Self {
        Self::List(list)
    }
}
