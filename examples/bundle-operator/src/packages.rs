//! The manifests of charts and kustomizations in Secrets and ConfigMaps.

use kubewright::prelude::*;

use crate::api::{Bundle, BundleChart, BundleFiles, BundleKustomization};

/// Renders a chart. Errors name the field of the spec.
pub(crate) async fn of_chart(
    cx: &RenderContext<Bundle>,
    source: &BundleChart,
    field: &str,
) -> Result<Vec<Manifest>, RenderError> {
    let chart = match (&source.archive, &source.files) {
        (Some(archive), None) => cx.secret(archive).map(|bytes| HelmChart::archive(bytes.to_vec())),
        (None, Some(files)) => files_of(cx, files)?.map(HelmChart::files),
        _ => {
            return Err(RenderError::input(format!("{field}: found none or both of archive and files; allowed: one of them")));
        }
    };
    // A source may only be missing if the Bundle is being deleted.
    let Some(chart) = chart else { return Ok(Vec::new()) };
    let rendered = chart.render(&cx.with_parameters(source.values.0.clone())).await;
    rendered.map_err(|error| in_field(error, field))
}

/// Renders a kustomization. Errors name the field of the spec.
pub(crate) async fn of_kustomization(
    cx: &RenderContext<Bundle>,
    source: &BundleKustomization,
    field: &str,
) -> Result<Vec<Manifest>, RenderError> {
    let Some(files) = files_of(cx, &source.files)? else { return Ok(Vec::new()) };
    let kustomization = Kustomization::files(files, &source.path);
    let rendered = kustomization.render(&cx.with_parameters(source.values.0.clone())).await;
    rendered.map_err(|error| in_field(error, field))
}

/// Returns the files of a ConfigMap: pairs of a path and a content. None if the ConfigMap is missing.
fn files_of(cx: &RenderContext<Bundle>, files: &BundleFiles) -> Result<Option<Vec<(String, String)>>, RenderError> {
    let Some(data) = cx.config_map(&files.config_map) else { return Ok(None) };
    if let Some(item) = files.items.iter().find(|item| !data.contains_key(&item.key)) {
        let namespace = cx.component().namespace().unwrap_or_default();
        let message = format!("key {} not found in ConfigMap {namespace}/{}", item.key, files.config_map.name);
        return Err(RenderError::transient(message));
    }
    let path = |key: &String| files.items.iter().find(|item| item.key == *key).map_or(key, |item| &item.path).clone();
    Ok(Some(data.iter().map(|(key, content)| (path(key), content.clone())).collect()))
}

/// Adds the field of the spec to the error of a file.
fn in_field(error: RenderError, field: &str) -> RenderError {
    match error {
        RenderError::Input(error) => RenderError::input(format!("{field}: {error}")),
        other => other,
    }
}
