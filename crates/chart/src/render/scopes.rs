//! The data of templates: one root object per chart of the tree.

use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::Arc;

use kubewright_template::value::MapType;
use kubewright_template::{GoMap, GoValue};

use super::request::ChartRequest;
use crate::compat::HelmCompat;
use crate::dependencies::ChartNode;
use crate::host::ChartHost;
use crate::model::{Chart, ChartType};
use crate::scope::{CapabilitiesObject, FilesObject, chart_object};
use crate::source::base_name;
use crate::values::{empty_table, table_at};

/// A template with the data that it is executed with.
#[derive(Clone, Debug)]
pub(super) struct ChartScope {
    pub(super) chart: Arc<Chart>,
    /// The index of the file in the templates of the chart.
    pub(super) index: usize,
    /// The root object. All templates of a chart share it, as with Helm: a template sees the changes of those before it.
    pub(super) data: GoMap,
    /// The path of the chart's templates.
    pub(super) base_path: String,
}

/// Returns the templates of a tree by their paths, with their data.
pub(super) fn template_scopes(
    root: &ChartNode,
    values: &GoMap,
    request: &ChartRequest,
    host: &Rc<dyn ChartHost>,
    compat: HelmCompat,
) -> BTreeMap<String, ChartScope> {
    let capabilities = CapabilitiesObject::new(request.capabilities.clone(), host.clone(), compat);
    let mut scopes = ScopeBuilder {
        compat,
        release: release_object(request),
        capabilities: GoValue::object(capabilities),
        scopes: BTreeMap::new(),
    };
    scopes.chart(root, values, true);
    scopes.scopes
}

fn release_object(request: &ChartRequest) -> GoValue {
    let release = &request.release;
    let fields = [
        ("Name", GoValue::from(release.name.as_str())),
        ("Namespace", release.namespace.as_str().into()),
        ("IsUpgrade", release.is_upgrade.into()),
        ("IsInstall", (!release.is_upgrade).into()),
        ("Revision", GoValue::int(release.revision)),
        ("Service", release.service.as_str().into()),
    ];
    GoMap::from_pairs(fields).into()
}

struct ScopeBuilder {
    compat: HelmCompat,
    release: GoValue,
    capabilities: GoValue,
    scopes: BTreeMap<String, ChartScope>,
}

impl ScopeBuilder {
    /// Adds the templates of a chart and of the charts in it, and returns the root object.
    fn chart(&mut self, node: &ChartNode, values: &GoMap, is_root: bool) -> GoMap {
        let subcharts = empty_table();
        let data = GoMap::from_pairs([
            ("Chart", chart_object(node, is_root, self.compat)),
            ("Files", GoValue::object(FilesObject::new(&node.chart.files))),
            ("Release", self.release.clone()),
            ("Capabilities", self.capabilities.clone()),
            ("Values", values.retyped(MapType::Named(self.compat.values_type())).into()),
            ("Subcharts", subcharts.clone().into()),
        ]);
        for child in &node.children {
            let below = table_at(values, &child.name).unwrap_or_else(|_| empty_table());
            let object = self.chart(child, &below, false);
            subcharts.set(child.name.as_str().into(), object.into());
        }
        let is_library = node.chart.metadata.chart_type() == ChartType::Library;
        for (index, file) in node.chart.templates.iter().enumerate() {
            if is_library && !base_name(&file.name).starts_with('_') {
                continue;
            }
            let scope = ChartScope {
                chart: node.chart.clone(),
                index,
                data: data.clone(),
                base_path: format!("{}/templates", node.path),
            };
            self.scopes.insert(format!("{}/{}", node.path, file.name), scope);
        }
        data
    }
}
