//! Hosts: time, random bytes, objects of a cluster, and the questions that they note.

use std::cell::RefCell;
use std::rc::Rc;

use jiff::Timestamp;
use kubewright_chart::{ChartHost, ChartRequest, CompiledChart, OfflineHost};
use kubewright_template::Signature;
use serde_json::{Value, json};

use crate::charts::load;

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

    fn api_versions_asked(&self) {
        self.questions.borrow_mut().push("versions".to_owned());
    }
}

#[test]
fn the_host_answers_lookups_and_notes_the_questions() {
    let template = "data: [{{ (lookup \"v1\" \"Secret\" \"ns\" \"there\").data.n }}, {{ lookup \"v1\" \"Secret\" \"ns\" \"absent\" | toJson }}]\n\
                    served: {{ .Capabilities.APIVersions.Has \"x/v1\" }}\nminor: {{ .Capabilities.KubeVersion.Minor }}\n\
                    first: {{ index .Capabilities.APIVersions 0 }}";
    let compiled = CompiledChart::new(load("", &[("templates/a.yaml", template)])).unwrap();
    let host = Rc::new(AskedHost::default());
    let rendered = compiled.render(&ChartRequest::new("rel", "ns"), host.clone()).unwrap();
    assert_eq!(*rendered.documents[0].object, json!({"data": [1_000_000, {}], "served": false, "minor": 36, "first": "v1"}));
    assert_eq!(*host.questions.borrow(), ["v1/Secret ns/there", "v1/Secret ns/absent", "x/v1: false", "version", "versions"]);
}

#[test]
fn a_failing_lookup_fails_the_template() {
    let compiled =
        CompiledChart::new(load("", &[("templates/a.yaml", "{{ lookup \"v1\" \"Secret\" \"ns\" \"broken\" }}")])).unwrap();
    let error = compiled.render(&ChartRequest::new("rel", "ns"), Rc::new(AskedHost::default())).unwrap_err();
    assert!(error.to_string().ends_with("error calling lookup: the server is away"), "{error}");
}

#[test]
fn time_and_random_bytes_come_from_the_host() {
    let template = "data: {{ list (now | unixEpoch) (randBytes 6) | toJson }}";
    let compiled = CompiledChart::new(load("", &[("templates/a.yaml", template)])).unwrap();
    let data = |host: Rc<dyn ChartHost>| {
        compiled.render(&ChartRequest::new("rel", "ns"), host).unwrap().documents[0].object["data"].clone()
    };
    assert_eq!(data(Rc::new(AskedHost::default())), json!(["0", "BwcHBwcH"]));
    let offline = |seconds, seed| data(Rc::new(OfflineHost::new(Timestamp::from_second(seconds).unwrap(), seed)));
    assert_eq!(offline(5, 1)[0], "5");
    assert_eq!(offline(5, 1), offline(5, 1));
    assert_ne!(offline(5, 1), offline(5, 2));
}

#[test]
fn a_lookup_without_a_cluster_finds_nothing() {
    let template = "data: {{ list (lookup \"v1\" \"Secret\" \"ns\" \"there\") (lookup \"v1\" \"Secret\" \"\" \"\") | toJson }}";
    let compiled = CompiledChart::new(load("", &[("templates/a.yaml", template)])).unwrap();
    let rendered = compiled.render(&ChartRequest::new("rel", "ns"), Rc::new(OfflineHost::default())).unwrap();
    assert_eq!(rendered.documents[0].object["data"], json!([{}, {}]));
}

#[test]
fn a_required_version_of_kubernetes_is_a_question_too() {
    let compiled = CompiledChart::new(load("kubeVersion: '>=1.30.0-0'", &[])).unwrap();
    let host = Rc::new(AskedHost::default());
    compiled.render(&ChartRequest::new("rel", "ns"), host.clone()).unwrap();
    assert_eq!(*host.questions.borrow(), ["version"]);
}

#[test]
fn outputs_are_kept_across_the_templates_of_a_chart_unless_they_ask_the_host_or_functions_of_the_caller() {
    let parts = "{{ define \"served\" }}{{ .Capabilities.APIVersions.Has \"x/v1\" }}{{ end }}\
                 {{ define \"found\" }}{{ len (lookup \"v1\" \"Secret\" \"ns\" \"there\") }}{{ end }}\
                 {{ define \"own\" }}{{ own }}{{ .Capabilities.APIVersions.Has \"y/v1\" }}{{ end }}\
                 {{ define \"name\" }}{{ base .Template.Name }}{{ end }}";
    let template =
        "data: [{{ include \"served\" . }}, {{ include \"found\" . }}, {{ include \"own\" . }}, {{ include \"name\" . }}]";
    let files = [("templates/_parts.tpl", parts), ("templates/a.yaml", template), ("templates/b.yaml", template)];
    let questions = |is_repeatable: bool| {
        let builder = CompiledChart::builder(load("", &files)).functions(|functions| {
            functions.add("own", Signature::of(&[]), |_| Ok("".into()));
            if is_repeatable {
                functions.set_repeatable();
            }
        });
        let host = Rc::new(AskedHost::default());
        let rendered = builder.build().unwrap().render(&ChartRequest::new("rel", "ns"), host.clone()).unwrap();
        let data: Vec<&Value> = rendered.documents.iter().map(|document| &document.object["data"]).collect();
        assert_eq!(data, [&json!([false, 1, false, "a.yaml"]), &json!([false, 1, false, "b.yaml"])]);
        let questions = host.questions.borrow();
        ["x/v1: false", "v1/Secret ns/there", "y/v1: false"]
            .map(|question| questions.iter().filter(|asked| *asked == question).count())
    };
    assert_eq!(questions(false), [1, 2, 2]);
    assert_eq!(questions(true), [1, 2, 1]);
}
