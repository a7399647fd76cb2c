//! The conversion of the text of a key to a value.

use std::collections::BTreeSet;
use std::time::Duration;

use jiff::SignedDuration;
use kubewright_machinery::object::{Key, names};
use kubewright_machinery::quantity::{GoDuration, Quantity};

use super::ValueError;

/// The namespace and name of an object, written `namespace/name`.
pub type NamespacedName = Key;

/// A type that has a text form in ConfigMaps.
///
/// Fields of a configuration may also have types that implement [`FromStr`](std::str::FromStr). For a type that implements both, this trait counts.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be read from a key of a ConfigMap",
    label = "implements neither `FromStr` nor `ConfigValue`",
    note = "implement `FromStr` with an error that is `Display`, or `ConfigValue`, or name a function: `#[config(parse_with = path)]`",
    note = "a map needs `#[config(prefix = \"..\")]`"
)]
pub trait ConfigValue: Sized {
    /// Parses the text, which is trimmed.
    fn parse(text: &str) -> Result<Self, ValueError>;

    /// Returns the value of a key that is empty, or absent without default. If it is none, the empty text is parsed like any other, and a key without
    /// default is required.
    fn absent() -> Option<Self> {
        None
    }
}

impl ConfigValue for String {
    fn parse(text: &str) -> Result<Self, ValueError> {
        Ok(text.to_owned())
    }
}

impl ConfigValue for bool {
    fn parse(text: &str) -> Result<Self, ValueError> {
        match text {
            "1" | "t" | "T" | "TRUE" | "true" | "True" => Ok(true),
            "0" | "f" | "F" | "FALSE" | "false" | "False" => Ok(false),
            _ => Err(ValueError::new(format_args!(
                "must be one of 1, t, T, TRUE, true, True, 0, f, F, FALSE, false, False, but is {text:?}"
            ))),
        }
    }
}

macro_rules! whole_number {
    ($($type:ty),*) => { $(
        impl ConfigValue for $type {
            fn parse(text: &str) -> Result<Self, ValueError> {
                // As in Go, the text of an unsigned number has no plus sign.
                let signed = <$type>::MIN != 0;
                text.parse().ok().filter(|_| signed || !text.starts_with('+')).ok_or_else(|| {
                    let (least, most) = (<$type>::MIN, <$type>::MAX);
                    ValueError::new(format_args!("must be a whole number from {least} to {most}, but is {text:?}"))
                })
            }
        }
    )* };
}

whole_number!(i8, i16, i32, i64, i128, isize, u8, u16, u32, u64, u128, usize);

macro_rules! decimal_number {
    ($($type:ty),*) => { $(
        impl ConfigValue for $type {
            fn parse(text: &str) -> Result<Self, ValueError> {
                // NaN is unequal to itself, so that each read of the same ConfigMap would be a change.
                let number = text.parse().ok().filter(|number: &$type| number.is_finite());
                number.ok_or_else(|| ValueError::new(format_args!("must be a finite number, but is {text:?}")))
            }
        }
    )* };
}

decimal_number!(f32, f64);

impl ConfigValue for GoDuration {
    fn parse(text: &str) -> Result<Self, ValueError> {
        Self::parse(text).map_err(ValueError::new)
    }
}

/// A signed duration, unlike [`Duration`].
impl ConfigValue for SignedDuration {
    fn parse(text: &str) -> Result<Self, ValueError> {
        Ok(Self::from_nanos(<GoDuration as ConfigValue>::parse(text)?.nanos()))
    }
}

/// A duration that is not negative; [`SignedDuration`] also reads negative ones.
impl ConfigValue for Duration {
    fn parse(text: &str) -> Result<Self, ValueError> {
        let duration = <GoDuration as ConfigValue>::parse(text)?;
        duration.to_std().ok_or_else(|| ValueError::new(format_args!("must be a duration of zero or more, but is {text:?}")))
    }
}

impl ConfigValue for Quantity {
    fn parse(text: &str) -> Result<Self, ValueError> {
        Self::parse(text).map_err(|error| ValueError::new(format_args!("{error}, but the value is {text:?}")))
    }
}

/// A comma-separated list. Its entries are trimmed, and empty ones are dropped.
impl ConfigValue for BTreeSet<String> {
    fn parse(text: &str) -> Result<Self, ValueError> {
        Ok(text.split(',').map(str::trim).filter(|entry| !entry.is_empty()).map(str::to_owned).collect())
    }

    fn absent() -> Option<Self> {
        Some(Self::new())
    }
}

/// The form `namespace/name`, where both parts are DNS labels.
impl ConfigValue for NamespacedName {
    fn parse(text: &str) -> Result<Self, ValueError> {
        let Some((namespace, name)) = text.split_once('/').filter(|(_, name)| !name.contains('/')) else {
            return Err(ValueError::new(format_args!("expected 'namespace/name' format, but found {text:?}")));
        };
        for (part, label) in [("namespace", namespace), ("name", name)] {
            if let Some(problem) = names::dns_1123_label(label).into_iter().next() {
                return Err(ValueError::new(format_args!(
                    "expected 'namespace/name' format, but the {part} is {label:?}: {problem}"
                )));
            }
        }
        Ok(Self::new(namespace, name))
    }
}

/// A value that is none if the key is absent or empty.
impl<T: ConfigValue> ConfigValue for Option<T> {
    fn parse(text: &str) -> Result<Self, ValueError> {
        if text.is_empty() { Ok(None) } else { T::parse(text).map(Some) }
    }

    fn absent() -> Option<Self> {
        Some(None)
    }
}
