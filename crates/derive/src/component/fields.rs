use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use syn::spanned::Spanned as _;
use syn::{Field, FieldsNamed, Ident, Result, Token};

/// Returns the kinds of the fields, an array. A setting is recognised by its type, not by a name: users may have a `Timeout` of their own, and may
/// import settings under other names.
pub(super) fn kinds(fields: &FieldsNamed) -> TokenStream {
    let types = fields.named.iter().map(|field| &field.ty);
    quote! { [#( ::kubewright::component::derive::Embedded::<#types>::SETTING ),*] }
}

/// Rejects embedded settings that would be ignored although they look like settings; the check runs when the spec is compiled.
pub(super) fn checks(fields: &FieldsNamed) -> Result<TokenStream> {
    let mut checks = TokenStream::new();
    for (place, field) in fields.named.iter().enumerate() {
        let Some(ident) = &field.ident else { continue };
        let (span, ty) = (field.span(), &field.ty);
        let kind = quote! { ::kubewright::component::derive::Embedded::<#ty>::SETTING };
        let twice = format!("`{ident}` is a setting that is embedded twice; one of them would have no effect");
        checks.extend(quote_spanned! { span =>
            ::core::assert!(::kubewright::component::derive::is_first(&KINDS, #place), #twice);
        });
        checks.extend(if is_flattened(field)? {
            let plain =
                format!("`{ident}` is a setting with a field of its own: `#[serde(default)]` instead of `#[serde(flatten)]`");
            let last = format!(
                "a field before `{ident}` collects all that is left over, so that this flattened field must stand before it"
            );
            quote_spanned! { span =>
                ::core::assert!(::kubewright::component::derive::may_flatten(#kind), #plain);
                ::core::assert!(::kubewright::component::derive::stands_before_values(&KINDS, #place), #last);
            }
        } else {
            let flat = format!("`{ident}` is a setting that must be flattened into the spec: add `#[serde(flatten)]`");
            quote_spanned! { span => ::core::assert!(::kubewright::component::derive::may_be_plain(#kind), #flat); }
        });
    }
    let (count, kinds) = (fields.named.len(), kinds(fields));
    Ok(quote! {
        const _: () = {
            #[allow(unused_imports)]
            use ::kubewright::component::derive::EmbedsNothing as _;
            #[allow(dead_code)]
            const KINDS: [::kubewright::component::derive::SettingKind; #count] = #kinds;
            #checks
        };
    })
}

fn is_flattened(field: &Field) -> Result<bool> {
    let mut flattened = false;
    for attribute in field.attrs.iter().filter(|attribute| attribute.path().is_ident("serde")) {
        attribute.parse_nested_meta(|meta| {
            flattened |= meta.path.get_ident().is_some_and(|ident: &Ident| ident == "flatten");
            if meta.input.peek(Token![=]) {
                meta.value()?.parse::<syn::Expr>()?;
            } else if meta.input.peek(syn::token::Paren) {
                let nested;
                syn::parenthesized!(nested in meta.input);
                nested.parse::<TokenStream>()?;
            }
            Ok(())
        })?;
    }
    Ok(flattened)
}
