//! Charts whose templates are compiled.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::Arc;

use kubewright_template::value::MapType;
use kubewright_template::{ExecutionUsage, FunctionSet, GoMap, GoValue, TemplateLimits};

use super::crds::{ParsedCrds, crd_files};
use super::document_cache::DocumentCache;
use super::documents::{documents_of, texts_of};
use super::execution_error::template_error;
use super::functions::chart_functions;
use super::prepared::{PreparedTree, PreparedTrees};
use super::rendered::{RenderedChart, RenderedTexts};
use super::request::ChartRequest;
use super::scopes::{ChartScope, template_scopes};
use super::templates::ChartTemplates;
use crate::compat::HelmCompat;
use crate::dependencies::{ChartNode, SharedChart, check_aliases, check_dependencies, enable, is_in_range};
use crate::error::ChartError;
use crate::host::{ChartHost, HostOfTemplates, OfflineHost};
use crate::model::Chart;
#[cfg(feature = "schema")]
use crate::schema::ChartSchemas;
use crate::source::base_name;
use crate::values::empty_table;

/// The name of the template whose output is for the user alone.
const NOTES: &str = "NOTES.txt";

/// The tree of a rendering, and the outputs of its templates by their paths.
type RenderedTree = (Arc<PreparedTree>, BTreeMap<String, String>);

/// A chart with its subcharts, all templates compiled. It can be rendered by several threads at once.
#[derive(Debug)]
pub struct CompiledChart {
    shared: SharedChart,
    templates: ChartTemplates,
    crds: ParsedCrds,
    documents: DocumentCache,
    limits: TemplateLimits,
    prepared: PreparedTrees,
    #[cfg(feature = "schema")]
    schemas: ChartSchemas,
}

/// Compiles charts with other limits or with functions of the caller.
#[derive(Debug)]
pub struct CompiledChartBuilder {
    chart: Arc<Chart>,
    functions: FunctionSet,
    limits: TemplateLimits,
}

impl CompiledChartBuilder {
    /// Sets the limits of one rendering, of all templates together. See [`TemplateLimits`] for the defaults.
    pub const fn limits(mut self, limits: TemplateLimits) -> Self {
        self.limits = limits;
        self
    }

    /// Changes the functions that the templates can call. A template that calls an added one is executed for each `include`, unless the change ends with
    /// [`FunctionSet::set_repeatable`]; outputs of other templates are kept for the same data.
    pub fn functions(mut self, change: impl FnOnce(&mut FunctionSet)) -> Self {
        change(&mut self.functions);
        self
    }

    /// Compiles the chart.
    pub fn build(self) -> Result<CompiledChart, ChartError> {
        let metadata = &self.chart.metadata;
        if !matches!(metadata.chart_type.as_str(), "" | "application") {
            return Err(ChartError::NotInstallable(metadata.chart_type.clone()));
        }
        check_dependencies(&self.chart)?;
        check_aliases(&self.chart)?;
        let compiled = CompiledChart {
            shared: SharedChart::new(self.chart),
            templates: ChartTemplates::new(self.functions),
            crds: ParsedCrds::default(),
            documents: DocumentCache::default(),
            limits: self.limits,
            prepared: PreparedTrees::default(),
            #[cfg(feature = "schema")]
            schemas: ChartSchemas::default(),
        };
        compiled.compile_all()?;
        Ok(compiled)
    }
}

impl CompiledChart {
    /// Compiles a chart with the default limits and functions.
    pub fn new(chart: Chart) -> Result<Self, ChartError> {
        Self::builder(chart).build()
    }

    /// Returns a builder.
    pub fn builder(chart: Chart) -> CompiledChartBuilder {
        let functions = chart_functions(chart.compat());
        CompiledChartBuilder { chart: Arc::new(chart), functions, limits: TemplateLimits::default() }
    }

    /// Returns the chart.
    pub fn chart(&self) -> &Chart {
        &self.shared.chart
    }

    /// Returns the number of texts that have been compiled so far: files of templates, and texts of `tpl`. It stays the same while the same texts are
    /// rendered again.
    pub fn compiled_texts(&self) -> usize {
        self.templates.compiled_texts()
    }

    /// Returns the number of documents of outputs that have been read as YAML so far. It stays the same while a rendering gives documents of the last ones.
    pub fn read_documents(&self) -> usize {
        self.documents.read()
    }

    /// Renders the chart. The host is asked while templates are executed.
    pub fn render(&self, request: &ChartRequest, host: Rc<dyn ChartHost>) -> Result<RenderedChart, ChartError> {
        let compat = self.compat();
        let (tree, mut outputs) = self.rendered(request, host)?;
        let notes = take_notes(&tree.root, &mut outputs);
        let mut documents = Vec::new();
        for (path, output) in outputs {
            documents.extend(documents_of(&path, &output, compat, &self.documents)?);
        }
        let crds = self.crds.documents(&tree.root)?;
        let warnings = tree.warnings.clone();
        Ok(RenderedChart { documents, crds, crd_files: crd_files(&tree.root), notes, warnings, compat })
    }

    /// Renders the texts that `helm template` prints, in less time and memory than the objects. The errors are those of [`Self::render`], without those of
    /// the files of `crds/`, which are not read.
    pub fn render_texts(&self, request: &ChartRequest, host: Rc<dyn ChartHost>) -> Result<RenderedTexts, ChartError> {
        let compat = self.compat();
        let (tree, mut outputs) = self.rendered(request, host)?;
        let notes = take_notes(&tree.root, &mut outputs);
        let mut documents = Vec::new();
        for (path, output) in outputs {
            documents.extend(texts_of(&path, &output, compat)?);
        }
        let warnings = tree.warnings.clone();
        Ok(RenderedTexts { documents, crd_files: crd_files(&tree.root), notes, warnings, compat })
    }

    /// Returns the outputs of the templates by their paths, as they are: not split, and not read as YAML.
    pub fn outputs(&self, request: &ChartRequest, host: Rc<dyn ChartHost>) -> Result<BTreeMap<String, String>, ChartError> {
        self.rendered(request, host).map(|(_, outputs)| outputs)
    }

    fn rendered(&self, request: &ChartRequest, host: Rc<dyn ChartHost>) -> Result<RenderedTree, ChartError> {
        let compat = self.compat();
        let (tree, values) = self.prepared.get(&self.shared, &request.values, compat)?;
        #[cfg(feature = "schema")]
        if request.validates_values {
            tree.validate(|| self.schemas.validate(&tree.root, &values))?;
        }
        self.check_kubernetes(request, &*host)?;
        // It ends behind the scopes, so that it finds only those maps that hold themselves.
        let mut usage = ExecutionUsage::new(self.limits);
        let scopes = template_scopes(&tree.root, &values, request, &host, compat);
        let outputs = self.execute(&scopes, host, &mut usage)?;
        drop(values);
        Ok((tree, outputs))
    }

    fn compat(&self) -> HelmCompat {
        self.chart().compat()
    }

    fn check_kubernetes(&self, request: &ChartRequest, host: &dyn ChartHost) -> Result<(), ChartError> {
        let required = &self.chart().metadata.kube_version;
        if required.is_empty() {
            return Ok(());
        }
        host.kubernetes_version_asked();
        let version = &request.capabilities.kubernetes;
        if is_in_range(required, &version.normalized) {
            return Ok(());
        }
        Err(ChartError::KubeVersion { required: required.clone(), found: version.shown(self.compat()).to_owned() })
    }

    /// Compiles all templates, those of charts that values may disable too. An error of those is one only if they are enabled.
    fn compile_all(&self) -> Result<(), ChartError> {
        let compat = self.compat();
        let mut root = ChartNode::root(&self.shared);
        enable(&mut root, None, "", compat, &mut Vec::new())?;
        let request = ChartRequest::new("", "");
        let host: Rc<dyn ChartHost> = Rc::new(OfflineHost::default());
        let scopes = template_scopes(&root, &empty_table(), &request, &host, compat);
        let is_own = |scope: &ChartScope| Arc::ptr_eq(&scope.chart, &self.shared.chart);
        for (path, scope) in in_parsing_order(&scopes) {
            if let Err(error) = self.templates.compile(path, scope)
                && is_own(scope)
            {
                return Err(template_error(error, compat));
            }
        }
        Ok(())
    }

    /// Executes all templates that are no partials, and returns their outputs by their paths.
    fn execute(
        &self,
        scopes: &BTreeMap<String, ChartScope>,
        host: Rc<dyn ChartHost>,
        usage: &mut ExecutionUsage,
    ) -> Result<BTreeMap<String, String>, ChartError> {
        let compat = self.compat();
        let failed = |error| template_error(error, compat);
        let order = in_parsing_order(scopes);
        let set = self.templates.set(&order).map_err(failed)?;
        let host = HostOfTemplates(host);
        let mut outputs = BTreeMap::new();
        for (path, scope) in order {
            if base_name(path).starts_with('_') {
                continue;
            }
            let template = [("Name", GoValue::from(path)), ("BasePath", scope.base_path.as_str().into())];
            let template = GoMap::from_pairs(template).retyped(MapType::Named(compat.values_type()));
            scope.data.set_apart("Template", template.into());
            let data = scope.data.retyped(MapType::Named(compat.values_type())).into();
            let output = set.execute_within(path, &data, &host, usage).map_err(failed)?;
            outputs.insert(path.to_owned(), output.to_text().into_owned());
        }
        Ok(outputs)
    }
}

/// Takes the notes of the chart from the outputs, of which those without documents are removed.
fn take_notes(root: &ChartNode, outputs: &mut BTreeMap<String, String>) -> Option<String> {
    let notes = outputs.remove(&format!("{}/templates/{NOTES}", root.path));
    outputs.retain(|path, output| !path.ends_with(NOTES) && !output.trim().is_empty());
    notes
}

/// Returns templates in the order in which Helm parses and executes them: from the deepest path up, and in a depth in the reverse order of names, so that
/// the definitions of a parent win over those of its subcharts.
fn in_parsing_order(scopes: &BTreeMap<String, ChartScope>) -> Vec<(&str, &ChartScope)> {
    let mut order: Vec<(&str, &ChartScope)> = scopes.iter().map(|(path, scope)| (path.as_str(), scope)).collect();
    order.sort_by_cached_key(|(path, _)| Reverse((path.matches('/').count(), *path)));
    order
}
