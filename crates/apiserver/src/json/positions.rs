//! The positions of members in the text of a document.

use std::collections::HashMap;

use super::walk::{JsonToken, Nest, Tokens, key_of};

/// The first and the second position of each requested path, as byte offsets.
#[derive(Debug)]
pub(crate) struct PathPositions {
    by_path: HashMap<PathHash, [Option<usize>; 2]>,
}

impl PathPositions {
    /// Finds the given paths in the text of a document.
    pub(crate) fn of<'p>(text: &[u8], paths: impl Iterator<Item = &'p str>) -> Self {
        let mut positions = Self { by_path: paths.map(|path| (PathHash::of(path), [None; 2])).collect() };
        let root = PathHash::of("");
        // The open lists and objects, each with its path and the number of previous values.
        let mut open: Vec<(Nest, PathHash, usize)> = Vec::new();
        let mut named = root;
        for (at, token) in Tokens::of(text) {
            let value = match (token, open.last_mut()) {
                (JsonToken::Close, _) => {
                    open.pop();
                    continue;
                }
                (JsonToken::Key(piece), above) => {
                    let above = above.map_or(root, |(_, path, _)| *path);
                    named = (if open.len() > 1 { above.and(".") } else { above }).and(&key_of(piece));
                    positions.note(named, at);
                    continue;
                }
                (_, Some((Nest::List, path, index))) => {
                    *index += 1;
                    path.and(&format!("[{}]", *index - 1))
                }
                _ => named,
            };
            if let JsonToken::Open(nest) = token {
                open.push((nest, value, 0));
            }
        }
        positions
    }

    fn note(&mut self, path: PathHash, at: usize) {
        if let Some(free) = self.by_path.get_mut(&path).and_then(|found| found.iter_mut().find(|position| position.is_none())) {
            *free = Some(at);
        }
    }

    /// Returns the position at which a path first occurs.
    pub(crate) fn first(&self, path: &str) -> Option<usize> {
        self.by_path.get(&PathHash::of(path))?[0]
    }

    /// Returns the position at which a path occurs for the second time.
    pub(crate) fn second(&self, path: &str) -> Option<usize> {
        self.by_path.get(&PathHash::of(path))?[1]
    }
}

/// A hash of a path. The hash of a member is computed from that of its object, in time that does not depend on the path's length. A collision only
/// affects the order of reported problems. See <http://www.isthe.com/chongo/tech/comp/fnv/>.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct PathHash(u64);

impl PathHash {
    fn of(path: &str) -> Self {
        Self(0xcbf2_9ce4_8422_2325).and(path)
    }

    fn and(self, text: &str) -> Self {
        Self(text.bytes().fold(self.0, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)))
    }
}
