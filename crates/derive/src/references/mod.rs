//! Which fields hold references, and under which JSON names. Used by both derives.

mod attributes;
mod names;
#[cfg(test)]
mod tests;

use proc_macro2::TokenStream;
use quote::quote;
use syn::{Data, DeriveInput, Error, Field, Fields, FieldsNamed, Ident, Result, Type};

use attributes::Rules;
use names::Names;

/// `#[derive(HoldsReferences)]` on a struct inside a spec.
pub(crate) fn expand(input: &DeriveInput) -> Result<TokenStream> {
    if let Some(content) = attributes::content_of(&input.attrs)? {
        return loaded(input, &content);
    }
    let named = match &input.data {
        Data::Struct(data) => match &data.fields {
            Fields::Named(named) => named,
            _ => return Err(Error::new_spanned(&input.ident, "a struct that holds references must have named fields")),
        },
        _ => return Err(Error::new_spanned(&input.ident, "`HoldsReferences` can only be derived for structs")),
    };
    if !input.generics.params.is_empty() {
        return Err(Error::new_spanned(&input.generics, "a struct that holds references cannot be generic"));
    }
    let ident = &input.ident;
    let references = Ident::new("references", proc_macro2::Span::call_site());
    let kinds = Ident::new("kinds", proc_macro2::Span::call_site());
    let refer = refer(input, named, &quote!(self), &references)?;
    let find = kinds_of(named, &kinds);
    Ok(quote! {
        #[automatically_derived]
        impl ::kubewright::component::HoldsReferences for #ident {
            fn reference_kinds(
                #kinds: &mut ::std::collections::BTreeSet<::kubewright::component::ReferenceKind>,
            ) {
                #find
            }

            fn refer(&self, #references: &mut ::kubewright::component::References) {
                #refer
            }
        }
    })
}

/// A type that is a reference of its own kind (REF-7). Its fields are its own business.
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

/// Statements that add the references of all fields of `owner` to `references`, a `&mut References`.
pub(crate) fn refer(input: &DeriveInput, named: &FieldsNamed, owner: &TokenStream, references: &Ident) -> Result<TokenStream> {
    let names = Names::of(&input.attrs)?;
    let mut statements = TokenStream::new();
    for field in &named.named {
        let Some(ident) = &field.ident else { continue };
        let name = names::of_field(field, &names)?;
        if name.skipped {
            continue;
        }
        let none = || quote!(::core::option::Option::None);
        let name = name.json.as_ref().map_or_else(none, |json| quote!(::core::option::Option::Some(#json)));
        let rules = Rules::of(field)?;
        statements.extend(if rules.is_some() {
            // What says how to resolve a reference must stand on one; otherwise this does not compile.
            quote! { #references.field(#name, #rules, &#owner.#ident); }
        } else {
            quote! { (&Probe(&#owner.#ident)).refer(#references, #name); }
        });
    }
    Ok(quote! {
        #[allow(unused_imports)]
        use ::kubewright::component::derive::{HasNoReferences as _, HasReferences as _, Probe};
        #statements
    })
}

/// Statements that add the kinds of all fields to `kinds`, a `&mut BTreeSet`.
pub(crate) fn kinds_of(named: &FieldsNamed, kinds: &Ident) -> TokenStream {
    let types: Vec<_> = named.named.iter().map(|field: &Field| &field.ty).collect();
    quote! {
        #[allow(unused_imports)]
        use ::kubewright::component::derive::{HasNoReferenceKinds as _, HasReferenceKinds as _, TypeProbe};
        #( (&TypeProbe::<#types>::NEW).reference_kinds(#kinds); )*
    }
}
