//! Names, tags and digests of images.

use kubewright_machinery::pattern;
use regex::Regex;
use serde_json::Value;

use super::of_resource;
use crate::error::BuildProblem;
use crate::fields::{Created, FieldSpec, change, expect_scalar};
use crate::kustomization::ImageEntry;
use crate::limits::ObjectBytes;
use crate::resource::{ResourceList, scalar_text};

/// Changes the images of a name: those of all lists `containers` and `initContainers` at any depth, and those in the fields. Custom resource
/// definitions are not changed.
pub(super) fn apply(
    list: &mut ResourceList,
    image: &ImageEntry,
    fields: &[FieldSpec],
    bytes: &mut ObjectBytes,
) -> Result<(), BuildProblem> {
    let tail = "(:[a-zA-Z0-9_.{}-]*)?(@[a-zA-Z0-9]+([.+_-][a-zA-Z0-9]+)*:[a-zA-Z0-9_.{}-]*)?$";
    // A name that is no regular expression matches no image.
    let Ok(matching) = pattern::compile(&format!("^{}{tail}", image.name)) else { return Ok(()) };
    let mut update = ImageUpdate { image, matching, bytes };
    for resource in list.resources.iter_mut().filter(|resource| resource.kind_name() != "CustomResourceDefinition") {
        let kind = resource.kind();
        let within = of_resource(resource);
        let result = update.walk(&mut resource.object).and_then(|()| {
            let mut fields = fields.iter().filter(|field| field.matches(&kind));
            fields.try_for_each(|field| change(&mut resource.object, field, Created::Nothing, &mut |value| update.set(value)))
        });
        result.map_err(within)?;
    }
    Ok(())
}

struct ImageUpdate<'a> {
    image: &'a ImageEntry,
    matching: Regex,
    bytes: &'a mut ObjectBytes,
}

impl ImageUpdate<'_> {
    fn walk(&mut self, value: &mut Value) -> Result<(), BuildProblem> {
        match value {
            Value::Object(members) => {
                for (name, member) in members {
                    self.walk(member)?;
                    if let (Value::Array(items), "containers" | "initContainers") = (member, name.as_str()) {
                        let mut images = items.iter_mut().filter_map(|item| item.get_mut("image"));
                        images.try_for_each(|image| self.set(image))?;
                    }
                }
                Ok(())
            }
            Value::Array(items) => items.iter_mut().try_for_each(|item| self.walk(item)),
            _ => Ok(()),
        }
    }

    fn set(&mut self, value: &mut Value) -> Result<(), BuildProblem> {
        expect_scalar(value).map_err(|problem| problem.within("an image"))?;
        let text = scalar_text(value);
        if self.matching.is_match(&text) {
            let changed = self.changed(&text);
            self.bytes.grow(changed.len())?;
            *value = Value::String(changed);
        }
        Ok(())
    }

    /// Returns the image with its new parts. A new tag or digest replaces both.
    fn changed(&self, text: &str) -> String {
        let image = self.image;
        let (name, tag, digest) = split(text);
        let name = if image.new_name.is_empty() { name } else { &image.new_name };
        let (tag, digest) = match (image.new_tag.as_str(), image.digest.as_str(), image.tag_suffix.as_str()) {
            ("", "", "") => (tag.to_owned(), digest),
            ("", "", suffix) => (format!("{tag}{suffix}"), ""),
            (new_tag, new_digest, _) => (new_tag.to_owned(), new_digest),
        };
        let mut changed = name.to_owned();
        if !tag.is_empty() {
            changed = format!("{changed}:{tag}");
        }
        if !digest.is_empty() {
            changed = format!("{changed}@{digest}");
        }
        changed
    }
}

/// Splits an image into name, tag and digest. A colon before the first slash is that of a port.
fn split(text: &str) -> (&str, &str, &str) {
    let start = text.find('/').unwrap_or(0);
    let find = |mark| text[start..].find(mark).map(|index| index + start);
    match (find(':'), find('@')) {
        (None, None) => (text, "", ""),
        (Some(colon), Some(at)) if colon < at => (&text[..colon], &text[colon + 1..at], &text[at + 1..]),
        (_, Some(at)) => (&text[..at], "", &text[at + 1..]),
        (Some(colon), None) => (&text[..colon], &text[colon + 1..], ""),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn images_have_a_name_a_tag_and_a_digest() {
        for (text, parts) in [
            ("a", ("a", "", "")),
            ("a:1", ("a", "1", "")),
            ("r:5000/a/b:1", ("r:5000/a/b", "1", "")),
            ("r/a@sha256:00", ("r/a", "", "sha256:00")),
            ("r/a:1@sha256:00", ("r/a", "1", "sha256:00")),
        ] {
            assert_eq!(split(text), parts, "{text}");
        }
    }
}
