//! One rule of a role.

use serde_json::{Map, Value};

use super::escalation::Right;
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

    /// The least parts that the rule consists of.
    pub(super) fn rights(self) -> impl Iterator<Item = Right<'a>> {
        let (groups, resources, verbs): (Vec<_>, Vec<_>, Vec<_>) =
            (self.texts("apiGroups").collect(), self.texts("resources").collect(), self.texts("verbs").collect());
        let mut names: Vec<Option<&str>> = self.texts("resourceNames").map(Some).collect();
        if names.is_empty() {
            names.push(None);
        }
        let mut rights = Vec::new();
        for (group, resource) in groups.iter().flat_map(|group| resources.iter().map(move |resource| (*group, *resource))) {
            for (verb, name) in verbs.iter().flat_map(|verb| names.iter().map(move |name| (*verb, *name))) {
                rights.push(Right::Resource { group, resource, name, verb });
            }
        }
        let paths = self.texts("nonResourceURLs").flat_map(|url| verbs.iter().map(move |verb| Right::Path { url, verb }));
        rights.extend(paths.collect::<Vec<_>>());
        rights.into_iter()
    }

    /// Whether who has the rule has the right.
    pub(super) fn gives(self, right: &Right<'_>) -> bool {
        match *right {
            Right::Resource { group, resource, name, verb } => {
                let sub = || {
                    resource
                        .split_once('/')
                        .is_some_and(|(_, sub)| self.texts("resources").any(|all| all.strip_prefix("*/") == Some(sub)))
                };
                let mut names = self.texts("resourceNames").peekable();
                self.has("verbs", verb)
                    && self.has("apiGroups", group)
                    && (self.has("resources", resource) || sub())
                    && (names.peek().is_none() || name.is_some_and(|name| names.any(|known| known == name)))
            }
            Right::Path { url, verb } => {
                let covers = |own: &str| own == url || own.ends_with('*') && url.starts_with(own.trim_end_matches('*'));
                self.has("verbs", verb) && self.texts("nonResourceURLs").any(covers)
            }
        }
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
