//! Charts that ask for too much, or for what they may not have: each ends in an error within the limits.

use std::fmt::Write;
use std::fs;
use std::path::Path;
use std::rc::Rc;

use kubewright_chart::{ChartLoader, ChartRequest, CompiledChart, HelmCompat, OfflineHost, parse_values};
use kubewright_template::TemplateLimits;
use serde_json::{Value, json};

use crate::charts::{load, render};

/// Renders a chart with one template, within limits that tests reach soon.
fn error_of(template: &str) -> String {
    let limits = TemplateLimits { steps: 200_000, ..TemplateLimits::default() };
    let compiled = match CompiledChart::builder(load("", &[("templates/a.yaml", template)])).limits(limits).build() {
        Ok(compiled) => compiled,
        Err(error) => return error.to_string(),
    };
    compiled.render(&ChartRequest::new("rel", "ns"), Rc::new(OfflineHost::default())).unwrap_err().to_string()
}

/// Returns the first document of a chart with one template.
fn object_of(files: &[(&str, &str)]) -> Value {
    render(load("", files)).unwrap().documents[0].object.as_ref().clone()
}

/// A text whose aliases stand for a thousand million nodes.
fn alias_bomb() -> String {
    let mut bomb = String::from("a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n");
    for level in 1..10 {
        let inner = format!("*a{}, ", level - 1).repeat(10);
        writeln!(bomb, "a{level}: &a{level} [{inner}]").unwrap();
    }
    bomb
}

#[test]
fn endless_includes_end_in_an_error() {
    let alone = "{{ define \"a\" }}{{ include \"a\" . }}{{ end }}{{ include \"a\" . }}";
    let in_turns =
        "{{ define \"a\" }}{{ include \"b\" . }}{{ end }}{{ define \"b\" }}{{ include \"a\" . }}{{ end }}{{ include \"a\" . }}";
    for (template, last) in [(alone, "a"), (in_turns, "b")] {
        let error = error_of(template);
        let expected = format!("rendering template has a nested reference name: {last}: unable to execute template");
        assert!(error.contains(&expected), "{}", &error[error.len() - 300..]);
    }
    for template in [
        "{{ define \"a\" }}{{ template \"a\" . }}{{ end }}{{ template \"a\" . }}",
        "{{ define \"a\" }}{{ tpl \"{{ template `a` . }}\" . }}{{ end }}{{ template \"a\" . }}",
    ] {
        let error = error_of(template);
        assert!(error.contains("templates are executed inside each other beyond the limit of 1000"), "{error:.300}");
    }
}

#[test]
fn includes_that_double_end_at_the_limit_of_steps() {
    let mut template = String::from("{{ define \"t0\" }}x{{ end }}");
    for level in 1..40 {
        let inner = format!("{{{{ include \"t{}\" . }}}}", level - 1);
        write!(template, "{{{{ define \"t{level}\" }}}}{inner}{inner}{{{{ end }}}}").unwrap();
    }
    template.push_str("{{ include \"t39\" . }}");
    let error = error_of(&template);
    assert!(error.contains("the execution exceeds the limit of 200000 steps"), "{error:.300}");
}

#[test]
fn huge_ranges_end_in_an_error() {
    for (template, expected) in [
        ("{{ range 1000000000 }}{{ end }}", "the execution exceeds the limit of 200000 steps"),
        (
            "{{ range $i := until 1000 }}{{ range until 1000 }}{{ end }}{{ end }}",
            "the execution exceeds the limit of 200000 steps",
        ),
        ("{{ range until 1000000000 }}{{ end }}", "longer than the limit of 1000000"),
        ("{{ untilStep 0 2000000000 1 }}", "longer than the limit of 1000000"),
        ("{{ seq 1 1000000000 }}", "longer than the limit of 1000000"),
    ] {
        let error = error_of(template);
        assert!(error.contains(expected), "{template}: {error:.300}");
    }
}

#[test]
fn enormous_texts_end_in_an_error() {
    for (template, expected) in [
        ("{{ repeat 1000000000 \"xyz\" }}", "larger than the limit of 67108864 bytes"),
        ("{{ \"x\" | indent 1000000000 }}", "larger than the limit of 67108864 bytes"),
        ("{{ randAlphaNum 1000000000 }}", "larger than the limit of 67108864 bytes"),
        ("{{ $x := \"x\" }}{{ range 40 }}{{ $x = cat $x $x }}{{ end }}", "larger than the limit of 67108864 bytes"),
        ("{{ range 100 }}{{ printf \"%1000000d\" 1 }}{{ end }}", "the output exceeds the limit of 67108864 bytes"),
        ("{{ range 100 }}{{ repeat 1000000 \"x\" }}{{ end }}", "the output exceeds the limit of 67108864 bytes"),
        (
            "{{ $l := list }}{{ range 100 }}{{ $l = append $l (repeat 20000000 \"x\") }}{{ end }}",
            "the values exceed the limit of",
        ),
    ] {
        let error = error_of(template);
        assert!(error.contains(expected), "{template}: {error:.300}");
    }
}

#[test]
fn enormous_widths_of_numbers_are_noted_in_the_output_as_by_go() {
    let template = "a: {{ printf \"%1000000001d|%.1000000001f\" 1 1.5 | quote }}\nb: {{ printf \"%*d\" 1000000001 1 | quote }}";
    let expected = json!({"a": "%!(NOVERB)%!(EXTRA int=1, float64=1.5)", "b": "%!(BADWIDTH)1"});
    assert_eq!(object_of(&[("templates/a.yaml", template)]), expected);
}

#[test]
fn aliases_that_multiply_are_refused_in_every_file() {
    let bomb = alias_bomb();
    let expected = "document contains excessive aliasing";
    for compat in [HelmCompat::Helm4, HelmCompat::Helm3] {
        let error = parse_values(bomb.as_bytes(), compat).unwrap_err();
        assert!(error.contains(expected), "{error:.300}");
    }
    let metadata = format!("name: top\nversion: 1.0.0\n{bomb}");
    for (name, text) in [("Chart.yaml", metadata.as_str()), ("values.yaml", &bomb), ("Chart.lock", &bomb)] {
        let files = [("Chart.yaml", "name: top\nversion: 1.0.0"), (name, text)];
        let error = ChartLoader::default().files(files).unwrap_err().to_string();
        assert!(error.starts_with(&format!("cannot load {name}: ")) && error.contains(expected), "{error:.300}");
    }
    let error = error_of(&bomb);
    assert!(error.starts_with("YAML parse error on top/templates/a.yaml: ") && error.contains(expected), "{error:.300}");
    let crd = [("crds/a.yaml", bomb.as_str())];
    let error = render(load("", &crd)).unwrap_err();
    assert!(error.starts_with("YAML parse error on top/crds/a.yaml: ") && error.contains(expected), "{error:.300}");
    let object = object_of(&[
        ("bomb.yaml", &bomb),
        ("templates/a.yaml", "error: {{ (.Files.Get \"bomb.yaml\" | fromYaml).Error | quote }}"),
    ]);
    assert!(object["error"].as_str().unwrap().contains(expected), "{object}");
}

#[test]
fn values_that_are_nested_deep_are_refused() {
    let deep = format!("a: {}{}", "[".repeat(10_000), "]".repeat(10_000));
    for compat in [HelmCompat::Helm4, HelmCompat::Helm3] {
        let error = parse_values(deep.as_bytes(), compat).unwrap_err();
        assert!(error.ends_with("error converting YAML to JSON: yaml: recursion limit exceeded"), "{error:.300}");
    }
    let error = ChartLoader::default().files([("Chart.yaml", "name: top\nversion: 1.0.0"), ("values.yaml", &deep)]).unwrap_err();
    assert!(error.to_string().starts_with("cannot load values.yaml: "), "{error:.300}");
}

#[test]
fn values_of_a_request_may_be_nested_as_deep_as_json() {
    let mut value = json!("end");
    for _ in 0..120 {
        value = json!({"a": value});
    }
    let template = "length: {{ .Values | toJson | len }}";
    let compiled = CompiledChart::new(load("", &[("templates/a.yaml", template)])).unwrap();
    let mut request = ChartRequest::new("rel", "ns");
    request.values.insert("a".to_owned(), value);
    let rendered = compiled.render(&request, Rc::new(OfflineHost::default())).unwrap();
    assert_eq!(*rendered.documents[0].object, json!({"length": 121 * 6 + 5}));
}

#[test]
fn the_environment_is_out_of_reach() {
    for name in ["env", "expandenv"] {
        let expected = format!("function \"{name}\" is not available in operators");
        for template in [format!("{{{{ {name} \"HOME\" }}}}"), format!("{{{{ tpl \"{{{{ {name} `HOME` }}}}\" . }}}}")] {
            let error = error_of(&template);
            assert!(error.contains(&expected) || error.contains(&expected.replace('"', "\\\"")), "{template}: {error}");
        }
    }
}

#[test]
fn files_outside_of_the_chart_are_out_of_reach() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("outside");
    fs::create_dir_all(folder.join("top/templates")).unwrap();
    fs::write(folder.join("secret.txt"), "secret").unwrap();
    fs::write(folder.join("top/Chart.yaml"), "name: top\nversion: 1.0.0").unwrap();
    fs::write(folder.join("top/own.txt"), "own").unwrap();
    let absolute = folder.join("secret.txt");
    let paths =
        ["../secret.txt", "./../secret.txt", "templates/../../secret.txt", &absolute.display().to_string(), "/etc/hostname"];
    let gets = paths.map(|path| format!("{{{{ .Files.Get {path:?} }}}}")).concat();
    let template = format!(
        "got: \"{gets}\"\nfiles: [{{{{ range $path, $_ := .Files.Glob \"**\" }}}}{{{{ $path }}}},{{{{ end }}}}]\n\
         above: [{{{{ range $path, $_ := .Files.Glob \"../**\" }}}}{{{{ $path }}}},{{{{ end }}}}]\n\
         lines: {{{{ .Files.Lines \"/etc/hostname\" | toJson }}}}"
    );
    fs::write(folder.join("top/templates/a.yaml"), template).unwrap();
    let rendered = render(ChartLoader::default().path(folder.join("top")).unwrap()).unwrap();
    assert_eq!(*rendered.documents[0].object, json!({"got": "", "files": ["own.txt"], "above": [], "lines": []}));
    for name in ["readFile", "readDir", "listFiles", "file", "files"] {
        let error = error_of(&format!("{{{{ {name} \"/etc/hostname\" }}}}"));
        assert!(error.contains(&format!("function \"{name}\" not defined")), "{error}");
    }
}

#[test]
fn the_network_is_out_of_reach() {
    assert_eq!(object_of(&[("templates/a.yaml", "a: {{ getHostByName \"localhost\" | quote }}")]), json!({"a": ""}));
    let template = "a: {{ lookup \"v1\" \"Secret\" \"default\" \"\" | toJson }}";
    assert_eq!(object_of(&[("templates/a.yaml", template)]), json!({"a": {}}));
}
