use serde_json::json;

use super::*;
use crate::{ApplyOrder, Generator, GeneratorExt, Manifests, RenderInputs};

fn context(parameters: Value) -> RenderContext<()> {
    let Value::Object(parameters) = parameters else { panic!("no map") };
    let inputs = RenderInputs { namespace: "ns".to_owned(), name: "web".to_owned(), ..RenderInputs::default() };
    RenderContext::new((), parameters, inputs)
}

/// A generator whose only object has the parameters as its data.
async fn data(cx: &RenderContext<()>) -> Result<Vec<Manifest>, RenderError> {
    let metadata = json!({ "name": "data", "labels": { "app": "web" } });
    let object = json!({ "apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": cx.parameters() });
    Ok(vec![Manifest::from_json(object)?.annotate(ApplyOrder(1))])
}

async fn rendered(generator: impl Generator<()>, parameters: Value) -> Result<Vec<Value>, String> {
    let manifests = generator.render(&context(parameters)).await.map_err(|error| error.to_string())?;
    Ok(manifests.into_iter().map(|manifest| manifest.resolve("op").unwrap()).collect())
}

async fn data_of(generator: impl Generator<()>, parameters: Value) -> Value {
    rendered(generator, parameters).await.unwrap().remove(0)["data"].take()
}

mod order {
    use super::*;

    struct Noting(&'static str);

    impl Transform<()> for Noting {
        async fn parameters(
            &self,
            _: &RenderContext<()>,
            mut parameters: Map<String, Value>,
        ) -> Result<Map<String, Value>, RenderError> {
            let before = parameters.get("order").and_then(Value::as_str).unwrap_or_default();
            parameters.insert("order".to_owned(), format!("{before}{}", self.0).into());
            Ok(parameters)
        }

        async fn objects(&self, _: &RenderContext<()>, mut objects: Vec<Manifest>) -> Result<Vec<Manifest>, RenderError> {
            objects.push(Manifest::from_json(json!({ "kind": self.0 }))?);
            Ok(objects)
        }
    }

    // GEN-8
    #[tokio::test]
    async fn the_last_transformer_is_the_first_for_parameters_and_the_last_for_objects() {
        let generator = data
            .transform(Noting("a"))
            .map_parameters(|_, mut parameters| {
                let before = parameters["order"].as_str().unwrap_or_default();
                parameters["order"] = format!("{before}-").into();
                Ok(parameters)
            })
            .transform(Noting("b"));
        let objects = rendered(generator, json!({})).await.unwrap();
        assert_eq!(objects[0]["data"]["order"], "b-a");
        assert_eq!((&objects[1]["kind"], &objects[2]["kind"]), (&json!("a"), &json!("b")));
    }

    #[tokio::test]
    async fn a_broken_transformer_is_found_at_start() {
        let generator = data.transform(ParameterTemplate::embedded("values.tpl", "a: 1\nb: {{ .x | nothing }}\n"));
        let error = Generator::<()>::check(&generator).unwrap_err().to_string();
        assert_eq!(error, "values.tpl:2: function \"nothing\" not defined");
        assert_eq!(rendered(generator, json!({})).await.unwrap_err(), error);
    }
}

mod parameter_template {
    use super::*;

    async fn rendered_to(text: &str, parameters: Value) -> Value {
        data_of(data.transform(ParameterTemplate::embedded("values.tpl", text)), parameters).await
    }

    async fn failure(text: &str) -> String {
        rendered(data.transform(ParameterTemplate::embedded("values.tpl", text)), json!({})).await.unwrap_err()
    }

    #[tokio::test]
    async fn parameters_are_replaced_by_the_rendered_map() {
        let text = "{{/* comment */}}\nname: {{ .Name }}.{{ .Namespace }}\ncount: {{ .replicas }}\nlist: {{ toJson .list }}\n";
        let parameters = json!({ "replicas": 10_000_000, "list": [1, "a"], "Name": "hidden", "other": 1 });
        let expected = json!({ "name": "web.ns", "count": 10_000_000, "list": [1, "a"] });
        assert_eq!(rendered_to(text, parameters).await, expected);
    }

    #[tokio::test]
    async fn missing_keys_render_empty() {
        let text = "a: '{{ .missing }}'\nb: {{ .missing }}\nc: {{ .missing | default 3 }}\n";
        assert_eq!(rendered_to(text, json!({})).await, json!({ "a": "", "b": null, "c": 3 }));
    }

    #[tokio::test]
    async fn an_empty_output_gives_no_parameters() {
        assert_eq!(rendered_to("{{ if .no }}a: 1{{ end }}", json!({ "x": 1 })).await, json!({}));
    }

    #[tokio::test]
    async fn functions_of_sprig_bits_and_strict_data_are_there() {
        let text = "{{ define \"t\" }}in{{ end }}a: {{ include \"t\" . | upper }}\nb: {{ bitwiseAnd 6 3 }}\nc: {{ (fromYaml \"x: 1\").x }}\n";
        assert_eq!(rendered_to(text, json!({})).await, json!({ "a": "IN", "b": 2, "c": 1 }));
        let error = failure("a: {{ fromJson \"{\" }}").await;
        assert!(error.starts_with("values.tpl:1: column 7: executing"), "{error}");
    }

    #[tokio::test]
    async fn lookups_and_the_environment_are_unknown() {
        let lookup = failure("a: {{ lookup \"v1\" \"Pod\" \"a\" \"b\" }}").await;
        assert_eq!(lookup, "values.tpl:1: function \"lookup\" not defined");
        let env = failure("\na: {{ env \"HOME\" }}").await;
        assert_eq!(env, "values.tpl:2: function \"env\" is not available in operators");
    }

    #[tokio::test]
    async fn randomness_is_equal_in_a_second_rendering() {
        let text = "a: {{ randAlphaNum 20 }}";
        assert_eq!(rendered_to(text, json!({})).await, rendered_to(text, json!({})).await);
    }

    #[tokio::test]
    async fn an_output_that_is_no_map_is_an_error_that_names_the_file() {
        let error = failure("- {{ .Name }}").await;
        assert_eq!(error, "values.tpl: the rendered parameters are no YAML map: they are of type array");
        let error = failure("a: {{ .Name }}: b").await;
        assert!(
            error.starts_with("values.tpl: the rendered parameters are no YAML map: error converting YAML to JSON: "),
            "{error}"
        );
        let error = failure("a: 1\nb: {{ required \"need b\" .b }}").await;
        assert_eq!(error, "values.tpl:2: column 7: need b");
    }

    #[tokio::test]
    async fn a_missing_file_is_found_at_start() {
        let template = ParameterTemplate::file("no/such/file.tpl");
        let error = Transform::<()>::check(&template).unwrap_err().to_string();
        assert!(error.starts_with("no/such/file.tpl: "), "{error}");
    }
}

mod substitution {
    use super::*;

    fn variables() -> Substitution<()> {
        Substitution::new([("n", "3"), ("host", "example.com"), ("lines", "a\nb\n")])
    }

    #[tokio::test]
    async fn variables_are_replaced_in_the_yaml_of_objects_and_marks_stay() {
        let parameters = json!({ "count": "${n}", "url": "https://${host}/${path:-index}", "${host}": ["${n}x", 5, null], "quoted": "'${n}'" });
        let object = rendered(data.transform(variables()), parameters).await.unwrap().remove(0);
        let expected = json!({ "count": 3, "url": "https://example.com/index", "example.com": ["3x", 5, null], "quoted": "'3'" });
        assert_eq!(object["data"], expected);
        assert_eq!(object["metadata"]["annotations"], json!({ "op/apply-order": "1" }));
    }

    #[tokio::test]
    async fn without_variables_nothing_is_changed() {
        let parameters = json!({ "a": "${n} $$ ${" });
        let generator = data.transform(Substitution::new(Vec::<(String, String)>::new()));
        assert_eq!(data_of(generator, parameters.clone()).await, parameters);
    }

    #[tokio::test]
    async fn dollars_are_escaped_and_numbers_and_texts_keep_their_types() {
        let parameters = json!({ "a": "$${n} $$", "b": "yes", "c": 12_345_678, "d": "1", "e": 1.5, "f": "a: b\n\n# c\n" });
        let expected = json!({ "a": "${n} $", "b": "yes", "c": 12_345_678, "d": "1", "e": 1.5, "f": "a: b\n\n# c\n" });
        assert_eq!(data_of(data.transform(variables()), parameters).await, expected);
    }

    #[tokio::test]
    async fn line_breaks_are_removed_from_values() {
        assert_eq!(data_of(data.transform(variables()), json!({ "a": "${lines}" })).await, json!({ "a": "ab" }));
    }

    #[tokio::test]
    async fn only_selected_objects_are_changed() {
        let parameters = || json!({ "a": "${n}" });
        let changed = json!({ "a": 3 });
        assert_eq!(data_of(data.transform(variables().with_labels("app in (web, x)")), parameters()).await, changed);
        assert_eq!(data_of(data.transform(variables().with_labels("app!=web")), parameters()).await, parameters());
        let secrets = variables().only(|object| object["kind"] == "Secret");
        assert_eq!(data_of(data.transform(secrets), parameters()).await, parameters());
    }

    #[tokio::test]
    async fn variables_come_from_the_context() {
        let generator = data.transform(Substitution::from_context(|cx: &RenderContext<()>| {
            Ok([("name".to_owned(), cx.name().to_owned())].into())
        }));
        assert_eq!(data_of(generator, json!({ "a": "${name}" })).await, json!({ "a": "web" }));
    }

    #[tokio::test]
    async fn errors_name_object_and_field_and_show_no_text() {
        let fails = |parameters| async { rendered(data.transform(variables()), parameters).await.unwrap_err() };
        assert_eq!(
            fails(json!({ "a": { "b": ["x", "hunter2${host"] } })).await,
            "object ConfigMap data: the variables in data.a.b[1]: missing closing brace; write $$ for a dollar sign that begins no variable"
        );
        let error = fails(json!({ "a": "${nothing:-[}" })).await;
        assert!(error.starts_with("object ConfigMap data: after the substitution of variables, it is no YAML: "), "{error}");
    }

    #[test]
    fn malformed_names_and_selectors_are_found_at_start() {
        let fault = |substitution: Substitution<()>| substitution.check().unwrap_err().to_string();
        for name in ["1a", "a-b", ""] {
            let expected = format!(
                "{name:?} is no name of a variable; allowed are letters, digits and underscores, and no digit at the begin"
            );
            assert_eq!(fault(Substitution::new([(name, "secret")])), expected);
        }
        assert!(fault(variables().with_labels("a==(")).starts_with("label selector \"a==(\" of a substitution: "));
    }
}

#[cfg(feature = "kustomize")]
mod kustomize_patches {
    use super::*;
    use crate::{ImageChange, ObjectPatch};

    fn patch(patch: &str) -> ObjectPatch {
        ObjectPatch { patch: patch.to_owned(), target: None }
    }

    #[tokio::test]
    async fn patches_change_and_delete_objects_and_marks_stay() {
        let more = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: more}\n";
        let patches = [
            patch("{apiVersion: v1, kind: ConfigMap, metadata: {name: data}, data: {b: c}}"),
            patch("{apiVersion: v1, kind: ConfigMap, metadata: {name: more}, $patch: delete}"),
        ];
        let generator = Manifests::embedded("more.yaml", more).union(data).transform(KustomizePatches::new(patches, []));
        let objects = rendered(generator, json!({ "a": "1" })).await.unwrap();
        assert_eq!(objects.len(), 1);
        assert_eq!(objects[0]["data"], json!({ "a": "1", "b": "c" }));
        assert_eq!(objects[0]["metadata"]["annotations"], json!({ "op/apply-order": "1" }));
    }

    #[tokio::test]
    async fn patches_and_images_come_from_the_context() {
        let pod = "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec: {containers: [{name: c, image: nginx}]}\n";
        let patches = KustomizePatches::from_context(|cx: &RenderContext<()>| {
            let image = ImageChange { name: "nginx".to_owned(), new_tag: cx.name().to_owned(), ..ImageChange::default() };
            Ok((Vec::new(), vec![image]))
        });
        let objects = rendered(Manifests::embedded("pod.yaml", pod).transform(patches), json!({})).await.unwrap();
        assert_eq!(objects[0]["spec"]["containers"][0]["image"], "nginx:web");
    }

    #[tokio::test]
    async fn malformed_patches_are_found_at_start_and_missing_objects_when_rendering() {
        let malformed: KustomizePatches<()> = KustomizePatches::new([patch("a: b")], []);
        let error = malformed.check().unwrap_err().to_string();
        assert!(error.starts_with("patches[0]: unable to parse SM or JSON patch"), "{error}");
        let missing = KustomizePatches::new([patch("{apiVersion: v1, kind: ConfigMap, metadata: {name: x}}")], []);
        let error = rendered(data.transform(missing), json!({})).await.unwrap_err();
        assert!(error.starts_with("patches[0]: no resource matches strategic merge patch"), "{error}");
    }
}
