//! One rule of a role.

use serde_json::{Map, Value};

use crate::access::{Action, Attributes};

/// A rule as it stands in a role.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rule<'a>(&'a Value);

impl<'a> Rule<'a> {
    pub(super) fn new(rule: &'a Value) -> Self {
        Self(rule)
    }

    /// Whether the rule allows an action.
    pub(super) fn covers(self, action: &Action) -> bool {
        match action {
            Action::Resource(attributes) => self.covers_resource(attributes),
            Action::Path { verb, path } => {
                self.has("verbs", verb) && self.texts("nonResourceURLs").any(|url| covers_path(url, path))
            }
        }
    }

    /// Whether the rule is about paths that are no resources.
    pub(super) fn is_of_paths(self) -> bool {
        self.texts("nonResourceURLs").next().is_some()
    }

    /// The rule with these members only.
    pub(super) fn printed(self, members: &[&str]) -> Value {
        let member = |name: &&str| Some(((*name).to_owned(), self.0.get(*name)?.clone()));
        Value::Object(members.iter().filter_map(member).collect::<Map<_, _>>())
    }

    fn covers_resource(self, asked: &Attributes) -> bool {
        let named = |resource: &str| {
            resource == "*"
                || resource == asked.full_resource()
                || !asked.subresource.is_empty() && resource.strip_prefix("*/") == Some(&asked.subresource)
        };
        let is_named = || {
            let mut names = self.texts("resourceNames").peekable();
            names.peek().is_none() || names.any(|name| name == asked.name)
        };
        self.has("verbs", &asked.verb) && self.has("apiGroups", &asked.group) && self.texts("resources").any(named) && is_named()
    }

    /// Whether a list holds a text, or the star that stands for all.
    fn has(self, list: &str, wanted: &str) -> bool {
        self.texts(list).any(|text| text == "*" || text == wanted)
    }

    fn texts(self, list: &str) -> impl Iterator<Item = &'a str> {
        self.0[list].as_array().into_iter().flatten().filter_map(Value::as_str)
    }
}

fn covers_path(url: &str, path: &str) -> bool {
    url.strip_suffix('*').map_or(url == path, |prefix| path.starts_with(prefix))
}
