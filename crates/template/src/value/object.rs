//! Values of other Go types.

use std::any::Any;
use std::fmt;

use super::{GoMap, GoValue};
use crate::error::FunctionError;
use crate::signature::Signature;

/// A value of a Go type that is no plain data: a struct with fields (`.Release`), a type with methods (`.Files`), a time.
pub trait GoObject: fmt::Debug + 'static {
    /// Returns the value for a downcast by the functions that make and take it.
    fn as_any(&self) -> &dyn Any;

    /// Returns the name of the type, as `%T` prints it.
    fn type_name(&self) -> &'static str;

    /// Returns the name of the kind: `struct`, `ptr`, `map`, `slice`, `int64`.
    fn kind(&self) -> &'static str {
        "struct"
    }

    /// Returns the value of a field, or None if the type has no such field.
    fn field(&self, _name: &str) -> Option<GoValue> {
        None
    }

    /// Returns the names of the exported fields in the order of their declaration, for `toYaml`, `toJson` and `%v`.
    fn field_names(&self) -> &[&'static str] {
        &[]
    }

    /// Returns the parameters of a method, or None if the type has no such method.
    fn method(&self, _name: &str) -> Option<Signature> {
        None
    }

    /// Calls a method. The arguments have been checked against its parameters. The result follows from the object and the arguments alone.
    fn call(&self, name: &str, _arguments: &[GoValue]) -> Result<GoValue, FunctionError> {
        Err(FunctionError::new(format!("{} has no method {name}", self.type_name())))
    }

    /// Returns the text that a `String` or `Error` method of the type gives, which `%v` and `%s` print; None if it has none.
    fn text(&self) -> Option<String> {
        None
    }

    /// Returns the plain value that the value is underneath: the list or map for `range`, `index`, `len` and printing; the number for comparisons
    /// (`time.Month`). None for a struct.
    fn elements(&self) -> Option<GoValue> {
        None
    }

    /// Returns the plain data that the type's own encoding gives, for `toJson`, `toYaml` and `toToml`: a `time.Time` its text of RFC 3339, a
    /// `time.Duration` its nanoseconds. None for a type that is encoded by its elements or fields.
    fn encoded(&self) -> Option<GoValue> {
        None
    }

    /// Returns the maps that the object holds and gives to templates, which may change them. Maps that are made anew for each look do not belong to them.
    fn maps(&self) -> Vec<GoMap> {
        Vec::new()
    }

    /// Returns the truth of the value. A struct is always true.
    fn is_true(&self) -> bool {
        self.elements().is_none_or(|elements| elements.is_true())
    }
}
