//! The method `transform` of generators for components of any type.
//!
//! That of `GeneratorExt` needs a generator for components of one type, from which the compiler takes the type. These methods leave it open until the
//! generator is used.

#[cfg(feature = "helm")]
use crate::HelmChart;
#[cfg(feature = "kustomize")]
use crate::Kustomization;
use crate::{Empty, Manifests, Templates, Transformed};

macro_rules! transform_method {
    ($($(#[$attribute:meta])* [$($parameters:ident),*] $generator:ty;)*) => {$(
        $(#[$attribute])*
        impl<$($parameters),*> $generator {
            /// Changes the parameters that this generator gets, and its result, by a transformer such as [`Substitution`](crate::Substitution). See
            /// [`GeneratorExt::transform`](crate::GeneratorExt::transform).
            pub fn transform<Transformer>(self, transformer: Transformer) -> Transformed<Self, Transformer> {
                Transformed::new(self, transformer)
            }
        }
    )*};
}

transform_method! {
    [] Empty;
    [] Manifests;
    [] Templates;
    #[cfg(feature = "kustomize")]
    [] Kustomization;
    #[cfg(feature = "helm")]
    [] HelmChart;
    [G, T] Transformed<G, T>;
}
