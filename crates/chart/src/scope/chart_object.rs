//! `.Chart`: a struct with Helm 3, a map of the same names with Helm 4.

use std::any::Any;
use std::collections::BTreeMap;
use std::rc::Rc;

use kubewright_template::value::{ElementType, MapType};
use kubewright_template::{GoList, GoMap, GoObject, GoValue};

use crate::compat::HelmCompat;
use crate::dependencies::ChartNode;
use crate::model::{ChartDependency, ChartMaintainer};

/// A field: its name in Go, its name in YAML, and its value.
type StructField = (&'static str, &'static str, GoValue);

/// Returns `.Chart` of a chart in a tree.
pub(crate) fn chart_object(node: &ChartNode, is_root: bool, compat: HelmCompat) -> GoValue {
    let mut fields = metadata_fields(node, compat);
    match compat {
        HelmCompat::Helm4 => {
            fields.push(("IsRoot", "IsRoot", is_root.into()));
            as_map(fields)
        }
        HelmCompat::Helm3 => GoValue::object(ChartStruct { metadata: Rc::new(StructObject::metadata(fields)), is_root }),
    }
}

fn metadata_fields(node: &ChartNode, compat: HelmCompat) -> Vec<StructField> {
    let metadata = &node.chart.metadata;
    let text = |text: &str| GoValue::from(text);
    let annotations = metadata.annotations.iter().map(|(name, value)| (name.as_str().into(), GoValue::from(value.as_str())));
    let dependencies = node.requirements.iter().flatten().map(|dependency| dependency_object(dependency, compat));
    vec![
        ("Name", "name", text(&node.name)),
        ("Home", "home", text(&metadata.home)),
        ("Sources", "sources", texts(&metadata.sources, compat)),
        ("Version", "version", text(&metadata.version)),
        ("Description", "description", text(&metadata.description)),
        ("Keywords", "keywords", texts(&metadata.keywords, compat)),
        ("Maintainers", "maintainers", list(metadata.maintainers.iter().map(|m| maintainer_object(m, compat)))),
        ("Icon", "icon", text(&metadata.icon)),
        ("APIVersion", "apiVersion", text(&metadata.api_version)),
        ("Condition", "condition", text(&metadata.condition)),
        ("Tags", "tags", text(&metadata.tags)),
        ("AppVersion", "appVersion", text(&metadata.app_version)),
        ("Deprecated", "deprecated", metadata.deprecated.into()),
        (
            "Annotations",
            "annotations",
            if metadata.annotations.is_empty() {
                GoValue::object(NoAnnotations)
            } else {
                GoMap::new(annotations.collect(), MapType::String).into()
            },
        ),
        ("KubeVersion", "kubeVersion", text(&metadata.kube_version)),
        ("Dependencies", "dependencies", list(dependencies)),
        ("Type", "type", text(&metadata.chart_type)),
    ]
}

fn maintainer_object(maintainer: &ChartMaintainer, compat: HelmCompat) -> GoValue {
    let fields: Vec<StructField> = vec![
        ("Name", "name", maintainer.name.as_str().into()),
        ("Email", "email", maintainer.email.as_str().into()),
        ("URL", "url", maintainer.url.as_str().into()),
    ];
    if compat == HelmCompat::Helm4 { as_map(fields) } else { GoValue::object(StructObject::new("*chart.Maintainer", fields)) }
}

fn dependency_object(dependency: &ChartDependency, compat: HelmCompat) -> GoValue {
    let imports = dependency.import_values.iter().map(|import| {
        let Some((child, parent)) = import.paths() else { return GoValue::Nil };
        let entries = [("child", child.as_str()), ("parent", parent)].map(|(name, text)| (name.into(), GoValue::from(text)));
        GoMap::new(entries.into_iter().collect(), MapType::String).into()
    });
    let fields: Vec<StructField> = vec![
        ("Name", "name", dependency.name.as_str().into()),
        ("Version", "version", dependency.version.as_str().into()),
        ("Repository", "repository", dependency.repository.as_str().into()),
        ("Condition", "condition", dependency.condition.as_str().into()),
        ("Tags", "tags", texts(&dependency.tags, compat)),
        ("Enabled", "enabled", true.into()),
        ("ImportValues", "import-values", list(imports)),
        ("Alias", "alias", dependency.alias.as_str().into()),
    ];
    if compat == HelmCompat::Helm4 { as_map(fields) } else { GoValue::object(StructObject::new("*chart.Dependency", fields)) }
}

fn texts(texts: &[String], compat: HelmCompat) -> GoValue {
    match compat {
        HelmCompat::Helm4 => list(texts.iter().map(|text| GoValue::from(text.as_str()))),
        HelmCompat::Helm3 => GoValue::strings(texts.iter().map(String::as_str)),
    }
}

fn list(items: impl Iterator<Item = GoValue>) -> GoValue {
    GoList::new(items.collect(), ElementType::Any).into()
}

fn as_map(fields: Vec<StructField>) -> GoValue {
    GoMap::from_pairs(fields.into_iter().map(|(name, _, value)| (name, value))).into()
}

/// A struct of Go whose fields have names in YAML, and are left out there if they are empty.
#[derive(Debug)]
struct StructObject {
    type_name: &'static str,
    names: Vec<&'static str>,
    fields: Vec<StructField>,
}

impl StructObject {
    fn new(type_name: &'static str, fields: Vec<StructField>) -> Self {
        Self { type_name, names: fields.iter().map(|(name, ..)| *name).collect(), fields }
    }

    fn metadata(fields: Vec<StructField>) -> Self {
        Self::new("chart.Metadata", fields)
    }

    fn encoded_fields(&self) -> Vec<(&'static str, GoValue)> {
        let is_kept = |(_, _, value): &&StructField| value.is_true();
        self.fields.iter().filter(is_kept).map(|(_, name, value)| (*name, value.clone())).collect()
    }
}

impl GoObject for StructObject {
    fn as_any(&self) -> &dyn Any {
        self
    }

    fn type_name(&self) -> &'static str {
        self.type_name
    }

    fn kind(&self) -> &'static str {
        if self.type_name.starts_with('*') { "ptr" } else { "struct" }
    }

    fn field(&self, name: &str) -> Option<GoValue> {
        self.fields.iter().find(|(own, ..)| *own == name).map(|(_, _, value)| value.clone())
    }

    fn field_names(&self) -> &[&'static str] {
        &self.names
    }

    fn encoded(&self) -> Option<GoValue> {
        Some(GoMap::from_pairs(self.encoded_fields()).into())
    }

    fn maps(&self) -> Vec<GoMap> {
        let map_of = |value: &GoValue| if let GoValue::Map(map) = value { Some(map.clone()) } else { None };
        self.fields.iter().filter_map(|(_, _, value)| map_of(value)).collect()
    }
}

/// `.Chart` with Helm 3: the metadata, whose fields are its own, and `IsRoot`.
#[derive(Debug)]
struct ChartStruct {
    metadata: Rc<StructObject>,
    is_root: bool,
}

impl GoObject for ChartStruct {
    fn as_any(&self) -> &dyn Any {
        self
    }

    fn type_name(&self) -> &'static str {
        "struct { chart.Metadata; IsRoot bool }"
    }

    fn field(&self, name: &str) -> Option<GoValue> {
        match name {
            "IsRoot" => Some(self.is_root.into()),
            "Metadata" => Some(GoValue::Object(self.metadata.clone())),
            name => self.metadata.field(name),
        }
    }

    fn field_names(&self) -> &[&'static str] {
        &["Metadata", "IsRoot"]
    }

    fn encoded(&self) -> Option<GoValue> {
        let mut fields = self.metadata.encoded_fields();
        fields.push(("IsRoot", self.is_root.into()));
        Some(GoMap::from_pairs(fields).into())
    }

    fn maps(&self) -> Vec<GoMap> {
        self.metadata.maps()
    }
}

/// The annotations of a chart without any: a nil map.
#[derive(Debug)]
struct NoAnnotations;

impl GoObject for NoAnnotations {
    fn as_any(&self) -> &dyn Any {
        self
    }

    fn type_name(&self) -> &'static str {
        "map[string]string"
    }

    fn kind(&self) -> &'static str {
        "map"
    }

    fn elements(&self) -> Option<GoValue> {
        Some(GoMap::new(BTreeMap::new(), MapType::String).into())
    }

    fn encoded(&self) -> Option<GoValue> {
        Some(GoValue::Nil)
    }
}
