//! `#[derive(Values)]`.

#[cfg(test)]
mod tests;

use proc_macro2::TokenStream;
use quote::quote;
use syn::{Data, DeriveInput, Error, Fields, Result};

/// Generates the implementations of `TypedValues` and `Setting` for a struct of values.
pub(crate) fn expand(input: &DeriveInput) -> Result<TokenStream> {
    let name = &input.ident;
    let Data::Struct(data) = &input.data else {
        return Err(Error::new_spanned(name, "`Values` can only be derived for a struct, whose fields are the parameters"));
    };
    let Fields::Named(_) = &data.fields else {
        return Err(Error::new_spanned(
            name,
            "a struct of values must have named fields: their names are those of the parameters",
        ));
    };
    if !input.generics.params.is_empty() {
        return Err(Error::new_spanned(&input.generics, "a struct of values cannot be generic"));
    }
    Ok(quote! {
        #[automatically_derived]
        impl ::kubewright::component::TypedValues for #name {}

        #[automatically_derived]
        impl ::kubewright::component::Setting for #name {
            fn contribute(&self, _: &mut ::kubewright::component::Settings) {}

            fn values(&self) -> ::core::option::Option<::kubewright::component::Parameters> {
                ::core::option::Option::Some(::kubewright::component::TypedValues::parameters(self))
            }

            fn holds_values() -> bool {
                true
            }
        }
    })
}
