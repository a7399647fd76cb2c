//! `#[derive(Component)]`.

mod fields;
mod resource;
#[cfg(test)]
mod tests;

use proc_macro2::TokenStream;
use quote::quote;
use resource::KubeArguments;
use syn::{Data, DeriveInput, Error, Fields, Ident, Result};

use crate::references;

/// Generates the implementation of `Component` for the resource of a spec.
pub(crate) fn expand(input: &DeriveInput) -> Result<TokenStream> {
    let Data::Struct(data) = &input.data else {
        return Err(Error::new_spanned(
            &input.ident,
            "`Component` can only be derived for the struct that is the spec of a custom resource",
        ));
    };
    let Fields::Named(named) = &data.fields else {
        return Err(Error::new_spanned(&input.ident, "the spec of a component must have named fields"));
    };
    if !input.generics.params.is_empty() {
        return Err(Error::new_spanned(&input.generics, "the spec of a component cannot be generic"));
    }
    let resource = KubeArguments::of(input)?;
    let checks = fields::checks(named)?;

    let root = &resource.root;
    let span = proc_macro2::Span::call_site();
    let (references, kinds) = (Ident::new("references", span), Ident::new("kinds", span));
    let refer = references::refer(input, &data.fields, &quote!(self.spec), &references)?;
    let all: Vec<_> = named.named.iter().collect();
    let (find_kinds, reference_checks) = (references::kinds_of(&all, &kinds), references::checks(&all));
    let setting_kinds = fields::kinds(named);
    let fields: Vec<_> = named.named.iter().filter_map(|field| field.ident.as_ref()).collect();
    Ok(quote! {
        #[automatically_derived]
        impl ::kubewright::component::Component for #root {
            fn settings(&self) -> ::kubewright::component::Settings {
                #[allow(unused_imports)]
                use ::kubewright::component::derive::{IsNoSetting as _, IsSetting as _, Probe};
                let mut settings = <::kubewright::component::Settings as ::core::default::Default>::default();
                #( (&Probe(&self.spec.#fields)).contribute(&mut settings); )*
                settings
            }

            fn parameters(&self, _: &::kubewright::component::Resolved) -> ::kubewright::component::Parameters {
                #[allow(unused_imports)]
                use ::kubewright::component::derive::{IsNoSetting as _, IsSetting as _, Probe};
                #(
                    if let ::core::option::Option::Some(values) = (&Probe(&self.spec.#fields)).values() {
                        return values;
                    }
                )*
                ::kubewright::component::parameters_of(&self.spec)
            }

            fn references(&self) -> ::kubewright::component::References {
                let mut found = <::kubewright::component::References as ::core::default::Default>::default();
                #[allow(unused_variables)]
                let #references = &mut found;
                #refer
                found
            }

            fn impersonates() -> &'static [&'static str] {
                #[allow(unused_imports)]
                use ::kubewright::component::derive::EmbedsNothing as _;
                if ::kubewright::component::derive::contains(
                    &#setting_kinds,
                    ::kubewright::component::derive::SettingKind::Impersonation,
                ) {
                    &["serviceaccounts"]
                } else {
                    &[]
                }
            }

            fn reference_kinds() -> ::std::collections::BTreeSet<::kubewright::component::ReferenceKind> {
                let mut found = ::std::collections::BTreeSet::new();
                #[allow(unused_variables)]
                let #kinds = &mut found;
                #find_kinds
                found
            }
        }

        #checks
        #reference_checks
    })
}
