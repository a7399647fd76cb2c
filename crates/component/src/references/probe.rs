//! How `#[derive(Component)]` tells references from other fields. Not to be used by hand.

use std::collections::BTreeSet;
use std::marker::PhantomData;

use kubewright_core::reference::{HoldsReferences, ReferenceKind, ReferenceRules, References};

use crate::settings::derive::Probe;

/// A field that is a reference or holds some.
pub trait HasReferences {
    /// Adds the references of the field.
    fn refer(&self, references: &mut References, name: Option<&str>);
}

impl<T: HoldsReferences> HasReferences for Probe<'_, T> {
    fn refer(&self, references: &mut References, name: Option<&str>) {
        references.field(name, ReferenceRules::default(), self.0);
    }
}

/// Every other field. Found only where [`HasReferences`] does not apply, since it needs one more reference.
pub trait HasNoReferences {
    /// Does nothing.
    fn refer(&self, _: &mut References, _: Option<&str>) {}
}

impl<T> HasNoReferences for &Probe<'_, T> {}

/// The type of a field.
#[derive(Debug)]
pub struct TypeProbe<T>(PhantomData<fn() -> T>);

impl<T> TypeProbe<T> {
    /// The only value.
    pub const NEW: Self = Self(PhantomData);
}

/// The type of a field that is a reference or holds some.
pub trait HasReferenceKinds {
    /// Adds the kinds that can be named in the field.
    fn reference_kinds(&self, kinds: &mut BTreeSet<ReferenceKind>);
}

impl<T: HoldsReferences> HasReferenceKinds for TypeProbe<T> {
    fn reference_kinds(&self, kinds: &mut BTreeSet<ReferenceKind>) {
        T::reference_kinds(kinds);
    }
}

/// The type of every other field.
pub trait HasNoReferenceKinds {
    /// Does nothing.
    fn reference_kinds(&self, _: &mut BTreeSet<ReferenceKind>) {}
}

impl<T> HasNoReferenceKinds for &TypeProbe<T> {}

/// Whether a type is a reference or holds some, known when a spec is compiled.
#[derive(Debug)]
pub struct Holds<T: ?Sized>(PhantomData<fn() -> T>);

impl<T: HoldsReferences + ?Sized> Holds<T> {
    /// It does.
    pub const REFERENCES: bool = true;
}

/// Every other type. Counts only where [`Holds`] has no constant of its own.
pub trait HoldsNone {
    /// It does not.
    const REFERENCES: bool = false;
}

impl<T: ?Sized> HoldsNone for Holds<T> {}
