//! The summary of a wanted set that is kept between passes.

use std::fmt;

use super::{Desired, DesiredObject};

/// The number of the latest kinds of objects that each object is compared with. It bounds the cost for sets in which all objects differ.
const COMPARED: usize = 8;

/// A wanted set without manifests, in a compact form: enough to detect that no request is needed (GEN-5). Most objects differ only in name and
/// digest.
#[derive(Clone, PartialEq)]
pub struct DesiredSummary {
    /// The objects without name, digest and manifest, one for all objects that are equal otherwise.
    kinds: Box<[DesiredObject]>,
    members: Box<[SummarizedObject]>,
    /// The names and digests, in the order of the members.
    texts: Box<str>,
}

#[derive(Clone, Copy, PartialEq)]
struct SummarizedObject {
    kind: u32,
    name_end: u32,
    digest_end: u32,
}

impl Desired {
    /// Returns the set without manifests.
    pub fn summary(&self) -> DesiredSummary {
        let mut kinds: Vec<DesiredObject> = Vec::new();
        let mut texts = String::new();
        let mut members = Vec::with_capacity(self.len());
        for object in self.objects().iter().chain(self.deletion_stage()) {
            let kind = kind_of(object);
            let recent = kinds.len().saturating_sub(COMPARED);
            let index = kinds[recent..].iter().position(|known| *known == kind).map_or_else(
                || {
                    kinds.push(kind);
                    kinds.len() - 1
                },
                |index| recent + index,
            );
            texts.push_str(&object.key.name);
            let name_end = texts.len() as u32;
            texts.push_str(&object.digest);
            members.push(SummarizedObject { kind: index as u32, name_end, digest_end: texts.len() as u32 });
        }
        DesiredSummary { kinds: kinds.into(), members: members.into(), texts: texts.into() }
    }
}

fn kind_of(object: &DesiredObject) -> DesiredObject {
    let mut kind = DesiredObject { manifest: None, digest: String::new(), ..object.clone() };
    kind.key.name = String::new();
    kind
}

impl DesiredSummary {
    /// Returns the set in the form that a plan needs. The plan asks for manifests if it needs them.
    pub fn expand(&self) -> Desired {
        let text = |start: u32, end: u32| self.texts.get(start as usize..end as usize).unwrap_or_default().to_owned();
        let mut start = 0;
        let objects = self.members.iter().filter_map(|member| {
            let mut object = self.kinds.get(member.kind as usize)?.clone();
            object.key.name = text(start, member.name_end);
            object.digest = text(member.name_end, member.digest_end);
            start = member.digest_end;
            Some(object)
        });
        Desired::new(objects.collect())
    }
}

impl fmt::Debug for DesiredSummary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DesiredSummary")
            .field("objects", &self.members.len())
            .field("kinds", &self.kinds.len())
            .finish_non_exhaustive()
    }
}
