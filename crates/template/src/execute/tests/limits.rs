//! Limits: output, depth, steps, time, and the stack of the machine.

use std::sync::Arc;
use std::time::Duration;

use super::{data, render, try_render};
use crate::error::TemplateError;
use crate::execute::{ExecutionUsage, TemplateLimits};
use crate::set::TemplateSet;
use crate::syntax::Delimiters;
use crate::value::{GoMap, GoValue};

fn limits() -> TemplateLimits {
    TemplateLimits::default()
}

#[track_caller]
fn assert_limited(text: &str, limits: TemplateLimits, expected: &str) {
    let error = try_render(&[("t", text)], &GoValue::Nil, &limits).unwrap_err();
    assert!(matches!(error, TemplateError::Limit { .. }), "{error}");
    assert!(error.to_string().ends_with(expected), "{error}");
}

#[test]
fn the_output_is_limited_with_that_of_include_and_tpl() {
    let limits = TemplateLimits { output: 10, ..limits() };
    assert_eq!(try_render(&[("t", "0123456789")], &GoValue::Nil, &limits).unwrap(), "0123456789");
    assert_limited("0123456789a", limits, "the output exceeds the limit of 10 bytes");
    assert_limited("{{ range 6 }}ab{{ end }}", limits, "the output exceeds the limit of 10 bytes");
    assert_limited(
        "{{ define \"d\" }}01234{{ end }}{{ $x := include \"d\" . }}{{ $y := include \"d\" . }}1",
        limits,
        "limit of 10 bytes",
    );
    assert_limited("{{ $x := tpl \"01234567\" . }}{{ $x }}", limits, "limit of 10 bytes");
    assert_limited("{{ list 100 200 300 400 }}", limits, "limit of 10 bytes");
}

#[test]
fn a_string_that_could_not_be_printed_is_refused_when_it_is_made() {
    let text = "{{ $x := \"a\" }}{{ range 60 }}{{ $x = twice $x }}{{ end }}";
    assert_limited(text, TemplateLimits { output: 1000, ..limits() }, "a string of 1024 bytes exceeds the limit of 1000 bytes");
}

#[test]
fn the_values_that_functions_make_are_limited_together() {
    let limits = TemplateLimits { values: 1000, ..limits() };
    let expected = "the values exceed the limit of 1000 bytes";
    assert_limited("{{ $l := list }}{{ range 100 }}{{ $l = list $l (twice \"0123456789\") }}{{ end }}", limits, expected);
    assert_limited("{{ range 200 }}{{ $x := print \"0123456789\" }}{{ end }}", limits, expected);
    assert_limited("{{ $x := dict \"a\" (until 20) }}", limits, expected);
}

#[test]
fn a_function_that_returns_a_value_of_the_data_makes_none() {
    let data = data(r#"{"text": "a text of some length", "list": [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]}"#);
    let text = "{{ range 100 }}{{ $x := default 1 $.text }}{{ $y := default 1 $.list }}{{ end }}";
    assert_eq!(try_render(&[("t", text)], &data, &TemplateLimits { values: 1000, ..limits() }).unwrap(), "");
}

#[test]
fn copies_of_maps_and_texts_that_are_being_executed_are_limited() {
    let limits = TemplateLimits { values: 2000, ..limits() };
    let expected = "the values exceed the limit of 2000 bytes";
    let nested = |depth: usize| format!("{}{}", "{{ range $ }}".repeat(depth), "{{ end }}".repeat(depth));
    let map = GoMap::from_pairs([("a", GoValue::int(1)), ("b", GoValue::int(2))]).into();
    let rendered = |text: &str| try_render(&[("t", text)], &map, &limits).map_err(|error| error.to_string());
    assert_eq!(rendered(&nested(5)).unwrap(), "");
    assert!(rendered(&nested(50)).unwrap_err().ends_with(expected));
    assert_eq!(rendered("{{ range 100 }}{{ tpl \"text\" . }}{{ end }}").unwrap().len(), 400);
    assert!(
        rendered("{{ define \"d\" }}{{ tpl \"{{ template `d` }}\" . }}{{ end }}{{ template \"d\" }}")
            .unwrap_err()
            .ends_with(expected)
    );
}

#[test]
fn the_steps_are_limited() {
    let limits = TemplateLimits { steps: 1000, ..limits() };
    assert_limited("{{ range 1000000000 }}{{ $x := . }}{{ end }}", limits, "the execution exceeds the limit of 1000 steps");
    assert_limited("{{ range 1000000000 }}{{ end }}", limits, "the execution exceeds the limit of 1000 steps");
    assert_limited("{{ range 100 }}{{ range 100 }}{{ end }}{{ end }}", limits, "the execution exceeds the limit of 1000 steps");
}

#[test]
fn the_time_is_limited() {
    // No time at all is over on a machine of any speed.
    let limits = TemplateLimits { time: Duration::ZERO, ..limits() };
    assert_limited("{{ range 5000 }}{{ $x := . }}{{ end }}", limits, "the execution exceeds the limit of 0ns");
}

#[test]
fn the_time_is_checked_after_each_call() {
    let limits = TemplateLimits { time: Duration::ZERO, ..limits() };
    assert_eq!(try_render(&[("t", "{{ 1 }}")], &GoValue::Nil, &limits).unwrap(), "1");
    assert_limited("{{ upper \"a\" }}", limits, "the execution exceeds the limit of 0ns");
}

#[test]
fn executions_with_one_usage_share_its_limits() {
    let mut set = TemplateSet::new(Arc::default(), Delimiters::default());
    set.add("t", "{{ range 300 }}ab{{ end }}").unwrap();
    for (limits, expected) in [
        (TemplateLimits { output: 1000, ..limits() }, "the output exceeds the limit of 1000 bytes"),
        (TemplateLimits { steps: 1000, ..limits() }, "the execution exceeds the limit of 1000 steps"),
    ] {
        let mut usage = ExecutionUsage::new(limits);
        let mut execute = || set.execute_within("t", &GoValue::Nil, &super::TestHost, &mut usage);
        assert_eq!(execute().unwrap().len(), 600);
        let error = execute().unwrap_err();
        assert!(error.to_string().ends_with(expected), "{error}");
    }
}

#[test]
fn a_map_that_holds_itself_is_released_with_the_usage_of_its_executions() {
    let mut set = TemplateSet::new(Arc::new(super::functions()), Delimiters::default());
    set.add("t", "{{ $m := dict \"text\" .text }}{{ $_ := set $m \"self\" $m }}").unwrap();
    let text: Arc<[u8]> = Arc::from(*b"text");
    let data = GoValue::from(GoMap::from_pairs([("text", GoValue::String(Arc::clone(&text).into()))]));
    let mut usage = ExecutionUsage::new(limits());
    for _ in 0..2 {
        set.execute_within("t", &data, &super::TestHost, &mut usage).unwrap();
    }
    drop(data);
    assert_eq!(Arc::strong_count(&text), 3);
    drop(usage);
    assert_eq!(Arc::strong_count(&text), 1);
}

#[test]
fn templates_inside_each_other_are_limited() {
    let limits = TemplateLimits { depth: 5, ..limits() };
    let countdown = |action: &str, start: u32| {
        format!("{{{{ define \"d\" }}}}.{{{{ if . }}}}{action}{{{{ end }}}}{{{{ end }}}}{{{{ template \"d\" {start} }}}}")
    };
    let text = countdown("{{ template \"d\" (int (sub . 1)) }}", 5);
    assert_eq!(try_render(&[("t", &text)], &GoValue::Nil, &limits).unwrap(), "......");
    let text = countdown("{{ template \"d\" (int (sub . 1)) }}", 6);
    assert_limited(&text, limits, "templates are executed inside each other beyond the limit of 5");
    let text = "{{ define \"d\" }}{{ tpl \"{{ template `d` . }}\" . }}{{ end }}{{ template \"d\" . }}";
    assert_limited(text, limits, "templates are executed inside each other beyond the limit of 5");
}

#[test]
fn endless_includes_fail_as_in_helm_on_the_stack_of_a_thread() {
    let text = "{{ define \"rec\" }}{{ include \"rec\" . }}{{ end }}{{ include \"rec\" . }}";
    let error = render(text, &data("{}")).unwrap_err();
    assert_eq!(error.matches("error calling include").count(), 1002);
    let end = "error calling include: rendering template has a nested reference name: rec: unable to execute template";
    assert!(error.ends_with(end), "{error}");
}

#[test]
fn a_thousand_templates_fit_on_the_stack_of_a_thread() {
    let body =
        "{{ if . }}{{ with . }}{{ range list . }}{{ (include \"d\" (int (sub . 1))) }}{{ end }}{{ end }}{{ else }}end{{ end }}";
    let text = format!("{{{{ define \"d\" }}}}{body}{{{{ end }}}}{{{{ include \"d\" 1000 }}}}");
    assert_eq!(render(&text, &GoValue::Nil).unwrap(), "end");
    let text = text.replace("(include \"d\" (int (sub . 1)))", "tpl \"{{ include `d` . }}\" (int (sub . 2))");
    assert_eq!(render(&text, &GoValue::Nil).unwrap(), "end");
}

#[test]
fn deeply_nested_values_do_not_exhaust_the_stack() {
    let text = "{{ $l := list }}{{ $m := dict }}{{ range 100000 }}{{ $l = list $l }}{{ $m = dict \"m\" $m }}{{ end }}{{ len $l }}{{ len $m }}";
    assert_eq!(render(text, &GoValue::Nil).unwrap(), "11");
}

#[test]
fn maps_that_were_set_into_each_other_do_not_exhaust_the_stack() {
    let text = "{{ $m := dict }}{{ range 100000 }}{{ $n := dict }}{{ $_ := set $n \"m\" $m }}{{ $m = $n }}{{ end }}{{ len $m }}";
    assert_eq!(render(text, &GoValue::Nil).unwrap(), "1");
}
