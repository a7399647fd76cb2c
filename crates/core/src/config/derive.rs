//! Support for `#[derive(FromConfigMap)]`: selects the text form of the type of a field. Not to be used by hand.
//!
//! The generated code calls the methods on `&&&&ValueProbe<T>`. Method resolution tries the traits in the order below, because each is implemented for one
//! reference less than the one before.

use std::fmt;
use std::marker::PhantomData;
use std::str::FromStr;

use super::{ConfigValue, Parser, ValueError};

/// A value that stands for the type of a field.
#[derive(Debug)]
pub struct ValueProbe<T>(PhantomData<T>);

impl<T> ValueProbe<T> {
    /// The only value.
    pub const NEW: Self = Self(PhantomData);
}

/// A type with a text form of its own for ConfigMaps.
pub trait IsValue<T> {
    /// Returns the parser of the type.
    fn parser(&self) -> Parser<T>;

    /// Returns the value of an absent or empty key, for a field with a function that parses.
    fn absent(&self) -> fn() -> Option<T>;
}

impl<T: ConfigValue> IsValue<T> for &&&ValueProbe<T> {
    fn parser(&self) -> Parser<T> {
        Parser::default()
    }

    fn absent(&self) -> fn() -> Option<T> {
        T::absent
    }
}

/// A type that is read from text.
pub trait IsText<T> {
    /// Returns the parser of the type.
    fn parser(&self) -> Parser<T>;

    /// Returns none, because the key is required.
    fn absent(&self) -> fn() -> Option<T>;
}

impl<T: FromStr<Err: fmt::Display>> IsText<T> for &&ValueProbe<T> {
    fn parser(&self) -> Parser<T> {
        Parser::new(|text| text.parse().map_err(ValueError::new), || None)
    }

    fn absent(&self) -> fn() -> Option<T> {
        || None
    }
}

/// An option of a type that is read from text.
pub trait IsOptionalText<T> {
    /// Returns the parser of the type in the option.
    fn parser(&self) -> Parser<T>;
}

impl<T: FromStr<Err: fmt::Display>> IsOptionalText<Option<T>> for &ValueProbe<Option<T>> {
    fn parser(&self) -> Parser<Option<T>> {
        Parser::new(|text| text.parse().map(Some).map_err(ValueError::new), || Some(None))
    }
}

/// An option of any type, which a function parses.
pub trait IsOption<T> {
    /// Returns an absent value, because the key is optional.
    fn absent(&self) -> fn() -> Option<T>;
}

impl<T> IsOption<Option<T>> for &ValueProbe<Option<T>> {
    fn absent(&self) -> fn() -> Option<Option<T>> {
        || Some(None)
    }
}

/// Any other type.
pub trait IsUnknown<T> {
    /// Fails to compile, with a message about the trait that the type must implement.
    fn parser(&self) -> Parser<T>
    where
        T: ConfigValue;

    /// Returns none, because the key is required.
    fn absent(&self) -> fn() -> Option<T>;
}

impl<T> IsUnknown<T> for ValueProbe<T> {
    fn parser(&self) -> Parser<T>
    where
        T: ConfigValue,
    {
        Parser::default()
    }

    fn absent(&self) -> fn() -> Option<T> {
        || None
    }
}

/// The result of a parsing function for a field of type `T`: a value of the same type, or of the type in the option.
#[diagnostic::on_unimplemented(
    message = "the function gives `{Self}` for a field of type `{T}`",
    label = "must give `{T}`, or the type in it if it is an `Option`"
)]
pub trait IntoField<T> {
    /// Returns the value of the field.
    fn into_field(self) -> T;
}

impl<T> IntoField<T> for T {
    fn into_field(self) -> T {
        self
    }
}

impl<T> IntoField<Option<T>> for T {
    fn into_field(self) -> Option<T> {
        Some(self)
    }
}

/// Converts the result of a parsing function to the value of a field.
pub fn parsed<T, U: IntoField<T>, E: fmt::Display>(result: Result<U, E>) -> Result<T, ValueError> {
    result.map(IntoField::into_field).map_err(ValueError::new)
}
