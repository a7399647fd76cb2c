use proc_macro2::Span;
use syn::parse::Parse;
use syn::{DeriveInput, Error, Expr, Ident, LitStr, Result, Token};

/// The arguments of the `#[kube(..)]` attributes about the custom resource.
pub(super) struct KubeArguments {
    /// The struct that `CustomResource` generates.
    pub(super) root: Ident,
}

impl KubeArguments {
    pub(super) fn of(input: &DeriveInput) -> Result<Self> {
        let mut kind = None;
        let mut root = None;
        let mut status = None;
        let attributes = input.attrs.iter().filter(|attribute| attribute.path().is_ident("kube"));
        for attribute in attributes {
            attribute.parse_nested_meta(|meta| {
                if meta.path.is_ident("kind") {
                    kind = Some(meta.value()?.parse::<LitStr>()?);
                } else if meta.path.is_ident("struct") {
                    root = Some(meta.value()?.parse::<LitStr>()?);
                } else if meta.path.is_ident("status") {
                    status = Some(meta.value()?.parse::<LitStr>()?);
                } else if meta.input.peek(Token![=]) {
                    meta.value()?.parse::<Expr>()?;
                } else if meta.input.peek(syn::token::Paren) {
                    let nested;
                    syn::parenthesized!(nested in meta.input);
                    proc_macro2::TokenStream::parse(&nested)?;
                }
                Ok(())
            })?;
        }
        let Some(kind) = kind else {
            return Err(Error::new_spanned(
                &input.ident,
                "`Component` stands beside `CustomResource` and needs its attribute: \
                 `#[kube(group = \"..\", version = \"..\", kind = \"..\", namespaced, status = \"ComponentStatus\")]`",
            ));
        };
        if status.is_none() {
            return Err(Error::new_spanned(
                &kind,
                "a component needs a status: add `status = \"ComponentStatus\"`, or an own type that implements `EmbedsStatus`",
            ));
        }
        let root = root.unwrap_or(kind);
        Ok(Self { root: Ident::new(&root.value(), Span::call_site()) })
    }
}
