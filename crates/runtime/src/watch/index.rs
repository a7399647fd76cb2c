use std::collections::HashMap;

use kubewright_machinery::object::Key;

use super::Project;

/// The indexes of a store: by name, the keys of the objects under each text.
#[derive(Default)]
pub(super) struct StoreIndexes(Vec<(&'static str, Texts)>);

/// The keys under each text of one index.
type Texts = HashMap<Box<str>, Vec<Key>>;

/// The positions of an object's key in the lists of its texts, in the order of its entries. They make removal fast, since thousands of objects of one owner
/// may be removed in any order. Most objects have one text.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) enum Positions {
    #[default]
    None,
    One(u32),
    Many(Box<[u32]>),
}

/// The name of an index and a text in it.
pub(super) type IndexEntry<'a> = (&'static str, &'a str);

/// The position of a text that the projector returns twice.
const REPEATED: u32 = u32::MAX;

/// Returns the index entries of a projection.
pub(super) fn index_entries<'a, P: Send + Sync + 'static>(
    projector: &dyn Project<Output = P>,
    projection: &'a P,
) -> Vec<IndexEntry<'a>> {
    let mut entries = Vec::new();
    projector.index(projection, &mut |name, text| entries.push((name, text)));
    entries
}

impl Positions {
    fn of(positions: Vec<u32>) -> Self {
        match positions.as_slice() {
            [] => Self::None,
            [position] => Self::One(*position),
            _ => Self::Many(positions.into()),
        }
    }

    fn get(&self, number: usize) -> Option<u32> {
        match self {
            Self::None => None,
            Self::One(position) => (number == 0).then_some(*position),
            Self::Many(positions) => positions.get(number).copied(),
        }
    }

    /// Records the new position of the key under one of its entries. The entries are only computed if there are several.
    pub(super) fn moved<'a>(&mut self, entries: impl FnOnce() -> Vec<IndexEntry<'a>>, entry: IndexEntry<'_>, to: u32) {
        match self {
            Self::None => {}
            Self::One(position) => *position = to,
            Self::Many(positions) => {
                let number = entries().iter().position(|own| *own == entry);
                if let Some(position) = number.and_then(|number| positions.get_mut(number)) {
                    *position = to;
                }
            }
        }
    }
}

impl StoreIndexes {
    pub(super) fn keys(&self, name: &str, text: &str) -> &[Key] {
        let index = self.0.iter().find(|(own, _)| *own == name);
        index.and_then(|(_, texts)| texts.get(text)).map_or(&[], Vec::as_slice)
    }

    /// Adds a key under its entries, and returns its positions.
    pub(super) fn join(&mut self, entries: &[IndexEntry<'_>], key: &Key) -> Positions {
        let mut positions = Vec::with_capacity(entries.len());
        for (number, (name, text)) in entries.iter().enumerate() {
            let position = if entries[..number].contains(&(*name, *text)) { REPEATED } else { self.add(name, text, key) };
            positions.push(position);
        }
        Positions::of(positions)
    }

    /// Removes a key from under its entries. The last key of a text takes its position: `moved` is called with that key, the entry and the new position.
    pub(super) fn leave<'a>(
        &mut self,
        entries: &[IndexEntry<'a>],
        positions: &Positions,
        mut moved: impl FnMut(&Key, IndexEntry<'a>, u32),
    ) {
        for (number, entry) in entries.iter().enumerate() {
            let Some(at) = positions.get(number).filter(|at| *at != REPEATED) else { continue };
            let Some((_, texts)) = self.0.iter_mut().find(|(own, _)| *own == entry.0) else { continue };
            let Some(keys) = texts.get_mut(entry.1) else { continue };
            let position = at as usize;
            if position < keys.len() {
                keys.swap_remove(position);
            }
            if let Some(key) = keys.get(position) {
                moved(key, *entry, at);
            }
            if keys.is_empty() {
                texts.remove(entry.1);
            }
        }
    }

    fn add(&mut self, name: &'static str, text: &str, key: &Key) -> u32 {
        let at = self.0.iter().position(|(own, _)| *own == name).unwrap_or_else(|| {
            self.0.push((name, HashMap::new()));
            self.0.len() - 1
        });
        let texts = &mut self.0[at].1;
        let keys = match texts.get_mut(text) {
            Some(keys) => keys,
            None => texts.entry(text.into()).or_default(),
        };
        keys.push(key.clone());
        u32::try_from(keys.len() - 1).unwrap_or(REPEATED)
    }
}
