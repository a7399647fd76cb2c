//! Arithmetic of decimals: floats as their shortest texts, so that 0.1 and 0.2 are 0.3.

use num_bigint::{BigInt, Sign};

use super::cast::float_of;
use super::{ALL, ANY, SOME};
use crate::error::FunctionError;
use crate::function::FunctionSet;
use crate::value::GoValue;

/// The number of digits behind the point to which quotients are rounded.
const QUOTIENT_DIGITS: i64 = 16;
/// The maximal number of operands: the digits of a product are those of all factors.
const MOST_OPERANDS: usize = 10_000;

/// Adds the functions of decimals.
pub(super) fn add(functions: &mut FunctionSet) {
    functions.add("addf", ALL, |call| {
        call.arguments.insert(0, GoValue::Float(0.0));
        calculated(&call.arguments, Decimal::plus)
    });
    functions.add("add1f", ANY, |call| calculated(&[call.take(0), GoValue::int(1)], Decimal::plus));
    functions.add("subf", SOME, |call| calculated(&call.arguments, Decimal::minus));
    functions.add("mulf", SOME, |call| calculated(&call.arguments, Decimal::times));
    functions.add("divf", SOME, |call| calculated(&call.arguments, Decimal::divided_by));
}

/// Returns the operands, joined from the left by an operation.
fn calculated(
    operands: &[GoValue],
    operation: fn(Decimal, Decimal) -> Result<Decimal, FunctionError>,
) -> Result<GoValue, FunctionError> {
    if operands.len() > MOST_OPERANDS {
        return Err(FunctionError::new(format!("{} operands are more than the limit of {MOST_OPERANDS}", operands.len())));
    }
    let mut decimals = operands.iter().map(|operand| Decimal::new(float_of(operand)));
    let first = decimals.next().unwrap_or_else(|| Decimal::new(0.0))?;
    let result = decimals.try_fold(first, |left, right| operation(left, right?))?;
    Ok(GoValue::Float(result.to_float()))
}

/// An exact decimal number: digits times a power of ten.
struct Decimal {
    digits: BigInt,
    exponent: i64,
}

impl Decimal {
    /// Returns the decimal of a float's shortest text.
    fn new(value: f64) -> Result<Self, FunctionError> {
        if !value.is_finite() {
            let name = if value.is_nan() {
                "NaN"
            } else if value > 0.0 {
                "+Inf"
            } else {
                "-Inf"
            };
            return Err(FunctionError::new(format!("Cannot create a Decimal from {name}")));
        }
        let text = format!("{value:e}");
        let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
        let fraction = mantissa.split_once('.').map_or(0, |(_, fraction)| fraction.len() as i64);
        let digits: i64 = mantissa.replace('.', "").parse().unwrap_or(0);
        Ok(Self { digits: digits.into(), exponent: exponent.parse::<i64>().unwrap_or(0) - fraction })
    }

    #[allow(clippy::unnecessary_wraps)]
    fn plus(self, other: Self) -> Result<Self, FunctionError> {
        let exponent = self.exponent.min(other.exponent);
        Ok(Self { digits: self.scaled(exponent) + other.scaled(exponent), exponent })
    }

    fn minus(self, other: Self) -> Result<Self, FunctionError> {
        self.plus(Self { digits: -other.digits, exponent: other.exponent })
    }

    #[allow(clippy::unnecessary_wraps)]
    fn times(self, other: Self) -> Result<Self, FunctionError> {
        Ok(Self { digits: self.digits * other.digits, exponent: self.exponent + other.exponent })
    }

    /// Returns the quotient, rounded half away from zero.
    fn divided_by(self, other: Self) -> Result<Self, FunctionError> {
        if other.digits.sign() == Sign::NoSign {
            return Err(FunctionError::new("decimal division by 0"));
        }
        let shift = self.exponent - other.exponent + QUOTIENT_DIGITS;
        let is_negative = self.digits.sign() != other.digits.sign();
        let (dividend, divisor) = (magnitude(&self.digits), magnitude(&other.digits));
        let (dividend, divisor) =
            if shift < 0 { (dividend, divisor * power_of_ten(-shift)) } else { (dividend * power_of_ten(shift), divisor) };
        let mut quotient = &dividend / &divisor;
        if (dividend - &quotient * &divisor) * 2 >= divisor {
            quotient += 1;
        }
        Ok(Self { digits: if is_negative { -quotient } else { quotient }, exponent: -QUOTIENT_DIGITS })
    }

    /// Returns the digits for a lower exponent.
    fn scaled(&self, exponent: i64) -> BigInt {
        &self.digits * power_of_ten(self.exponent - exponent)
    }

    /// Returns the nearest float; infinity for a decimal that is larger than all of them.
    fn to_float(&self) -> f64 {
        format!("{}e{}", self.digits, self.exponent).parse().unwrap_or(0.0)
    }
}

fn magnitude(number: &BigInt) -> BigInt {
    BigInt::from(number.magnitude().clone())
}

fn power_of_ten(exponent: i64) -> BigInt {
    BigInt::from(10).pow(u32::try_from(exponent).unwrap_or(0))
}
