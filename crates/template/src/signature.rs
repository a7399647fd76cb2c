//! The parameters of functions and methods, by which the engine checks arguments as Go's reflection does.

/// The type of a parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Parameter {
    /// `interface {}`: any value, nil too.
    Any,
    /// `bool`.
    Bool,
    /// `int`. Integer literals and values of any integer type that fits are taken as Go takes them.
    Int,
    /// `int64`.
    Int64,
    /// `uint64`.
    Uint64,
    /// `float64`.
    Float,
    /// `string`.
    String,
    /// `[]string`.
    Strings,
    /// `[]interface {}`.
    List,
    /// `[]byte`.
    Bytes,
    /// `map[string]interface {}`.
    Map,
    /// A Go type of this name, that is, an object whose `type_name` it is: `time.Time`.
    Object(&'static str),
}

/// The parameters of a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Signature {
    /// The parameters that must be given.
    pub fixed: &'static [Parameter],
    /// The type of any number of further arguments; None if there are none.
    pub rest: Option<Parameter>,
}

impl Signature {
    /// Returns the signature of a function with exactly these parameters.
    pub const fn of(fixed: &'static [Parameter]) -> Self {
        Self { fixed, rest: None }
    }

    /// Returns the signature of a function with these parameters and any number of further ones.
    pub const fn variadic(fixed: &'static [Parameter], rest: Parameter) -> Self {
        Self { fixed, rest: Some(rest) }
    }
}
