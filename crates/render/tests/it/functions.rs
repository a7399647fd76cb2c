//! The functions of kustomizations (KUS-10, TPL-4).

use kubewright_render::{FunctionError, Generator as _, GoValue, Kustomization, Parameter, Question, Signature};
use serde_json::json;

use crate::rendering::{config_map, context, failure, fault, kustomization, objects, resolved, text_of, texts};

// KUS-10
#[tokio::test]
async fn files_are_listed_by_patterns_and_read() {
    let files = [
        ("a.yaml", config_map("a", "{{ listFiles .pattern | join \",\" }}")),
        ("conf/b.txt", String::new()),
        ("conf/a.txt", String::new()),
        ("conf/deep/c.txt", String::new()),
        ("top.txt", String::new()),
    ];
    let kustomization = Kustomization::files(files, "");
    for (pattern, expected) in [
        ("conf/*.txt", "conf/a.txt,conf/b.txt"),
        ("*.txt", "top.txt"),
        ("./conf//[ab].txt", "conf/a.txt,conf/b.txt"),
        ("**/*.txt", "conf/a.txt,conf/b.txt,conf/deep/c.txt,top.txt"),
        ("conf/{b,c}.tx?", "conf/b.txt"),
        ("none/*", "null"),
    ] {
        assert_eq!(texts(&objects(&kustomization, json!({ "pattern": pattern })).await)["a"], expected, "{pattern}");
    }
}

// KUS-10
#[tokio::test]
async fn the_existence_of_files_can_be_asked_for_and_a_missing_file_is_an_error() {
    assert_eq!(text_of("{{ existsFile `a.yaml` }} {{ existsFile `./b` }}", json!({})).await, "true false");
    let error = failure(&kustomization(&[("a.yaml", "{{ readFile `b` }}")])).await;
    assert!(error.starts_with("a.yaml:1: ") && error.contains("the file \"b\" does not exist"), "{error}");
    let error = failure(&kustomization(&[("a.yaml", "{{ readFile `/etc/passwd` }}")])).await;
    assert!(error.contains("the path \"/etc/passwd\" is absolute"), "{error}");
    let error = failure(&kustomization(&[("a.yaml", "{{ readFile `../../etc/passwd` }}")])).await;
    assert!(error.contains("the file \"../../etc/passwd\" does not exist"), "{error}");
    let error = failure(&kustomization(&[("a.yaml", "{{ listFiles `[` }}")])).await;
    assert!(error.contains("the pattern \"[\" is malformed"), "{error}");
}

// KUS-10
#[tokio::test]
async fn the_component_has_the_names_of_json_and_of_go() {
    let text = "{{ component.status.state }} {{ component.Status.State }} {{ component.APIVersion }} {{ (component).spec.size }} \
                {{ component.spec | toJson }} {{ hasKey component `status` }} {{ component.Status.Absent }}.";
    assert_eq!(text_of(text, json!({})).await, "Ready Ready demo/v1 3 {\"size\":3} true .");
}

// KUS-10
#[tokio::test]
async fn the_facts_of_the_rendering_are_functions() {
    let text = "{{ namespace }} {{ name }} {{ componentDigest }} {{ componentRevision }} {{ add 1 componentRevision }}";
    assert_eq!(text_of(text, json!({})).await, "prod web abc 7 8");
}

// KUS-10, GEN-5
#[tokio::test]
async fn the_version_of_kubernetes_prints_as_the_git_version_and_is_an_input() {
    let text = "{{ kubernetesVersion }} {{ kubernetesVersion.Minor }} {{ kubernetesVersion.gitVersion }} \
                {{ semverCompare `>=1.30` kubernetesVersion.GitVersion }} {{ kubernetesVersion.String }}";
    let files = [("a.yaml", config_map("a", text))];
    let context = context(json!({}));
    let kustomization = Kustomization::files(files, "");
    let found = resolved(kustomization.render(&context).await.unwrap());
    assert_eq!(texts(&found)["a"], "v1.36.2 36 v1.36.2 true v1.36.2");
    assert_eq!(context.asked().into_keys().collect::<Vec<_>>(), [Question::Version]);
}

// KUS-10
#[tokio::test]
async fn the_resources_of_the_api_are_sorted_lists() {
    let text = "{{ range apiResources }}{{ .groupVersion }}{{ range .resources }} {{ .name }} {{ .kind }} {{ .verbs | join `+` }}{{ end }};{{ end }}";
    let expected = "apps/v1 deployments Deployment get+list deployments/scale Scale get;v1 pods Pod get;";
    assert_eq!(text_of(text, json!({})).await, expected);
    let text = "{{ range apiResources }}{{ .GroupVersion }}{{ range .APIResources }} {{ .Name }} {{ .Group }} {{ .Namespaced }} \
                {{ range .ShortNames }}{{ . }}{{ end }}{{ if has `list` .Verbs }}{{ .SingularName }}{{ end }}{{ end }};{{ end }}";
    let expected = "apps/v1 deployments apps true deploydeployment deployments/scale autoscaling true ;v1 pods  true ;";
    assert_eq!(text_of(text, json!({})).await, expected);
    let list = "{{ (index apiResources 1) | toJson }}";
    let expected = json!({ "groupVersion": "v1", "resources": [
        { "group": "", "kind": "Pod", "name": "pods", "namespaced": true, "singularName": "pod", "verbs": ["get"], "version": "v1" },
    ] });
    assert_eq!(text_of(list, json!({})).await, expected.to_string());
}

// KUS-10
#[tokio::test]
async fn a_field_that_lists_of_resources_do_not_have_is_an_error() {
    let error = failure(&kustomization(&[("a.yaml", "{{ (index apiResources 0).Resource }}")])).await;
    assert!(error.starts_with("a.yaml:1: ") && error.contains("Resource"), "{error}");
}

// TPL-3
#[tokio::test]
async fn data_are_read_and_written_strictly() {
    assert_eq!(text_of("read {{ fromYaml `[1, 2]` | toJson }}{{ fromJson `3` }}", json!({})).await, "read [1,2]3");
    let error = failure(&kustomization(&[("a.yaml", "{{ fromYaml `a: [` }}")])).await;
    assert!(error.starts_with("a.yaml:1: column 4: executing \"a.yaml\""), "{error}");
    assert!(fault(&kustomization(&[("a.yaml", "{{ toYamlPretty . }}")])).contains("function \"toYamlPretty\" not defined"));
}

// TPL-4
#[tokio::test]
async fn functions_of_the_operator_can_be_called() {
    let files = [("a.yaml", config_map("a", "{{ zone `eu` 2 }}"))];
    let kustomization =
        Kustomization::files(files, "").function("zone", Signature::of(&[Parameter::String, Parameter::Int]), |call| match call
            .string(0)
            .to_text()
            .as_ref()
        {
            "" => Err(FunctionError::new("the region is missing")),
            region => Ok(GoValue::string(format!("{region}-{}", call.int(1)))),
        });
    assert_eq!(texts(&objects(&kustomization, json!({})).await)["a"], "eu-2");
}

// TPL-4
#[test]
fn built_in_functions_cannot_be_replaced() {
    for name in ["readFile", "component", "upper", "printf", "env", "lookup"] {
        let kustomization = kustomization(&[("a.yaml", "")]).function(name, Signature::of(&[]), |_| Ok(GoValue::Nil));
        assert!(fault(&kustomization).contains(&format!("the function {name:?}")), "{name}");
    }
}
