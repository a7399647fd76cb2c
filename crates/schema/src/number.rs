//! Comparison and printing of numbers as on the real server.

use std::cmp::Ordering;

use serde_json::Number;

/// Compares two numbers, exactly if both are integers.
pub(crate) fn compare(a: &Number, b: &Number) -> Option<Ordering> {
    match (integer(a), integer(b)) {
        (Some(a), Some(b)) => Some(a.cmp(&b)),
        _ => a.as_f64()?.partial_cmp(&b.as_f64()?),
    }
}

/// Returns true if the number is a whole multiple of another.
pub(crate) fn is_multiple(number: &Number, of: &Number) -> bool {
    if let (Some(number), Some(of)) = (integer(number), integer(of)) {
        return of != 0 && number % of == 0;
    }
    let (Some(number), Some(of)) = (number.as_f64(), of.as_f64()) else {
        return false;
    };
    let quotient = number / of;
    (quotient - quotient.round()).abs() < f64::EPSILON
}

/// Returns true if the number has no fraction.
pub(crate) fn is_integral(number: &Number) -> bool {
    // Above this limit, adjacent floats are more than one apart.
    const EXACT: f64 = 9_007_199_254_740_991.0;
    integer(number).is_some() || number.as_f64().is_some_and(|number| number.fract() == 0.0 && number.abs() <= EXACT)
}

/// Returns the number as error texts print limits: up to six digits in plain form, larger and very small numbers with an exponent.
pub(crate) fn limit_text(number: &Number) -> String {
    let Some(value) = number.as_f64() else {
        return number.to_string();
    };
    if value == 0.0 {
        return "0".to_owned();
    }
    let scientific = format!("{value:e}");
    let Some((mantissa, exponent)) = scientific.split_once('e') else {
        return scientific;
    };
    let Ok(exponent) = exponent.parse::<i32>() else {
        return scientific;
    };
    if (-4..6).contains(&exponent) {
        format!("{value}")
    } else {
        let sign = if exponent < 0 { '-' } else { '+' };
        format!("{mantissa}e{sign}{:02}", exponent.abs())
    }
}

/// Returns the number as an integer, if it is one.
pub(crate) fn integer(number: &Number) -> Option<i128> {
    let whole = |float: f64| (float.fract() == 0.0 && float.abs() < 1e30).then_some(float as i128);
    number.as_i64().map(i128::from).or_else(|| number.as_u64().map(i128::from)).or_else(|| number.as_f64().and_then(whole))
}
