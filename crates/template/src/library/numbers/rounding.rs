//! Rounding and the comparison of floats.

use super::cast::float_of;
use super::{ANY, SOME};
use crate::function::{FunctionCall, FunctionSet, Parameter, Signature};
use crate::value::GoValue;

/// Adds the functions that round and compare floats.
pub(super) fn add(functions: &mut FunctionSet) {
    functions.add("floor", ANY, |call| Ok(float_of(&call.take(0)).floor().into()));
    functions.add("ceil", ANY, |call| Ok(float_of(&call.take(0)).ceil().into()));
    functions.add("round", Signature::variadic(&[Parameter::Any, Parameter::Int], Parameter::Float), |call| {
        let bound = if let Some(GoValue::Float(bound)) = call.arguments.get(2) { *bound } else { 0.5 };
        Ok(rounded(float_of(&call.take(0)), call.int(1), bound).into())
    });
    functions.add("maxf", SOME, |call| Ok(chosen(call, larger)));
    functions.add("minf", SOME, |call| Ok(chosen(call, |left, right| -larger(-left, -right))));
}

/// Rounds to decimal places: up if the next digits are at least the bound, else down. The fraction of a negative number is negative, so the
/// default bound always rounds it down.
fn rounded(value: f64, places: i64, bound: f64) -> f64 {
    let power = power_of_ten(places);
    let scaled = power * value;
    let rounded = if scaled.fract() >= bound { scaled.ceil() } else { scaled.floor() };
    rounded / power
}

/// Returns a power of ten by repeated squares, whose rounding errors are part of the results.
fn power_of_ten(places: i64) -> f64 {
    const LARGEST: u64 = 308;
    let mut exponent = places.unsigned_abs();
    if exponent > LARGEST {
        let excess = i32::try_from(exponent - LARGEST).unwrap_or(i32::MAX);
        return if places > 0 { f64::INFINITY } else { 1e-308 / 10f64.powi(excess) };
    }
    let (mut result, mut square) = (1.0, 10.0);
    while exponent > 0 {
        if exponent & 1 == 1 {
            result *= square;
        }
        square *= square;
        exponent >>= 1;
    }
    if places < 0 { 1.0 / result } else { result }
}

fn chosen(call: &mut FunctionCall<'_>, choice: fn(f64, f64) -> f64) -> GoValue {
    GoValue::Float(call.arguments.iter().map(float_of).reduce(choice).unwrap_or(0.0))
}

/// Returns the larger number: infinity wins over NaN, NaN over all others, and zero over negative zero.
fn larger(left: f64, right: f64) -> f64 {
    if left == f64::INFINITY || right == f64::INFINITY {
        f64::INFINITY
    } else if left.is_nan() || right.is_nan() {
        f64::NAN
    } else if left > right || left == 0.0 && right == 0.0 && left.is_sign_positive() {
        left
    } else {
        right
    }
}
