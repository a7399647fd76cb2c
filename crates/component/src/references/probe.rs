//! Traits by which `#[derive(Component)]` distinguishes references from other fields. Not to be used directly.

use std::collections::BTreeSet;
use std::marker::PhantomData;

use kubewright_core::reference::{HoldsReferences, ReferenceKind, ReferenceRules, References};

use crate::settings::derive::Probe;

/// A field that is a reference or contains references.
pub trait HasReferences {
    /// Adds the references of the field.
    fn refer(&self, references: &mut References, name: Option<&str>);
}

impl<T: HoldsReferences> HasReferences for Probe<'_, T> {
    fn refer(&self, references: &mut References, name: Option<&str>) {
        references.field(name, ReferenceRules::default(), self.0);
    }
}

/// Any other field. The trait applies only if [`HasReferences`] does not, because it needs one more reference.
pub trait HasNoReferences {
    /// Does nothing.
    fn refer(&self, _: &mut References, _: Option<&str>) {}
}

impl<T> HasNoReferences for &Probe<'_, T> {}

/// The type of a field.
#[derive(Debug)]
pub struct HolderProbe<T>(PhantomData<fn() -> T>);

impl<T> HolderProbe<T> {
    /// The only value.
    pub const NEW: Self = Self(PhantomData);
}

/// The type of a field that is a reference or contains references.
pub trait HasReferenceKinds {
    /// Adds the kinds that the field can refer to.
    fn reference_kinds(&self, kinds: &mut BTreeSet<ReferenceKind>);
}

impl<T: HoldsReferences> HasReferenceKinds for HolderProbe<T> {
    fn reference_kinds(&self, kinds: &mut BTreeSet<ReferenceKind>) {
        T::reference_kinds(kinds);
    }
}

/// The type of any other field.
pub trait HasNoReferenceKinds {
    /// Does nothing.
    fn reference_kinds(&self, _: &mut BTreeSet<ReferenceKind>) {}
}

impl<T> HasNoReferenceKinds for &HolderProbe<T> {}

/// A compile-time test for types that are references or contain references.
#[derive(Debug)]
pub struct Holds<T: ?Sized>(PhantomData<fn() -> T>);

impl<T: HoldsReferences + ?Sized> Holds<T> {
    /// True for a type that is a reference or contains references.
    pub const REFERENCES: bool = true;
}

/// Any other type. The constant applies only if [`Holds`] has no constant of its own.
pub trait HoldsNone {
    /// False for a type without references.
    const REFERENCES: bool = false;
}

impl<T: ?Sized> HoldsNone for Holds<T> {}
