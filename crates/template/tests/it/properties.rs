//! Random templates: executions end with an output or an error, within their limits.

use std::sync::{Arc, LazyLock};
use std::time::Duration;

use kubewright_template::{
    Delimiters, FunctionSet, GoMap, GoValue, Parameter, Signature, TemplateError, TemplateLimits, TemplateSet,
};
use proptest::prelude::*;
use proptest::sample::select;

use crate::functions::functions;
use crate::host::CountingHost;

const LIMITS: TemplateLimits =
    TemplateLimits { output: 100_000, values: 100_000_000, depth: 20, steps: 20_000, time: Duration::from_secs(60) };

static FUNCTIONS: LazyLock<Arc<FunctionSet>> = LazyLock::new(functions);

/// The names of all functions, but for those that are slow on purpose.
static NAMES: LazyLock<Vec<&'static str>> = LazyLock::new(|| {
    const OF_LANGUAGE: [&str; 20] = [
        "and", "or", "not", "eq", "ne", "lt", "le", "gt", "ge", "len", "index", "slice", "call", "html", "js", "urlquery",
        "print", "println", "printf", "include",
    ];
    const SLOW: [&str; 8] = [
        "genPrivateKey",
        "genCA",
        "genCAWithKey",
        "genSelfSignedCert",
        "genSelfSignedCertWithKey",
        "genSignedCert",
        "derivePassword",
        "bcrypt",
    ];
    FUNCTIONS.names().chain(OF_LANGUAGE).filter(|name| !SLOW.contains(name) && *name != "htpasswd").collect()
});

static TEXTS: [&str; 14] = [
    r#""""#,
    r#""a""#,
    r#""%v %5.2d %[3]*x""#,
    r#""a: [b, {c: 1}]""#,
    r#""{\"a\": [1, null]}""#,
    r#""é\xff日""#,
    "`(a+)(b|c)*`",
    r#""2006-01-02""#,
    r#""^1.2.x""#,
    r#""{{ include `t` . }}""#,
    r#""part""#,
    r#""/a/../b.txt""#,
    r#""https://u:p@h/p?q#f""#,
    "(printf \"%s\" .s)",
];
static INTEGERS: [&str; 6] = ["0", "1", "-7", "'x'", "9223372036854775807", "70000"];
static OTHERS: [&str; 14] =
    [".", "$", "$.m", "$.l", "$.s", "$.n", "$.missing", ".a", "nil", "true", "1.5", "1e300", "$v", "(list 1 \"a\" nil)"];

fn any_operand() -> BoxedStrategy<String> {
    prop_oneof![select(&TEXTS[..]), select(&INTEGERS[..]), select(&OTHERS[..])].prop_map(str::to_owned).boxed()
}

/// Returns arguments of a parameter, most of which are of its type.
fn argument(parameter: Parameter, any: BoxedStrategy<String>) -> BoxedStrategy<String> {
    let fitting = match parameter {
        Parameter::Any | Parameter::Object(_) => return any,
        Parameter::Bool => select(vec!["true", "false"]).boxed(),
        Parameter::Int | Parameter::Int64 | Parameter::Uint64 => select(&INTEGERS[..]).boxed(),
        Parameter::Float => select(vec!["1.5", "$.n", "-0.0"]).boxed(),
        Parameter::String | Parameter::Bytes => select(&TEXTS[..]).boxed(),
        Parameter::Strings | Parameter::List => select(vec!["$.l", "(list)", "(list 3 \"b\" nil)"]).boxed(),
        Parameter::Map => select(vec!["$", "$.m", "(dict)", "(dict \"a\" (list 1))"]).boxed(),
    };
    prop_oneof![9 => fitting.prop_map(str::to_owned), 1 => any].boxed()
}

/// Returns calls of a function with as many arguments as it has parameters.
fn call(name: &'static str, any: &BoxedStrategy<String>) -> impl Strategy<Value = String> + use<> {
    let of_language = Signature::variadic(&[Parameter::Any, Parameter::Any], Parameter::Any);
    let signature = FUNCTIONS.get(name).map_or(of_language, |function| function.signature);
    let fixed: Vec<_> = signature.fixed.iter().map(|parameter| argument(*parameter, any.clone())).collect();
    let rest = signature.rest.map_or(0..1_usize, |_| 0..3);
    let rest = prop::collection::vec(argument(signature.rest.unwrap_or(Parameter::Any), any.clone()), rest);
    (fixed, rest).prop_map(move |(fixed, rest)| format!("({name} {})", [fixed, rest].concat().join(" ")))
}

fn pipeline() -> impl Strategy<Value = String> {
    any_operand().prop_recursive(4, 24, 4, |inner| {
        let name = || select(NAMES.clone());
        let any = inner.clone().boxed();
        let calls = name().prop_flat_map(move |name| call(name, &any));
        let piped = (inner, name()).prop_map(|(value, name)| format!("({value} | {name})"));
        prop_oneof![6 => calls, 1 => piped]
    })
}

fn template() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        4 => pipeline().prop_map(|pipeline| format!("{{{{ {pipeline} }}}}")),
        1 => pipeline().prop_map(|pipeline| format!("{{{{- $v = {pipeline} -}}}}")),
        1 => pipeline().prop_map(|pipeline| format!("{{{{ $_ := set . \"s\" {pipeline} }}}}")),
        1 => Just("{{ template \"part\" . }}".to_owned()),
        1 => Just("{{ $_ := set . \"m\" . }}".to_owned()),
        1 => select(vec!["text", " \n", "é", "{{/* c */}}", "{{ break }}", "{{ end }}"]).prop_map(str::to_owned),
    ];
    leaf.prop_recursive(4, 24, 4, |inner| {
        let body = prop::collection::vec(inner, 0..4).prop_map(|parts| parts.concat());
        (select(vec!["if", "with", "range", "range $k, $v :="]), pipeline(), body.clone(), prop::option::of(body)).prop_map(
            |(keyword, pipeline, body, otherwise)| {
                let otherwise = otherwise.map_or(String::new(), |otherwise| format!("{{{{ else }}}}{otherwise}"));
                format!("{{{{ {keyword} {pipeline} }}}}{body}{otherwise}{{{{ end }}}}")
            },
        )
    })
}

fn data() -> GoValue {
    let map = GoMap::from_pairs([("a", GoValue::int(1)), ("b", GoValue::Nil)]);
    let list = GoValue::list([GoValue::from("x"), GoValue::Float(2.5), map.clone().into()]);
    GoMap::from_pairs([("m", map.into()), ("l", list), ("s", "text".into()), ("n", GoValue::Float(3.0))]).into()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn random_templates_end_within_their_limits(parts in prop::collection::vec(template(), 1..6), part in template()) {
        let mut set = TemplateSet::new(FUNCTIONS.clone(), Delimiters::default());
        let added = set.add("part", &format!("{{{{ $v := 1 }}}}{part}"))
            .and_then(|()| set.add("t", &format!("{{{{ $v := . }}}}{}", parts.concat())));
        let rendered = || set.execute("t", &data(), &CountingHost::default(), &LIMITS);
        match added {
            Err(error) => prop_assert!(matches!(error, TemplateError::Parse { .. }), "{error}"),
            Ok(()) => match (rendered(), rendered()) {
                (Ok(first), Ok(second)) => {
                    prop_assert!(first.len() <= LIMITS.output);
                    prop_assert_eq!(first, second);
                }
                (Err(first), Err(second)) => prop_assert_eq!(first.to_string(), second.to_string()),
                (first, second) => prop_assert_eq!(first.is_ok(), second.is_ok()),
            },
        }
    }
}
