//! The fields that hold references, and their JSON names. Used by both derives.

mod attributes;
mod holders;
mod names;
#[cfg(test)]
mod tests;
mod variants;

use names::SerdeNaming;
use proc_macro2::TokenStream;
use quote::quote;
use syn::{Data, DeriveInput, Error, Field, Fields, Ident, Result, Type};

/// Generates the implementation of `#[derive(HoldsReferences)]` for a struct or enum inside a spec.
pub(crate) fn expand(input: &DeriveInput) -> Result<TokenStream> {
    if let Some(content) = attributes::content_of(&input.attrs)? {
        return loaded(input, &content);
    }
    if !input.generics.params.is_empty() {
        return Err(Error::new_spanned(&input.generics, "a type that holds references cannot be generic"));
    }
    let ident = &input.ident;
    let references = Ident::new("references", proc_macro2::Span::call_site());
    let kinds = Ident::new("kinds", proc_macro2::Span::call_site());
    let (refer, fields) = match &input.data {
        Data::Struct(data) => (refer(input, &data.fields, &quote!(self), &references)?, data.fields.iter().collect::<Vec<_>>()),
        Data::Enum(data) => {
            let fields = data.variants.iter().flat_map(|variant| &variant.fields).collect();
            (variants::refer(input, data, &references)?, fields)
        }
        Data::Union(_) => return Err(Error::new_spanned(&input.ident, "a union cannot hold references")),
    };
    let find = kinds_of(&fields, &kinds);
    let checks = holders::checks(fields.iter().copied());
    Ok(quote! {
        #[automatically_derived]
        impl ::kubewright::component::HoldsReferences for #ident {
            #[allow(unused_variables)]
            fn reference_kinds(
                #kinds: &mut ::std::collections::BTreeSet<::kubewright::component::ReferenceKind>,
            ) {
                #find
            }

            #[allow(unused_variables)]
            fn refer(&self, #references: &mut ::kubewright::component::References) {
                #refer
            }
        }

        #checks
    })
}

/// Generates the implementation for a type that is a reference of its own kind (REF-7). Its fields are not searched.
fn loaded(input: &DeriveInput, content: &Type) -> Result<TokenStream> {
    if !input.generics.params.is_empty() {
        return Err(Error::new_spanned(&input.generics, "a reference cannot be generic"));
    }
    let ident = &input.ident;
    Ok(quote! {
        #[automatically_derived]
        impl ::kubewright::component::Loads for #ident {
            type Content = #content;
        }

        #[automatically_derived]
        impl ::kubewright::component::HoldsReferences for #ident {
            fn reference_kinds(_: &mut ::std::collections::BTreeSet<::kubewright::component::ReferenceKind>) {}

            fn refer(&self, references: &mut ::kubewright::component::References) {
                ::kubewright::component::derive::refer_loaded(self, references);
            }
        }
    })
}

/// Generates statements that add the references of all fields of `owner` to `references`, a `&mut References`.
pub(crate) fn refer(input: &DeriveInput, fields: &Fields, owner: &TokenStream, references: &Ident) -> Result<TokenStream> {
    let names = SerdeNaming::of(&input.attrs)?;
    let members: Vec<_> = fields.members().collect();
    let statements = holders::refer_fields(fields, &names, references, |place, _| {
        let member = &members[place];
        quote!(&#owner.#member)
    })?;
    Ok(with_probe(&statements))
}

fn with_probe(statements: &TokenStream) -> TokenStream {
    quote! {
        #[allow(unused_imports)]
        use ::kubewright::component::derive::{HasNoReferences as _, HasReferences as _, Probe};
        #statements
    }
}

/// Generates statements that add the kinds of all fields to `kinds`, a `&mut BTreeSet`.
pub(crate) fn kinds_of(fields: &[&Field], kinds: &Ident) -> TokenStream {
    let statements = holders::kinds_of_fields(fields.iter().copied(), kinds);
    quote! {
        #[allow(unused_imports)]
        use ::kubewright::component::derive::{HasNoReferenceKinds as _, HasReferenceKinds as _, HolderProbe};
        #statements
    }
}

/// Generates compile-time checks that no reference is ignored.
pub(crate) fn checks(fields: &[&Field]) -> TokenStream {
    holders::checks(fields.iter().copied())
}
