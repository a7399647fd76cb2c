//! The manifests of a Bundle: those in its spec, and those of its sources.

use kubewright::prelude::*;

use crate::api::{Bundle, Source};
use crate::packages::BundlePackages;

/// The generator of Bundles: the manifests of the spec, of its ConfigMaps, of its charts, and of its kustomizations, in this order.
#[derive(Clone, Debug, Default)]
pub struct BundleGenerator {
    packages: BundlePackages,
}

impl BundleGenerator {
    /// Creates a generator that compiles charts and kustomizations by these packages.
    pub const fn new(packages: BundlePackages) -> Self {
        Self { packages }
    }
}

impl Generator<Bundle> for BundleGenerator {
    async fn render(&self, cx: &RenderContext<Bundle>) -> Result<Vec<Manifest>, RenderError> {
        let spec = &cx.component().spec;
        let mut manifests = Manifests::parse("spec.manifests", &spec.manifests)?;
        for source in &spec.config_maps {
            manifests.extend(of_source(cx, source)?);
        }
        for (index, chart) in spec.charts.iter().enumerate() {
            manifests.extend(self.packages.render_chart(cx, chart, &format!("spec.charts[{index}]")).await?);
        }
        for (index, kustomization) in spec.kustomizations.iter().enumerate() {
            let field = format!("spec.kustomizations[{index}]");
            manifests.extend(self.packages.render_kustomization(cx, kustomization, &field).await?);
        }
        Ok(manifests)
    }
}

fn of_source(cx: &RenderContext<Bundle>, source: &Source) -> Result<Vec<Manifest>, RenderError> {
    let namespace = cx.component().namespace().unwrap_or_default();
    let object = format!("ConfigMap {namespace}/{}", source.config_map.name);
    // A ConfigMap may only be missing if the Bundle is being deleted.
    let Some(data) = cx.config_map(&source.config_map) else {
        return Ok(Vec::new());
    };
    let mut manifests = Vec::new();
    match &source.key {
        Some(key) => {
            // The key may be added with the next change of the ConfigMap, which is watched.
            let text = data.get(key).ok_or_else(|| RenderError::transient(format!("key {key} not found in {object}")))?;
            manifests.extend(Manifests::parse(&format!("{object}, key {key}"), text)?);
        }
        None => {
            for (key, text) in data {
                manifests.extend(Manifests::parse(&format!("{object}, key {key}"), text)?);
            }
        }
    }
    Ok(manifests)
}
