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
use crate::text_pattern::is_plain;

/// Changes the images of a name: those of all lists `containers` and `initContainers` at any depth, and those in the fields. Custom resource
/// definitions are not changed.
pub(super) fn apply(
    list: &mut ResourceList,
    image: &ImageEntry,
    fields: &[FieldSpec],
    bytes: &mut ObjectBytes,
) -> Result<(), BuildProblem> {
    // A name that is no regular expression matches no image.
    let Ok(pattern) = ImagePattern::new(&image.name) else { return Ok(()) };
    let mut update = ImageUpdate { image, pattern, bytes };
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

/// The part of an image behind its name: a tag, a digest, both, or nothing.
const TAIL: &str = "(:[a-zA-Z0-9_.{}-]*)?(@[a-zA-Z0-9]+([.+_-][a-zA-Z0-9]+)*:[a-zA-Z0-9_.{}-]*)?$";

/// A pattern of the images of a name, which is a regular expression.
#[derive(Debug)]
enum ImagePattern {
    /// A name that matches itself alone. The compilation of an expression would take more memory than a small kustomization.
    Name(String),
    /// An expression for the whole image.
    Expression(Regex),
}

impl ImagePattern {
    fn new(name: &str) -> Result<Self, String> {
        if is_plain(name) { Ok(Self::Name(name.to_owned())) } else { Self::expression(name) }
    }

    fn expression(name: &str) -> Result<Self, String> {
        pattern::compile(&format!("^{name}{TAIL}")).map(Self::Expression)
    }

    fn is_match(&self, image: &str) -> bool {
        match self {
            Self::Name(name) => image.strip_prefix(name.as_str()).is_some_and(is_tag_and_digest),
            Self::Expression(regex) => regex.is_match(image),
        }
    }
}

/// Returns true for a text that [`TAIL`] matches.
fn is_tag_and_digest(text: &str) -> bool {
    let is_letter = |character: char| character.is_ascii_alphanumeric() || matches!(character, '_' | '.' | '{' | '}' | '-');
    let behind_tag = text.strip_prefix(':').map_or(text, |tag| tag.trim_start_matches(is_letter));
    let Some(digest) = behind_tag.strip_prefix('@') else { return behind_tag.is_empty() };
    let Some((algorithm, value)) = digest.split_once(':') else { return false };
    let is_word = |word: &str| !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_alphanumeric());
    algorithm.split(['.', '+', '_', '-']).all(is_word) && value.chars().all(is_letter)
}

struct ImageUpdate<'a> {
    image: &'a ImageEntry,
    pattern: ImagePattern,
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
        if self.pattern.is_match(&text) {
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
    fn plain_names_match_the_images_that_their_expressions_match() {
        let parts = ["a", "b/c", ":", "@", "1", ".", "-", "{}", "\n"];
        let patterns: Vec<_> = ["", "a", "b/c", "a:1"].map(|name| (ImagePattern::Name(name.to_owned()), name)).into();
        for (pattern, name) in patterns {
            let expression = ImagePattern::expression(name).unwrap();
            // All texts of five parts.
            for number in 0..parts.len().pow(5) {
                let image: String = (0..5).map(|place| parts[number / parts.len().pow(place) % parts.len()]).collect();
                assert_eq!(pattern.is_match(&image), expression.is_match(&image), "{name:?} {image:?}");
            }
        }
        assert!(matches!(ImagePattern::new("r/a"), Ok(ImagePattern::Name(_))));
        assert!(matches!(ImagePattern::new("r.io/a"), Ok(ImagePattern::Expression(_))));
    }

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
