//! `#[derive(FromConfigMap)]`.

mod container;
mod fields;
mod literals;
mod names;
#[cfg(test)]
mod tests;

use container::Container;
use fields::ConfigField;
use proc_macro2::{Span, TokenStream};
use quote::quote;
use syn::{Data, DeriveInput, Error, Fields, Ident, Result};

/// Generates the implementation of `FromConfigMap` for a struct.
pub(crate) fn expand(input: &DeriveInput) -> Result<TokenStream> {
    let Data::Struct(data) = &input.data else {
        return Err(Error::new_spanned(&input.ident, "`FromConfigMap` can only be derived for a struct"));
    };
    let Fields::Named(named) = &data.fields else {
        return Err(Error::new_spanned(&input.ident, "a configuration must have named fields: each is a key"));
    };
    if !input.generics.params.is_empty() {
        return Err(Error::new_spanned(&input.generics, "a configuration cannot be generic"));
    }
    let Container { name, optional, strict, example_checksum } = Container::of(input)?;
    let mut fields = named.named.iter().map(ConfigField::of).collect::<Result<Vec<_>>>()?;
    names::check(&fields)?;
    // A prefix collects the keys that no field reads, so that single keys are read first.
    fields.sort_by_key(ConfigField::is_prefix);

    // Hygiene, because parsing functions of the user may have the same names as these variables.
    let (reader, data) = (Ident::new("reader", Span::mixed_site()), Ident::new("data", Span::mixed_site()));
    let values: Vec<_> = (0..fields.len()).map(|place| Ident::new(&format!("value_{place}"), Span::mixed_site())).collect();
    let reads = fields.iter().map(|field| field.read(&reader));
    let idents = fields.iter().map(|field| &field.ident);
    let strict = if strict { quote!(.strict()) } else { TokenStream::new() };
    let ident = &input.ident;
    Ok(quote! {
        #[automatically_derived]
        impl ::kubewright::core::config::FromConfigMap for #ident {
            const NAME: &'static str = #name;
            const REQUIRED: bool = !#optional;
            const EXAMPLE_CHECKSUM: bool = #example_checksum;

            fn from_data(
                #data: &::std::collections::BTreeMap<::std::string::String, ::std::string::String>,
            ) -> ::core::result::Result<::kubewright::core::config::Parsed<Self>, ::kubewright::core::config::ConfigErrors> {
                #[allow(unused_imports)]
                use ::kubewright::core::config::derive::{
                    IsOption as _, IsOptionalText as _, IsText as _, IsUnknown as _, IsValue as _,
                };
                #[allow(unused_mut)]
                let mut #reader = ::kubewright::core::config::Reader::new(#data)#strict;
                #( let #values = #reads; )*
                #reader.finish(|| ::core::result::Result::Ok(Self { #( #idents: #values? ),* }))
            }
        }
    })
}
