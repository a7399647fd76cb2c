//! Variables in the YAML of objects.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use kubewright_machinery::selector::LabelSelector;
use kubewright_template::GoValue;
use kubewright_template::library::data::{format_yaml, parse_yaml};
use serde_json::{Map, Value};

use super::Transform;
use super::expansion::{ExpansionError, expand, fault};
use crate::{InputError, Manifest, RenderContext, RenderError};

type VariablesOf<C> = dyn Fn(&RenderContext<C>) -> Result<BTreeMap<String, String>, RenderError> + Send + Sync;
type Condition = dyn Fn(&Map<String, Value>) -> bool + Send + Sync;

/// Replaces `${VARIABLE}` in the YAML of objects, as Flux does after it has built a kustomization.
///
/// An object is written as YAML, its variables are expanded, and the result is read again: `replicas: ${n}` with `n=3` gives a number. Unknown variables are
/// empty, `$$` is `$`, and without any variable nothing is changed. Line breaks are removed from values, since they would end the line of YAML.
///
/// | Form | Result |
/// |---|---|
/// | `${v}` | the value |
/// | `${v:-d}`, `${v=d}`, `${v:=d}`, `${v:?d}`, `${v:+d}` | the value, or `d` if it is empty or unknown; `d` may contain expansions |
/// | `${#v}` | the length in bytes |
/// | `${v^}`, `${v^^}`, `${v,}`, `${v,,}` | the first letter, or all, in upper or lower case |
/// | `${v:pos}`, `${v:pos:len}` | the bytes from a position; negative numbers count from the end |
/// | `${v#p}`, `${v##p}`, `${v%p}`, `${v%%p}` | without the shortest or longest prefix or suffix that matches a pattern with `*`, `?` and `[a-z]` |
/// | `${v/a/b}`, `${v//a/b}`, `${v/#a/b}`, `${v/%a/b}` | with the first, every, the leading or the trailing text `a` replaced by `b` |
///
/// ```
/// use kubewright_render::{GeneratorExt, Manifests, RenderContext, Substitution};
/// # struct Web { zone: String }
///
/// let manifests = Manifests::embedded("web.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: web}\ndata: {url: 'https://${host:-localhost}'}\n");
/// let generator = manifests.transform(Substitution::from_context(|cx: &RenderContext<Web>| {
///     Ok([("host".to_owned(), format!("web.{}", cx.component().zone))].into())
/// }));
/// ```
pub struct Substitution<C> {
    variables: Arc<VariablesOf<C>>,
    /// The problem of fixed variables or of a selector.
    fault: Option<String>,
    conditions: Vec<Arc<Condition>>,
}

impl<C> Substitution<C> {
    /// Creates a substitution of fixed variables. Their names are letters, digits and underscores, and do not begin with a digit.
    pub fn new<N: Into<String>, V: Into<String>>(variables: impl IntoIterator<Item = (N, V)>) -> Self {
        let variables = variables.into_iter().map(|(name, value)| (name.into(), value.into()));
        let variables: BTreeMap<String, String> = variables.collect();
        let fault = check_names(&variables).err();
        Self { fault, ..Self::from_context(move |_| Ok(variables.clone())) }
    }

    /// Creates a substitution of variables that depend on the component and its parameters.
    pub fn from_context<F>(variables: F) -> Self
    where
        F: Fn(&RenderContext<C>) -> Result<BTreeMap<String, String>, RenderError> + Send + Sync + 'static,
    {
        Self { variables: Arc::new(variables), fault: None, conditions: Vec::new() }
    }

    /// Restricts the substitution to objects whose labels a selector selects, such as `app=web,tier!=test`.
    #[must_use]
    pub fn with_labels(mut self, selector: &str) -> Self {
        match LabelSelector::parse(selector) {
            Ok(selector) => self.only(move |object| {
                let labels = object.get("metadata").and_then(|metadata| metadata.get("labels")).and_then(Value::as_object);
                selector.matches(labels.unwrap_or(&Map::new()))
            }),
            Err(error) => {
                self.fault.get_or_insert_with(|| format!("label selector {selector:?} of a substitution: {error}"));
                self
            }
        }
    }

    /// Restricts the substitution to objects of which a condition is true.
    #[must_use]
    pub fn only(mut self, condition: impl Fn(&Map<String, Value>) -> bool + Send + Sync + 'static) -> Self {
        self.conditions.push(Arc::new(condition));
        self
    }

    fn verify(&self) -> Result<(), RenderError> {
        self.fault.as_ref().map_or(Ok(()), |fault| Err(RenderError::input(fault)))
    }
}

impl<C: Send + Sync + 'static> Transform<C> for Substitution<C> {
    async fn objects(&self, context: &RenderContext<C>, objects: Vec<Manifest>) -> Result<Vec<Manifest>, RenderError> {
        self.verify()?;
        let mut variables = (self.variables)(context)?;
        check_names(&variables).map_err(RenderError::input)?;
        if variables.is_empty() {
            return Ok(objects);
        }
        for value in variables.values_mut().filter(|value| value.contains('\n')) {
            value.retain(|character| character != '\n');
        }
        let conditions = self.conditions.clone();
        context
            .run(move |_| {
                let mut objects = objects.clone();
                for content in objects.iter_mut().filter_map(Manifest::content_mut) {
                    if conditions.iter().all(|condition| condition(content)) && has_dollar(content) {
                        *content = substituted(content, &variables)?;
                    }
                }
                Ok(objects)
            })
            .await
    }

    fn check(&self) -> Result<(), RenderError> {
        self.verify()
    }
}

impl<C> Clone for Substitution<C> {
    fn clone(&self) -> Self {
        Self { variables: Arc::clone(&self.variables), fault: self.fault.clone(), conditions: self.conditions.clone() }
    }
}

impl<C> fmt::Debug for Substitution<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Substitution").field("conditions", &self.conditions.len()).finish_non_exhaustive()
    }
}

fn check_names(variables: &BTreeMap<String, String>) -> Result<(), String> {
    let is_valid = |name: &str| {
        !name.starts_with(|first: char| first.is_ascii_digit())
            && !name.is_empty()
            && name.chars().all(|character| character.is_ascii_alphanumeric() || character == '_')
    };
    match variables.keys().find(|name| !is_valid(name)) {
        Some(name) => Err(format!(
            "{name:?} is no name of a variable; allowed are letters, digits and underscores, and no digit at the begin"
        )),
        None => Ok(()),
    }
}

/// Returns true if a key or a text of an object has a dollar sign. Others need not be written and read.
fn has_dollar(object: &Map<String, Value>) -> bool {
    fn inside(value: &Value) -> bool {
        match value {
            Value::String(text) => text.contains('$'),
            Value::Array(items) => items.iter().any(inside),
            Value::Object(fields) => has_dollar(fields),
            _ => false,
        }
    }
    object.iter().any(|(key, value)| key.contains('$') || inside(value))
}

/// Returns an object with its variables replaced.
fn substituted(object: &Map<String, Value>, variables: &BTreeMap<String, String>) -> Result<Map<String, Value>, RenderError> {
    let refused = |message: String| InputError::new(message).object(name_of(object));
    let text = format_yaml(&GoValue::with_integers(&Value::Object(object.clone()))).map_err(refused)?;
    let expanded = expand(&text, variables).map_err(|error| refused(located(object, error)))?;
    match parse_yaml(expanded.as_bytes()) {
        Ok(Value::Object(object)) => Ok(object),
        Ok(_) => Err(refused("after the substitution of variables, it is no YAML map".to_owned()).into()),
        Err(error) => Err(refused(format!("after the substitution of variables, it is no YAML: {error}")).into()),
    }
}

/// Returns the message of an error, with the path of the first text that cannot be parsed.
fn located(object: &Map<String, Value>, error: ExpansionError) -> String {
    let mut path = Vec::new();
    if find_fault(object.iter(), &mut path) {
        return format!("the variables in {}: {error}; write $$ for a dollar sign that begins no variable", path.concat());
    }
    format!("its variables: {error}")
}

/// Finds the path of the first text or key that cannot be parsed.
fn find_fault<'a>(mut fields: impl Iterator<Item = (&'a String, &'a Value)>, path: &mut Vec<String>) -> bool {
    fields.any(|(key, value)| {
        path.push(if path.is_empty() { key.clone() } else { format!(".{key}") });
        let found = fault(key).is_some() || find_fault_inside(value, path);
        if !found {
            path.pop();
        }
        found
    })
}

fn find_fault_inside(value: &Value, path: &mut Vec<String>) -> bool {
    match value {
        Value::String(text) => fault(text).is_some(),
        Value::Object(fields) => find_fault(fields.iter(), path),
        Value::Array(items) => items.iter().enumerate().any(|(index, item)| {
            path.push(format!("[{index}]"));
            let found = find_fault_inside(item, path);
            if !found {
                path.pop();
            }
            found
        }),
        _ => false,
    }
}

fn name_of(object: &Map<String, Value>) -> String {
    let text = |value: Option<&Value>| value.and_then(Value::as_str).unwrap_or_default().to_owned();
    let name = object.get("metadata").and_then(|metadata| metadata.get("name"));
    format!("{} {}", text(object.get("kind")), text(name))
}
