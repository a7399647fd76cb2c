//! Charts: requests, versions, notes, CRDs, schemas, limits, and renderings of one compiled chart.

use std::rc::Rc;
use std::sync::Arc;
use std::thread;

use kubewright_chart::{
    Chart, ChartCapabilities, ChartHost, ChartLoader, ChartRequest, CompiledChart, HelmCompat, OfflineHost, RenderedChart,
};
use kubewright_template::TemplateLimits;
use serde_json::{Value, json};

/// Loads a chart `top` whose `Chart.yaml` ends in these lines.
pub(crate) fn load(metadata: &str, files: &[(&str, &str)]) -> Chart {
    let metadata = format!("apiVersion: v2\nname: top\nversion: 1.0.0\n{metadata}");
    let files = files.iter().copied().chain([("Chart.yaml", metadata.as_str())]);
    ChartLoader::default().files(files).unwrap()
}

/// Compiles a chart and renders it with the default values.
pub(crate) fn render(chart: Chart) -> Result<RenderedChart, String> {
    let compiled = CompiledChart::new(chart).map_err(|error| error.to_string())?;
    let rendered = compiled.render(&ChartRequest::new("rel", "ns"), Rc::new(OfflineHost::default()));
    rendered.map_err(|error| error.to_string())
}

#[test]
fn the_release_of_the_request_is_visible() {
    let template = "data: {{ list .Release.Name .Release.Namespace .Release.Revision .Release.IsUpgrade .Release.IsInstall .Release.Service | toJson }}";
    let compiled = CompiledChart::new(load("", &[("templates/a.yaml", template)])).unwrap();
    let data = |request: &ChartRequest| {
        compiled.render(request, Rc::new(OfflineHost::default())).unwrap().documents[0].object["data"].clone()
    };
    let mut request = ChartRequest::new("rel", "ns");
    assert_eq!(data(&request), json!(["rel", "ns", 1, false, true, "Helm"]));
    request.release.revision = 3;
    request.release.is_upgrade = true;
    request.release.service = "books".to_owned();
    assert_eq!(data(&request), json!(["rel", "ns", 3, true, false, "books"]));
}

#[test]
fn the_version_of_helm_is_that_of_the_release_line() {
    for (compat, version) in [(HelmCompat::Helm4, "v4.3.1"), (HelmCompat::Helm3, "v3.22.0")] {
        let files =
            [("Chart.yaml", "name: top\nversion: 1.0.0"), ("templates/a.yaml", "data: {{ .Capabilities.HelmVersion.Version }}")];
        let rendered = render(ChartLoader::new(compat).files(files).unwrap()).unwrap();
        assert_eq!(rendered.documents[0].object["data"], version);
        assert_eq!(compat.version(), version);
    }
}

#[test]
fn api_versions_of_the_request_are_served() {
    let template =
        "data: {{ list (.Capabilities.APIVersions.Has \"v1\") (.Capabilities.APIVersions.Has \"x.io/v1/Thing\") | toJson }}";
    let compiled = CompiledChart::new(load("", &[("templates/a.yaml", template)])).unwrap();
    let data = |request: &ChartRequest| {
        compiled.render(request, Rc::new(OfflineHost::default())).unwrap().documents[0].object["data"].clone()
    };
    let mut request = ChartRequest::new("rel", "ns");
    assert_eq!(data(&request), json!([true, false]));
    request.capabilities = Arc::new(ChartCapabilities::default().with_api_versions(["x.io/v1/Thing"]));
    assert_eq!(data(&request), json!([true, true]));
}

#[test]
fn the_version_of_kubernetes_is_checked() {
    let compiled = CompiledChart::new(load("kubeVersion: '>=1.30.0-0 <1.36.0-0'", &[])).unwrap();
    let mut request = ChartRequest::new("rel", "ns");
    let render = |request: &ChartRequest| compiled.render(request, Rc::new(OfflineHost::default()));
    assert_eq!(
        render(&request).unwrap_err().to_string(),
        "chart requires kubeVersion: >=1.30.0-0 <1.36.0-0 which is incompatible with Kubernetes v1.36.0"
    );
    request.capabilities = Arc::new(ChartCapabilities::offline("v1.35.2-eks-1").unwrap());
    assert!(render(&request).is_ok());
}

#[test]
fn notes_are_kept_apart_and_blank_outputs_are_left_out() {
    let rendered = render(load(
        "",
        &[
            ("templates/NOTES.txt", "Hello {{ .Release.Name }}: not: yaml: ["),
            ("templates/blank.yaml", "{{ if false }}x{{ end }}\n\n"),
            ("templates/a.json", "{\"kind\": \"A\"}"),
        ],
    ))
    .unwrap();
    assert_eq!(rendered.notes.as_deref(), Some("Hello rel: not: yaml: ["));
    assert_eq!(rendered.documents.len(), 1);
}

#[test]
fn documents_keep_the_order_of_files_and_crds_are_no_templates() {
    let rendered = render(load(
        "",
        &[
            ("crds/a.yaml", "kind: CustomResourceDefinition\nspec: '{{ nothing }}'\n---\n# comment\n"),
            ("crds/README.md", "text"),
            ("templates/b.yaml", "kind: Namespace\n---\nkind: Pod\n"),
            ("templates/a.yaml", "kind: Deployment\n"),
        ],
    ))
    .unwrap();
    let kinds = |documents: &[kubewright_chart::ChartDocument]| -> Vec<String> {
        documents.iter().map(|document| document.kind().to_owned()).collect()
    };
    assert_eq!(kinds(&rendered.crds), ["CustomResourceDefinition"]);
    assert_eq!(kinds(&rendered.documents), ["Deployment", "Namespace", "Pod"]);
    let printed: Vec<&str> = rendered.in_helm_order().iter().map(|document| document.kind()).collect();
    assert_eq!(printed, ["Namespace", "Pod", "Deployment"]);
}

#[test]
fn a_template_sees_the_changes_of_an_earlier_one_of_the_chart() {
    let rendered = render(load(
        "",
        &[
            ("templates/b.yaml", "kind: B\n{{ $_ := set .Values \"x\" \"changed\" }}"),
            ("templates/a.yaml", "kind: {{ .Values.x }}"),
        ],
    ))
    .unwrap();
    assert_eq!(rendered.documents[0].kind(), "changed");
}

#[test]
fn a_second_rendering_starts_anew_and_threads_share_a_compiled_chart() {
    let chart = load(
        "",
        &[("values.yaml", "m: {x: 1}"), ("templates/a.yaml", "kind: A{{ .Values.m.x }}{{ $_ := set .Values.m \"x\" 2 }}")],
    );
    let compiled = CompiledChart::new(chart).unwrap();
    let kind = || {
        let rendered = compiled.render(&ChartRequest::new("rel", "ns"), Rc::new(OfflineHost::default())).unwrap();
        rendered.documents[0].kind().to_owned()
    };
    assert_eq!((kind(), kind()), ("A1".to_owned(), "A1".to_owned()));
    thread::scope(|scope| {
        let thread = scope.spawn(kind);
        assert_eq!(thread.join().unwrap(), "A1");
    });
}

#[test]
fn the_limits_are_those_of_all_templates() {
    let template = "{{ range until 700 }}x{{ end }}";
    let limits = TemplateLimits::default();
    for (limits, expected) in [
        (TemplateLimits { output: 1000, ..limits }, "the output exceeds the limit of 1000 bytes"),
        (TemplateLimits { steps: 2000, ..limits }, "the execution exceeds the limit of 2000 steps"),
    ] {
        let result = |files: &[(&str, &str)]| {
            let compiled = CompiledChart::builder(load("", files)).limits(limits).build().unwrap();
            compiled.outputs(&ChartRequest::new("rel", "ns"), Rc::new(OfflineHost::default()))
        };
        assert!(result(&[("templates/a.txt", template)]).is_ok(), "{expected}");
        let error = result(&[("templates/a.txt", template), ("templates/b.txt", template)]).unwrap_err();
        assert!(error.to_string().ends_with(expected), "{error}");
    }
}

#[test]
fn the_depth_of_templates_is_limited() {
    let chart = load(
        "",
        &[(
            "templates/a.txt",
            "{{ define \"x\" }}{{ include \"y\" . }}{{ end }}{{ define \"y\" }}{{ end }}{{ include \"x\" . }}",
        )],
    );
    for (depth, is_enough) in [(0, false), (2, true)] {
        let compiled = CompiledChart::builder(chart.clone()).limits(TemplateLimits { depth, ..TemplateLimits::default() });
        let result = compiled.build().unwrap().outputs(&ChartRequest::new("rel", "ns"), Rc::new(OfflineHost::default()));
        assert_eq!(result.is_ok(), is_enough, "{depth}");
    }
}

#[test]
fn functions_of_the_caller_can_be_added() {
    let chart = load("", &[("templates/a.yaml", "kind: {{ hello }}")]);
    let none = kubewright_template::Signature::of(&[]);
    let builder = CompiledChart::builder(chart).functions(|functions| functions.add("hello", none, |_| Ok("Hello".into())));
    let compiled = builder.build().unwrap();
    let rendered = compiled.render(&ChartRequest::new("rel", "ns"), Rc::new(OfflineHost::default())).unwrap();
    assert_eq!(rendered.documents[0].kind(), "Hello");
}

#[test]
fn the_chart_is_a_struct_with_helm_3_and_a_map_with_helm_4() {
    let files =
        [("Chart.yaml", "name: top\nversion: 1.0.0"), ("templates/a.yaml", "kind: {{ kindOf .Chart }}-{{ .Chart.nope }}")];
    let rendered = |compat| {
        let compiled = CompiledChart::new(ChartLoader::new(compat).files(files).unwrap()).unwrap();
        let rendered = compiled.render(&ChartRequest::new("rel", "ns"), Rc::new(OfflineHost::default()));
        rendered.map(|rendered| rendered.documents[0].kind().to_owned()).map_err(|error| error.to_string())
    };
    assert_eq!(rendered(HelmCompat::Helm4).unwrap(), "map-");
    assert!(rendered(HelmCompat::Helm3).unwrap_err().contains("can't evaluate field nope"));
}

#[cfg(feature = "schema")]
#[test]
fn values_are_validated_by_the_schemas_of_all_charts() {
    let schema = r#"{"type": "object", "required": ["a", "b"], "properties": {"size": {"type": "integer"}}, "additionalProperties": false}"#;
    let files = [
        ("values.schema.json", schema),
        ("values.yaml", "size: x"),
        ("charts/sub/Chart.yaml", "name: sub\nversion: 1.0.0"),
        ("charts/sub/values.schema.json", r#"{"properties": {"m": {"enum": ["x", "y"]}}}"#),
        ("charts/sub/values.yaml", "m: z"),
    ];
    assert_eq!(
        render(load("", &files)).unwrap_err(),
        "values don't meet the specifications of the schema(s) in the following chart(s):\n\
         top:\n- at '': missing properties 'a', 'b'\n- at '/size': got string, want integer\n\
         - at '': additional properties 'sub' not allowed\nsub:\n- at '/m': value must be one of 'x', 'y'\n"
    );
}

#[cfg(feature = "schema")]
#[test]
fn a_request_can_do_without_the_validation_of_values() {
    let files = [("values.schema.json", r#"{"required": ["a"]}"#), ("templates/a.yaml", "kind: A")];
    let compiled = CompiledChart::new(load("", &files)).unwrap();
    let mut request = ChartRequest::new("rel", "ns");
    let is_rendered = |request: &ChartRequest| compiled.render(request, Rc::new(OfflineHost::default())).is_ok();
    assert!(!is_rendered(&request));
    request.validates_values = false;
    assert!(is_rendered(&request));
}

#[cfg(feature = "schema")]
#[test]
fn a_schema_that_is_no_json_is_refused_by_the_name_of_its_file() {
    let error = render(load("", &[("values.schema.json", "{")])).unwrap_err();
    assert!(error.contains("\ntop:\nvalues.schema.json: EOF while parsing an object at line 1 column 1\n"), "{error}");
}

#[cfg(feature = "schema")]
#[test]
fn a_schema_that_refers_to_itself_comes_to_an_end() {
    for schema in [
        r##"{"$ref": "#"}"##,
        r##"{"allOf": [{"$ref": "#"}]}"##,
        r##"{"anyOf": [{"$ref": "#/$defs/a"}], "$defs": {"a": {"not": {"$ref": "#/$defs/a"}}}}"##,
    ] {
        // Either outcome is right, as the schema says nothing about values.
        let result = render(load("", &[("values.schema.json", schema), ("values.yaml", "a: {b: {c: 1}}")]));
        assert!(result.is_ok() || result.is_err(), "{schema}");
    }
}

#[cfg(feature = "schema")]
#[test]
fn a_schema_from_elsewhere_is_refused() {
    let files = [("values.schema.json", r#"{"$ref": "https://example.com/schema.json"}"#)];
    let error = render(load("", &files)).unwrap_err();
    assert!(error.contains("the schema https://example.com/schema.json is not part of the chart"), "{error}");
}

#[test]
fn a_rendering_whose_values_hold_themselves_leaves_nothing_behind() {
    let template = "{{ $_ := set .Values \"self\" .Values }}{{ $_ := set . \"self\" . }}a: 1";
    let compiled = CompiledChart::new(load("", &[("templates/a.yaml", template)])).unwrap();
    let host: Rc<dyn ChartHost> = Rc::new(OfflineHost::default());
    for _ in 0..2 {
        compiled.render(&ChartRequest::new("rel", "ns"), host.clone()).unwrap();
        // The root object has the capabilities, which hold the host.
        assert_eq!(Rc::strong_count(&host), 1);
    }
}

#[test]
fn a_second_rendering_compiles_and_reads_nothing() {
    let chart = load(
        "dependencies: [{name: db, version: 1.x, condition: db.enabled}, {name: db, version: 1.x, alias: cache}]",
        &[
            ("values.yaml", "text: \"{{ .Release.Name }}\"\n"),
            ("templates/_parts.tpl", "{{ define \"part\" }}{{ tpl .Values.text . }}{{ end }}"),
            ("templates/a.yaml", "a: {{ include \"part\" . }}"),
            ("charts/db/Chart.yaml", "name: db\nversion: 1.0.0"),
            ("charts/db/templates/b.yaml", "b: 1"),
        ],
    );
    let compiled = CompiledChart::new(chart).unwrap();
    let render = |request: &ChartRequest| compiled.render(request, Rc::new(OfflineHost::default())).unwrap();
    // Two files of the chart, and one of the subchart under each of its names.
    assert_eq!(compiled.compiled_texts(), 4);
    let mut request = ChartRequest::new("rel", "ns");
    let first = render(&request);
    assert_eq!((compiled.compiled_texts(), compiled.read_documents()), (5, 2));
    assert_eq!(render(&request), first);
    assert_eq!((compiled.compiled_texts(), compiled.read_documents()), (5, 2));
    request.release.name = "other".to_owned();
    let Value::Object(values) = json!({"db": {"enabled": false}}) else { return };
    request.values = values;
    assert_eq!(render(&request).documents.len(), 2);
    assert_eq!(compiled.compiled_texts(), 5);
}
