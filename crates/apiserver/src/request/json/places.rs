//! Where the members of a document stand in its text.

use std::collections::HashMap;

use super::walk::{Nest, Token, Tokens, key_of};

/// The first and the second place of each path that somebody asks for, as the number of bytes before it.
#[derive(Debug)]
pub(crate) struct Places {
    by_path: HashMap<PathHash, [Option<usize>; 2]>,
}

impl Places {
    /// Looks for some paths in the text of a document.
    pub(crate) fn of<'p>(text: &[u8], paths: impl Iterator<Item = &'p str>) -> Self {
        let mut places = Self { by_path: paths.map(|path| (PathHash::of(path), [None; 2])).collect() };
        let root = PathHash::of("");
        // The path of each list and object that is open, and how many values of a list came before.
        let mut open: Vec<(Nest, PathHash, usize)> = Vec::new();
        let mut named = root;
        for (at, token) in Tokens::of(text) {
            let value = match (token, open.last_mut()) {
                (Token::Close, _) => {
                    open.pop();
                    continue;
                }
                (Token::Key(piece), above) => {
                    let above = above.map_or(root, |(_, path, _)| *path);
                    named = (if open.len() > 1 { above.and(".") } else { above }).and(&key_of(piece));
                    places.note(named, at);
                    continue;
                }
                (_, Some((Nest::List, path, index))) => {
                    *index += 1;
                    path.and(&format!("[{}]", *index - 1))
                }
                _ => named,
            };
            if let Token::Open(nest) = token {
                open.push((nest, value, 0));
            }
        }
        places
    }

    fn note(&mut self, path: PathHash, at: usize) {
        if let Some(free) = self.by_path.get_mut(&path).and_then(|found| found.iter_mut().find(|place| place.is_none())) {
            *free = Some(at);
        }
    }

    /// Where a path occurs for the first time.
    pub(crate) fn first(&self, path: &str) -> Option<usize> {
        self.by_path.get(&PathHash::of(path))?[0]
    }

    /// Where it occurs again.
    pub(crate) fn second(&self, path: &str) -> Option<usize> {
        self.by_path.get(&PathHash::of(path))?[1]
    }
}

/// A path in a few bytes, for which that of a member is made from that of its object, however long this is. Two paths that share one would
/// only be told in the wrong order. See <http://www.isthe.com/chongo/tech/comp/fnv/>.
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
