//! Types as values.

use std::fmt;
use std::sync::Arc;

use kube_cel::cel::Value as Cel;
use kube_cel::cel::objects::Opaque;

use crate::cel::typing::is_type_name;

/// A type, by its name.
#[derive(Eq, PartialEq)]
pub(super) struct TypeValue(String);

impl TypeValue {
    /// Returns the type that a name stands for in an expression.
    pub(super) fn named(name: &str) -> Option<Self> {
        is_type_name(name).then(|| Self(name.to_owned()))
    }

    /// Returns the type of a value.
    pub(super) fn of(value: &Cel) -> Self {
        Self(name_of(value).to_owned())
    }

    pub(super) fn value(self) -> Cel {
        Cel::Opaque(Arc::new(self))
    }
}

impl fmt::Debug for TypeValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Opaque for TypeValue {
    fn runtime_type_name(&self) -> &'static str {
        "type"
    }
}

/// Returns the name of the type of a value.
pub(super) fn name_of(value: &Cel) -> &str {
    match value {
        Cel::List(_) => "list",
        Cel::Map(_) => "map",
        Cel::Int(_) => "int",
        Cel::UInt(_) => "uint",
        Cel::Float(_) => "double",
        Cel::String(_) => "string",
        Cel::Bytes(_) => "bytes",
        Cel::Bool(_) => "bool",
        Cel::Duration(_) => "google.protobuf.Duration",
        Cel::Timestamp(_) => "google.protobuf.Timestamp",
        Cel::Null => "null_type",
        Cel::Opaque(opaque) => opaque.runtime_type_name(),
        Cel::Function(..) => "function",
    }
}
