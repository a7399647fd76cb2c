//! Functions of numbers: casts, arithmetic of integers and of decimals, rounding, ranges, and bits.

mod bits;
pub(super) mod cast;
mod decimal;
mod ranges;
mod rounding;
#[cfg(test)]
mod tests;

pub use bits::add_bits_and_addresses;

use cast::{float_of, int_of};

use super::printing;
use crate::error::FunctionError;
use crate::function::{FunctionCall, FunctionSet, Parameter, Signature, TemplateHost};
use crate::value::GoValue;

const ANY: Signature = Signature::of(&[Parameter::Any]);
const TWO: Signature = Signature::of(&[Parameter::Any, Parameter::Any]);
const SOME: Signature = Signature::variadic(&[Parameter::Any], Parameter::Any);
const ALL: Signature = Signature::variadic(&[], Parameter::Any);

/// Adds the functions of numbers.
pub(super) fn add(functions: &mut FunctionSet) {
    add_casts(functions);
    add_integers(functions);
    decimal::add(functions);
    rounding::add(functions);
    ranges::add(functions);
}

fn add_casts(functions: &mut FunctionSet) {
    functions.add("int", ANY, |call| Ok(GoValue::int(int_of(&call.take(0)))));
    functions.add("int64", ANY, |call| Ok(GoValue::int64(int_of(&call.take(0)))));
    functions.add("float64", ANY, |call| Ok(float_of(&call.take(0)).into()));
    functions.add("atoi", Signature::of(&[Parameter::String]), |call| {
        Ok(GoValue::int(cast::decimal_digits(&call.string(0).to_text())))
    });
    functions.add("toDecimal", ANY, |call| {
        let text = printing::display(&call.take(0));
        Ok(GoValue::int64(i64::from_str_radix(&text.to_text(), 8).unwrap_or(0)))
    });
}

fn add_integers(functions: &mut FunctionSet) {
    functions.add("add", ALL, |call| Ok(folded(call, Some(0), i64::wrapping_add)));
    functions.add("mul", SOME, |call| Ok(folded(call, None, i64::wrapping_mul)));
    functions.add("max", SOME, |call| Ok(folded(call, None, i64::max)));
    functions.add("min", SOME, |call| Ok(folded(call, None, i64::min)));
    functions.alias("biggest", "max");
    functions.add("add1", ANY, |call| Ok(GoValue::int64(int_of(&call.take(0)).wrapping_add(1))));
    functions.add("sub", TWO, |call| Ok(folded(call, None, i64::wrapping_sub)));
    functions.add("div", TWO, |call| divided(call, i64::wrapping_div));
    functions.add("mod", TWO, |call| divided(call, i64::wrapping_rem));
    functions.add("randInt", Signature::of(&[Parameter::Int, Parameter::Int]), |call| {
        let (low, high) = (call.int(0), call.int(1));
        match u64::try_from(high.wrapping_sub(low)) {
            Ok(count) if count > 0 => Ok(GoValue::int(low.wrapping_add(random_below(call.host, count) as i64))),
            _ => Err(FunctionError::new("invalid argument to Intn")),
        }
    });
}

/// Returns the arguments as `int64`, joined from the left by an operation.
fn folded(call: &mut FunctionCall<'_>, first: Option<i64>, operation: fn(i64, i64) -> i64) -> GoValue {
    let numbers = call.arguments.iter().map(int_of);
    GoValue::int64(first.into_iter().chain(numbers).reduce(operation).unwrap_or(0))
}

fn divided(call: &mut FunctionCall<'_>, operation: fn(i64, i64) -> i64) -> Result<GoValue, FunctionError> {
    let (number, divisor) = (int_of(&call.take(0)), int_of(&call.take(1)));
    if divisor == 0 {
        return Err(FunctionError::new("runtime error: integer divide by zero"));
    }
    Ok(GoValue::int64(operation(number, divisor)))
}

/// Returns a random integer below a bound. The remainder of 128 bits has no preference that could be measured.
fn random_below(host: &dyn TemplateHost, bound: u64) -> u64 {
    let mut bytes = [0; 16];
    host.fill_random(&mut bytes);
    (u128::from_le_bytes(bytes) % u128::from(bound)) as u64
}
