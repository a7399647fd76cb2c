//! The merge strategies and merge keys that the built-in types declare for their fields.

use std::collections::HashMap;
use std::sync::LazyLock;

use crate::object::GroupVersionKind;

/// The types with a merged field anywhere below them. A line that starts with `=` names a type and its kinds; the lines below it name its fields: the
/// type of the field, in brackets for a list of it and in braces for a map, and the strategy, the merge key, and the keys of the list.
static TABLE: LazyLock<MergeTypes> = LazyLock::new(|| MergeTypes::read(include_str!("../../data/merge-keys.txt")));

#[derive(Debug, Default)]
struct MergeTypes {
    types: HashMap<&'static str, MergeFields>,
    names: HashMap<&'static str, &'static str>,
}

type MergeFields = HashMap<&'static str, MergeField>;

#[derive(Debug)]
struct MergeField {
    shape: FieldShape,
    target: &'static str,
    strategy: &'static str,
    key: Option<&'static str>,
    list_keys: Vec<&'static str>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum FieldShape {
    Plain,
    List,
    Map,
}

/// A position in an object of a built-in type: a type, or a field of one. Outside of known types it is unknown: maps are merged there, and lists are
/// replaced.
#[derive(Clone, Copy, Debug)]
pub struct MergePosition(KnownMarks);

#[derive(Clone, Copy, Debug)]
enum KnownMarks {
    Nothing,
    Type(&'static str),
    Field(&'static MergeField),
}

impl MergePosition {
    /// Returns the root of a type, by the name of its published definition, such as `io.k8s.api.core.v1.Pod`.
    pub fn of_definition(name: &str) -> Self {
        Self(TABLE.types.get_key_value(name).map_or(KnownMarks::Nothing, |(name, _)| KnownMarks::Type(name)))
    }

    /// Returns the root of a kind.
    pub fn of_kind(kind: &GroupVersionKind) -> Self {
        let name = format!("{}/{}/{}", kind.group, kind.version, kind.kind);
        Self(TABLE.names.get(name.as_str()).map_or(KnownMarks::Nothing, |definition| KnownMarks::Type(definition)))
    }

    /// Returns the position of a member of a map.
    pub fn member(self, name: &str) -> Self {
        let fields = match self.0 {
            KnownMarks::Field(field) if field.shape == FieldShape::Map => return Self::of_definition(field.target),
            KnownMarks::Field(field) if field.shape == FieldShape::Plain => TABLE.types.get(field.target),
            KnownMarks::Type(definition) => TABLE.types.get(definition),
            KnownMarks::Field(_) | KnownMarks::Nothing => None,
        };
        Self(fields.and_then(|fields| fields.get(name)).map_or(KnownMarks::Nothing, KnownMarks::Field))
    }

    /// Returns the position of the items of a list.
    pub fn item(self) -> Self {
        match self.0 {
            KnownMarks::Field(field) if field.shape == FieldShape::List => Self::of_definition(field.target),
            _ => Self(KnownMarks::Nothing),
        }
    }

    /// Returns the key by which the items of a list are matched.
    pub fn merge_key(self) -> Option<&'static str> {
        self.field()?.key
    }

    /// Returns the keys that together identify the items of a list, if the list declares them.
    pub fn list_keys(self) -> &'static [&'static str] {
        self.field().map_or(&[], |field| &field.list_keys)
    }

    /// Returns true if a list is merged; other lists are replaced.
    pub fn merges(self) -> bool {
        self.has_strategy("merge")
    }

    /// Returns true if a map is replaced; other maps are merged.
    pub fn replaces(self) -> bool {
        self.has_strategy("replace")
    }

    fn has_strategy(self, name: &str) -> bool {
        self.field().is_some_and(|field| field.strategy.split(',').any(|part| part == name))
    }

    fn field(self) -> Option<&'static MergeField> {
        match self.0 {
            KnownMarks::Field(field) => Some(field),
            KnownMarks::Nothing | KnownMarks::Type(_) => None,
        }
    }
}

impl MergeTypes {
    fn read(text: &'static str) -> Self {
        let mut table = Self::default();
        let mut current = "";
        for line in text.lines() {
            let mut words = line.split(' ');
            let Some(first) = words.next() else { continue };
            if first == "=" {
                current = words.next().unwrap_or_default();
                table.types.insert(current, MergeFields::new());
                table.names.extend(words.map(|kind| (kind, current)));
                continue;
            }
            let shaped = words.next().unwrap_or_default();
            let inside = |open, close| shaped.strip_prefix(open).and_then(|rest: &str| rest.strip_suffix(close));
            let (shape, target) = match (inside('[', ']'), inside('{', '}')) {
                (Some(target), _) => (FieldShape::List, target),
                (None, Some(target)) => (FieldShape::Map, target),
                (None, None) => (FieldShape::Plain, shaped),
            };
            let mut marks = words.map(|word| Some(word).filter(|word| *word != "-"));
            let mut mark = || marks.next().flatten();
            let (strategy, key) = (mark().unwrap_or_default(), mark());
            let list_keys = mark().map_or_else(Vec::new, |keys| keys.split(',').collect());
            let field = MergeField { shape, target, strategy, key, list_keys };
            table.types.entry(current).or_default().insert(first, field);
        }
        table
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(kind: &GroupVersionKind, path: &str) -> MergePosition {
        path.split('/').fold(MergePosition::of_kind(kind), |position, step| match step {
            "[]" => position.item(),
            name => position.member(name),
        })
    }

    #[test]
    fn merged_lists_are_found_through_lists_and_types() {
        let deployment = GroupVersionKind::new("apps", "v1", "Deployment");
        let containers = at(&deployment, "spec/template/spec/containers");
        assert_eq!((containers.merge_key(), containers.merges()), (Some("name"), true));
        assert_eq!(at(&deployment, "spec/template/spec/containers/[]/ports").list_keys(), ["containerPort", "protocol"]);
        let volumes = at(&deployment, "spec/template/spec/volumes");
        assert_eq!((volumes.merge_key(), volumes.merges()), (Some("name"), true));
        assert!(at(&GroupVersionKind::new("policy", "v1", "PodDisruptionBudget"), "spec/selector").replaces());
        assert!(at(&deployment, "metadata/finalizers").merges());
    }

    #[test]
    fn other_fields_and_kinds_are_unknown() {
        let deployment = GroupVersionKind::new("apps", "v1", "Deployment");
        for path in ["spec/template/spec/containers/[]/args", "spec/other/containers", "spec/template/spec/[]/ports"] {
            assert!(!at(&deployment, path).merges(), "{path}");
        }
        assert!(!at(&GroupVersionKind::new("example.com", "v1", "Widget"), "metadata/finalizers").merges());
    }
}
