//! Generators of statements that find the references of one field, whatever its type.

use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use syn::punctuated::Punctuated;
use syn::spanned::Spanned as _;
use syn::{Field, Fields, GenericArgument, Ident, PathArguments, Result, Type};

use super::attributes::ReferenceArguments;
use super::names::{self, SerdeNaming};

/// Generates statements that add the references of these fields to `references`, a `&mut References`. `access` gives an expression for a field: a
/// reference to it. A single field without a name has the path of its owner.
pub(super) fn refer_fields(
    fields: &Fields,
    names: &SerdeNaming,
    references: &Ident,
    access: impl Fn(usize, &Field) -> TokenStream,
) -> Result<TokenStream> {
    let single = matches!(fields, Fields::Unnamed(unnamed) if unnamed.unnamed.len() == 1);
    let mut statements = TokenStream::new();
    for (place, field) in fields.iter().enumerate() {
        let name = names::of_field(field, names)?;
        if name.skipped {
            continue;
        }
        let name = match &field.ident {
            Some(_) => name.json,
            None if single => None,
            None => Some(place.to_string()),
        };
        let rules = ReferenceArguments::of(field)?;
        let access = access(place, field);
        statements.extend(if rules.is_some() {
            let name = segment(name.as_deref());
            // An attribute about resolving must be on a reference; on any other field this statement does not compile.
            quote! { #references.field(#name, #rules, #access); }
        } else {
            refer_type(&field.ty, name.as_deref(), references, &access)
        });
    }
    Ok(statements)
}

fn segment(name: Option<&str>) -> TokenStream {
    name.map_or_else(|| quote!(::core::option::Option::None), |name| quote!(::core::option::Option::Some(#name)))
}

/// Generates the statements for one type. The parts of a tuple are handled one by one, because most of them are not references.
fn refer_type(ty: &Type, name: Option<&str>, references: &Ident, access: &TokenStream) -> TokenStream {
    let Type::Tuple(tuple) = ty else {
        let name = segment(name);
        return quote! { (&Probe(#access)).refer(#references, #name); };
    };
    let parts = tuple.elems.iter().enumerate().map(|(place, part)| {
        let index = syn::Index::from(place);
        refer_type(part, Some(&place.to_string()), references, &quote!(&(#access).#index))
    });
    let parts: TokenStream = parts.collect();
    match name {
        Some(name) => quote! { #references.within(#name, |#references| { #parts }); },
        None => parts,
    }
}

/// Generates statements that add the kinds of these fields to `kinds`, a `&mut BTreeSet`.
pub(super) fn kinds_of_fields<'a>(fields: impl Iterator<Item = &'a Field>, kinds: &Ident) -> TokenStream {
    let mut types = Vec::new();
    fields.for_each(|field| parts_of(&field.ty, &mut types));
    quote! { #( (&HolderProbe::<#types>::NEW).reference_kinds(#kinds); )* }
}

fn parts_of<'a>(ty: &'a Type, parts: &mut Vec<&'a Type>) {
    match ty {
        Type::Tuple(tuple) => tuple.elems.iter().for_each(|part| parts_of(part, parts)),
        _ => parts.push(ty),
    }
}

/// Generates compile-time checks for references in containers that are not searched: they would be ignored silently.
pub(super) fn checks<'a>(fields: impl Iterator<Item = &'a Field>) -> TokenStream {
    let mut checks = TokenStream::new();
    for field in fields {
        let mut outer = Vec::new();
        parts_of(&field.ty, &mut outer);
        for outer in outer {
            for inner in arguments(outer) {
                let message = "the references in this field are not found: of the types that hold others only Option, Box, Arc, Vec, \
                               arrays, tuples of references, and maps with String keys are looked into; own types derive `HoldsReferences`";
                checks.extend(quote_spanned! { field.span() =>
                    ::core::assert!(
                        !::kubewright::component::derive::Holds::<#inner>::REFERENCES
                            || ::kubewright::component::derive::Holds::<#outer>::REFERENCES,
                        #message
                    );
                });
            }
        }
    }
    if checks.is_empty() {
        return checks;
    }
    quote! {
        const _: () = {
            #[allow(unused_imports)]
            use ::kubewright::component::derive::HoldsNone as _;
            #checks
        };
    }
}

/// Returns the types in a type, at any depth.
fn arguments(ty: &Type) -> Vec<&Type> {
    let mut found = Vec::new();
    match ty {
        Type::Path(path) => {
            for segment in &path.path.segments {
                if let PathArguments::AngleBracketed(given) = &segment.arguments {
                    found.extend(types_of(&given.args));
                }
            }
        }
        Type::Array(array) => found.push(&*array.elem),
        Type::Tuple(tuple) => found.extend(&tuple.elems),
        _ => {}
    }
    let deeper: Vec<&Type> = found.iter().flat_map(|ty| arguments(ty)).collect();
    found.extend(deeper);
    found
}

fn types_of(arguments: &Punctuated<GenericArgument, syn::Token![,]>) -> impl Iterator<Item = &Type> {
    arguments.iter().filter_map(|argument| match argument {
        GenericArgument::Type(ty) => Some(ty),
        _ => None,
    })
}
