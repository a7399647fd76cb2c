//! References in the variants of an enum.

use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use syn::{DataEnum, DeriveInput, Ident, Result};

use super::names::VariantNames;
use super::{holders, with_probe};

/// Generates statements that add the references of the current variant to `references`, a `&mut References`.
pub(super) fn refer(input: &DeriveInput, data: &DataEnum, references: &Ident) -> Result<TokenStream> {
    if data.variants.is_empty() {
        return Ok(TokenStream::new());
    }
    let names = VariantNames::of(&input.attrs)?;
    let mut arms = TokenStream::new();
    for variant in &data.variants {
        let ident = &variant.ident;
        let place = names.place_of(variant)?;
        if place.skipped {
            arms.extend(quote! { Self::#ident { .. } => {} });
            continue;
        }
        let bound = |place: usize| format_ident!("field_{place}");
        let statements = holders::refer_fields(&variant.fields, &place.fields, references, |place, _| {
            let bound = bound(place);
            quote!(#bound)
        })?;
        let patterns = variant.fields.members().enumerate().map(|(place, member)| {
            let bound = bound(place);
            quote!(#member: #bound)
        });
        let statements = match &place.segment {
            Some(segment) if !statements.is_empty() => quote! { #references.within(#segment, |#references| { #statements }); },
            _ => statements,
        };
        arms.extend(quote! { Self::#ident { #(#patterns),* } => { #statements } });
    }
    Ok(with_probe(&quote! { match self { #arms } }))
}
