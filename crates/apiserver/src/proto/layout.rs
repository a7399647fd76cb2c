//! The field numbers of messages.

use std::collections::HashMap;
use std::sync::{LazyLock, OnceLock};

use crate::forms::Definitions;
use crate::forms::form::{Struct, StructField};

/// The table of field numbers. Each line has the definition of a message, then `number=field`, or `number(fields)` for a message that JSON does
/// not show as such. It is written by `examples/generate-protobuf.rs`; `data/NOTICE` names the source.
static TABLE: &str = include_str!("../../data/protobuf.txt");

static LAYOUTS: LazyLock<HashMap<&'static str, DefinitionLine>> = LazyLock::new(|| {
    let lines = TABLE.lines().filter_map(|line| line.split_once(' '));
    lines.map(|(definition, fields)| (definition, DefinitionLine { fields, layout: OnceLock::new() })).collect()
});

#[derive(Debug)]
struct DefinitionLine {
    fields: &'static str,
    layout: OnceLock<Layout>,
}

/// The fields of a message, sorted by number.
#[derive(Debug, Default)]
pub(super) struct Layout {
    name: &'static str,
    slots: Vec<(u32, Slot)>,
}

/// The meaning of a field number.
#[derive(Debug)]
pub(super) enum Slot {
    /// A field of the object.
    Field(MessageField),
    /// A message whose fields belong to the object around it.
    Inline(Layout),
}

/// A field of a message.
#[derive(Debug)]
pub(super) struct MessageField {
    pub(super) field: &'static StructField,
    /// True if the field holds a message without fields, whose presence is its value.
    pub(super) is_marker: bool,
}

impl Layout {
    /// Returns the layout of a definition, parsed on first use.
    pub(super) fn of(definition: &str) -> Option<&'static Self> {
        let line = LAYOUTS.get(definition)?;
        Some(line.layout.get_or_init(|| {
            let definitions = Definitions::embedded();
            definitions.form(definition).map_or_else(Self::default, |form| {
                let mut rest = line.fields;
                Self::parse(&mut rest, form, &|field| is_marker(definition, field))
            })
        }))
    }

    /// Returns the name of the message.
    pub(super) fn name(&self) -> &'static str {
        self.name
    }

    pub(super) fn slots(&self) -> &[(u32, Slot)] {
        &self.slots
    }

    pub(super) fn slot(&self, number: u32) -> Option<&Slot> {
        let index = self.slots.binary_search_by_key(&number, |(number, _)| *number).ok()?;
        self.slots.get(index).map(|(_, slot)| slot)
    }

    /// Reads fields up to the end or a closing bracket.
    fn parse(rest: &mut &'static str, form: &'static Struct, is_marker: &dyn Fn(&str) -> bool) -> Self {
        let mut slots = Vec::new();
        loop {
            *rest = rest.trim_start_matches(' ');
            let digits = rest.find(|letter: char| !letter.is_ascii_digit()).unwrap_or(rest.len());
            let (number, after) = rest.split_at(digits);
            let Ok(number) = number.parse() else {
                *rest = after.strip_prefix(')').unwrap_or(after);
                break;
            };
            if let Some(inner) = after.strip_prefix('(') {
                *rest = inner;
                slots.push((number, Slot::Inline(Self::parse(rest, form, is_marker))));
            } else {
                let end = after.find([' ', ')']).unwrap_or(after.len());
                let name = after[..end].trim_start_matches('=');
                *rest = &after[end..];
                // A test checks that the definitions have every field of the table.
                if let Some(field) = form.field(name) {
                    slots.push((number, Slot::Field(MessageField { field, is_marker: is_marker(name) })));
                }
            }
        }
        slots.sort_by_key(|(number, _)| *number);
        Self { name: form.name, slots }
    }
}

/// Returns true if a field refers to a definition without content. Fields that hold any JSON refer to messages with bytes and are no markers.
fn is_marker(definition: &str, field: &str) -> bool {
    let schema = Definitions::embedded().schema(definition);
    let target = schema.and_then(|schema| schema["properties"][field]["$ref"].as_str()).unwrap_or_default();
    target.ends_with(".CustomResourceSubresourceStatus")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn count(layout: &Layout) -> usize {
        let of = |(_, slot): &(u32, Slot)| match slot {
            Slot::Field(_) => 1,
            Slot::Inline(inner) => count(inner),
        };
        layout.slots().iter().map(of).sum()
    }

    // PB-2, TYD-4
    #[test]
    fn every_field_of_every_definition_has_a_number() {
        let definitions = Definitions::embedded();
        for name in definitions.names() {
            let schema = definitions.schema(name).unwrap();
            let Some(properties) = schema["properties"].as_object().filter(|_| !name.ends_with(".version.Info")) else {
                continue;
            };
            let is_kind = !schema["x-kubernetes-group-version-kind"].is_null();
            let enveloped = |field: &&String| is_kind && ["apiVersion", "kind"].contains(&field.as_str());
            let expected = properties.keys().filter(|field| !enveloped(field)).count();
            assert_eq!(Layout::of(name).map(count), Some(expected), "{name}");
        }
    }

    // PB-3
    #[test]
    fn protobuf_messages_absent_from_json_are_inlined_into_their_parent_message() {
        let volume = Layout::of("io.k8s.api.core.v1.Volume").unwrap();
        let Some(Slot::Inline(source)) = volume.slot(2) else { panic!("not inline") };
        assert!(matches!(source.slot(2), Some(Slot::Field(entry)) if entry.field.name == "emptyDir"));
        assert!(volume.slot(3).is_none());
    }
}
