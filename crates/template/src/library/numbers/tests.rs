//! Tests of the functions of numbers.

use serde_json::json;

use super::super::fake::{call, check_errors, check_results, shown};
use crate::value::{GoValue, IntegerType};

#[test]
fn casts_read_texts_of_all_bases_and_take_what_is_no_number_for_zero() {
    check_results([
        ("int", json!([3.9]), "3"),
        ("int", json!([-0.9]), "0"),
        ("int", json!(["010"]), "8"),
        ("int", json!(["08"]), "0"),
        ("int", json!(["0x1F.0"]), "31"),
        ("int", json!(["-0b11"]), "-3"),
        ("int", json!(["1_000"]), "1000"),
        ("int", json!(["4.00"]), "4"),
        ("int", json!(["4."]), "0"),
        ("int", json!(["4.2"]), "0"),
        ("int", json!(["1.0.0"]), "0"),
        ("int", json!([true]), "1"),
        ("int", json!([null]), "0"),
        ("int", json!([[1]]), "0"),
        ("int64", json!([1e30]), "-9223372036854775808"),
        ("int64", json!(["9223372036854775808"]), "0"),
        ("float64", json!(["1e3"]), "1000"),
        ("float64", json!(["0x1p-2"]), "0.25"),
        ("float64", json!(["-iNf"]), "-Inf"),
        ("float64", json!(["+nan"]), "0"),
        ("float64", json!(["1e999"]), "0"),
        ("float64", json!([true]), "1"),
        ("atoi", json!(["-5"]), "-5"),
        ("atoi", json!(["4x"]), "0"),
        ("atoi", json!(["99999999999999999999"]), "9223372036854775807"),
        ("atoi", json!(["-99999999999999999999"]), "-9223372036854775808"),
        ("toDecimal", json!(["777"]), "511"),
        ("toDecimal", json!([777]), "511"),
        ("toDecimal", json!(["0o17"]), "0"),
    ]);
}

#[test]
fn integers_wrap_around_and_divisions_by_zero_fail() {
    check_results([
        ("add", json!([]), "0"),
        ("add", json!([1.9, "2", null]), "3"),
        ("add", json!([i64::MAX, 1]), "-9223372036854775808"),
        ("mul", json!([i64::MAX, 2]), "-2"),
        ("sub", json!([2, 5]), "-3"),
        ("div", json!([-7, 2]), "-3"),
        ("div", json!([i64::MIN, -1]), "-9223372036854775808"),
        ("mod", json!([-7, 3]), "-1"),
        ("add1", json!([5]), "6"),
        ("max", json!([1, 2.9, 3]), "3"),
        ("biggest", json!([3, 9]), "9"),
        ("min", json!([1, 0, -3]), "-3"),
        ("randInt", json!([5, 6]), "5"),
    ]);
    check_errors([
        ("div", json!([1, 0]), "runtime error: integer divide by zero"),
        ("mod", json!([1, "x"]), "runtime error: integer divide by zero"),
        ("randInt", json!([5, 5]), "invalid argument to Intn"),
    ]);
}

#[test]
fn decimals_have_no_errors_of_binary_fractions() {
    check_results([
        ("addf", json!([]), "0"),
        ("addf", json!([0.1, 0.2]), "0.3"),
        ("addf", json!([1e300, 1e-300]), "1e+300"),
        ("add1f", json!([1.5]), "2.5"),
        ("subf", json!([0.3, 0.1]), "0.2"),
        ("subf", json!([7.5, 2, 3]), "2.5"),
        ("mulf", json!([0.1, 3]), "0.3"),
        ("mulf", json!([1e200, 1e200]), "+Inf"),
        ("divf", json!([10, 2, 4]), "1.25"),
        ("divf", json!([1, 3]), "0.3333333333333333"),
        ("divf", json!([-2, 3]), "-0.6666666666666667"),
        ("divf", json!([1, 1e-20]), "1e+20"),
        ("divf", json!([1, 1e20]), "0"),
    ]);
    check_errors([
        ("divf", json!([1, 0]), "decimal division by 0"),
        ("addf", json!(["inf"]), "Cannot create a Decimal from +Inf"),
    ]);
}

#[test]
fn rounding_takes_places_and_a_bound() {
    check_results([
        ("round", json!([123.555_555, 3]), "123.556"),
        ("round", json!([-2.5, 0]), "-3"),
        ("round", json!([1.05, 1]), "1.1"),
        ("round", json!([123.5, 0, 0.6]), "123"),
        ("round", json!([1234, -2]), "1200"),
        ("round", json!(["3.7", 0]), "4"),
        ("round", json!([1, 400]), "NaN"),
        ("floor", json!([-1.5]), "-2"),
        ("ceil", json!([-1.5]), "-1"),
        ("ceil", json!([null]), "0"),
        ("maxf", json!([1, 2.5, "3"]), "3"),
        ("minf", json!([1.5, 2]), "1.5"),
        ("maxf", json!(["nan", 1]), "NaN"),
        ("maxf", json!(["nan", "inf"]), "+Inf"),
    ]);
}

#[test]
fn ranges_end_before_their_end_and_are_bounded() {
    check_results([
        ("until", json!([3]), "[0 1 2]"),
        ("until", json!([-2]), "[0 -1]"),
        ("until", json!([0]), "[]"),
        ("untilStep", json!([3, 9, 3]), "[3 6]"),
        ("untilStep", json!([3, 9, -3]), "[]"),
        ("untilStep", json!([9, 3, -4]), "[9 5]"),
        ("untilStep", json!([0, 3, 0]), "[]"),
        ("seq", json!([]), ""),
        ("seq", json!([3]), "1 2 3"),
        ("seq", json!([-1]), "1 0 -1"),
        ("seq", json!([2, 4]), "2 3 4"),
        ("seq", json!([0, 2, 5]), "0 2 4"),
        ("seq", json!([5, -2, 0]), "5 3 1"),
        ("seq", json!([5, 2, 0]), ""),
        ("seq", json!([1, 2, 3, 4]), ""),
    ]);
    check_errors([("until", json!([2_000_000]), "range of 2000000 integers is longer than the limit of 1000000")]);
}

#[test]
fn bits_are_those_of_unsigned_integers() {
    check_results([
        ("bitwiseShiftLeft", json!([3, 1]), "8"),
        ("bitwiseShiftLeft", json!([64, 1]), "0"),
        ("bitwiseShiftRight", json!(["2", 8.9]), "2"),
        ("bitwiseAnd", json!([12, 10, "0xff"]), "8"),
        ("bitwiseOr", json!([12, 3]), "15"),
        ("bitwiseXor", json!([12, 10]), "6"),
        ("bitwiseXor", json!([]), "0"),
        ("bitwiseOr", json!([-1, 1]), "1"),
        ("parseIPv4Address", json!(["10.0.0.1"]), "167772161"),
        ("formatIPv4Address", json!([167_772_161]), "10.0.0.1"),
    ]);
    check_errors([
        ("parseIPv4Address", json!(["10.0.0"]), "invalid IP address: 10.0.0"),
        ("parseIPv4Address", json!(["10.0.0.256"]), "invalid IP address: 10.0.0.256"),
    ]);
}

#[test]
fn results_have_the_types_of_sprig() {
    let type_of = |name, argument: GoValue| call(name, [argument]).unwrap().type_name().to_owned();
    assert_eq!(type_of("int", GoValue::Nil), "int");
    assert_eq!(type_of("add", GoValue::Nil), "int64");
    assert_eq!(type_of("addf", GoValue::Nil), "float64");
    assert_eq!(type_of("until", GoValue::int(1)), "[]int");
    assert_eq!(
        shown(&call("bitwiseOr", [GoValue::Integer(u64::MAX.into(), IntegerType::Uint64)]).unwrap()),
        u64::MAX.to_string()
    );
}
