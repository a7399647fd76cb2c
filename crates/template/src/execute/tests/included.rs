//! Outputs of `include` that are kept.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use proptest::prelude::*;
use serde_json::json;

use super::TestHost;
use crate::error::FunctionError;
use crate::execute::{ExecutionUsage, TemplateLimits};
use crate::function::{FunctionSet, Signature};
use crate::library::fake::FakeHost;
use crate::library::{add_helm, add_sprig, data};
use crate::set::TemplateSet;
use crate::syntax::Delimiters;
use crate::value::{FrozenMap, GoMap, GoValue};

/// Templates that can call all functions of charts, and `called`, which counts its calls.
struct CountedSet {
    set: TemplateSet,
    calls: Arc<AtomicUsize>,
}

impl CountedSet {
    /// Creates a set of files. Outputs are kept unless `called` is unrepeatable.
    fn new(files: &[(&str, &str)], is_repeatable: bool) -> Self {
        let calls = Arc::new(AtomicUsize::new(0));
        let mut functions = FunctionSet::new();
        add_sprig(&mut functions);
        add_helm(&mut functions);
        data::add(&mut functions, data::DataFlavour::Helm);
        let counted = calls.clone();
        let called = move || {
            counted.fetch_add(1, Ordering::Relaxed);
            Ok::<_, FunctionError>(GoValue::from(""))
        };
        if is_repeatable {
            functions.add("called", Signature::of(&[]), move |_| called());
            functions.set_repeatable();
        } else {
            functions.set_repeatable();
            functions.add("called", Signature::of(&[]), move |_| called());
        }
        let mut set = TemplateSet::new(Arc::new(functions), Delimiters::default());
        for (name, text) in files {
            set.add(name, text).unwrap();
        }
        Self { set, calls }
    }

    fn render(&self, name: &str, data: &GoValue) -> Result<String, String> {
        self.render_within(name, data, &TemplateLimits::default())
    }

    fn render_within(&self, name: &str, data: &GoValue, limits: &TemplateLimits) -> Result<String, String> {
        let output = self.set.execute(name, data, &TestHost, limits);
        output.map(|output| output.to_text().into_owned()).map_err(|error| error.to_string())
    }

    fn calls(&self) -> usize {
        self.calls.swap(0, Ordering::Relaxed)
    }
}

/// The data of the tests: a map in a map, which is also in a list.
fn some_data() -> GoValue {
    let shared = GoMap::from_pairs([("k", "v".into()), ("n", GoMap::from_pairs([("k", GoValue::int(1))]).into())]);
    GoMap::from_pairs([
        ("x", GoValue::int(1)),
        ("l", GoValue::list([shared.clone().into()])),
        ("m", shared.into()),
        ("t", "{{ called }}{{ .x }}".into()),
    ])
    .into()
}

const PARTS: &str = "{{ define \"a\" }}{{ called }}{{ .x }}{{ end }}\
    {{ define \"m\" }}{{ called }}{{ .m | toJson }}{{ end }}\
    {{ define \"outer\" }}{{ called }}[{{ include \"m\" . }}]{{ end }}\
    {{ define \"tpl\" }}{{ tpl .t . }}{{ end }}\
    {{ define \"own\" }}{{ called }}{{ $d := dict \"a\" 1 }}{{ $_ := set $d \"b\" .x }}{{ include \"json\" $d }}{{ $_ := set $d \"c\" 2 }}{{ include \"json\" $d }}{{ end }}\
    {{ define \"json\" }}{{ . | toJson }}{{ end }}\
    {{ define \"out\" }}{{ called }}{{ $_ := set . \"r\" \"result\" }}{{ end }}\
    {{ define \"now\" }}{{ called }}{{ now | unixEpoch }}{{ end }}\
    {{ define \"random\" }}{{ called }}{{ randAlphaNum 2 }}{{ end }}\
    {{ define \"name\" }}{{ called }}{{ .Template }}{{ end }}\
    {{ define \"copy\" }}{{ called }}{{ (mustMergeOverwrite (deepCopy .) (dict \"a\" 1)).x }}{{ end }}\
    {{ define \"copied name\" }}{{ called }}{{ (mergeOverwrite (deepCopy .) (dict \"a\" 1)).Template }}{{ end }}\
    {{ define \"merged name\" }}{{ called }}{{ (merge (dict \"a\" 1) .).Template }}{{ end }}\
    {{ define \"fields\" }}{{ called }}{{ keys . | sortAlpha | join \",\" }}{{ end }}";

/// Asserts the output of a text, and the number of calls of `called`.
#[track_caller]
fn assert_calls(text: &str, expected: &str, calls: usize) {
    let set = CountedSet::new(&[("parts", PARTS), ("t", text)], true);
    assert_eq!((set.render("t", &some_data()).as_deref(), set.calls()), (Ok(expected), calls), "{text}");
}

#[test]
fn a_template_is_executed_once_for_equal_data() {
    assert_calls("{{ include \"a\" . }}{{ include \"a\" . }}{{ include \"a\" $ }}", "111", 1);
    assert_calls(
        "{{ include \"a\" (dict \"x\" 1) }}{{ include \"a\" (dict \"x\" 1) }}{{ include \"a\" (dict \"x\" 2) }}",
        "112",
        2,
    );
    assert_calls("{{ include \"a\" (dict \"x\" 1 \"c\" .m) }}{{ include \"a\" (dict \"x\" 1 \"c\" .m) }}", "11", 1);
    assert_calls("{{ range list 1 2 }}{{ include \"outer\" $ }}{{ end }}", &"[{\"k\":\"v\",\"n\":{\"k\":1}}]".repeat(2), 2);
    assert_calls("{{ include \"tpl\" . }}{{ include \"tpl\" . }}{{ tpl \"{{ include \\\"tpl\\\" . }}\" . }}", "111", 1);
    assert_calls("{{ include \"own\" . }}{{ include \"own\" . }}", &"{\"a\":1,\"b\":1}{\"a\":1,\"b\":1,\"c\":2}".repeat(2), 1);
}

#[test]
fn a_template_is_executed_again_when_its_data_has_changed() {
    for change in [
        "set .m \"k\" \"w\"",
        "set (index .l 0) \"k\" \"w\"",
        "set (dict \"a\" .m).a \"k\" \"w\"",
        "set . \"m\" (dict \"k\" \"w\" \"n\" .m.n)",
        "mergeOverwrite .m (dict \"k\" \"w\")",
    ] {
        let text = format!("{{{{ include \"outer\" . }}}}{{{{ $_ := {change} }}}}{{{{ include \"outer\" . }}}}");
        assert_calls(&text, "[{\"k\":\"v\",\"n\":{\"k\":1}}][{\"k\":\"w\",\"n\":{\"k\":1}}]", 4);
    }
    assert_calls(
        "{{ include \"m\" . }}{{ $_ := unset .m \"n\" }}{{ include \"m\" . }}",
        "{\"k\":\"v\",\"n\":{\"k\":1}}{\"k\":\"v\"}",
        2,
    );
    // A map that was put into the data later.
    let text =
        "{{ $d := dict \"k\" 1 }}{{ $_ := set . \"m\" $d }}{{ include \"m\" . }}{{ $_ := set $d \"k\" 2 }}{{ include \"m\" . }}";
    assert_calls(text, "{\"k\":1}{\"k\":2}", 2);
    // A map that is made of a result.
    let text = "{{ $d := dict \"m\" (fromJson \"{}\") }}{{ include \"m\" $d }}{{ $_ := set $d.m \"k\" 2 }}{{ include \"m\" $d }}";
    assert_calls(text, "{}{\"k\":2}", 2);
}

#[test]
fn changes_of_default_values_are_seen_that_were_not_looked_at_before() {
    let defaults = FrozenMap::new(json!({"m": {"n": {"k": 1}}}).as_object().unwrap());
    let text = "{{ include \"m\" . }}{{ $_ := set .m.n \"k\" 2 }}{{ include \"m\" . }}";
    let set = CountedSet::new(&[("parts", PARTS), ("t", text)], true);
    let output = set.render("t", &GoMap::from(defaults).into());
    assert_eq!((output.as_deref(), set.calls()), (Ok("{\"n\":{\"k\":1}}{\"n\":{\"k\":2}}"), 2));
}

#[test]
fn a_kept_output_counts_with_the_templates_inside() {
    let parts = "{{ define \"one\" }}{{ include \"two\" . }}{{ end }}{{ define \"two\" }}{{ include \"a\" . }}{{ end }}";
    let set =
        CountedSet::new(&[("parts", PARTS), ("more", parts), ("t", "{{ include \"two\" . }}{{ include \"one\" . }}")], true);
    let render = |depth| set.render_within("t", &some_data(), &TemplateLimits { depth, ..TemplateLimits::default() });
    assert_eq!(render(2).as_deref(), Ok("11"));
    let error = render(1).unwrap_err();
    assert!(error.contains("nested reference name: a"), "{error}");
}

#[test]
fn outputs_of_large_data_are_not_kept() {
    let text = |size: usize| {
        format!("{{{{ range list 1 2 }}}}{{{{ include \"a\" (dict \"x\" 1 \"y\" (repeat {size} \"y\")) }}}}{{{{ end }}}}")
    };
    assert_calls(&text(10), "11", 1);
    assert_calls(&text(5 << 20), "11", 2);
}

#[test]
fn a_change_of_another_map_concerns_no_kept_output() {
    assert_calls("{{ $d := dict }}{{ include \"a\" . }}{{ $_ := set $d \"x\" 1 }}{{ include \"a\" . }}", "11", 1);
    let text = "{{ include \"a\" . }}{{ $d := dict \"x\" 5 }}{{ include \"a\" $d }}{{ $_ := set $d \"x\" 6 }}{{ include \"a\" $d }}{{ include \"a\" . }}";
    assert_calls(text, "1561", 3);
}

#[test]
fn a_template_that_changes_its_data_is_executed_each_time() {
    let text = "{{ range list 1 2 }}{{ $d := dict }}{{ include \"out\" $d }}{{ $d.r }}{{ end }}";
    assert_calls(text, "resultresult", 2);
}

#[test]
fn a_template_that_asks_the_host_is_executed_each_time() {
    assert_calls("{{ include \"now\" . }}{{ include \"now\" . }}", "00", 2);
    assert_calls("{{ include \"random\" . }}{{ include \"random\" . }}", "0000", 2);
    let set = CountedSet::new(&[("parts", PARTS), ("t", "{{ include \"a\" . }}{{ include \"a\" . }}")], false);
    assert_eq!((set.render("t", &some_data()).as_deref(), set.calls()), (Ok("11"), 2));
}

#[test]
fn a_template_that_looks_at_the_value_of_its_caller_is_executed_each_time() {
    let text = "{{ include \"a\" . }}{{ include \"name\" . }}{{ include \"fields\" . }}{{ include \"copy\" . }}{{ include \"copied name\" . }}\
        {{ include \"merged name\" . }};";
    let set = CountedSet::new(&[("parts", PARTS), ("t", text)], true);
    let GoValue::Map(data) = some_data() else { panic!("no map") };
    let usage = &mut ExecutionUsage::new(TemplateLimits::default());
    let mut output = String::new();
    for name in ["first", "second"] {
        data.set_apart("Template", name.into());
        output += &set.set.execute_within("t", &data.clone().into(), &TestHost, usage).unwrap().to_text();
    }
    assert_eq!(output, "1firstTemplate,l,m,t,x1firstfirst;1secondTemplate,l,m,t,x1secondsecond;");
    // Once for the first one and the copy that is not asked for the name, and twice for the others.
    assert_eq!(set.calls(), 2 + 2 * 4);
}

#[test]
fn texts_that_define_templates_of_their_own_keep_no_outputs() {
    let text = "{{ include \"which\" . }}{{ tpl \"{{ define \\\"own\\\" }}b{{ end }}{{ include \\\"which\\\" . }}\" . }}{{ include \"which\" . }}";
    let files = [
        ("parts", "{{ define \"own\" }}a{{ end }}{{ define \"which\" }}{{ called }}{{ include \"own\" . }}{{ end }}"),
        ("t", text),
    ];
    let set = CountedSet::new(&files, true);
    assert_eq!((set.render("t", &some_data()).as_deref(), set.calls()), (Ok("aba"), 2));
    // Each text has the same name.
    for part in ["{{ include \"gotpl\" . }}", "{{ template \"gotpl\" . }}"] {
        let own = |letter| {
            format!("{{{{ tpl \"{{{{ if .x }}}}{{{{ include \\\"self\\\" (dict) }}}}{{{{ else }}}}{letter}{{{{ end }}}}\" . }}}}")
        };
        let part = format!("{{{{ define \"self\" }}}}{part}{{{{ end }}}}");
        let set = CountedSet::new(&[("parts", &part), ("t", &(own("a") + &own("b")))], true);
        assert_eq!(set.render("t", &some_data()).as_deref(), Ok("ab"), "{part}");
    }
}

/// The parts of random templates, which read, change, and pass on their data.
const PIECES: [&str; 29] = [
    "{{ .x }}",
    "{{ .m | toJson }}",
    "{{ . | toJson }}",
    "{{ .m.n.k }}",
    "{{ $_ := set . \"x\" 2 }}",
    "{{ $_ := set . \"x\" (add .x 1) }}",
    "{{ $_ := set .m \"k\" .x }}",
    "{{ $_ := set .m.n \"k\" .x }}",
    "{{ $_ := set . \"m\" (dict \"k\" 1 \"n\" (dict)) }}",
    "{{ $_ := set . \"m\" (deepCopy .m) }}",
    "{{ $_ := unset .m \"k\" }}",
    "{{ $_ := merge .m (dict \"z\" .m.n) }}",
    "{{ range .l }}{{ . | toJson }}{{ $_ := set . \"k\" 7 }}{{ end }}",
    "{{ with index .l 0 }}{{ $_ := set . \"q\" 7 }}{{ end }}",
    "{{ $_ := set . \"l\" (append .l (dict \"a\" .x)) }}",
    "{{ include \"b\" . }}",
    "{{ include \"c\" . }}",
    "{{ include \"b\" (dict \"x\" .x \"m\" .m \"l\" .l) }}",
    "{{ include \"c\" (dict \"x\" 1 \"m\" .m \"l\" (list .m)) }}",
    "{{ include \"c\" (dict \"x\" 1 \"m\" (dict \"n\" .m) \"l\" (list (dict))) }}",
    "{{ $d := dict \"x\" 3 \"m\" .m \"l\" .l }}{{ include \"b\" $d }}{{ $d.x }}{{ $_ := set $d \"x\" 4 }}{{ include \"b\" $d }}",
    "{{ tpl \"{{ .x }}{{ include \\\"c\\\" . }}\" . }}",
    "{{ tpl \"{{ $_ := set .m \\\"t\\\" 5 }}\" . }}",
    "{{ randAlphaNum 2 }}",
    "{{ include (printf \"%s\" \"c\") . }}",
    "{{ range $i, $e := list 1 2 }}{{ include \"c\" $ }}{{ end }}",
    "{{ if eq (int .x) 2 }}{{ include \"c\" . }}{{ end }}",
    "{{ template \"c\" . }}",
    "{{ include \"b\" (merge (dict \"x\" 5) .) }}",
];

proptest! {
    #[test]
    fn outputs_and_errors_are_those_of_executions(
        bodies in prop::collection::vec(prop::collection::vec(0..PIECES.len(), 0..6), 3),
        steps in 1..200_u64,
    ) {
        let body = |index: usize| -> String {
            bodies[index].iter().map(|piece| PIECES[*piece]).collect()
        };
        // Templates call only those behind them.
        let (b, c) = (body(1), body(2).replace("include", "print").replace("{{ template \"c\" . }}", ""));
        let b = b.replace("include \"b\"", "include \"c\"");
        let files = |called: &str| {
            let define = |name: &str, body: &str| format!("{{{{ define \"{name}\" }}}}{called}{body}{{{{ end }}}}");
            (define("b", &b) + &define("c", &c), body(0).repeat(3))
        };
        let render = |called: &str, limits: &TemplateLimits| {
            let (parts, text) = files(called);
            let set = CountedSet::new(&[("parts", &parts), ("t", &text)], false);
            let output = set.set.execute("t", &some_data(), &FakeHost::new(), limits);
            output.map(|output| output.to_text().into_owned()).map_err(|error| error.to_string())
        };
        let executed = render("{{ called }}", &TemplateLimits::default());
        let kept = render("{{ \"\" }}", &TemplateLimits::default());
        prop_assert_eq!(&kept.as_ref().map_err(|error| without_columns(error)), &executed.as_ref().map_err(|error| without_columns(error)));
        for limits in [
            TemplateLimits { steps, ..TemplateLimits::default() },
            TemplateLimits { depth: steps as usize % 4, ..TemplateLimits::default() },
            TemplateLimits { output: 3 * steps as usize, ..TemplateLimits::default() },
        ] {
            let executed = render("{{ called }}", &limits).map_err(|error| without_columns(&error));
            prop_assert_eq!(render("{{ \"\" }}", &limits).map_err(|error| without_columns(&error)), executed);
        }
    }
}

/// Returns an error without its numbers of columns.
fn without_columns(error: &str) -> String {
    error.chars().filter(|character| !character.is_ascii_digit()).collect()
}
