//! References to one object, or to all objects that a selector matches, in the form of a spec and in the form of the index.

use std::collections::BTreeMap;
use std::fmt;

use kubewright_machinery::object::{GroupKind, GroupVersionKind, names};
use kubewright_machinery::selector::LabelSelector;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::flow::{Blocked, Halt};
use crate::reason;

/// A reference as users write it in a spec: to one object by its name, or to several by a selector. An empty text counts as an absent field.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct SubjectReference {
    /// Group and version, for instance `apps/v1`.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub api_version: String,
    /// Kind.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub kind: String,
    /// Namespace; empty for cluster-scoped objects.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub namespace: String,
    /// Name of the one object. Excludes the selector.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub name: String,
    /// Label selector (`matchLabels`, `matchExpressions`); an empty one matches every object of the namespace. Excludes the name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub selector: Option<Value>,
}

/// A valid reference to objects of a kind in one namespace. The version of the kind is ignored, because an object is the same in each version.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct TrackedReference {
    kind: GroupKind,
    namespace: String,
    subject: TrackedObjects,
}

/// The objects of a kind and namespace that a reference names.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum TrackedObjects {
    /// The object with this name.
    Name(String),
    /// The objects whose labels match the selector.
    Selector(LabelSelector),
}

/// The error for a reference that cannot be tracked. It is displayed as `invalid Reference:` and one line per problem, sorted.
///
/// It does not implement [`std::error::Error`], because the author of the object must act: `?` in a reconciler turns it into [`Blocked`] with reason
/// `InvalidReference`, while an error would be retried.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InvalidReference(Vec<String>);

impl TrackedReference {
    /// Validates a reference of a user. All its problems are reported together.
    pub fn parse(reference: &SubjectReference) -> Result<Self, InvalidReference> {
        let SubjectReference { api_version, kind, namespace, name, selector } = reference;
        let mut problems = Problems::default();
        problems.field("APIVersion", names::qualified_name(api_version));
        problems.kind(kind);
        problems.namespace(namespace);
        if !name.is_empty() {
            problems.name(name);
        }
        let selector = selector.as_ref().filter(|selector| !selector.is_null()).map(|selector| {
            selector_of(selector).unwrap_or_else(|problem| {
                problems.field("Selector", vec![problem]);
                LabelSelector::nothing()
            })
        });
        let subject = match (name.is_empty(), selector) {
            (false, Some(_)) => problems.line("cannot provide both Name and Selector"),
            (true, None) => problems.line("must provide either Name or Selector"),
            (false, None) => Some(TrackedObjects::Name(name.clone())),
            (true, Some(selector)) => Some(TrackedObjects::Selector(selector)),
        };
        // A valid qualified name splits into a group and a version, and a valid kind is not empty; so without problems the conversion succeeds.
        match (GroupVersionKind::from_api_version(api_version, kind), subject) {
            (Some(gvk), Some(subject)) if problems.0.is_empty() => {
                Ok(Self { kind: gvk.group_kind(), namespace: namespace.clone(), subject })
            }
            _ => Err(problems.into_error()),
        }
    }

    /// Creates a reference to one object of a known kind.
    pub fn named(kind: &GroupKind, namespace: &str, name: &str) -> Result<Self, InvalidReference> {
        let mut problems = Problems::default();
        problems.kind(&kind.kind);
        problems.namespace(namespace);
        problems.name(name);
        problems.check(Self::to_object(kind, namespace, name))
    }

    /// Creates a reference to the objects of a known kind, in one namespace, whose labels match.
    pub fn matching(kind: &GroupKind, namespace: &str, selector: LabelSelector) -> Result<Self, InvalidReference> {
        let mut problems = Problems::default();
        problems.kind(&kind.kind);
        problems.namespace(namespace);
        problems.check(Self { kind: kind.clone(), namespace: namespace.to_owned(), subject: TrackedObjects::Selector(selector) })
    }

    /// Creates the reference to an object that exists and therefore has a valid name.
    pub(super) fn to_object(kind: &GroupKind, namespace: &str, name: &str) -> Self {
        Self { kind: kind.clone(), namespace: namespace.to_owned(), subject: TrackedObjects::Name(name.to_owned()) }
    }

    /// Returns the kind of the objects.
    pub fn kind(&self) -> &GroupKind {
        &self.kind
    }

    /// Returns the namespace of the objects; empty for cluster-scoped objects.
    pub fn namespace(&self) -> &str {
        &self.namespace
    }

    /// Returns the name or the selector of the objects.
    pub fn subject(&self) -> &TrackedObjects {
        &self.subject
    }

    /// Returns the selector, if the reference has one.
    pub fn selector(&self) -> Option<&LabelSelector> {
        match &self.subject {
            TrackedObjects::Selector(selector) => Some(selector),
            TrackedObjects::Name(_) => None,
        }
    }
}

/// Prints `Service demo/web`, and `Service demo/[app=web]` for a selector.
impl fmt::Display for TrackedReference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ", self.kind)?;
        if !self.namespace.is_empty() {
            write!(f, "{}/", self.namespace)?;
        }
        match &self.subject {
            TrackedObjects::Name(name) => f.write_str(name),
            TrackedObjects::Selector(selector) => write!(f, "[{selector}]"),
        }
    }
}

impl InvalidReference {
    /// Returns the problems, one text each, sorted.
    pub fn problems(&self) -> &[String] {
        &self.0
    }
}

impl fmt::Display for InvalidReference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("invalid Reference:")?;
        self.0.iter().try_for_each(|problem| write!(f, "\n{problem}"))
    }
}

impl From<InvalidReference> for Blocked {
    fn from(invalid: InvalidReference) -> Self {
        Self::new(reason!("InvalidReference"), invalid.to_string())
    }
}

impl From<InvalidReference> for Halt {
    fn from(invalid: InvalidReference) -> Self {
        Self::Blocked(invalid.into())
    }
}

/// The problems found so far, as lines of the error.
#[derive(Default)]
struct Problems(Vec<String>);

impl Problems {
    fn kind(&mut self, kind: &str) {
        self.field("Kind", names::c_identifier(kind));
    }

    fn namespace(&mut self, namespace: &str) {
        if !namespace.is_empty() {
            self.field("Namespace", names::dns_1123_label(namespace));
        }
    }

    fn name(&mut self, name: &str) {
        self.field("Name", names::dns_1123_subdomain(name));
    }

    fn field(&mut self, field: &str, problems: Vec<String>) {
        self.0.extend(problems.into_iter().map(|problem| format!("{field}: {problem}")));
    }

    /// Adds a line about the reference as a whole, which then has no subject.
    fn line(&mut self, problem: &str) -> Option<TrackedObjects> {
        self.0.push(problem.to_owned());
        None
    }

    fn check(self, reference: TrackedReference) -> Result<TrackedReference, InvalidReference> {
        if self.0.is_empty() { Ok(reference) } else { Err(self.into_error()) }
    }

    fn into_error(mut self) -> InvalidReference {
        self.0.sort();
        InvalidReference(self.0)
    }
}

/// Parses a selector strictly. Otherwise a misspelt field or one of a wrong type would be ignored, and the rest would match too many objects.
fn selector_of(selector: &Value) -> Result<LabelSelector, String> {
    SelectorForm::deserialize(selector).map_err(|error| error.to_string())?;
    LabelSelector::from_json(selector).map_err(|error| error.to_string())
}

/// The form of a selector in an object.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[expect(dead_code, reason = "the contents are read by the selector itself; only the form is checked")]
struct SelectorForm {
    match_labels: Option<BTreeMap<String, String>>,
    match_expressions: Option<Vec<ExpressionForm>>,
}

/// The form of an expression of a selector.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(dead_code, reason = "the contents are read by the selector itself; only the form is checked")]
struct ExpressionForm {
    key: String,
    operator: String,
    values: Option<Vec<String>>,
}
