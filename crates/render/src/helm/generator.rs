//! The generator of a chart's objects.

use std::path::PathBuf;
use std::rc::Rc;
use std::sync::{Arc, OnceLock};

use include_dir::Dir;
use kubewright_chart::{ChartError, ChartLimits, ChartLoader, ChartRelease, ChartRequest, CompiledChart, HelmCompat};
use kubewright_template::{FunctionCall, FunctionError, GoValue, Signature, TemplateLimits};
use serde_json::{Map, Value};

use super::capabilities::known_capabilities;
use super::error::render_error;
use super::manifests::{ChartManifests, manifests_of};
use super::source::ChartSource;
use crate::answers::KnownAnswers;
use crate::functions::{CustomFunctions, add_lookups};
use crate::host::RenderHost;
use crate::{Generator, InputError, Manifest, RenderContext, RenderError, RenderInputs};

/// The objects of a Helm chart, rendered in process as Helm renders them.
///
/// The parameters of the component are the values of the user; its name and namespace are those of the release. Hooks become dependents with orders, and
/// `helm.sh/resource-policy: keep` a delete policy. `lookup` and `.Capabilities` ask the cluster of the dependents. The functions `now`, `randAlphaNum`,
/// `genCA` and their like give the same results in each rendering of a revision of a component.
///
/// The chart is loaded and compiled once, before its first use. The start of the operator reports its errors. Copies share it.
///
/// ```
/// use kubewright_render::HelmChart;
/// use kubewright_render::include_dir::{self, Dir, include_dir};
///
/// // Usually "$CARGO_MANIFEST_DIR/chart".
/// static CHART: Dir = include_dir!("$CARGO_MANIFEST_DIR/src");
///
/// let generator = HelmChart::embedded(&CHART);
/// ```
#[derive(Clone, Debug)]
pub struct HelmChart {
    source: ChartSource,
    options: ChartOptions,
    compiled: Arc<OnceLock<Result<CompiledChart, ChartFault>>>,
}

#[derive(Clone, Debug, Default)]
struct ChartOptions {
    compat: HelmCompat,
    chart_limits: ChartLimits,
    template_limits: TemplateLimits,
    functions: CustomFunctions,
}

/// The reason for which a chart cannot be rendered at all.
#[derive(Debug)]
enum ChartFault {
    Chart(ChartError),
    Function(String),
}

impl HelmChart {
    /// Renders a chart that the program embeds with [`include_dir!`](include_dir::include_dir).
    pub fn embedded(directory: &'static Dir<'static>) -> Self {
        Self::new(ChartSource::Embedded(directory))
    }

    /// Renders a chart on a disk: a directory or a `.tgz`.
    pub fn path(path: impl Into<PathBuf>) -> Self {
        Self::new(ChartSource::Path(Arc::new(path.into())))
    }

    /// Renders a chart from the bytes of a `.tgz`.
    pub fn archive(bytes: impl Into<Arc<[u8]>>) -> Self {
        Self::new(ChartSource::Archive(bytes.into()))
    }

    /// Renders a chart from files in memory: pairs of a path below the directory of the chart and a content.
    pub fn files<P: Into<String>, D: Into<Vec<u8>>>(files: impl IntoIterator<Item = (P, D)>) -> Self {
        Self::new(ChartSource::Files(files.into_iter().map(|(path, content)| (path.into(), content.into())).collect()))
    }

    fn new(source: ChartSource) -> Self {
        Self { source, options: ChartOptions::default(), compiled: Arc::default() }
    }

    /// Renders as Helm 3 does; the default is Helm 4.
    #[must_use]
    pub fn helm3(self) -> Self {
        self.with(|options| options.compat = HelmCompat::Helm3)
    }

    /// Sets the limits of the chart's files.
    #[must_use]
    pub fn limits(self, limits: ChartLimits) -> Self {
        self.with(|options| options.chart_limits = limits)
    }

    /// Sets the limits of one rendering, of all templates together.
    #[must_use]
    pub fn template_limits(self, limits: TemplateLimits) -> Self {
        self.with(|options| options.template_limits = limits)
    }

    /// Adds a function that templates can call. Its result must be determined by its arguments. A name that a function of templates has already is an
    /// error of the operator's start.
    ///
    /// ```
    /// use kubewright_render::{HelmChart, Parameter, Signature};
    ///
    /// let chart = HelmChart::path("chart").function("shout", Signature::of(&[Parameter::String]), |call| {
    ///     Ok(call.string(0).to_text().to_uppercase().into())
    /// });
    /// ```
    #[must_use]
    pub fn function(
        self,
        name: &'static str,
        signature: Signature,
        body: impl Fn(&mut FunctionCall<'_>) -> Result<GoValue, FunctionError> + Send + Sync + 'static,
    ) -> Self {
        self.with(|options| options.functions.add(name, signature, body))
    }

    fn with(mut self, change: impl FnOnce(&mut ChartOptions)) -> Self {
        change(&mut self.options);
        // Copies that were made before keep the chart without the change.
        self.compiled = Arc::default();
        self
    }

    /// Returns the chart, compiled by the first call.
    pub(super) fn compiled(&self) -> Result<&CompiledChart, RenderError> {
        self.compiled.get_or_init(|| self.compile()).as_ref().map_err(|fault| match fault {
            ChartFault::Chart(error) => render_error(error),
            ChartFault::Function(text) => InputError::new(text).into(),
        })
    }

    fn compile(&self) -> Result<CompiledChart, ChartFault> {
        let ChartOptions { compat, chart_limits, template_limits, functions } = &self.options;
        let loader = ChartLoader { compat: *compat, limits: *chart_limits };
        let chart = self.source.load(&loader).map_err(ChartFault::Chart)?;
        let mut added = Ok(());
        let builder = CompiledChart::builder(chart).limits(*template_limits).functions(|set| {
            add_lookups(set);
            added = functions.add_to(set);
        });
        added.map_err(ChartFault::Function)?;
        builder.build().map_err(ChartFault::Chart)
    }

    fn manifests(
        &self,
        inputs: &RenderInputs,
        values: &Map<String, Value>,
        answers: &Rc<KnownAnswers>,
    ) -> Result<ChartManifests, RenderError> {
        let release = ChartRelease {
            name: inputs.name.clone(),
            namespace: inputs.namespace.clone(),
            revision: inputs.revision,
            is_upgrade: inputs.revision > 1,
            service: inputs.operator.clone(),
        };
        let capabilities = Arc::new(known_capabilities(answers).map_err(RenderError::input)?);
        let request = ChartRequest { release, values: values.clone(), capabilities, validates_values: true };
        let rendered = self.compiled()?.render(&request, Rc::new(RenderHost::new(inputs, answers)));
        manifests_of(rendered.map_err(|error| render_error(&error))?, inputs)
    }
}

impl<C: Send + Sync + 'static> Generator<C> for HelmChart {
    async fn render(&self, context: &RenderContext<C>) -> Result<Vec<Manifest>, RenderError> {
        let (chart, inputs, values) = (self.clone(), context.inputs().clone(), context.parameters().clone());
        let rendered = context.run(move |answers| chart.manifests(&inputs, &values, answers)).await?;
        for warning in rendered.warnings {
            context.warn(warning);
        }
        Ok(rendered.manifests)
    }

    fn check(&self) -> Result<(), RenderError> {
        self.compiled().map(drop)
    }
}
