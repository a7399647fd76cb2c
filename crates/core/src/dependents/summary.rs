//! A wanted set between passes.

use std::fmt;

use super::{Desired, DesiredObject};

/// So many of the latest kinds of objects are compared with, so that a set in which all differ costs no more than that.
const COMPARED: usize = 8;

/// A wanted set without manifests, as small as it can be kept: enough to see that nothing is to be done (GEN-5). Objects mostly
/// differ in name and digest alone.
#[derive(Clone, PartialEq)]
pub struct Summary {
    /// Objects without name, digest and manifest, each for all that are alike.
    kinds: Box<[DesiredObject]>,
    members: Box<[Member]>,
    /// Names and digests, in the order of the members.
    texts: Box<str>,
}

#[derive(Clone, Copy, PartialEq)]
struct Member {
    kind: u32,
    name_end: u32,
    digest_end: u32,
}

impl Desired {
    /// The set without manifests.
    pub fn summary(&self) -> Summary {
        let mut kinds: Vec<DesiredObject> = Vec::new();
        let mut texts = String::new();
        let mut members = Vec::with_capacity(self.len());
        for object in self.objects().iter().chain(self.deletion_stage()) {
            let kind = kind_of(object);
            let recent = kinds.len().saturating_sub(COMPARED);
            let place = kinds[recent..].iter().position(|known| *known == kind).map_or_else(
                || {
                    kinds.push(kind);
                    kinds.len() - 1
                },
                |place| recent + place,
            );
            texts.push_str(&object.key.name);
            let name_end = texts.len() as u32;
            texts.push_str(&object.digest);
            members.push(Member { kind: place as u32, name_end, digest_end: texts.len() as u32 });
        }
        Summary { kinds: kinds.into(), members: members.into(), texts: texts.into() }
    }
}

fn kind_of(object: &DesiredObject) -> DesiredObject {
    let mut kind = DesiredObject { manifest: None, digest: String::new(), ..object.clone() };
    kind.key.name = String::new();
    kind
}

impl Summary {
    /// The set that a plan can work with; it asks for manifests when it needs them.
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

impl fmt::Debug for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Summary").field("objects", &self.members.len()).field("kinds", &self.kinds.len()).finish_non_exhaustive()
    }
}
