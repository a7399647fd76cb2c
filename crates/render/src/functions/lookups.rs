//! Functions of templates that look up objects in clusters (component.md, 13.5).

#[cfg(feature = "helm")]
use std::any::Any;

use kubewright_template::{FunctionCall, FunctionError, FunctionSet, GoMap, GoValue, Parameter, Signature, TemplateHost};
use serde_json::Value;

use crate::context::type_of;
use crate::environment::{ListQuestion, ObjectQuestion, Place, Question};
use crate::host::{RenderHost, UNANSWERED};
use crate::kubeconfig::LookupKubeconfig;

const FOUR_TEXTS: Signature = Signature::of(&[Parameter::String; 4]);
const FIVE_TEXTS: Signature = Signature::of(&[Parameter::String; 5]);

/// The cluster that a function asks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum AskedCluster {
    /// The cluster of the dependents.
    Target,
    /// The cluster of the component.
    Local,
    /// The cluster of the kubeconfig in the last argument.
    Given,
}

impl AskedCluster {
    /// Returns the parameters of a function that asks the cluster.
    const fn signature(self) -> Signature {
        if matches!(self, Self::Given) { FIVE_TEXTS } else { FOUR_TEXTS }
    }

    /// Returns the place of the cluster in a call.
    fn place(self, call: &mut FunctionCall<'_>, host: &RenderHost) -> Result<Place, FunctionError> {
        match self {
            Self::Target => Ok(Place::Target),
            Self::Local => Ok(Place::Local),
            Self::Given => {
                let text = call.string(4).to_text().into_owned();
                if text.trim().is_empty() {
                    return Err(FunctionError::new(
                        "the kubeconfig is empty; give the text of one, such as the decoded value of a Secret",
                    ));
                }
                Ok(host.place_of(LookupKubeconfig::new(text)))
            }
        }
    }
}

/// The result of a function for an object that does not exist.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Absence {
    /// An empty map.
    Empty,
    /// An error, which ends the rendering.
    Error,
}

/// Adds `lookup`, `mustLookup` and `lookupList`; the same functions for the cluster of the component: `localLookup`, `mustLocalLookup` and
/// `localLookupList`; and for the cluster of a kubeconfig, their last argument: `lookupWithKubeConfig`, `mustLookupWithKubeConfig` and
/// `lookupListWithKubeConfig`. Functions of these names are replaced.
pub(crate) fn add_lookups(set: &mut FunctionSet) {
    let single = [
        ("lookup", AskedCluster::Target, Absence::Empty),
        ("mustLookup", AskedCluster::Target, Absence::Error),
        ("localLookup", AskedCluster::Local, Absence::Empty),
        ("mustLocalLookup", AskedCluster::Local, Absence::Error),
        ("lookupWithKubeConfig", AskedCluster::Given, Absence::Empty),
        ("mustLookupWithKubeConfig", AskedCluster::Given, Absence::Error),
    ];
    for (name, cluster, absence) in single {
        set.add(name, cluster.signature(), move |call| look_up(call, cluster, absence));
    }
    let lists = [
        ("lookupList", AskedCluster::Target),
        ("localLookupList", AskedCluster::Local),
        ("lookupListWithKubeConfig", AskedCluster::Given),
    ];
    for (name, cluster) in lists {
        set.add(name, cluster.signature(), move |call| list(call, cluster));
    }
}

/// Returns an object; a list of the type's objects if the name is empty.
fn look_up(call: &mut FunctionCall<'_>, cluster: AskedCluster, absence: Absence) -> Result<GoValue, FunctionError> {
    let [api_version, kind, namespace, name] = texts(call);
    let Some(host) = render_host(call.host) else { return Ok(empty()) };
    let place = cluster.place(call, host)?;
    if name.is_empty() {
        return objects(host, place, &api_version, &kind, namespace, String::new());
    }
    let gvk = type_of(&api_version, &kind).ok_or_else(|| malformed(&api_version, &kind))?;
    let title = if namespace.is_empty() { format!("{kind} {name}") } else { format!("{kind} {namespace}/{name}") };
    let object = host.objects(Question::Object(ObjectQuestion { place, gvk, namespace, name })).map_err(FunctionError::new)?;
    if !object.is_null() {
        return Ok(GoValue::with_integers(&object));
    }
    // The answer does not tell an absent type from an absent object. Helm fails if the version is unknown, and finds no object of an unknown kind.
    if cluster == AskedCluster::Target && !is_served(host, &api_version)? {
        return Err(unknown_type(&api_version, &kind));
    }
    match absence {
        Absence::Empty => Ok(empty()),
        Absence::Error => Err(FunctionError::new(format!("{title} of {api_version} does not exist"))),
    }
}

/// Returns a list of the objects that a label selector selects.
fn list(call: &mut FunctionCall<'_>, cluster: AskedCluster) -> Result<GoValue, FunctionError> {
    let [api_version, kind, namespace, selector] = texts(call);
    let Some(host) = render_host(call.host) else { return Ok(empty()) };
    let place = cluster.place(call, host)?;
    objects(host, place, &api_version, &kind, namespace, selector)
}

fn objects(
    host: &RenderHost,
    place: Place,
    api_version: &str,
    kind: &str,
    namespace: String,
    selector: String,
) -> Result<GoValue, FunctionError> {
    let gvk = type_of(api_version, kind).ok_or_else(|| malformed(api_version, kind))?;
    let answer = host.objects(Question::List(ListQuestion { place, gvk, namespace, selector })).map_err(FunctionError::new)?;
    let Value::Array(items) = &*answer else { return Err(unknown_type(api_version, kind)) };
    let fields = [
        ("apiVersion", api_version.into()),
        ("kind", format!("{kind}List").as_str().into()),
        ("metadata", empty()),
        ("items", GoValue::list(items.iter().map(GoValue::with_integers))),
    ];
    Ok(GoMap::from_pairs(fields).into())
}

fn is_served(host: &RenderHost, api_version: &str) -> Result<bool, FunctionError> {
    let answer = host.answers().ask(Question::Serves(api_version.to_owned()));
    answer.map(|answer| *answer == Value::Bool(true)).ok_or_else(|| FunctionError::new(UNANSWERED))
}

fn texts(call: &mut FunctionCall<'_>) -> [String; 4] {
    [0, 1, 2, 3].map(|index| call.string(index).to_text().into_owned())
}

/// Returns the host of the rendering; that of a template of a chart is inside of the chart's own.
fn render_host(host: &dyn TemplateHost) -> Option<&RenderHost> {
    let own = host.as_any().downcast_ref();
    #[cfg(feature = "helm")]
    let own = own.or_else(|| {
        let host: &dyn Any = kubewright_chart::chart_host(host)?;
        host.downcast_ref()
    });
    own
}

fn empty() -> GoValue {
    GoMap::default().into()
}

fn malformed(api_version: &str, kind: &str) -> FunctionError {
    FunctionError::new(format!(
        "no type has the apiVersion {api_version:?} and the kind {kind:?}; such as: \"apps/v1\" and \"Deployment\""
    ))
}

fn unknown_type(api_version: &str, kind: &str) -> FunctionError {
    FunctionError::new(format!(
        "the cluster does not serve {kind} of {api_version}; install its definition first, or look it up only if it is served"
    ))
}
