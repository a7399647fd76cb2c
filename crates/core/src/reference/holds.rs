use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use super::list::Part;
use super::{
    ConfigMapBytesKeyRef, ConfigMapBytesRef, ConfigMapKeyRef, ConfigMapRef, ReferenceKind, References, SecretKeyRef, SecretRef,
};

/// A part of a spec that is a reference or contains references.
///
/// The reference types implement the trait, and so do options, boxes, `Arc`s, lists, arrays, tuples and maps of types that implement it. Structs
/// and enums of the operator derive it.
pub trait HoldsReferences {
    /// Adds the kinds of objects that references in this part can name.
    fn reference_kinds(kinds: &mut BTreeSet<ReferenceKind>);

    /// Adds the references in this part.
    fn refer(&self, references: &mut References);
}

macro_rules! reference {
    ($type:ty, $kind:ident, bytes: $bytes:literal, |$this:ident| $part:expr) => {
        impl HoldsReferences for $type {
            fn reference_kinds(kinds: &mut BTreeSet<ReferenceKind>) {
                kinds.insert(ReferenceKind::$kind);
            }

            fn refer(&self, references: &mut References) {
                let $this = self;
                references.add(ReferenceKind::$kind, &self.name, $part, $bytes);
            }
        }
    };
}

reference!(ConfigMapRef, ConfigMap, bytes: false, |_this| Part::All);
reference!(ConfigMapKeyRef, ConfigMap, bytes: false, |this| Part::key(this.key.as_ref()));
reference!(ConfigMapBytesRef, ConfigMap, bytes: true, |_this| Part::All);
reference!(ConfigMapBytesKeyRef, ConfigMap, bytes: true, |this| Part::key(this.key.as_ref()));
reference!(SecretRef, Secret, bytes: true, |_this| Part::All);
reference!(SecretKeyRef, Secret, bytes: true, |this| Part::key(this.key.as_ref()));

impl<T: HoldsReferences> HoldsReferences for Option<T> {
    fn reference_kinds(kinds: &mut BTreeSet<ReferenceKind>) {
        T::reference_kinds(kinds);
    }

    fn refer(&self, references: &mut References) {
        if let Some(part) = self {
            part.refer(references);
        }
    }
}

impl<T: HoldsReferences + ?Sized> HoldsReferences for Box<T> {
    fn reference_kinds(kinds: &mut BTreeSet<ReferenceKind>) {
        T::reference_kinds(kinds);
    }

    fn refer(&self, references: &mut References) {
        (**self).refer(references);
    }
}

impl<T: HoldsReferences + ?Sized> HoldsReferences for Arc<T> {
    fn reference_kinds(kinds: &mut BTreeSet<ReferenceKind>) {
        T::reference_kinds(kinds);
    }

    fn refer(&self, references: &mut References) {
        (**self).refer(references);
    }
}

impl<T: HoldsReferences> HoldsReferences for [T] {
    fn reference_kinds(kinds: &mut BTreeSet<ReferenceKind>) {
        T::reference_kinds(kinds);
    }

    fn refer(&self, references: &mut References) {
        for (index, part) in self.iter().enumerate() {
            references.within(&index.to_string(), |references| part.refer(references));
        }
    }
}

impl<T: HoldsReferences, const N: usize> HoldsReferences for [T; N] {
    fn reference_kinds(kinds: &mut BTreeSet<ReferenceKind>) {
        T::reference_kinds(kinds);
    }

    fn refer(&self, references: &mut References) {
        self.as_slice().refer(references);
    }
}

impl<T: HoldsReferences> HoldsReferences for Vec<T> {
    fn reference_kinds(kinds: &mut BTreeSet<ReferenceKind>) {
        T::reference_kinds(kinds);
    }

    fn refer(&self, references: &mut References) {
        self.as_slice().refer(references);
    }
}

macro_rules! tuple {
    ($($part:ident $index:tt),*) => {
        impl<$($part: HoldsReferences),*> HoldsReferences for ($($part,)*) {
            fn reference_kinds(kinds: &mut BTreeSet<ReferenceKind>) {
                $( $part::reference_kinds(kinds); )*
            }

            fn refer(&self, references: &mut References) {
                $( references.within(stringify!($index), |references| self.$index.refer(references)); )*
            }
        }
    };
}

tuple!(A 0, B 1);
tuple!(A 0, B 1, C 2);
tuple!(A 0, B 1, C 2, D 3);

impl<T: HoldsReferences> HoldsReferences for BTreeMap<String, T> {
    fn reference_kinds(kinds: &mut BTreeSet<ReferenceKind>) {
        T::reference_kinds(kinds);
    }

    fn refer(&self, references: &mut References) {
        for (key, part) in self {
            references.within(key, |references| part.refer(references));
        }
    }
}

impl<T: HoldsReferences, S> HoldsReferences for HashMap<String, T, S> {
    fn reference_kinds(kinds: &mut BTreeSet<ReferenceKind>) {
        T::reference_kinds(kinds);
    }

    fn refer(&self, references: &mut References) {
        for (key, part) in self {
            references.within(key, |references| part.refer(references));
        }
    }
}
