use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use syn::punctuated::Punctuated;
use syn::{Field, LitStr, Result, Token};

/// What `#[reference(..)]` says.
#[derive(Default)]
pub(super) struct Rules {
    fallback_keys: Vec<LitStr>,
    ignore_on_deletion: bool,
    given: bool,
}

impl Rules {
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

impl ToTokens for Rules {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        let (keys, ignore) = (&self.fallback_keys, self.ignore_on_deletion);
        tokens.extend(quote! {
            ::kubewright::component::ReferenceRules { fallback_keys: &[#(#keys),*], ignore_on_deletion: #ignore }
        });
    }
}
