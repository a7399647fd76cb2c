//! Charts: versions, notes, CRDs, hooks, lookups, limits, and renderings of one compiled chart.

use std::cell::RefCell;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;
use std::{fs, thread};

use flate2::Compression;
use flate2::write::GzEncoder;
use jiff::Timestamp;
use kubewright_chart::{
    Chart, ChartCapabilities, ChartHost, ChartLimits, ChartLoader, ChartRequest, CompiledChart, HelmCompat, OfflineHost,
    RenderedChart,
};
use kubewright_template::TemplateLimits;
use serde_json::{Value, json};
use tar::{Builder, Header};

fn load(metadata: &str, files: &[(&str, &str)]) -> Chart {
    let metadata = format!("apiVersion: v2\nname: top\nversion: 1.0.0\n{metadata}");
    let files = files.iter().copied().chain([("Chart.yaml", metadata.as_str())]);
    ChartLoader::default().files(files).unwrap()
}

fn render(chart: Chart) -> Result<RenderedChart, String> {
    let compiled = CompiledChart::new(chart).map_err(|error| error.to_string())?;
    let rendered = compiled.render(&ChartRequest::new("rel", "ns"), Rc::new(OfflineHost::default()));
    rendered.map_err(|error| error.to_string())
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

/// A host with one object, which keeps the questions.
#[derive(Debug, Default)]
struct AskedHost {
    questions: RefCell<Vec<String>>,
}

impl ChartHost for AskedHost {
    fn now(&self) -> Timestamp {
        Timestamp::UNIX_EPOCH
    }

    fn fill_random(&self, buffer: &mut [u8]) {
        buffer.fill(7);
    }

    fn lookup(&self, api_version: &str, kind: &str, namespace: &str, name: &str) -> Result<Option<Value>, String> {
        self.questions.borrow_mut().push(format!("{api_version}/{kind} {namespace}/{name}"));
        match name {
            "there" => Ok(Some(json!({"data": {"n": 1_000_000}}))),
            "broken" => Err("the server is away".to_owned()),
            _ => Ok(None),
        }
    }

    fn kubernetes_version_asked(&self) {
        self.questions.borrow_mut().push("version".to_owned());
    }

    fn api_version_asked(&self, version: &str, is_served: bool) {
        self.questions.borrow_mut().push(format!("{version}: {is_served}"));
    }
}

#[test]
fn the_host_answers_lookups_and_notes_the_questions() {
    let template = "data: [{{ (lookup \"v1\" \"Secret\" \"ns\" \"there\").data.n }}, {{ lookup \"v1\" \"Secret\" \"ns\" \"absent\" | toJson }}]\n\
                    served: {{ .Capabilities.APIVersions.Has \"x/v1\" }}\nminor: {{ .Capabilities.KubeVersion.Minor }}";
    let compiled = CompiledChart::new(load("", &[("templates/a.yaml", template)])).unwrap();
    let host = Rc::new(AskedHost::default());
    let rendered = compiled.render(&ChartRequest::new("rel", "ns"), host.clone()).unwrap();
    assert_eq!(rendered.documents[0].object, json!({"data": [1_000_000, {}], "served": false, "minor": 36}));
    assert_eq!(*host.questions.borrow(), ["v1/Secret ns/there", "v1/Secret ns/absent", "x/v1: false", "version"]);
}

#[test]
fn a_failing_lookup_fails_the_template() {
    let compiled =
        CompiledChart::new(load("", &[("templates/a.yaml", "{{ lookup \"v1\" \"Secret\" \"ns\" \"broken\" }}")])).unwrap();
    let error = compiled.render(&ChartRequest::new("rel", "ns"), Rc::new(AskedHost::default())).unwrap_err();
    assert!(error.to_string().ends_with("error calling lookup: the server is away"), "{error}");
}

#[test]
fn the_limits_are_those_of_all_templates() {
    let template = "{{ range until 700 }}x{{ end }}";
    let limits = TemplateLimits::default();
    for (limits, expected) in [
        (TemplateLimits { output: 1000, ..limits }, "the output exceeds the limit of 1000 bytes"),
        (TemplateLimits { steps: 2000, ..limits }, "the execution exceeds the limit of 2000 steps"),
        (TemplateLimits { time: Duration::ZERO, ..limits }, "the execution exceeds the limit of 0ns"),
    ] {
        let result = |files| {
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
fn a_schema_from_elsewhere_is_refused() {
    let files = [("values.schema.json", r#"{"$ref": "https://example.com/schema.json"}"#)];
    let error = render(load("", &files)).unwrap_err();
    assert!(error.contains("the schema https://example.com/schema.json is not part of the chart"), "{error}");
}

/// Creates a new directory with a chart.
fn directory(name: &str, files: &[(&str, &str)]) -> PathBuf {
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_dir_all(&directory);
    for (name, text) in [("Chart.yaml", "name: top\nversion: 1.0.0")].iter().chain(files) {
        let path = directory.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    directory
}

#[test]
fn a_directory_is_loaded_without_the_files_that_its_rules_ignore() {
    let files = [(".helmignore", "*.md\n/ci/\n"), ("README.md", "x"), ("ci/a", "x"), ("sub/ci/a", "x"), ("templates/.x", "x")];
    let chart = ChartLoader::default().path(directory("ignored", &files)).unwrap();
    let names: Vec<&str> = chart.files.iter().map(|file| &*file.name).collect();
    assert_eq!(names, [".helmignore", "sub/ci/a"]);
    assert!(chart.templates.is_empty());
}

#[test]
fn links_in_a_chart_are_followed_and_those_that_leave_it_are_refused() {
    let chart = directory("links", &[("files/a", "text")]);
    symlink("files", chart.join("more")).unwrap();
    let loaded = ChartLoader::default().path(&chart).unwrap();
    let names: Vec<&str> = loaded.files.iter().map(|file| &*file.name).collect();
    assert_eq!(names, ["files/a", "more/a"]);
    symlink("../ignored-too", chart.join("out")).unwrap();
    fs::create_dir_all(chart.parent().unwrap().join("ignored-too")).unwrap();
    assert_eq!(ChartLoader::default().path(&chart).unwrap_err().to_string(), "the link out leaves the chart");
}

#[test]
fn links_in_a_circle_end_in_an_error() {
    let chart = directory("circle", &[("sub/a", "")]);
    symlink(".", chart.join("sub/one")).unwrap();
    symlink(".", chart.join("sub/two")).unwrap();
    assert!(ChartLoader::default().path(&chart).is_err());
}

#[test]
fn a_chart_in_an_archive_has_archives_of_subcharts() {
    let subchart = archive(&[("sub/Chart.yaml", b"name: sub\nversion: 1.0.0"), ("sub/templates/a.yaml", b"kind: Sub")]);
    let files: [(&str, &[u8]); 3] = [
        ("top/Chart.yaml", b"name: top\nversion: 1.0.0"),
        ("top/charts/sub-1.0.0.tgz", &subchart),
        ("top/.helmignore", b"charts"),
    ];
    let chart = ChartLoader::default().archive(&archive(&files)).unwrap();
    assert_eq!(render(chart).unwrap().documents[0].file, "top/charts/sub/templates/a.yaml");
    let loader = ChartLoader { limits: ChartLimits { files: 4, ..ChartLimits::default() }, ..ChartLoader::default() };
    let error = loader.archive(&archive(&files)).unwrap_err().to_string();
    assert!(error.starts_with("error unpacking subchart sub-1.0.0.tgz in top: decompressed chart is larger"), "{error}");
}

fn archive(files: &[(&str, &[u8])]) -> Vec<u8> {
    let mut builder = Builder::new(GzEncoder::new(Vec::new(), Compression::fast()));
    for (name, data) in files {
        let mut header = Header::new_gnu();
        header.set_size(data.len() as u64);
        header.set_mode(0o644);
        builder.append_data(&mut header, name, *data).unwrap();
    }
    builder.into_inner().unwrap().finish().unwrap()
}
