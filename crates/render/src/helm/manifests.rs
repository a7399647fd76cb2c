//! The manifests of a rendered chart, with the marks that Helm's annotations stand for (HELM-7, HELM-12, HELM-16).

use kubewright_chart::{ChartDocument, RenderedChart};
use kubewright_core::manifest::{Lifecycle, keys};
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
        let mut warn = |warning: String| warnings.push(format!("{file}: {title}: {warning}"));
        let delete = delete_policy(&object).unwrap_or_else(|warning| {
            warn(warning);
            None
        });
        let dependents = match &hook {
            None => None,
            Some(hook) => {
                let found = dependents_of(hook, self.inputs.revision).map_err(refused)?;
                found.warning.into_iter().for_each(&mut warn);
                Some(found.dependents)
            }
        };
        // Helm reads the annotations of a list, not of its items.
        for item in items(object) {
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
        match (self.own_annotation(item, keys::LIFECYCLE), dependents) {
            (Some(_), [.., last]) => std::slice::from_ref(last),
            _ => dependents,
        }
    }

    fn add(
        &mut self,
        object: Value,
        delete: Option<kubewright_core::manifest::DeletePolicy>,
        hook: Option<&HookDependent>,
    ) -> Result<(), RenderError> {
        let own_stage = self.own_annotation(&object, keys::LIFECYCLE).is_some();
        let is_of_deletion = own_stage || hook.is_some_and(|hook| hook.lifecycle.is_some());
        if self.inputs.stage == Stage::Deletion && !is_of_deletion {
            return Ok(());
        }
        let mut marks: Vec<Box<dyn ManifestMark>> = Vec::new();
        marks.extend(delete.map(boxed));
        if let Some(HookDependent { lifecycle, reconcile, update, apply_order, purge_order }) = hook {
            marks.extend([boxed(*reconcile), boxed(ApplyOrder(*apply_order))]);
            marks.extend(lifecycle.map(boxed::<Lifecycle>));
            marks.extend(update.map(boxed));
            marks.extend(purge_order.map(|order| boxed(PurgeOrder(order))));
        }
        marks.retain(|mark| self.own_annotation(&object, mark.key()).is_none());
        let manifest = Manifest::from_json(object)?;
        self.manifests.push(marks.into_iter().fold(manifest, |manifest, mark| manifest.annotate(mark)));
        Ok(())
    }

    /// Returns an annotation of the framework that the chart itself gives an object (HELM-12).
    fn own_annotation<'a>(&self, object: &'a Value, key: &str) -> Option<&'a str> {
        object.annotation(&format!("{}/{key}", self.inputs.operator))
    }
}

fn boxed<M: ManifestMark + 'static>(mark: M) -> Box<dyn ManifestMark> {
    Box::new(mark)
}

/// Returns the objects of a list, also of those in it; an object that is no list as it is.
fn items(object: Value) -> Vec<Value> {
    let is_list = object.api_version() == "v1" && object.kind() == "List";
    match object {
        Value::Object(mut fields) if is_list => match fields.remove("items") {
            Some(Value::Array(objects)) => objects.into_iter().flat_map(items).collect(),
            _ => Vec::new(),
        },
        object => vec![object],
    }
}
