//! Numbers whose type nothing asks for: their form decides.

use std::any::Any;

use crate::format;
use crate::syntax::NumberLiteral;
use crate::value::{GoObject, GoValue};

/// A `complex128`. Templates can print it, no more.
#[derive(Debug)]
struct ComplexNumber {
    real: f64,
    imaginary: f64,
}

impl GoObject for ComplexNumber {
    fn as_any(&self) -> &dyn Any {
        self
    }

    fn type_name(&self) -> &'static str {
        "complex128"
    }

    fn kind(&self) -> &'static str {
        "complex128"
    }

    fn text(&self) -> Option<String> {
        let text = format::printf(&"(%g%+gi)".into(), &[self.real.into(), self.imaginary.into()]).ok()?;
        Some(text.to_text().into_owned())
    }

    fn is_true(&self) -> bool {
        self.real != 0.0 || self.imaginary != 0.0
    }
}

/// Returns the value of a literal: an `int`, or a `float64` if it is written as one. The error is the text for an integer that is too large.
pub(super) fn ideal(number: &NumberLiteral) -> Result<GoValue, String> {
    let literal: &str = &number.literal;
    if let Some((real, imaginary)) = number.complex {
        return Ok(GoValue::object(ComplexNumber { real, imaginary }));
    }
    let is_hexadecimal = (literal.starts_with("0x") || literal.starts_with("0X")) && !literal.contains(['p', 'P']);
    match number.float {
        Some(value) if !is_hexadecimal && !number.is_character && literal.contains(['.', 'e', 'E', 'p', 'P']) => {
            Ok(GoValue::Float(value))
        }
        _ => match (number.integer, number.unsigned) {
            (Some(value), _) => Ok(GoValue::int(value)),
            (None, Some(_)) => Err(format!("{literal} overflows int")),
            (None, None) => Ok(GoValue::Nil),
        },
    }
}
