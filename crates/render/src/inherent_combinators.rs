//! The methods `transform` and `union` of generators for components of any type.
//!
//! Those of `GeneratorExt` need a generator for components of one type, from which the compiler takes the type. These methods leave it open until the
//! generator is used.

#[cfg(feature = "helm")]
use crate::HelmChart;
#[cfg(feature = "kustomize")]
use crate::Kustomization;
use crate::{Empty, Manifests, Templates, Transformed, Union};

macro_rules! inherent_combinators {
    ($($(#[$attribute:meta])* [$($parameters:ident),*] $generator:ty;)*) => {$(
        $(#[$attribute])*
        impl<$($parameters),*> $generator {
            /// Changes the parameters that this generator gets, and its result, by a transformer such as [`Substitution`](crate::Substitution). See
            /// [`GeneratorExt::transform`](crate::GeneratorExt::transform).
            pub fn transform<Transformer>(self, transformer: Transformer) -> Transformed<Self, Transformer> {
                Transformed::new(self, transformer)
            }

            /// Returns the objects of this generator, then those of the other one. See [`GeneratorExt::union`](crate::GeneratorExt::union).
            pub fn union<Other>(self, other: Other) -> Union<Self, Other> {
                Union::new(self, other)
            }
        }
    )*};
}

inherent_combinators! {
    [] Empty;
    [] Manifests;
    [] Templates;
    #[cfg(feature = "kustomize")]
    [] Kustomization;
    #[cfg(feature = "helm")]
    [] HelmChart;
    [G, T] Transformed<G, T>;
    [G, H] Union<G, H>;
}
