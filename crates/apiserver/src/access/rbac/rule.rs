//! One rule of a role.

use serde_json::{Map, Value};

use super::escalation::Right;
use crate::access::{Attributes, UserAction};

/// A rule as written in a role.
#[derive(Clone, Copy, Debug)]
pub(super) struct RoleRule<'a>(&'a Value);

impl<'a> RoleRule<'a> {
    pub(super) fn new(rule: &'a Value) -> Self {
        Self(rule)
    }

    /// Returns true if the rule allows an action.
    pub(super) fn covers(self, action: &UserAction) -> bool {
        match action {
            UserAction::Resource(attributes) => self.covers_resource(attributes),
            UserAction::Path { verb, path } => {
                self.has("verbs", verb) && self.texts("nonResourceURLs").any(|url| covers_path(url, path))
            }
        }
    }

    /// Returns true if the rule is about paths that are not resources.
    pub(super) fn is_of_paths(self) -> bool {
        self.texts("nonResourceURLs").next().is_some()
    }

    /// Returns the rule with only these members.
    pub(super) fn printed(self, members: &[&str]) -> Value {
        let member = |name: &&str| Some(((*name).to_owned(), self.0.get(*name)?.clone()));
        Value::Object(members.iter().filter_map(member).collect::<Map<_, _>>())
    }

    /// Returns the single rights of the rule: the product of its lists, which is computed lazily.
    pub(super) fn rights(self) -> impl Iterator<Item = Right<'a>> {
        let names = move || {
            let unnamed = self.texts("resourceNames").next().is_none().then_some(None);
            self.texts("resourceNames").map(Some).chain(unnamed)
        };
        let resources =
            self.texts("apiGroups").flat_map(move |group| self.texts("resources").map(move |resource| (group, resource)));
        let of_resources = resources.flat_map(move |(group, resource)| {
            let verbs = self.texts("verbs").flat_map(move |verb| names().map(move |name| (verb, name)));
            verbs.map(move |(verb, name)| Right::Resource { group, resource, name, verb })
        });
        let of_paths =
            self.texts("nonResourceURLs").flat_map(move |url| self.texts("verbs").map(move |verb| Right::Path { url, verb }));
        of_resources.chain(of_paths)
    }

    /// Returns true if the rule includes all rights of another one.
    pub(super) fn gives_all_of(self, other: RoleRule<'_>) -> bool {
        let all = |list: &str, covers: &dyn Fn(&str) -> bool| other.texts(list).all(covers);
        let named = || match self.texts("resourceNames").next() {
            None => true,
            Some(_) if other.texts("resourceNames").next().is_none() => false,
            Some(_) => all("resourceNames", &|name| self.texts("resourceNames").any(|known| known == name)),
        };
        let is_of_resources = other.texts("apiGroups").next().is_some() && other.texts("resources").next().is_some();
        let of_resources = || {
            all("apiGroups", &|group| self.has("apiGroups", group))
                && all("resources", &|resource| self.has_resource(resource))
                && named()
        };
        all("verbs", &|verb| self.has("verbs", verb))
            && (!is_of_resources || of_resources())
            && all("nonResourceURLs", &|url| self.has_path(url))
    }

    /// Returns the number of texts in the rule's lists.
    pub(super) fn size(self) -> usize {
        ["apiGroups", "resources", "verbs", "resourceNames", "nonResourceURLs"].iter().map(|list| self.texts(list).count()).sum()
    }

    /// Returns true if the rule includes the right.
    pub(super) fn gives(self, right: &Right<'_>) -> bool {
        match *right {
            Right::Resource { group, resource, name, verb } => {
                let mut names = self.texts("resourceNames").peekable();
                self.has("verbs", verb)
                    && self.has("apiGroups", group)
                    && self.has_resource(resource)
                    && (names.peek().is_none() || name.is_some_and(|name| names.any(|known| known == name)))
            }
            Right::Path { url, verb } => self.has("verbs", verb) && self.has_path(url),
        }
    }

    /// Returns true if the rule covers a resource in the form in which rules name it, such as `pods/log`.
    fn has_resource(self, resource: &str) -> bool {
        let of_all = |sub: &str| self.texts("resources").any(|all| all.strip_prefix("*/") == Some(sub));
        self.has("resources", resource) || resource.split_once('/').is_some_and(|(_, sub)| of_all(sub))
    }

    /// Returns true if the rule covers a path in the form in which rules name it, possibly with a final star.
    fn has_path(self, url: &str) -> bool {
        self.texts("nonResourceURLs").any(|own| own == url || own.ends_with('*') && url.starts_with(own.trim_end_matches('*')))
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

    /// Returns true if a list holds a text, or the star that stands for all.
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
