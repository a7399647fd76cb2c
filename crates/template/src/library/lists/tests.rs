use serde_json::json;

use crate::library::fake::{call, check_errors, check_results};
use crate::value::{GoList, GoValue};

fn list(name: &str, arguments: impl IntoIterator<Item = GoValue>) -> GoList {
    match call(name, arguments).unwrap() {
        GoValue::List(list) => list,
        other => panic!("{other:?}"),
    }
}

#[test]
fn lists_are_made_and_extended() {
    check_results([
        ("list", json!([1, "a", null, true]), "[1 a <nil> true]"),
        ("tuple", json!([]), "[]"),
        ("append", json!([["b", "a"], "z"]), "[b a z]"),
        ("mustPush", json!([[], null]), "[<nil>]"),
        ("prepend", json!([["b"], "z"]), "[z b]"),
        ("concat", json!([[1], [2, 3], []]), "[1 2 3]"),
        ("concat", json!([]), "[]"),
    ]);
}

#[test]
fn parts_of_lists_are_taken() {
    check_results([
        ("first", json!([[1, 2]]), "1"),
        ("first", json!([[]]), "<no value>"),
        ("last", json!([[1, 2]]), "2"),
        ("rest", json!([[1, 2, 3]]), "[2 3]"),
        ("initial", json!([[1, 2, 3]]), "[1 2]"),
        ("mustInitial", json!([[]]), "[]"),
        ("reverse", json!([[1, 2, 3]]), "[3 2 1]"),
        ("slice", json!([[1, 2, 3, 4, 5], 1, 3]), "[2 3]"),
        ("slice", json!([[1, 2, 3], 1]), "[2 3]"),
        ("slice", json!([[1, 2, 3], "2"]), "[3]"),
        ("slice", json!([[1, 2, 3], 0.9, 2.9]), "[1 2]"),
        ("slice", json!([[], 5, 9]), "<no value>"),
        ("chunk", json!([2, [1, 2, 3, 4, 5]]), "[[1 2] [3 4] [5]]"),
        ("chunk", json!([9, [1, 2]]), "[[1 2]]"),
        ("chunk", json!([2, []]), "[]"),
        ("chunk", json!([-2, [1, 2, 3]]), "[]"),
        ("chunk", json!([-3, [1]]), "[[1]]"),
    ]);
    assert_eq!(list("chunk", [GoValue::int(1), GoValue::list([])]).type_name(), "[][]interface {}");
    assert_eq!(list("slice", [GoValue::strings(["a", "b"]), GoValue::int(1)]).type_name(), "[]string");
}

#[test]
fn elements_are_compared_with_their_types() {
    check_results([
        ("uniq", json!([["b", "a", "b", 1, 1.5, 1]]), "[b a 1 1.5]"),
        ("without", json!([[1, 2, 3], 2, 3.5]), "[1 3]"),
        ("without", json!([[[1], [2]], [1]]), "[[2]]"),
        ("has", json!(["a", ["b", "a"]]), "true"),
        ("has", json!([{"a": 1}, [{"a": 1}]]), "true"),
        ("has", json!(["a", null]), "false"),
        ("compact", json!([[0, 1, "", "a", null, false, true, []]]), "[1 a true]"),
    ]);
    let one = GoValue::list([GoValue::Float(1.0)]);
    assert!(!call("has", [GoValue::int(1), one.clone()]).unwrap().is_true());
    assert!(call("has", [GoValue::Float(1.0), one]).unwrap().is_true());
}

#[test]
fn lists_of_enormous_length_are_errors() {
    let half = call("until", [GoValue::int(600_000)]).unwrap();
    let problem = call("concat", [half.clone(), half]).unwrap_err();
    assert_eq!(problem, "list of 1200000 elements is longer than the limit of 1000000");
}

#[test]
fn the_elements_of_long_lists_are_found_once() {
    let numbers = call("until", [GoValue::int(300_000)]).unwrap();
    assert_eq!(list("uniq", [numbers]).len(), 300_000);
}

#[test]
fn the_rest_of_nothing_is_a_nil_list() {
    for name in ["rest", "initial"] {
        assert!(list(name, [GoValue::list([])]).is_nil());
        assert!(!list(name, [GoValue::list([GoValue::Nil])]).is_nil());
    }
    assert!(list("concat", []).is_nil());
    assert!(!list("list", []).is_nil());
}

#[test]
fn values_that_are_no_lists_are_errors() {
    let nil = "runtime error: invalid memory address or nil pointer dereference";
    check_errors([
        ("append", json!(["x", 1]), "Cannot push on type string"),
        ("append", json!([null, 1]), nil),
        ("prepend", json!([{}, 1]), "Cannot prepend on type map"),
        ("concat", json!([[], "x"]), "Cannot concat type string as list"),
        ("concat", json!([null]), nil),
        ("first", json!([{}]), "Cannot find first on type map"),
        ("last", json!([null]), nil),
        ("rest", json!([1]), "Cannot find rest on type int"),
        ("initial", json!([1.5]), "Cannot find initial on type float64"),
        ("reverse", json!([true]), "Cannot find reverse on type bool"),
        ("uniq", json!(["x"]), "Cannot find uniq on type string"),
        ("without", json!(["x"]), "Cannot find without on type string"),
        ("has", json!(["a", "abc"]), "Cannot find has on type string"),
        ("compact", json!(["x"]), "Cannot compact on type string"),
        ("slice", json!(["x"]), "list should be type of slice or array but string"),
        ("slice", json!([[1, 2], 1, 3]), "reflect.Value.Slice: slice index out of bounds"),
        ("slice", json!([[1, 2], 2, 1]), "reflect.Value.Slice: slice index out of bounds"),
        ("slice", json!([[1, 2], -1]), "reflect.Value.Slice: slice index out of bounds"),
        ("chunk", json!([2, "x"]), "Cannot chunk type string"),
        ("chunk", json!([0, [1]]), "runtime error: makeslice: len out of range"),
        ("chunk", json!([-2, [1, 2, 3, 4, 5]]), "runtime error: makeslice: len out of range"),
        ("chunk", json!([-1, []]), "runtime error: makeslice: len out of range"),
    ]);
}
