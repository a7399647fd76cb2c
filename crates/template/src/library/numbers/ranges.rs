//! Ranges of integers.

use crate::error::FunctionError;
use crate::function::{FunctionSet, Parameter, Signature};
use crate::library::limits::LONGEST_LIST;
use crate::value::{ElementType, GoList, GoValue};

/// Adds the functions of ranges.
pub(super) fn add(functions: &mut FunctionSet) {
    functions.add("until", Signature::of(&[Parameter::Int]), |call| {
        let end = call.int(0);
        range(0, end, if end < 0 { -1 } else { 1 }).map(int_list)
    });
    functions
        .add("untilStep", Signature::of(&[Parameter::Int; 3]), |call| range(call.int(0), call.int(1), call.int(2)).map(int_list));
    functions.add("seq", Signature::variadic(&[], Parameter::Int), |call| {
        let parameters: Vec<i64> = (0..call.arguments.len()).map(|index| call.int(index)).collect();
        let numbers: Vec<String> = sequence(&parameters)?.iter().map(ToString::to_string).collect();
        Ok(GoValue::string(numbers.join(" ")))
    });
}

/// Returns the integers from a start on before an end; none if the step leads away from the end.
fn range(start: i64, end: i64, step: i64) -> Result<Vec<i64>, FunctionError> {
    let distance = i128::from(end) - i128::from(start);
    let step_size = i128::from(step);
    if step == 0 || distance.signum() != step_size.signum() {
        return Ok(Vec::new());
    }
    let count = (distance.abs() + step_size.abs() - 1) / step_size.abs();
    if count > LONGEST_LIST as i128 {
        return Err(FunctionError::new(format!("range of {count} integers is longer than the limit of {LONGEST_LIST}")));
    }
    Ok((0..count).map(|index| (i128::from(start) + index * step_size) as i64).collect())
}

/// Returns the integers of `seq end`, `seq start end` or `seq start step end`, with the end.
fn sequence(parameters: &[i64]) -> Result<Vec<i64>, FunctionError> {
    let (start, step, end) = match *parameters {
        [end] => (1, None, end),
        [start, end] => (start, None, end),
        [start, step, end] => (start, Some(step), end),
        _ => return Ok(Vec::new()),
    };
    let direction = if end < start { -1 } else { 1 };
    let step = step.unwrap_or(direction);
    if direction < 0 && step > 0 {
        return Ok(Vec::new());
    }
    range(start, end.wrapping_add(direction), step)
}

fn int_list(numbers: Vec<i64>) -> GoValue {
    GoList::new(numbers.into_iter().map(GoValue::int).collect(), ElementType::Int).into()
}
