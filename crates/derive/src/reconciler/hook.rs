//! The leadership hooks of a reconciler.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, quote, quote_spanned};
use syn::spanned::Spanned as _;
use syn::{Error, FnArg, Result, Signature, Type};

/// The hook `on_promoted` or `on_demoted`.
pub(super) struct LeadershipHook {
    name: Ident,
    /// The span of its parameter.
    term: Span,
    /// The span of its result.
    output: Span,
}

impl LeadershipHook {
    /// Checks the form of a hook. Its types are checked by the compiler.
    pub(super) fn read(signature: &Signature) -> Result<Self> {
        let name = &signature.ident;
        let fault = |at: &dyn ToTokens| {
            let expected = format!("expected `async fn {name}(&self, term: &LeaderTerm) -> Result<(), BoxError>`");
            Err(Error::new_spanned(at, expected))
        };
        if signature.asyncness.is_none() || !signature.generics.params.is_empty() {
            return fault(signature);
        }
        let mut inputs = signature.inputs.iter();
        match inputs.next() {
            Some(FnArg::Receiver(receiver)) if receiver.reference.is_some() && receiver.mutability.is_none() => {}
            _ => return fault(signature),
        }
        let term = match (inputs.next(), inputs.next()) {
            (Some(FnArg::Typed(term)), None) if matches!(&*term.ty, Type::Reference(reference) if reference.mutability.is_none()) => {
                term.ty.span()
            }
            _ => return fault(signature),
        };
        let output = match &signature.output {
            syn::ReturnType::Default => return fault(signature),
            syn::ReturnType::Type(_, output) => output.span(),
        };
        Ok(Self { name: name.clone(), term, output })
    }

    /// Generates the function of the trait, which calls the function of the block.
    pub(super) fn function(&self) -> TokenStream {
        let Self { name, term, output } = self;
        let term = Ident::new("term", *term);
        let result = quote_spanned! { *output =>
            impl ::core::future::Future<
                Output = ::core::result::Result<(), ::kubewright::core::flow::BoxError>,
            > + ::core::marker::Send
        };
        let call = quote_spanned! { *output => <Self>::#name(self, #term) };
        quote! {
            fn #name(&self, #term: &::kubewright::runtime::controller::LeaderTerm) -> #result {
                #call
            }
        }
    }
}
