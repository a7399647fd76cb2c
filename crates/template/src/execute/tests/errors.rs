//! Places of errors, and chains of templates.

use super::{data, functions, render, try_render};
use crate::error::TemplateError;
use crate::execute::TemplateLimits;
use crate::set::TemplateSet;
use crate::syntax::Delimiters;
use crate::value::GoValue;

#[track_caller]
fn assert_error(text: &str, expected: &str) {
    assert_eq!(render(text, &data(r#"{"name": "web", "none": null}"#)).unwrap_err(), expected, "{text}");
}

#[test]
fn an_error_names_the_place_and_the_node() {
    assert_error("a\n  {{ upper 5 }}", "template: t:2:11: executing \"t\" at <5>: expected string; found 5");
    assert_error(
        "{{ 5 | upper }}",
        "template: t:1:7: executing \"t\" at <upper>: wrong type for value; expected string; got int",
    );
    assert_error(
        "{{ range $i, $v := int 3 }}{{ end }}",
        "template: t:1:23: executing \"t\" at <3>: can't use 3 to iterate over more than one variable",
    );
    assert_error("{{ $x = 1 }}", "template: t:1:8: executing \"t\" at <1>: undefined variable: $x");
}

#[test]
fn an_error_of_a_function_is_at_its_call() {
    assert_error(
        "é{{ broken 1 (list 2 .name) }}",
        "template: t:1:5: executing \"t\" at <broken 1 (list 2 .name)>: error calling broken: no way",
    );
    assert_error("{{ .name | broken }}", "template: t:1:11: executing \"t\" at <broken>: error calling broken: no way");
    assert_error("{{ picky 1 .name 3 }}", "template: t:1:11: executing \"t\" at <.name>: wrong second");
}

#[test]
fn an_error_in_a_template_names_the_file_that_defines_it() {
    let files = [("lib", "\n{{ define \"d\" }}{{ .a.b }}{{ end }}"), ("t", "{{ template \"d\" . }}")];
    let error = try_render(&files, &data("{}"), &TemplateLimits::default()).unwrap_err();
    assert_eq!(error.to_string(), "template: lib:2:21: executing \"d\" at <.a.b>: nil pointer evaluating interface {}.b");
}

#[test]
fn an_error_in_an_included_template_is_the_cause_of_that_of_the_call() {
    let files = [("lib", "{{ define \"d\" }}{{ .a.b }}{{ end }}"), ("t", "{{ include \"d\" . }}")];
    let error = try_render(&files, &data("{}"), &TemplateLimits::default()).unwrap_err();
    assert_eq!(
        error.to_string(),
        "template: t:1:3: executing \"t\" at <include \"d\" .>: error calling include: template: lib:1:21: executing \"d\" at <.a.b>: nil \
         pointer evaluating interface {}.b"
    );
    let TemplateError::Execution { cause: Some(cause), message, .. } = error else { panic!("{error}") };
    assert_eq!(message, "error calling include");
    assert!(matches!(*cause, TemplateError::Execution { executing, .. } if executing == "d"));
}

#[test]
fn an_error_of_tpl_names_the_text() {
    assert_error(
        "{{ tpl \"{{ .x.y }}\" . }}",
        "template: t:1:3: executing \"t\" at <tpl \"{{ .x.y }}\" .>: error calling tpl: error during tpl function execution for \"{{ .x.y }}\": \
         template: gotpl:1:5: executing \"gotpl\" at <.x.y>: nil pointer evaluating interface {}.y",
    );
    assert_error(
        "{{ tpl \"{{ .x\" . }}",
        "template: t:1:3: executing \"t\" at <tpl \"{{ .x\" .>: error calling tpl: cannot parse template \"{{ .x\": template: gotpl:1: unclosed \
         action",
    );
}

#[test]
fn a_text_for_the_user_is_reported_at_the_outermost_call() {
    assert_error("a\n{{ fail \"do it\" }}", "execution error at (t:2:3): do it");
    assert_error("{{ .none | required \"need\" }}", "execution error at (t:1:11): need");
    assert_error("{{ define \"d\" }}{{ fail \"in\" }}{{ end }} {{ include \"d\" . }}", "execution error at (t:1:44): in");
    assert_error("{{ define \"d\" }}{{ fail \"in\" }}{{ end }} {{ template \"d\" . }}", "execution error at (t:1:19): in");
    assert_error("{{ tpl \"{{ tpl `{{ fail \\\"in\\\" }}` . }}\" . }}", "execution error at (t:1:3): in");
}

#[test]
fn a_set_goes_on_after_an_error() {
    let mut set = TemplateSet::new(functions().into(), Delimiters::default());
    set.add("t", "{{ .a.b }}").unwrap();
    let execute = |json| set.execute("t", &data(json), &super::TestHost, &TemplateLimits::default());
    assert!(execute("{}").is_err());
    assert_eq!(execute(r#"{"a": {"b": "x"}}"#).unwrap().as_bytes(), b"x");
    let missing = set.execute("q", &GoValue::Nil, &super::TestHost, &TemplateLimits::default()).unwrap_err();
    assert_eq!(missing.to_string(), "template: no template \"q\" associated with template \"gotpl\"");
}
