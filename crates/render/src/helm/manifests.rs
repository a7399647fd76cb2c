//! The manifests of a rendered chart, with the marks that Helm's annotations stand for (HELM-7, HELM-12, HELM-16).

use std::sync::Arc;

use kubewright_chart::{ChartDocument, RenderedChart};
use kubewright_core::manifest::{DeletePolicy, flatten, keys};
use kubewright_machinery::object::ObjectExt as _;
use serde_json::Value;

use super::hooks::{HookDependent, dependents_of};
use super::policies::delete_policy;
use crate::{ApplyOrder, InputError, Manifest, ManifestMark, PurgeOrder, RenderError, RenderInputs, Stage};

/// The manifests of a chart, and warnings about its annotations.
#[derive(Debug, Default)]
pub(super) struct ChartManifests {
    pub(super) manifests: Vec<Manifest>,
    pub(super) warnings: Vec<String>,
}

/// Returns the manifests of a rendered chart: its CRDs, then the other objects in the order of their files. While the component is being deleted, only
/// those of deletion stages are returned: nothing about the others, such as a type that is gone, can hold back the deletion.
pub(super) fn manifests_of(rendered: RenderedChart, inputs: &RenderInputs) -> Result<ChartManifests, RenderError> {
    let mut reader = ManifestReader { inputs, manifests: Vec::new() };
    let mut warnings = rendered.warnings;
    for crd in rendered.crds {
        // Helm does not look for hooks there.
        reader.read(ChartDocument { hook: None, ..crd }, &mut warnings)?;
    }
    for document in rendered.documents {
        if !document.object.is_null() {
            reader.read(document, &mut warnings)?;
        }
    }
    Ok(ChartManifests { manifests: reader.manifests, warnings })
}

struct ManifestReader<'a> {
    inputs: &'a RenderInputs,
    manifests: Vec<Manifest>,
}

impl ManifestReader<'_> {
    fn read(&mut self, document: ChartDocument, warnings: &mut Vec<String>) -> Result<(), RenderError> {
        let ChartDocument { file, index, object, hook, .. } = document;
        let mut object = Arc::unwrap_or_clone(object);
        let title = object.title();
        let refused = |message: String| InputError::new(message).file(&file).object(&title);
        for (field, value) in [("apiVersion", object.api_version()), ("kind", object.kind())] {
            if value.is_empty() {
                let message = format!(
                    "document {}: {field} is missing; every manifest needs apiVersion, kind and metadata.name",
                    index + 1
                );
                return Err(InputError::new(message).file(&file).into());
            }
        }
        let is_finite = hook.is_some() && take_lifetime(&mut object);
        let mut warn = |warning: String| warnings.push(format!("{file}: {title}: {warning}"));
        let delete = delete_policy(&object).unwrap_or_else(|warning| {
            warn(warning);
            None
        });
        let dependents = match &hook {
            None => None,
            Some(hook) => {
                let found = dependents_of(hook, self.inputs.revision, is_finite).map_err(refused)?;
                found.warning.into_iter().for_each(&mut warn);
                Some(found.dependents)
            }
        };
        // Helm reads the annotations of a list, not of its items.
        for item in flatten(vec![object]) {
            match &dependents {
                None => self.add(item, delete, None)?,
                Some(dependents) => {
                    for dependent in self.dependents_of_item(&item, dependents) {
                        self.add(item.clone(), delete, Some(dependent))?;
                    }
                }
            }
        }
        Ok(())
    }

    /// Returns the dependents of a hook that one object becomes. An object that names a deletion stage itself is one dependent, of that stage.
    fn dependents_of_item<'a>(&self, item: &Value, dependents: &'a [HookDependent]) -> &'a [HookDependent] {
        match (self.has_own(item, keys::LIFECYCLE), dependents) {
            (true, [.., last]) => std::slice::from_ref(last),
            _ => dependents,
        }
    }

    fn add(&mut self, object: Value, delete: Option<DeletePolicy>, hook: Option<&HookDependent>) -> Result<(), RenderError> {
        let stage = hook.and_then(|hook| hook.lifecycle);
        let is_of_deletion = stage.is_some() || self.has_own(&object, keys::LIFECYCLE);
        if self.inputs.stage == Stage::Deletion && !is_of_deletion {
            return Ok(());
        }
        let mut manifest = self.marked(Manifest::from_json(object)?, delete);
        manifest = self.marked(manifest, stage);
        manifest = self.marked(manifest, hook.map(|hook| hook.reconcile));
        manifest = self.marked(manifest, hook.and_then(|hook| hook.update));
        manifest = self.marked(manifest, hook.map(|hook| ApplyOrder(hook.apply_order)));
        manifest = self.marked(manifest, hook.and_then(|hook| hook.purge_order).map(PurgeOrder));
        self.manifests.push(manifest);
        Ok(())
    }

    /// Marks a manifest, unless the chart itself has the annotation (HELM-12).
    fn marked<M: ManifestMark>(&self, manifest: Manifest, mark: Option<M>) -> Manifest {
        let annotations = manifest.content().and_then(|object| object.get("metadata")?.get("annotations"));
        let own = |key: &str| annotations?.get(format!("{}/{key}", self.inputs.operator))?.as_str();
        match mark.filter(|mark| own(mark.key()).is_none_or(str::is_empty)) {
            Some(mark) => manifest.annotate(mark),
            None => manifest,
        }
    }

    fn has_own(&self, object: &Value, key: &str) -> bool {
        object.annotation(&format!("{}/{key}", self.inputs.operator)).is_some_and(|value| !value.is_empty())
    }
}

/// Removes the time after which a finished Job is deleted. Returns true if the Job had one. A Job of a hook that went by itself would be missed, and run
/// again.
fn take_lifetime(object: &mut Value) -> bool {
    let is_job = object.kind() == "Job" && object.api_version().starts_with("batch/");
    let spec = object.get_mut("spec").and_then(Value::as_object_mut).filter(|_| is_job);
    spec.and_then(|spec| spec.remove("ttlSecondsAfterFinished")).is_some_and(|seconds| !seconds.is_null())
}

#[cfg(test)]
mod tests {
    use std::rc::Rc;

    use kubewright_chart::{ChartLoader, ChartRequest, CompiledChart, OfflineHost};
    use serde_json::json;

    use super::*;

    const OPERATOR: &str = "op.example.com";

    fn inputs(revision: i64, stage: Stage) -> RenderInputs {
        RenderInputs { operator: OPERATOR.to_owned(), revision, stage, ..RenderInputs::default() }
    }

    /// Renders a chart with one template and perhaps a file in `crds/`.
    fn read(template: &str, crd: &str, inputs: &RenderInputs) -> Result<ChartManifests, RenderError> {
        let files =
            [("Chart.yaml", "apiVersion: v2\nname: web\nversion: 1.0.0\n"), ("templates/a.yaml", template), ("crds/a.yaml", crd)];
        let compiled = CompiledChart::new(ChartLoader::default().files(files).unwrap()).unwrap();
        let rendered = compiled.render(&ChartRequest::new("web", "ns"), Rc::new(OfflineHost::default())).unwrap();
        manifests_of(rendered, inputs)
    }

    /// Returns the names of the objects, each with the framework's annotations.
    fn marks(template: &str, inputs: &RenderInputs) -> Vec<String> {
        let row = |manifest: Manifest| {
            let object = manifest.resolve(OPERATOR).unwrap();
            let own = object.annotations().iter().filter_map(|(key, value)| {
                let key = key.strip_prefix(OPERATOR)?.strip_prefix('/')?;
                Some(format!(" {key}={}", value.as_str().unwrap()))
            });
            format!("{}{}", object.name(), own.collect::<String>())
        };
        read(template, "", inputs).unwrap().manifests.into_iter().map(row).collect()
    }

    fn config_map(name: &str, annotations: Value) -> String {
        let metadata = json!({ "name": name, "annotations": annotations });
        format!("---\n{}\n", json!({ "apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata }))
    }

    // HELM-12
    #[test]
    fn annotations_of_the_chart_win_over_those_that_helms_annotations_stand_for() {
        let own = json!({
            "helm.sh/hook": "post-install", "helm.sh/resource-policy": "keep",
            "op.example.com/apply-order": "7", "op.example.com/delete-policy": "delete",
        });
        assert_eq!(
            marks(&config_map("a", own), &inputs(1, Stage::Apply)),
            ["a apply-order=7 delete-policy=delete reconcile-policy=once update-policy=recreate"]
        );
    }

    // HELM-12
    #[test]
    fn an_object_that_names_its_deletion_stage_is_one_dependent() {
        let own = json!({ "helm.sh/hook": "post-install,pre-delete", "op.example.com/lifecycle": "post-delete" });
        assert_eq!(
            marks(&config_map("a", own), &inputs(1, Stage::Apply)),
            ["a apply-order=0 lifecycle=post-delete reconcile-policy=on-object-change update-policy=recreate"]
        );
    }

    // HELM-13, HELM-16
    #[test]
    fn objects_keep_their_order_and_are_marked_only_if_helms_annotations_ask_for_it() {
        let kept = config_map("b", json!({ "helm.sh/resource-policy": "keep" }));
        let template = format!("{kept}---\n# nothing\n{}", config_map("a", json!({})));
        assert_eq!(marks(&template, &inputs(1, Stage::Apply)), ["b delete-policy=orphan", "a"]);
        let manifest = read(&config_map("a", json!({ "x": "y" })), "", &inputs(1, Stage::Apply)).unwrap().manifests.remove(0);
        let metadata = json!({ "name": "a", "annotations": { "x": "y" } });
        let expected = json!({ "apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata });
        assert_eq!(manifest.resolve(OPERATOR).unwrap(), expected);
    }

    // HELM-7
    #[test]
    fn definitions_come_first_and_are_no_hooks() {
        let crd = "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: x, annotations: {helm.sh/hook: test}}\n";
        let manifests = read(&config_map("a", json!({})), crd, &inputs(1, Stage::Apply)).unwrap().manifests;
        let names = manifests.iter().map(|manifest| manifest.content().unwrap()["metadata"]["name"].as_str().unwrap());
        assert_eq!(names.collect::<Vec<_>>(), ["x", "a"]);
    }

    // DEL-5, DEL-6
    #[test]
    fn only_objects_of_deletion_stages_are_rendered_for_a_deletion() {
        let template = config_map("plain", json!({}))
            + &config_map("both", json!({ "helm.sh/hook": "pre-install,pre-delete", "helm.sh/hook-weight": "3" }))
            + &config_map("own", json!({ "op.example.com/lifecycle": "post-delete" }));
        let both = "both apply-order=3 lifecycle=pre-delete reconcile-policy=on-object-change update-policy=recreate";
        let own = "own lifecycle=post-delete";
        assert_eq!(marks(&template, &inputs(2, Stage::Deletion)), [both, own]);
        let ordinary = "both apply-order=-98 reconcile-policy=once update-policy=recreate";
        assert_eq!(marks(&template, &inputs(2, Stage::Apply)), ["plain", ordinary, both, own]);
    }

    // HELM-14
    #[test]
    fn a_hook_that_would_go_by_itself_is_deleted_when_it_has_succeeded() {
        let job = |annotations: Value| {
            let metadata = json!({ "name": "job", "annotations": annotations });
            let spec = json!({ "ttlSecondsAfterFinished": 0, "template": {} });
            json!({ "apiVersion": "batch/v1", "kind": "Job", "metadata": metadata, "spec": spec }).to_string()
        };
        let hook = job(json!({ "helm.sh/hook": "post-install", "helm.sh/hook-delete-policy": "before-hook-creation" }));
        let mark = "job apply-order=101 purge-order=201 reconcile-policy=once update-policy=recreate";
        assert_eq!(marks(&hook, &inputs(1, Stage::Apply)), [mark]);
        let spec = |template: &str| {
            let manifest = read(template, "", &inputs(1, Stage::Apply)).unwrap().manifests.remove(0);
            manifest.content().unwrap()["spec"].clone()
        };
        assert_eq!(spec(&hook), json!({ "template": {} }));
        assert_eq!(spec(&job(json!({})))["ttlSecondsAfterFinished"], 0, "an ordinary Job stays as it is");
    }

    #[test]
    fn the_annotations_of_a_list_hold_for_its_items() {
        let items = ["a", "b"].map(|name| json!({ "apiVersion": "v1", "kind": "ConfigMap", "metadata": { "name": name } }));
        let metadata = json!({ "annotations": { "helm.sh/hook": "post-install" } });
        let list = json!({ "apiVersion": "v1", "kind": "List", "metadata": metadata, "items": items });
        let mark = "apply-order=101 reconcile-policy=once update-policy=recreate";
        assert_eq!(marks(&list.to_string(), &inputs(1, Stage::Apply)), [format!("a {mark}"), format!("b {mark}")]);
    }

    // GEN-4
    #[test]
    fn errors_name_template_and_object() {
        let error = |template: &str| read(template, "", &inputs(1, Stage::Apply)).unwrap_err().to_string();
        let hook = error(&config_map("a", json!({ "helm.sh/hook": "never" })));
        let start = "web/templates/a.yaml: object ConfigMap a: invalid value in the annotation helm.sh/hook";
        assert!(hook.starts_with(start), "{hook}");
        assert_eq!(
            error("---\napiVersion: v1\nmetadata: {name: a}\n"),
            "web/templates/a.yaml: document 1: kind is missing; every manifest needs apiVersion, kind and metadata.name"
        );
    }

    // HELM-13, HELM-14
    #[test]
    fn annotations_without_effect_are_warned_about() {
        let annotations = json!({
            "helm.sh/hook": "post-install", "helm.sh/hook-delete-policy": "hook-failed", "helm.sh/resource-policy": "drop",
        });
        let warnings = read(&config_map("a", annotations), "", &inputs(1, Stage::Apply)).unwrap().warnings;
        let start = "web/templates/a.yaml: ConfigMap a: ";
        assert!(warnings.len() == 2 && warnings.iter().all(|warning| warning.starts_with(start)), "{warnings:?}");
    }
}
