//! Subcharts: aliases, conditions, tags, imports, globals, and whose definitions win.

use std::rc::Rc;

use kubewright_chart::{ChartLoader, ChartRequest, CompiledChart, HelmCompat, OfflineHost, RenderedChart, parse_values};
use serde_json::Value;

/// A subchart whose only template prints its values.
const PRINTED: &str = "apiVersion: v1\nkind: ConfigMap\ndata: {{ toJson .Values }}\n";

/// Renders a chart `top` whose `Chart.yaml` ends in these lines.
fn render(metadata: &str, files: &[(&str, &str)], values: &str, compat: HelmCompat) -> Result<RenderedChart, String> {
    let metadata = format!("apiVersion: v2\nname: top\nversion: 1.0.0\n{metadata}");
    let files = files.iter().copied().chain([("Chart.yaml", metadata.as_str())]);
    let chart = ChartLoader::new(compat).files(files).map_err(|error| error.to_string())?;
    let compiled = CompiledChart::new(chart).map_err(|error| error.to_string())?;
    let mut request = ChartRequest::new("rel", "ns");
    request.values = parse_values(values.as_bytes(), compat)?;
    compiled.render(&request, Rc::new(OfflineHost::default())).map_err(|error| error.to_string())
}

fn rendered(metadata: &str, files: &[(&str, &str)], values: &str) -> RenderedChart {
    render(metadata, files, values, HelmCompat::Helm4).unwrap()
}

fn files_of(rendered: &RenderedChart) -> Vec<&str> {
    rendered.documents.iter().map(|document| document.file.as_str()).collect()
}

/// Returns the printed values of a file.
fn data<'a>(rendered: &'a RenderedChart, file: &str) -> &'a Value {
    &rendered.documents.iter().find(|document| document.file == file).unwrap().object["data"]
}

const DB: [(&str, &str); 3] = [
    ("charts/db/Chart.yaml", "apiVersion: v2\nname: db\nversion: 1.2.3\n"),
    ("charts/db/values.yaml", "size: 1\nexports: {all: {host: db}}\ninner: {port: 5432}\n"),
    ("charts/db/templates/a.yaml", PRINTED),
];

#[test]
fn a_chart_is_used_several_times_under_aliases() {
    let metadata = "dependencies: [{name: db, version: 1.x, alias: one}, {name: db, version: ^1.2.0, alias: two}]";
    let rendered = rendered(metadata, &DB, "one: {size: 2}");
    assert_eq!(files_of(&rendered), ["top/charts/one/templates/a.yaml", "top/charts/two/templates/a.yaml"]);
    assert_eq!(data(&rendered, "top/charts/one/templates/a.yaml")["size"], 2);
    assert_eq!(data(&rendered, "top/charts/two/templates/a.yaml")["size"], 1);
}

#[test]
fn charts_that_multiply_by_aliases_are_refused() {
    let aliases = |child: &str| {
        let aliases: Vec<String> = (0..10).map(|index| format!("{{name: {child}, version: 1.x, alias: a{index}}}")).collect();
        format!("dependencies: [{}]", aliases.join(", "))
    };
    let mut files = Vec::new();
    let mut path = String::new();
    for (name, child) in [("one", "two"), ("two", "three"), ("three", "four"), ("four", "five"), ("five", "")] {
        path = format!("{path}charts/{name}/");
        let dependencies = if child.is_empty() { String::new() } else { aliases(child) };
        files.push((format!("{path}Chart.yaml"), format!("name: {name}\napiVersion: v2\nversion: 1.0.0\n{dependencies}")));
    }
    let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    let error = render(&aliases("one"), &files, "", HelmCompat::Helm4).unwrap_err();
    assert_eq!(
        error,
        "chart top is larger than 104857600 bytes or has more than 50000 files, those of a subchart counted once per alias"
    );
}

#[test]
fn the_first_boolean_condition_decides_before_tags() {
    let metadata = "dependencies: [{name: db, version: 1.x, condition: 'db.enabled,other.set', tags: [store]}]";
    for (values, is_enabled) in [
        ("", true),
        ("db: {enabled: false}", false),
        ("other: {set: false}", false),
        ("{db: {enabled: true}, other: {set: false}}", true),
        ("tags: {store: false}", false),
        ("{tags: {store: false}, db: {enabled: true}}", true),
        ("db: {enabled: text}", true),
    ] {
        let rendered = rendered(metadata, &DB, values);
        assert_eq!(rendered.documents.len() == 1, is_enabled, "{values}");
        assert_eq!(!rendered.warnings.is_empty(), values.contains("text"), "{values}: {:?}", rendered.warnings);
    }
}

#[test]
fn a_disabled_chart_is_absent_from_the_objects_in_scope() {
    let template = "data: {count: {{ len .Subcharts }}, declared: {{ len .Chart.Dependencies }}}";
    let files = [&DB[..], &[("templates/a.yaml", template)]].concat();
    let metadata = "dependencies: [{name: db, version: 1.x, condition: db.enabled}]";
    for (values, count) in [("", 1), ("db: {enabled: false}", 0)] {
        let rendered = rendered(metadata, &files, values);
        assert_eq!(data(&rendered, "top/templates/a.yaml"), &serde_json::json!({"count": count, "declared": count}));
    }
}

#[test]
fn values_of_a_subchart_are_imported_below_those_of_the_parent() {
    let metadata = "dependencies: [{name: db, version: 1.x, import-values: [all, {child: inner, parent: a.b}, missing]}]";
    let files = [&DB[..], &[("templates/a.yaml", PRINTED), ("values.yaml", "a: {b: {own: 1}}")]].concat();
    let rendered = rendered(metadata, &files, "host: mine");
    let values = data(&rendered, "top/templates/a.yaml");
    assert_eq!(values["host"], "mine");
    assert_eq!(values["a"], serde_json::json!({"b": {"own": 1, "port": 5432}}));
    assert_eq!(rendered.warnings, ["Warning: ImportValues missing table from chart db: \"missing\" is not a table"]);
}

#[test]
fn imports_into_each_other_come_to_an_end() {
    let imports = "[{child: inner, parent: a}, {child: inner, parent: a.b}, {child: inner, parent: db.inner.c}]";
    let files = [&DB[..], &[("templates/a.yaml", PRINTED)]].concat();
    let rendered = rendered(&format!("dependencies: [{{name: db, version: 1.x, import-values: {imports}}}]"), &files, "");
    let values = data(&rendered, "top/templates/a.yaml");
    assert_eq!(values["a"], serde_json::json!({"b": {"port": 5432}, "port": 5432}));
    assert_eq!(values["db"]["inner"], serde_json::json!({"c": {"port": 5432}, "port": 5432}));
}

#[test]
fn an_import_into_a_path_without_end_is_refused() {
    let path = "a.".repeat(100_000);
    let metadata = format!("dependencies: [{{name: db, version: 1.x, import-values: [{{child: inner, parent: {path}a}}]}}]");
    let error = render(&metadata, &DB, "", HelmCompat::Helm4).unwrap_err();
    assert!(error.starts_with("import-values of chart db into \"a.a.a."), "{error}");
}

#[test]
fn the_definition_of_the_parent_wins() {
    let files = [
        &DB[..2],
        &[
            ("charts/db/templates/_h.tpl", "{{ define \"name\" }}child{{ end }}"),
            ("charts/db/templates/a.yaml", "data: {{ include \"name\" . }}"),
            ("templates/_h.tpl", "{{ define \"name\" }}parent{{ end }}"),
        ],
    ]
    .concat();
    let rendered = rendered("dependencies: [{name: db, version: 1.x}]", &files, "");
    assert_eq!(data(&rendered, "top/charts/db/templates/a.yaml"), "parent");
}

#[test]
fn dependencies_that_are_missing_or_of_another_version_are_errors() {
    let error = |metadata| render(metadata, &DB, "", HelmCompat::Helm4).unwrap_err();
    assert_eq!(
        error("dependencies: [{name: db, version: 1.x}, {name: web, version: 1.x}]"),
        "found in Chart.yaml, but missing in charts/ directory: web"
    );
    assert_eq!(
        error("dependencies: [{name: db, version: 2.x}]"),
        "version 1.2.3 of the dependency db in charts/ is not in the declared range \"2.x\""
    );
}

#[test]
fn a_library_contributes_its_definitions_alone() {
    let files = [
        ("charts/lib/Chart.yaml", "apiVersion: v2\nname: lib\nversion: 1.0.0\ntype: library\n"),
        ("charts/lib/templates/_h.tpl", "{{ define \"text\" }}lib{{ end }}"),
        ("charts/lib/templates/a.yaml", "kind: Never\n"),
        ("templates/a.yaml", "data: {{ include \"text\" . }}"),
    ];
    let rendered = rendered("", &files, "");
    assert_eq!(files_of(&rendered), ["top/templates/a.yaml"]);
    let error = render("type: library", &[], "", HelmCompat::Helm4).unwrap_err();
    assert_eq!(error, "library charts are not installable");
}

#[test]
fn a_template_error_of_a_disabled_chart_does_not_count() {
    let files = [&DB[..2], &[("charts/db/templates/a.yaml", "{{ if }}")]].concat();
    let metadata = "dependencies: [{name: db, version: 1.x, condition: db.enabled}]";
    assert!(render(metadata, &files, "db: {enabled: false}", HelmCompat::Helm4).is_ok());
    let error = render(metadata, &files, "", HelmCompat::Helm4).unwrap_err();
    assert_eq!(error, "parse error at (top/charts/db/templates/a.yaml:1): missing value for if");
}
