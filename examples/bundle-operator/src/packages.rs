//! The manifests of charts and kustomizations in Secrets and ConfigMaps.

use std::collections::BTreeMap;
use std::sync::Arc;

use kubewright::prelude::*;

use crate::api::{Bundle, BundleChart, BundleFiles, BundleKustomization};

/// The size of the packed charts and of the files that are kept compiled, in bytes: for charts and for kustomizations.
const KEPT: usize = 32 << 20;

/// The compiled charts and kustomizations of all Bundles, one for each content. Copies share them.
#[derive(Clone, Debug)]
pub struct BundlePackages {
    charts: GeneratorCache<HelmChart>,
    kustomizations: GeneratorCache<Kustomization>,
}

/// The contents of files by their paths.
type PackageFiles<'a> = BTreeMap<&'a str, &'a [u8]>;

impl BundlePackages {
    /// Returns the number of charts that were compiled so far.
    pub fn compiled_charts(&self) -> u64 {
        self.charts.made()
    }

    /// Returns the number of kustomizations that were compiled so far.
    pub fn compiled_kustomizations(&self) -> u64 {
        self.kustomizations.made()
    }

    /// Renders a chart. Errors name the field of the spec.
    pub(crate) async fn render_chart(
        &self,
        cx: &RenderContext<Bundle>,
        source: &BundleChart,
        field: &str,
    ) -> Result<Vec<Manifest>, RenderError> {
        let chart = match (&source.archive, &source.config_map_archive, &source.files) {
            (Some(archive), None, None) => cx.secret(archive).map(|bytes| self.archived(bytes)),
            (None, Some(archive), None) => cx.config_map(archive).map(|bytes| self.archived(bytes)),
            (None, None, Some(files)) => files_of(cx, files, field)?.map(|files| {
                let contents = files.iter().flat_map(|(path, content)| [path.as_bytes(), content]);
                self.charts.get([&b"files"[..]].into_iter().chain(contents), || HelmChart::files(files.clone()))
            }),
            sources => {
                let found =
                    [("archive", sources.0.is_some()), ("configMapArchive", sources.1.is_some()), ("files", sources.2.is_some())];
                let found: Vec<&str> = found.into_iter().filter(|(_, is_given)| *is_given).map(|(name, _)| name).collect();
                let found = if found.is_empty() { "no source".to_owned() } else { found.join(" and ") };
                let message = format!("{field}: found {found}; allowed: one of archive, configMapArchive and files");
                return Err(RenderError::input(message));
            }
        };
        // A source may only be missing if the Bundle is being deleted.
        let Some(chart) = chart else { return Ok(Vec::new()) };
        let rendered = chart.render(&cx.with_parameters(source.values.0.clone())).await;
        rendered.map_err(|error| in_field(error, field))
    }

    fn archived(&self, bytes: &[u8]) -> Arc<HelmChart> {
        self.charts.get([b"archive", bytes], || HelmChart::archive(bytes))
    }

    /// Renders a kustomization. Errors name the field of the spec.
    pub(crate) async fn render_kustomization(
        &self,
        cx: &RenderContext<Bundle>,
        source: &BundleKustomization,
        field: &str,
    ) -> Result<Vec<Manifest>, RenderError> {
        let Some(files) = files_of(cx, &source.files, field)? else { return Ok(Vec::new()) };
        let contents = files.iter().flat_map(|(path, content)| [path.as_bytes(), content]);
        let contents = [source.path.as_bytes()].into_iter().chain(contents);
        let kustomization = self.kustomizations.get(contents, || Kustomization::files(files.clone(), &source.path));
        let rendered = kustomization.render(&cx.with_parameters(source.values.0.clone())).await;
        rendered.map_err(|error| in_field(error, field))
    }
}

impl Default for BundlePackages {
    fn default() -> Self {
        Self { charts: GeneratorCache::new(KEPT), kustomizations: GeneratorCache::new(KEPT) }
    }
}

/// Returns the files of a ConfigMap. None if the ConfigMap is missing.
fn files_of<'a>(
    cx: &'a RenderContext<Bundle>,
    files: &'a BundleFiles,
    field: &str,
) -> Result<Option<PackageFiles<'a>>, RenderError> {
    let Some(data) = cx.config_map(&files.config_map) else { return Ok(None) };
    if let Some(item) = files.items.iter().find(|item| !data.contains_key(item.key.as_str())) {
        let namespace = cx.component().namespace().unwrap_or_default();
        let message = format!("key {} not found in ConfigMap {namespace}/{}", item.key, files.config_map.name);
        return Err(RenderError::transient(message));
    }
    let mut found = PackageFiles::new();
    for (key, content) in data {
        let path = files.items.iter().find(|item| item.key == key).map_or(key, |item| &item.path);
        if found.insert(path, content).is_some() {
            let map = &files.config_map.name;
            let message = format!("{field}.files: two keys of ConfigMap {map} have the path {path}; allowed: one for each path");
            return Err(RenderError::input(message));
        }
    }
    Ok(Some(found))
}

/// Adds the field of the spec to the error of a file.
fn in_field(error: RenderError, field: &str) -> RenderError {
    match error {
        RenderError::Input(error) => RenderError::input(format!("{field}: {error}")),
        other => other,
    }
}
