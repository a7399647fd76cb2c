use std::fmt;
use std::ops::Range;

use kubewright_machinery::object::Fields;
use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::value::RawValue;

use crate::watch::LeanText;

/// The JSON text of an object, with the ranges of its metadata and its status.
pub(crate) struct ObjectText {
    text: Box<str>,
    metadata: PartRange,
    status: PartRange,
}

/// The metadata of an object that every pass and every change needs.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(crate) struct Basics {
    pub(crate) uid: String,
    pub(crate) generation: Option<i64>,
    pub(crate) deletion_timestamp: Option<IgnoredAny>,
}

/// The range of a part, in bytes; it takes half the memory of a range of `usize`. Empty for a part that is absent.
#[derive(Clone, Copy, Default)]
struct PartRange(u32, u32);

impl ObjectText {
    /// Finds the parts in the text of an object.
    pub(crate) fn read(text: Box<str>) -> Self {
        let fields = Fields::read(&text).unwrap_or_default();
        let range = |wanted: &str| fields.0.iter().find(|(name, _)| name == wanted).map(|(_, part)| range_in(&text, part));
        let (metadata, status) = (range("metadata").unwrap_or_default(), range("status").unwrap_or_default());
        Self { text, metadata, status }
    }

    /// Returns the text of the object.
    pub(crate) const fn whole(&self) -> &str {
        &self.text
    }

    /// Returns the text of the metadata; empty if the object has none.
    pub(crate) fn metadata(&self) -> &str {
        self.part(self.metadata)
    }

    /// Returns the text of the status.
    pub(crate) fn status(&self) -> Option<&str> {
        Some(self.part(self.status)).filter(|status| !status.is_empty())
    }

    /// Returns the metadata that every pass and every change needs, parsed without the rest.
    pub(crate) fn basics(&self) -> Basics {
        serde_json::from_str(self.metadata()).unwrap_or_default()
    }

    fn part(&self, PartRange(start, end): PartRange) -> &str {
        self.text.get(start as usize..end as usize).unwrap_or_default()
    }
}

impl From<LeanText> for ObjectText {
    fn from(LeanText { text, metadata, status }: LeanText) -> Self {
        Self { text, metadata: metadata.into(), status: status.into() }
    }
}

fn range_in(text: &str, part: &RawValue) -> PartRange {
    let start = part.get().as_ptr() as usize - text.as_ptr() as usize;
    (start..start + part.get().len()).into()
}

/// A part that begins or ends beyond 4 GiB counts as absent; servers accept objects of only a few MiB.
impl From<Range<usize>> for PartRange {
    fn from(range: Range<usize>) -> Self {
        match (u32::try_from(range.start), u32::try_from(range.end)) {
            (Ok(start), Ok(end)) => Self(start, end),
            _ => Self::default(),
        }
    }
}

impl fmt::Debug for ObjectText {
    /// Writes only the size, because objects may contain secrets.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ObjectText({} bytes)", self.text.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_found_wherever_they_stand() {
        let parts = |text: &str| {
            let text = ObjectText::read(text.into());
            (text.metadata().to_owned(), text.status().map(str::to_owned))
        };
        let status = Some(r#"{"b":{}}"#.to_owned());
        assert_eq!(parts(r#"{"status": {"b":{}} ,"metadata":{"a":1}}"#), (r#"{"a":1}"#.to_owned(), status));
        assert_eq!(parts(r#"{"spec":{"metadata":1}}"#), (String::new(), None));
        assert_eq!(parts("no object"), (String::new(), None));
    }
}
