//! The recorded outputs and errors of Helm in `shared/data` beside the repository, but for templates that need the objects of a chart.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use kubewright_template::library::data;
use kubewright_template::value::{MapType, NamedType};
use kubewright_template::{Delimiters, FunctionError, FunctionSet, GoMap, GoValue, TemplateLimits, TemplateSet};
use serde_json::Value;

use crate::functions::functions;
use crate::host::CountingHost;
use crate::readme_table::check_table;

/// The parts of a case or of its templates that only a chart gives.
const OF_CHARTS: [(&str, &str); 8] = [
    ("chartValues", "values of the chart itself"),
    ("files", "`.Files`"),
    (".Files", "`.Files`"),
    ("capabilities", "`.Capabilities`"),
    (".Capabilities", "`.Capabilities`"),
    (".Subcharts", "`.Subcharts`"),
    ("isUpgrade", "the kind of the release"),
    ("lookup", "`lookup`"),
];
/// Cases that print the type or all fields of `.Chart` or `.Release`.
const PRINTED_OBJECTS: [&str; 3] = ["type-09", "type-11", "yaml-45"];
/// Errors of values that quote more of the text than the reader keeps.
const OTHER_WORDS: [&str; 2] = ["yv-nullkey-01", "yv-bad-12"];
/// The case in which Helm answers for a name server that it does not ask.
const ASKS_NAME_SERVERS: &str = "enc-35";
/// The fields of `.Chart` that the data has.
const CHART_FIELDS: [&str; 3] = ["Name", "Version", "AppVersion"];
const NAME: &str = "vec/templates/t.yaml";

/// Returns the root data of a case, as Helm makes it for the chart of the cases.
fn data(case: &Value) -> Result<GoValue, String> {
    let values = data::read_values(&case["values"].as_str().unwrap_or_default().into()).map_err(|error| match error {
        FunctionError::Failed(text) => format!("failed to parse values: {text}"),
        other => format!("{other:?}"),
    })?;
    let texts = |pairs: &[(&'static str, &str)]| {
        GoValue::from(GoMap::from_pairs(pairs.iter().map(|(key, text)| (*key, GoValue::from(*text)))))
    };
    let release = GoMap::from_pairs([("Revision", GoValue::int(1)), ("IsInstall", true.into()), ("IsUpgrade", false.into())]);
    for (key, text) in [("Name", "rel"), ("Namespace", "ns1"), ("Service", "Helm")] {
        release.set(key.into(), text.into());
    }
    let root = GoMap::from_pairs([
        ("Values", values.retyped(MapType::Named(&NamedType { name: "chartutil.Values" })).into()),
        ("Release", release.into()),
        ("Chart", texts(&[("Name", "vec"), ("Version", "0.1.0"), ("AppVersion", "1.2.3")])),
        ("Template", texts(&[("Name", NAME), ("BasePath", "vec/templates")])),
    ]);
    Ok(root.retyped(MapType::Named(&NamedType { name: "chartutil.Values" })).into())
}

/// Renders the template of a case.
fn render(case: &Value, functions: &Arc<FunctionSet>) -> Result<String, String> {
    let data = data(case)?;
    let mut set = TemplateSet::new(functions.clone(), Delimiters::default());
    set.add(NAME, case["template"].as_str().unwrap()).map_err(|error| error.to_string())?;
    // Helm adds the files in the reverse order of their names, so that definitions of helpers win.
    if let Some(helpers) = case["helpers"].as_str() {
        set.add("vec/templates/_helpers.tpl", helpers).map_err(|error| error.to_string())?;
    }
    // Keys take long where others compute, too.
    let limits = TemplateLimits { time: Duration::MAX, ..TemplateLimits::default() };
    let output = set.execute(NAME, &data, &CountingHost::default(), &limits);
    output.map(|text| text.to_text().into_owned()).map_err(|error| error.to_string())
}

/// Returns the reason for which a case cannot be checked without a chart, if there is one.
fn missing(case: &Value) -> Option<&'static str> {
    let texts = ["template", "helpers"].map(|key| case[key].as_str().unwrap_or_default());
    let needs = |part: &str| case.get(part).is_some() || texts.iter().any(|text| text.contains(part));
    if PRINTED_OBJECTS.iter().any(|id| case["id"] == *id) {
        return Some("types of `.Chart` and `.Release`");
    }
    if case["id"] == ASKS_NAME_SERVERS {
        return Some("`getHostByName`");
    }
    if texts.iter().any(|text| has_other_fields(text)) {
        return Some("fields of `.Chart`");
    }
    if ["AsMap", "YAML", "Table", "PathValue"].iter().any(|method| needs(&format!(".Values.{method}"))) {
        return Some("methods of `.Values`");
    }
    OF_CHARTS.iter().find(|(part, _)| needs(part)).map(|(_, reason)| *reason)
}

/// Returns true for a template that uses a field of `.Chart` which the data lacks.
fn has_other_fields(template: &str) -> bool {
    let fields = template.split(".Chart.").skip(1);
    let name = |rest: &str| rest.split(|letter: char| !letter.is_alphanumeric()).next().unwrap_or_default().to_owned();
    fields.map(name).any(|name| CHART_FIELDS.iter().all(|known| *known != name))
}

/// The numbers of the cases of a group.
#[derive(Default)]
struct GroupCount {
    cases: usize,
    equal: usize,
    other_words: usize,
    of_charts: usize,
}

/// The first parts of the names of cases, with the titles of their groups in the README.
const GROUPS: [(&str, &str); 21] = [
    ("tt", "the language of templates"),
    ("default", "`default`, `coalesce`, `required` and their relatives"),
    ("str", "strings"),
    ("regex", "regular expressions"),
    ("math", "numbers"),
    ("list", "lists"),
    ("dict", "maps"),
    ("type", "types"),
    ("date", "dates and durations"),
    ("enc", "encodings, digests, passwords"),
    ("url", "URLs"),
    ("path", "paths"),
    ("semver", "versions"),
    ("json", "JSON"),
    ("yaml", "YAML"),
    ("toml", "TOML"),
    ("yv", "values of YAML 1.1"),
    ("helm", "`include`, `tpl`, `.Files`, `lookup`"),
    ("caps", "`.Capabilities`"),
    ("release", "`.Release`"),
    ("real", "templates of published charts"),
];

/// Returns the title of the group of a case.
fn group(id: &str) -> &'static str {
    let start = match id.split('-').next().unwrap_or_default() {
        "coalesce" => "default",
        start => start,
    };
    let group = GROUPS.iter().find(|(known, _)| *known == start);
    assert!(group.is_some(), "the case {id} is in no group");
    group.unwrap().1
}

/// Returns true for a case that makes keys or certificates, which only a feature of the crate can.
fn makes_keys(case: &Value) -> bool {
    let template = case["template"].as_str().unwrap();
    ["genCA", "genPrivateKey", "genSelfSigned", "genSigned", "buildCustomCert"].iter().any(|name| template.contains(name))
}

/// Returns the numbers of the cases as a Markdown table.
fn table(counts: &BTreeMap<&str, GroupCount>) -> String {
    let mut table = "| cases | number | equal | other words | need a chart |\n| --- | --- | --- | --- | --- |\n".to_owned();
    let mut sum = GroupCount::default();
    let row = |table: &mut String, title: &str, count: &GroupCount| {
        let GroupCount { cases, equal, other_words, of_charts } = count;
        writeln!(table, "| {title} | {cases} | {equal} | {other_words} | {of_charts} |").unwrap();
    };
    for (_, title) in GROUPS {
        let Some(count) = counts.get(title) else { continue };
        row(&mut table, title, count);
        sum.cases += count.cases;
        sum.equal += count.equal;
        sum.other_words += count.other_words;
        sum.of_charts += count.of_charts;
    }
    row(&mut table, "**all**", &sum);
    table
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
        assert_eq!(render(&case, &functions()).as_deref(), Ok(expected), "{template}");
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
    let (mut checked, mut left_out, mut different) = (0, BTreeMap::<String, usize>::new(), Vec::new());
    let mut counts = BTreeMap::<&str, GroupCount>::new();
    for line in text.lines() {
        let case: Value = serde_json::from_str(line).unwrap();
        let id = case["id"].as_str().unwrap();
        // Keys are checked with the feature, and are in the table neither with it nor without.
        let mut not_counted = GroupCount::default();
        let count = if makes_keys(&case) { &mut not_counted } else { counts.entry(group(id)).or_default() };
        count.cases += 1;
        if let Some(reason) = missing(&case) {
            *left_out.entry(reason.to_owned()).or_default() += 1;
            count.of_charts += 1;
            continue;
        }
        // Go prints U+FFFD for bytes that are no text, as the recording does.
        let expected = case["expected"].as_str().map(str::to_owned).ok_or_else(|| case["error"].as_str().unwrap().to_owned());
        let result = render(&case, &functions);
        if let Err(error) = &result
            && let Some(name) = error.strip_suffix("\" not defined").and_then(|error| error.rsplit('"').next())
            && result != expected
        {
            *left_out.entry(format!("function {name}")).or_default() += 1;
            count.of_charts += 1;
            continue;
        }
        if result.as_ref().is_err_and(|error| error.contains("cargo feature `certificates`")) {
            *left_out.entry("the feature `certificates`".to_owned()).or_default() += 1;
            continue;
        }
        checked += 1;
        // Functions that are forbidden here have an error of their own.
        let has_own_words =
            OTHER_WORDS.contains(&id) || result.as_ref().is_err_and(|error| error.ends_with("not available in operators"));
        if result == expected {
            count.equal += 1;
        } else if has_own_words && result.is_err() && expected.is_err() {
            count.other_words += 1;
        } else {
            different.push(format!("{id}: {}\n  {result:?}\n  {expected:?}", case["template"]));
        }
    }
    let reasons: Vec<_> = left_out.iter().map(|(reason, count)| format!("{count} for {reason}")).collect();
    println!("{checked} of {} cases are checked; left out: {}", text.lines().count(), reasons.join(", "));
    assert!(different.is_empty(), "{} of {checked} cases differ:\n{}", different.len(), different.join("\n"));
    check_table(&table(&counts));
}
