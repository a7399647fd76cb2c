use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use syn::punctuated::Punctuated;
use syn::{Attribute, Field, LitStr, Result, Token, Type};

/// Returns the content type of a struct that is itself a reference: the type in `#[reference(content = ..)]`.
pub(super) fn content_of(attributes: &[Attribute]) -> Result<Option<Type>> {
    let mut content = None;
    for attribute in attributes.iter().filter(|attribute| attribute.path().is_ident("reference")) {
        attribute.parse_nested_meta(|meta| {
            if !meta.path.is_ident("content") {
                return Err(meta.error("unknown on a struct; allowed: `content = Type`"));
            }
            content = Some(meta.value()?.parse::<Type>()?);
            Ok(())
        })?;
    }
    Ok(content)
}

/// The arguments of `#[reference(..)]`.
#[derive(Default)]
pub(super) struct ReferenceArguments {
    fallback_keys: Vec<LitStr>,
    ignore_on_deletion: bool,
    given: bool,
}

impl ReferenceArguments {
    pub(super) fn of(field: &Field) -> Result<Self> {
        let mut rules = Self::default();
        for attribute in field.attrs.iter().filter(|attribute| attribute.path().is_ident("reference")) {
            rules.given = true;
            attribute.parse_nested_meta(|meta| {
                if meta.path.is_ident("ignore_on_deletion") {
                    rules.ignore_on_deletion = true;
                    return Ok(());
                }
                if meta.path.is_ident("fallback_keys") {
                    let keys;
                    syn::parenthesized!(keys in meta.input);
                    rules.fallback_keys.extend(Punctuated::<LitStr, Token![,]>::parse_terminated(&keys)?);
                    return Ok(());
                }
                Err(meta.error("unknown; allowed: `fallback_keys(\"a\", ..)`, `ignore_on_deletion`"))
            })?;
        }
        Ok(rules)
    }

    pub(super) fn is_some(&self) -> bool {
        self.given
    }
}

impl ToTokens for ReferenceArguments {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        let (keys, ignore) = (&self.fallback_keys, self.ignore_on_deletion);
        tokens.extend(quote! {
            ::kubewright::component::ReferenceRules { fallback_keys: &[#(#keys),*], ignore_on_deletion: #ignore }
        });
    }
}
