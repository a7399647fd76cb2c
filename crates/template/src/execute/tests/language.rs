//! Actions, control structures, variables, and the functions of the language.

use super::{assert_rendered, data, render, try_render};
use crate::execute::TemplateLimits;
use crate::syntax::LANGUAGE_FUNCTIONS;
use crate::value::{GoMap, GoValue};

const VALUES: &str = r#"{"name": "web", "none": null, "list": ["a", "b"], "map": {"b": 2, "a": 1}, "deep": {"x": {"y": "z"}}}"#;

#[test]
fn a_missing_key_prints_nothing() {
    assert_rendered(&data(VALUES), &[("[{{ .missing }}]", "[]"), ("[{{ .none }}]", "[]"), ("{{ .deep.x.y }}", "z")]);
}

#[test]
fn the_text_of_an_absent_value_is_removed_from_every_output() {
    assert_rendered(
        &data(VALUES),
        &[
            ("a<no value>b<no value>", "ab"),
            ("<{{ \"no value>\" }}", ""),
            ("<<no value>no value>", "<no value>"),
            ("{{ define \"d\" }}<no value>{{ .missing }}{{ end }}{{ len (include \"d\" .) }}", "20"),
            ("{{ define \"d\" }}{{ .missing }}{{ end }}[{{ template \"d\" . }}]", "[]"),
            ("{{ len (tpl \"{{ .missing }}\" .) }}", "0"),
        ],
    );
}

#[test]
fn a_field_of_nil_is_an_error_but_a_field_of_an_absent_value_is_absent() {
    let data = data(VALUES);
    assert_rendered(
        &data,
        &[
            ("{{ .missing.x }}", "nil pointer evaluating interface {}.x"),
            ("{{ .none.x.y }}", "nil pointer evaluating interface {}.x"),
            ("{{ range list nil }}{{ .x }}{{ end }}", "nil pointer evaluating interface {}.x"),
            ("[{{ $n := .none }}{{ $n.x.y }}]", "[]"),
            ("[{{ (.none).x.y }}]", "[]"),
        ],
    );
    assert_rendered(&GoValue::Nil, &[("[{{ .a.b }}{{ $.a }}]", "[]")]);
}

#[test]
fn a_field_of_a_plain_value_is_an_error_that_names_the_type() {
    assert_rendered(
        &data(VALUES),
        &[
            ("{{ .name.x }}", "can't evaluate field x in type interface {}"),
            ("{{ with .name }}{{ .x }}{{ end }}", "can't evaluate field x in type string"),
            ("{{ $n := .name }}{{ $n.x }}", "can't evaluate field x in type string"),
            ("{{ .list.x }}", "can't evaluate field x in type interface {}"),
            ("{{ (list 1).x }}", "can't evaluate field x in type []interface {}"),
            ("{{ .map.a 1 }}", "a is not a method but has arguments"),
            ("{{ 1 | .map.a }}", "a is not a method but has arguments"),
        ],
    );
}

#[test]
fn with_sets_dot_and_else_keeps_it() {
    assert_rendered(
        &data(VALUES),
        &[
            ("{{ with .deep }}{{ with .x }}{{ .y }}{{ $.name }}{{ end }}{{ end }}", "zweb"),
            ("{{ with .missing }}x{{ else }}{{ .name }}{{ end }}", "web"),
            ("{{ with .missing }}x{{ else with .name }}{{ . }}{{ else }}y{{ end }}", "web"),
            ("{{ if .list }}{{ .name }}{{ else if .none }}x{{ end }}", "web"),
        ],
    );
}

#[test]
fn range_visits_lists_maps_in_key_order_and_integers() {
    assert_rendered(
        &data(VALUES),
        &[
            ("{{ range .list }}{{ . }};{{ end }}", "a;b;"),
            ("{{ range $i, $e := .list }}{{ $i }}{{ $e }};{{ end }}", "0a;1b;"),
            ("{{ range $k, $v := .map }}{{ $k }}{{ $v }};{{ end }}", "a1;b2;"),
            ("{{ range 3 }}{{ . }}{{ end }}{{ range $i := 2 }}{{ $i }}{{ end }}", "01201"),
            ("{{ range int64 2 }}{{ type . }}{{ end }}", "int64int64"),
            ("{{ range .missing }}x{{ else }}none{{ end }}{{ range 0 }}x{{ else }}{{ .name }}{{ end }}", "noneweb"),
            ("{{ range .name }}{{ end }}", "range can't iterate over web"),
            ("{{ range $i, $j := 2 }}{{ end }}", "can't use 2 to iterate over more than one variable"),
        ],
    );
}

#[test]
fn a_map_can_change_while_it_is_visited() {
    let template = "{{ $m := dict \"a\" 1 \"b\" 2 }}{{ range $k, $v := $m }}{{ $_ := set $m (print $k $k) $v }}{{ $v }}{{ end }}{{ len $m }}";
    assert_rendered(&GoValue::Nil, &[(template, "124")]);
}

#[test]
fn break_and_continue_leave_the_innermost_loop_and_its_variables() {
    assert_rendered(
        &data(VALUES),
        &[
            ("{{ range .list }}{{ if eq . \"b\" }}{{ break }}{{ end }}{{ . }}{{ end }}.", "a."),
            ("{{ range .list }}{{ with . }}{{ if eq . \"a\" }}{{ continue }}{{ end }}{{ . }}{{ end }}{{ end }}.", "b."),
            (
                "{{ $x := 1 }}{{ range 3 }}{{ $y := . }}{{ if $y }}{{ $z := 5 }}{{ continue }}{{ end }}{{ $x = $y }}{{ end }}{{ $w := 7 }}{{ $x }}{{ $w }}",
                "07",
            ),
            ("{{ range 2 }}{{ range 3 }}{{ if eq . 1 }}{{ break }}{{ end }}{{ . }}{{ end }}|{{ end }}", "0|0|"),
            ("{{ range 2 }}{{ break }}{{ else }}x{{ end }}.", "."),
        ],
    );
}

#[test]
fn variables_are_scoped_and_assignments_reach_the_outer_one() {
    assert_rendered(
        &data(VALUES),
        &[
            ("{{ $x := 1 }}{{ if true }}{{ $x := 2 }}{{ $x }}{{ end }}{{ $x }}", "21"),
            ("{{ $x := 1 }}{{ if true }}{{ $x = 2 }}{{ end }}{{ $x }}", "2"),
            ("{{ $last := \"\" }}{{ range .list }}{{ $last = . }}{{ end }}{{ $last }}", "b"),
            ("{{ $k := 0 }}{{ $v := 0 }}{{ range $k, $v = .map }}{{ end }}{{ $k }}{{ $v }}", "b2"),
            ("{{ $x := .none }}[{{ $x }}]{{ $x = 3 }}{{ $x }}", "[]3"),
            ("{{ if $x := .name }}{{ $x }}{{ end }}{{ with $x := .name }}{{ $x }}{{ . }}{{ end }}", "webwebweb"),
            ("{{ range $x := .list }}{{ $x := 1 }}{{ $x }}{{ end }}", "11"),
            ("{{ $x = 1 }}", "undefined variable: $x"),
        ],
    );
}

#[test]
fn a_variable_of_a_branch_that_was_not_taken_is_undefined_in_else() {
    assert_rendered(
        &GoValue::Nil,
        &[
            ("{{ if false }}{{ $x := 1 }}{{ else }}{{ $x }}{{ end }}", "undefined variable: $x"),
            ("{{ $x := 5 }}{{ if false }}{{ $x := 1 }}{{ else }}{{ $x }}{{ end }}", "5"),
            ("{{ if false }}{{ $x := 1 }}{{ else }}{{ $y := 2 }}{{ $y }}{{ end }}", "2"),
            ("{{ range 2 }}{{ if eq . 0 }}{{ $y := 1 }}{{ else }}{{ $y }}{{ end }}{{ end }}", "undefined variable: $y"),
        ],
    );
}

#[test]
fn a_template_has_its_own_data_and_variables() {
    assert_rendered(
        &data(VALUES),
        &[
            ("{{ define \"d\" }}{{ $ }}{{ . }}{{ $x := 3 }}{{ end }}{{ $x := 1 }}{{ template \"d\" .name }}{{ $x }}", "webweb1"),
            ("{{ define \"d\" }}[{{ . }}]{{ end }}{{ template \"d\" }}", "[]"),
            ("{{ block \"d\" .name }}<{{ . }}>{{ end }}", "<web>"),
        ],
    );
}

#[test]
fn tpl_sees_all_templates_and_keeps_its_own() {
    let files =
        |text| try_render(&[("lib", "{{ define \"a\" }}A{{ end }}"), ("t", text)], &data(VALUES), &TemplateLimits::default());
    assert_eq!(files("{{ tpl \"{{ include \\\"a\\\" . }}\" . }}").unwrap(), "A");
    assert_eq!(
        files("{{ tpl \"{{ define \\\"a\\\" }}B{{ end }}{{ include \\\"a\\\" . }}\" . }}{{ include \"a\" . }}").unwrap(),
        "BA"
    );
    assert_eq!(files("{{ tpl \"{{ define \\\"a\\\" }} {{ end }}{{ include \\\"a\\\" . }}\" . }}").unwrap(), "A");
    assert_eq!(files("{{ tpl \"{{ define \\\"b\\\" }}B{{ end }}{{ tpl `{{ template \\\"b\\\" }}` . }}\" . }}").unwrap(), "B");
    let error = files("{{ tpl \"{{ define \\\"b\\\" }}B{{ end }}\" . }}{{ include \"b\" . }}").unwrap_err().to_string();
    assert!(error.ends_with("error calling include: template: no template \"b\" associated with template \"gotpl\""), "{error}");
}

#[test]
fn data_that_an_included_template_changes_is_changed_outside() {
    let template = "{{ define \"d\" }}{{ $_ := set . \"x\" 1 }}{{ end }}{{ $d := dict }}{{ include \"d\" $d }}{{ $d.x }}";
    assert_rendered(&GoValue::Nil, &[(template, "1")]);
}

#[test]
fn literals_have_the_type_that_the_parameter_asks_for() {
    assert_rendered(
        &GoValue::Nil,
        &[
            ("{{ half 3 }} {{ half 1.5 }} {{ half 0x10 }}", "1.5 0.75 8"),
            ("{{ next 1 }} {{ next 1.0 }} {{ next 'a' }} {{ next 1e3 }}", "2 2 98 1001"),
            ("{{ type (unsigned 5) }}{{ flag true }}", "uint64true"),
            (
                "{{ type 1 }} {{ type 1.0 }} {{ type 1e3 }} {{ type 'a' }} {{ type 0x1F }} {{ type \"\" }}",
                "int float64 float64 int int string",
            ),
            ("{{ next 1.5 }}", "expected integer; found 1.5"),
            ("{{ unsigned -1 }}", "expected unsigned integer; found -1"),
            ("{{ half \"3\" }}", "expected float; found \"3\""),
            ("{{ next \"3\" }}", "expected integer; found \"3\""),
            ("{{ upper 5 }}", "expected string; found 5"),
            ("{{ flag 1 }}", "expected bool; found 1"),
            ("{{ count 1 }}", "can't handle 1 for arg of type []interface {}"),
            ("{{ type 18446744073709551615 }}", "18446744073709551615 overflows int"),
        ],
    );
}

#[test]
fn arguments_are_checked_against_the_parameters() {
    let data = data(r#"{"text": "a", "number": 1, "none": null, "list": [1], "map": {}}"#);
    assert_rendered(
        &data,
        &[
            ("{{ upper .text }}{{ half .number }}{{ count .list }}{{ size .map }}", "A0.510"),
            ("{{ upper .number }}", "wrong type for value; expected string; got float64"),
            ("{{ next .number }}", "wrong type for value; expected int; got float64"),
            ("{{ next (int64 1) }}", "wrong type for value; expected int; got int64"),
            ("{{ upper .none }}", "wrong type for value; expected string; got interface {}"),
            ("{{ size .none }}", "wrong type for value; expected map[string]interface {}; got interface {}"),
            ("{{ .none | upper }}", "invalid value; expected string"),
            ("{{ upper (.none) }}", "invalid value; expected string"),
            ("{{ count nil }}{{ .none | count }}", "00"),
            ("{{ upper nil }}", "cannot assign nil to string"),
            ("{{ count .text }}", "wrong type for value; expected []interface {}; got string"),
            ("{{ upper }}", "wrong number of args for upper: want 1 got 0"),
            ("{{ .text | upper .text }}", "wrong number of args for upper: want 1 got 2"),
            ("{{ .text | printf }}", "a"),
            ("{{ eq }}", "wrong number of args for eq: want at least 1 got 0"),
        ],
    );
}

#[test]
fn a_map_of_a_named_type_is_assignable_to_a_map() {
    use crate::value::{MapType, NamedType};
    let map = GoMap::new([("a".into(), GoValue::int(1))].into(), MapType::Named(&NamedType { name: "chartutil.Values" }));
    assert_rendered(
        &map.into(),
        &[("{{ size . }}{{ type . }}{{ set . \"b\" 2 | type }}{{ .b }}", "1chartutil.Valuesmap[string]interface {}2")],
    );
}

#[test]
fn and_and_or_evaluate_up_to_the_first_that_decides() {
    assert_rendered(
        &data(VALUES),
        &[
            ("{{ and 1 0 (fail \"x\") }}{{ or 0 2 (fail \"x\") }}", "02"),
            ("{{ and 1 2 }}{{ or 0 \"\" }}{{ or nil \"a\" }}{{ not nil }}", "2atrue"),
            ("{{ true | and 1 }}{{ 3 | or 0 }}{{ 3 | or 4 }}", "true34"),
            ("{{ if and .none .none.x }}a{{ else }}b{{ end }}", "b"),
            ("{{ or }}", "wrong number of args for or: want at least 1 got 0"),
        ],
    );
}

#[test]
fn comparisons_follow_the_kinds() {
    assert_rendered(
        &data(VALUES),
        &[
            ("{{ eq 1 2 1 }}{{ eq 1 (int64 1) }}{{ eq 1 (unsigned 1) }}{{ lt -1 (unsigned 0) }}", "truetruetruetrue"),
            ("{{ eq .none nil }}{{ eq .name nil }}{{ ne .none 1 }}{{ eq nil .map }}", "truefalsetruefalse"),
            ("{{ lt 1 2 }}{{ le 2 2 }}{{ gt 1.5 0.5 }}{{ ge \"a\" \"b\" }}", "truetruetruefalse"),
            ("{{ eq 1 1.0 }}", "error calling eq: incompatible types for comparison: int and float64"),
            ("{{ eq .list 1 }}", "error calling eq: incompatible types for comparison: []interface {} and int"),
            ("{{ eq 1 }}", "error calling eq: missing argument for comparison"),
            ("{{ eq .list .list }}", "error calling eq: non-comparable type [a b]: []interface {}"),
            (
                "{{ eq .list .map }}",
                "error calling eq: non-comparable types [a b]: []interface {}, map[string]interface {}: map[a:1 b:2]",
            ),
            ("{{ lt true false }}", "error calling lt: invalid type for comparison"),
            ("{{ lt 1 \"a\" }}", "error calling lt: incompatible types for comparison: int and string"),
            ("{{ lt nil 1 }}", "error calling lt: invalid type for comparison"),
        ],
    );
}

#[test]
fn index_slice_and_len_reach_into_lists_maps_and_strings() {
    assert_rendered(
        &data(VALUES),
        &[
            ("{{ index .list 1 }}{{ index .deep \"x\" \"y\" }}[{{ index .map \"q\" }}]{{ index \"abc\" 0 }}", "bz[]97"),
            ("{{ slice \"hello\" 1 3 }}{{ slice .list 1 }}{{ slice \"abc\" }}{{ slice .list 0 1 1 }}", "el[b]abc[a]"),
            ("{{ len .list }}{{ len .map }}{{ len \"é\" }}", "222"),
            ("{{ index .list 2 }}", "error calling index: reflect: slice index out of range"),
            ("{{ index .list 3 }}", "error calling index: index out of range: 3"),
            ("{{ index .list -1 }}", "error calling index: index out of range: -1"),
            ("{{ index .list nil }}", "error calling index: cannot index slice/array with nil"),
            ("{{ index .map 1 }}", "error calling index: value has type int; should be string"),
            ("{{ index .none 1 }}", "error calling index: index of untyped nil"),
            ("{{ index .deep \"q\" \"r\" }}", "error calling index: index of nil pointer"),
            ("{{ index 1 1 }}", "error calling index: can't index item of type int"),
            ("{{ slice .map 1 }}", "error calling slice: can't slice item of type map[string]interface {}"),
            ("{{ slice \"abc\" 2 1 }}", "error calling slice: invalid slice index: 2 > 1"),
            ("{{ slice \"abc\" 0 1 2 }}", "error calling slice: cannot 3-index slice a string"),
            ("{{ slice \"é\" 0 1 | len }}", "1"),
            ("{{ slice .list .name }}", "error calling slice: cannot index slice/array with type interface {}"),
            ("{{ len .none }}", "error calling len: len of nil pointer"),
            ("{{ len nil }}", "error calling len: reflect: call of reflect.Value.Type on zero Value"),
            ("{{ len 3 }}", "error calling len: len of type int"),
        ],
    );
}

#[test]
fn the_functions_that_the_parser_knows_can_be_called() {
    for name in LANGUAGE_FUNCTIONS {
        assert!(crate::execute::language::find(name).is_some(), "{name}");
    }
}

#[test]
fn texts_are_escaped_for_other_languages() {
    assert_rendered(
        &data(VALUES),
        &[
            ("{{ html \"<a href='x'>&\\\"\" }}", "&lt;a href=&#39;x&#39;&gt;&amp;&#34;"),
            ("{{ html .none }}{{ html 1 2 }}", "&lt;no value&gt;1 2"),
            ("{{ js \"it's \\\"<b>\\\" = \\n é\\u00a0\" }}", "it\\'s \\\"\\u003Cb\\u003E\\\" \\u003D \\u000A é\\u00A0"),
            ("{{ urlquery \"a b&c=d/é?~\" 1 }}", "a+b%26c%3Dd%2F%C3%A9%3F~1"),
        ],
    );
}

#[test]
fn print_println_and_printf_format_values() {
    assert_rendered(
        &data(VALUES),
        &[
            ("{{ print 1 2 \"a\" .none }}|{{ println \"a\" true }}|{{ printf \"%s-%d\" .name 3 }}", "1 2a<nil>|a true\n|web-3"),
            ("{{ 1i }} {{ 1+2i }} {{ -0.5i }}", "(0+1i) (1+2i) (0-0.5i)"),
        ],
    );
}

#[test]
fn call_finds_no_function() {
    assert_rendered(
        &data(VALUES),
        &[
            ("{{ call .name }}", "error calling call: non-function .name of type string"),
            ("{{ 5 | call }}", "error calling call: non-function <int Value> of type int"),
            ("{{ call nil }}", "error calling call: call of nil"),
        ],
    );
}

#[test]
fn only_functions_and_methods_have_arguments() {
    assert_rendered(
        &data(VALUES),
        &[
            ("{{ \"a\" \"b\" }}", "can't give argument to non-function \"a\""),
            (
                "{{ (upper \"x\") (lower \"Y\") }}",
                "at <(upper \"x\") (lower \"Y\")>: can't give argument to non-function upper \"x\"",
            ),
            ("{{ $x := 1 }}{{ 2 | $x }}", "can't give argument to non-function $x"),
            ("{{ nil }}", "nil is not a command"),
        ],
    );
}

#[test]
fn an_unknown_template_has_no_output() {
    let error = try_render(&[("t", "{{ template \"q\\\"\" . }}")], &GoValue::Nil, &TemplateLimits::default()).unwrap_err();
    assert_eq!(
        error.to_string(),
        "template: t:1:12: executing \"t\" at <{{template \"q\\\"\" .}}>: template \"q\\\"\" not defined"
    );
    assert!(render("{{ include \"q\" . }}", &GoValue::Nil).unwrap_err().contains("no template \"q\""));
}
