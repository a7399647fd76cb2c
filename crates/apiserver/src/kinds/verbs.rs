//! Sets of verbs, and the orders in which discovery lists them.

use kubewright_middleware::Verb;

/// All verbs in the order in which discovery lists them for custom resources.
const CUSTOM_ORDER: [Verb; 8] =
    [Verb::Delete, Verb::DeleteCollection, Verb::Get, Verb::List, Verb::Patch, Verb::Create, Verb::Update, Verb::Watch];

/// A set of verbs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Verbs(u8);

impl Verbs {
    /// All eight verbs.
    pub const ALL: Self = Self(0xff);
    /// No verb.
    pub const NONE: Self = Self(0);

    /// Returns true if the verb is in the set.
    pub fn contains(self, verb: Verb) -> bool {
        self.0 & (1 << verb as u8) != 0
    }

    /// Returns the set with this verb.
    pub fn with(self, verb: Verb) -> Self {
        Self(self.0 | (1 << verb as u8))
    }

    /// Returns the set without this verb.
    pub fn without(self, verb: Verb) -> Self {
        Self(self.0 & !(1 << verb as u8))
    }

    /// Returns the verbs of the set, alphabetically.
    pub fn iter(self) -> impl Iterator<Item = Verb> {
        Verb::ALL.into_iter().filter(move |verb| self.contains(*verb))
    }

    /// Returns the verbs of the set in the order in which discovery lists them for custom resources.
    pub fn iter_custom(self) -> impl Iterator<Item = Verb> {
        CUSTOM_ORDER.into_iter().filter(move |verb| self.contains(*verb))
    }
}

impl FromIterator<Verb> for Verbs {
    fn from_iter<I: IntoIterator<Item = Verb>>(verbs: I) -> Self {
        verbs.into_iter().fold(Self::NONE, Self::with)
    }
}
