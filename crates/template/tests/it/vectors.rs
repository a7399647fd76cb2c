//! The recorded outputs of Helm for templates that use functions of strings, lists, maps, defaults, types, expressions, paths and URLs, `include` and `tpl`.

use std::any::Any;
use std::cell::Cell;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::Arc;

use jiff::Timestamp;
use kubewright_machinery::yaml;
use kubewright_template::library::data::{self, DataFlavour};
use kubewright_template::library::{add_helm, add_sprig};
use kubewright_template::value::MapType;
use kubewright_template::{Delimiters, FunctionSet, GoMap, GoValue, TemplateHost, TemplateLimits, TemplateSet};
use serde_json::Value;

/// The groups of cases, by the beginnings of their ids.
const GROUPS: [&str; 14] = [
    "str-",
    "list-",
    "dict-",
    "default-",
    "type-",
    "regex-",
    "path-",
    "url-",
    "math-",
    "date-",
    "semver-",
    "enc-",
    "helm-include-",
    "helm-tpl-",
];
/// The cases about the types of `.Chart`, `.Files` and `.Capabilities`, which belong to charts.
const OF_CHARTS: [&str; 4] = ["type-09", "type-11", "semver-20", "semver-21"];
/// The cases of functions that are forbidden, with errors of their own.
const FORBIDDEN: [&str; 3] = ["enc-35", "enc-37", "enc-38"];
/// The functions that need the cargo feature `certificates`.
const CERTIFICATES: [&str; 8] = [
    "genPrivateKey",
    "genCA ",
    "genCAWithKey",
    "genSelfSignedCert ",
    "genSelfSignedCertWithKey",
    "genSignedCert ",
    "genSignedCertWithKey",
    "buildCustomCert",
];
const NAME: &str = "vec/templates/t.yaml";

/// A host at the beginning of time, whose random bytes count up.
#[derive(Default)]
struct CountingHost {
    count: Cell<u8>,
}

impl TemplateHost for CountingHost {
    fn now(&self) -> Timestamp {
        Timestamp::UNIX_EPOCH
    }

    fn fill_random(&self, buffer: &mut [u8]) {
        for byte in buffer {
            *byte = self.count.replace(self.count.get().wrapping_add(1));
        }
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}

/// Returns the root data of a case, as Helm makes it for the chart of the cases.
fn data(case: &Value) -> GoValue {
    let values = yaml::documents(case["values"].as_str().unwrap_or_default()).unwrap();
    let values = match values.first().map(GoValue::from) {
        Some(GoValue::Map(map)) => map,
        _ => GoMap::new(BTreeMap::new(), MapType::Any),
    };
    let texts = |pairs: &[(&'static str, &str)]| {
        GoValue::from(GoMap::from_pairs(pairs.iter().map(|(key, text)| (*key, GoValue::from(*text)))))
    };
    let root = GoMap::from_pairs([
        ("Values", values.retyped(MapType::Named("chartutil.Values")).into()),
        ("Release", texts(&[("Name", "rel"), ("Namespace", "ns1"), ("Service", "Helm")])),
        ("Chart", texts(&[("Name", "vec"), ("Version", "0.1.0"), ("AppVersion", "1.2.3")])),
        ("Template", texts(&[("Name", NAME), ("BasePath", "vec/templates")])),
    ]);
    root.retyped(MapType::Named("chartutil.Values")).into()
}

/// Renders the template of a case; None if it uses a function of another group that is not in the set.
fn render(case: &Value, functions: &Arc<FunctionSet>) -> Option<Result<String, String>> {
    let mut set = TemplateSet::new(functions.clone(), Delimiters::default());
    if let Err(error) = set.add(NAME, case["template"].as_str().unwrap()) {
        let text = error.to_string();
        return if text.ends_with("not defined") { None } else { Some(Err(text)) };
    }
    // Helm adds the files in the reverse order of their names, so that definitions of helpers win.
    if let Some(helpers) = case["helpers"].as_str() {
        set.add("vec/templates/_helpers.tpl", helpers).unwrap();
    }
    let output = set.execute(NAME, &data(case), &CountingHost::default(), &TemplateLimits::default());
    Some(output.map(|text| text.to_text().into_owned()).map_err(|error| error.to_string()))
}

fn functions() -> Arc<FunctionSet> {
    let mut functions = FunctionSet::new();
    add_sprig(&mut functions);
    add_helm(&mut functions);
    data::add(&mut functions, DataFlavour::Helm);
    Arc::new(functions)
}

/// The outputs are those of sprig 3.3 with encoding/json, sigs.k8s.io/yaml and BurntSushi/toml 1.6.
#[test]
fn nil_lists_are_null_in_json_and_yaml_and_absent_in_toml() {
    for (template, expected) in [
        ("{{ rest (list) | toJson }} {{ list | toJson }} {{ rest (list) }}", "null [] []"),
        (r#"{{ regexFindAll "z" "abc" -1 | toJson }}"#, "null"),
        (r#"{{ dict "a" (concat) "b" (list) | toYaml }}"#, "a: null\nb: []"),
        (r#"{{ dict "a" (concat) "b" (list) | toToml }}"#, "b = []\n"),
    ] {
        let case = serde_json::json!({"template": template});
        assert_eq!(render(&case, &functions()), Some(Ok(expected.to_owned())), "{template}");
    }
}

#[test]
fn recorded_outputs_are_reproduced() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data/templates/vectors.jsonl");
    let Ok(text) = fs::read_to_string(&path) else {
        eprintln!("skipped: {} is absent", path.display());
        return;
    };
    let functions = functions();
    let (mut equal, mut left_out, mut different) = (0, Vec::new(), Vec::new());
    for line in text.lines() {
        let case: Value = serde_json::from_str(line).unwrap();
        let id = case["id"].as_str().unwrap();
        if !GROUPS.iter().any(|group| id.starts_with(group)) || OF_CHARTS.contains(&id) || FORBIDDEN.contains(&id) {
            continue;
        }
        let template = case["template"].as_str().unwrap();
        if !cfg!(feature = "certificates") && CERTIFICATES.iter().any(|function| template.contains(function)) {
            continue;
        }
        // Go prints U+FFFD for bytes that are no text, as the recording does.
        let expected = case["expected"].as_str().map(str::to_owned).ok_or_else(|| case["error"].as_str().unwrap().to_owned());
        match render(&case, &functions) {
            None => left_out.push(id.to_owned()),
            Some(result) if result == expected => equal += 1,
            Some(result) => different.push(format!("{id}: {}\n  {result:?}\n  {expected:?}", case["template"])),
        }
    }
    if !left_out.is_empty() {
        eprintln!("left out, as they use functions of other groups: {}", left_out.join(" "));
    }
    assert!(different.is_empty(), "{equal} cases are equal, {} differ:\n{}", different.len(), different.join("\n"));
}
