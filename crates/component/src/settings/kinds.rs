//! Compile-time recognition of the settings of a spec by their types, for `#[derive(Component)]`. Not to be used directly.

use std::marker::PhantomData;

use super::{
    Impersonation, ManagedTypes, Placement, Policies, Reapply, Requeue, Retry, Suspend, Target, Timeout, TypedValues, Values,
};

/// The setting that a field of a spec is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(clippy::exhaustive_enums)]
pub enum SettingKind {
    /// No setting of the framework.
    None,
    /// [`Placement`].
    Placement,
    /// [`Target`].
    Target,
    /// [`Impersonation`].
    Impersonation,
    /// [`Policies`].
    Policies,
    /// [`Requeue`].
    Requeue,
    /// [`Retry`].
    Retry,
    /// [`Timeout`].
    Timeout,
    /// [`Reapply`].
    Reapply,
    /// [`ManagedTypes`].
    ManagedTypes,
    /// [`Values`].
    Values,
    /// [`Suspend`].
    Suspend,
    /// A type that implements [`TypedValues`].
    TypedValues,
}

/// The type of a field.
#[derive(Debug)]
pub struct Embedded<T>(PhantomData<fn() -> T>);

/// Any type that is no setting of the framework. The constant applies only if [`Embedded`] has no constant of its own.
pub trait EmbedsNothing {
    /// No setting.
    const SETTING: SettingKind = SettingKind::None;
}

impl<T> EmbedsNothing for Embedded<T> {}

macro_rules! settings {
    ($($setting:ident)*) => {$(
        impl Embedded<$setting> {
            /// The kind of this setting.
            pub const SETTING: SettingKind = SettingKind::$setting;
        }

        impl Embedded<Option<$setting>> {
            /// The kind of this setting.
            pub const SETTING: SettingKind = SettingKind::$setting;
        }
    )*};
}

settings!(Placement Target Impersonation Policies Requeue Retry Timeout Reapply ManagedTypes Values Suspend);

impl<T: TypedValues> Embedded<T> {
    /// The kind of this setting.
    pub const SETTING: SettingKind = SettingKind::TypedValues;
}

/// Returns true if such a field works without `flatten`.
pub const fn may_be_plain(kind: SettingKind) -> bool {
    matches!(kind, SettingKind::None | SettingKind::Suspend | SettingKind::TypedValues)
}

/// Returns true if such a field works with `flatten`.
pub const fn may_flatten(kind: SettingKind) -> bool {
    !matches!(kind, SettingKind::Suspend)
}

/// Returns true if no field before this one is the same setting.
pub const fn is_first(kinds: &[SettingKind], index: usize) -> bool {
    match kinds[index] {
        SettingKind::None => true,
        // A generator gets either typed values or untyped ones.
        SettingKind::Values | SettingKind::TypedValues => {
            !any(kinds, index, SettingKind::Values) && !any(kinds, index, SettingKind::TypedValues)
        }
        kind => !any(kinds, index, kind),
    }
}

/// Returns true if no field before this one takes all remaining fields.
pub const fn stands_before_values(kinds: &[SettingKind], index: usize) -> bool {
    !any(kinds, index, SettingKind::Values)
}

/// Returns true if a field is this setting.
pub const fn contains(kinds: &[SettingKind], kind: SettingKind) -> bool {
    any(kinds, kinds.len(), kind)
}

const fn any(kinds: &[SettingKind], end: usize, kind: SettingKind) -> bool {
    let mut index = 0;
    while index < end {
        if kinds[index] as u8 == kind as u8 {
            return true;
        }
        index += 1;
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug)]
    struct Own;

    #[test]
    fn settings_are_known_by_their_types_and_not_by_their_names() {
        type Renamed = Timeout;
        mod own {
            #[derive(Debug)]
            pub(super) struct Timeout;
        }
        assert_eq!(Embedded::<Renamed>::SETTING, SettingKind::Timeout);
        assert_eq!(Embedded::<Option<Renamed>>::SETTING, SettingKind::Timeout);
        assert_eq!([Embedded::<own::Timeout>::SETTING, Embedded::<Own>::SETTING], [SettingKind::None; 2]);
    }

    #[derive(serde::Serialize)]
    struct OwnValues;

    impl TypedValues for OwnValues {}

    #[test]
    fn typed_values_are_known_by_their_trait_and_exclude_others() {
        assert_eq!(Embedded::<OwnValues>::SETTING, SettingKind::TypedValues);
        assert!(may_be_plain(SettingKind::TypedValues) && may_flatten(SettingKind::TypedValues));
        let kinds = [SettingKind::TypedValues, SettingKind::Values, SettingKind::TypedValues];
        assert_eq!([0, 1, 2].map(|index| is_first(&kinds, index)), [true, false, false]);
    }

    #[test]
    fn settings_without_effect_are_detected() {
        let kinds = [SettingKind::None, SettingKind::None, SettingKind::Values, SettingKind::Retry, SettingKind::Retry];
        assert_eq!([0, 1, 2, 3, 4].map(|index| is_first(&kinds, index)), [true, true, true, true, false]);
        assert_eq!([0, 1, 2, 3, 4].map(|index| stands_before_values(&kinds, index)), [true, true, true, false, false]);
        assert!(contains(&kinds, SettingKind::Retry) && !contains(&kinds, SettingKind::Impersonation));
        assert!(may_be_plain(SettingKind::Suspend) && !may_be_plain(SettingKind::Placement));
        assert!(may_flatten(SettingKind::Placement) && !may_flatten(SettingKind::Suspend));
    }
}
