use proc_macro2::{Ident, Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::spanned::Spanned as _;
use syn::{ItemImpl, Result, Type};

use super::arguments::Arguments;
use super::block::{Block, as_written};
use super::hook::LeadershipHook;
use super::signature::MethodSignature;

/// Generates the implementations for a block, after the block itself. With errors the block is kept, so that no further errors about missing items
/// follow.
pub(crate) fn expand(arguments: TokenStream, block: ItemImpl) -> TokenStream {
    let implementations = implementations(arguments, &block).unwrap_or_else(syn::Error::into_compile_error);
    let block = as_written(block);
    quote! { #block #implementations }
}

/// Generates the implementations for a block.
pub(super) fn implementations(arguments: TokenStream, item: &ItemImpl) -> Result<TokenStream> {
    let arguments: Arguments = syn::parse2(arguments)?;
    let block = Block::read(item, &arguments)?;
    let head = ImplHead { item };
    let mut code = head.reconcile(&block, &arguments.kind);
    if let Some(finalize) = &block.finalize {
        code.extend(head.finalize(finalize));
    }
    if let Some(observe) = &block.observe {
        code.extend(head.observing("Observe", observe, &quote!(&<Self as ::kubewright::runtime::reconcile::Reconcile>::Kind)));
    }
    if let Some(deleted) = &block.observe_deleted {
        code.extend(head.observing("ObserveDeleted", deleted, &quote!(&::kubewright::machinery::object::Key)));
    }
    if !block.hooks.is_empty() {
        let functions: TokenStream = block.hooks.iter().map(LeadershipHook::function).collect();
        code.extend(head.implement("Lead", &functions));
    }
    code.extend(head.registered(&block, &arguments));
    Ok(code)
}

/// The common head of all implementations.
struct ImplHead<'a> {
    item: &'a ItemImpl,
}

impl ImplHead<'_> {
    fn reconcile(&self, block: &Block, kind: &Type) -> TokenStream {
        let method = &block.reconcile;
        let none = || quote!(::kubewright::runtime::reconcile::NoStatus);
        let status = method.status.as_ref().map_or_else(none, |status| quote!(#status));
        let function = changing(method);
        self.implement(
            "Reconcile",
            &quote! {
                type Kind = #kind;
                type Status = #status;

                #function

                fn conditions() -> ::core::option::Option<::kubewright::runtime::reconcile::ConditionAccess<Self::Status>> {
                    #[allow(unused_imports)]
                    use ::kubewright::runtime::reconcile::derive::{HasConditions as _, HasNoConditions as _, TypeProbe};
                    (&TypeProbe::<#status>::NEW).conditions()
                }
            },
        )
    }

    fn finalize(&self, method: &MethodSignature) -> TokenStream {
        self.implement("Finalize", &changing(method))
    }

    /// Generates `observe` or `observe_deleted`.
    fn observing(&self, trait_: &str, method: &MethodSignature, subject: &TokenStream) -> TokenStream {
        let MethodSignature { name, spans: [cx, subject_span], .. } = method;
        let arguments = [Ident::new("cx", *cx), Ident::new("subject", *subject_span)];
        let [cx, subject_name] = &arguments;
        let (output, call) = (output(method), call(method, &arguments));
        self.implement(
            trait_,
            &quote! {
                fn #name(
                    &self,
                    #cx: &::kubewright::runtime::reconcile::Context<<Self as ::kubewright::runtime::reconcile::Reconcile>::Kind>,
                    #subject_name: #subject,
                ) -> #output {
                    #call
                }
            },
        )
    }

    fn registered(&self, block: &Block, arguments: &Arguments) -> TokenStream {
        let kind = &arguments.kind;
        let checks = checks(block);
        let mut calls = Vec::new();
        if let Some(finalize) = &block.finalize {
            let none = || quote!(::core::option::Option::None);
            let finalizer = arguments.finalizer.as_ref().map_or_else(none, |name| quote!(::core::option::Option::Some(#name)));
            calls.push(quote_spanned! { finalize.name.span() => .finalizer(#finalizer) });
        }
        for method in [&block.observe, &block.observe_deleted].into_iter().flatten() {
            let name = &method.name;
            calls.push(quote! { .#name() });
        }
        if !block.hooks.is_empty() {
            calls.push(quote! { .lead() });
        }
        calls.extend(arguments.calls.iter().cloned());
        if let Some(watches) = &block.watches {
            calls.push(quote_spanned! { watches.span() => .watches(<Self>::#watches) });
        }
        self.implement(
            "Registered",
            &quote! {
                fn configure(
                    controller: ::kubewright::runtime::reconcile::Controller<Self>,
                ) -> ::kubewright::runtime::reconcile::Controller<Self> {
                    #[allow(unused_imports)]
                    use ::kubewright::runtime::reconcile::derive::{HasDefinition as _, HasNoDefinition as _, TypeProbe};
                    #checks
                    controller.crd((&TypeProbe::<#kind>::NEW).definition()) #(#calls)*
                }
            },
        )
    }

    fn implement(&self, trait_: &str, content: &TokenStream) -> TokenStream {
        let trait_ = Ident::new(trait_, Span::call_site());
        let this = &self.item.self_ty;
        let (generics, _, clause) = self.item.generics.split_for_impl();
        let conditions = self.item.attrs.iter().filter(|attribute| attribute.path().is_ident("cfg"));
        quote! {
            #(#conditions)*
            #[automatically_derived]
            impl #generics ::kubewright::runtime::reconcile::#trait_ for #this #clause {
                #content
            }
        }
    }
}

/// Generates `reconcile` or `finalize` of the trait. If a function and a method of a trait have the same name, the path `<Self>::name` denotes the
/// function.
fn changing(method: &MethodSignature) -> TokenStream {
    let name = &method.name;
    let [cx, object] = method.spans;
    let mut arguments = vec![Ident::new("cx", cx), Ident::new("object", object)];
    let status = match &method.status {
        Some(status) => Ident::new("status", status.span()),
        None => Ident::new("_status", Span::call_site()),
    };
    if method.status.is_some() {
        arguments.push(status.clone());
    }
    let (output, call) = (output(method), call(method, &arguments));
    let (cx, object) = (&arguments[0], &arguments[1]);
    quote! {
        fn #name(
            &self,
            #cx: &::kubewright::runtime::reconcile::Context<<Self as ::kubewright::runtime::reconcile::Reconcile>::Kind>,
            #object: &<Self as ::kubewright::runtime::reconcile::Reconcile>::Kind,
            #status: &mut <Self as ::kubewright::runtime::reconcile::Reconcile>::Status,
        ) -> #output {
            #call
        }
    }
}

fn output(method: &MethodSignature) -> TokenStream {
    quote_spanned! { method.output =>
        impl ::core::future::Future<Output = ::kubewright::core::flow::Flow> + ::core::marker::Send
    }
}

fn call(method: &MethodSignature, arguments: &[Ident]) -> TokenStream {
    let name = &method.name;
    quote_spanned! { method.output => <Self>::#name(self, #(#arguments),*) }
}

/// Generates checks that report errors about a constructor at the user's code.
fn checks(block: &Block) -> TokenStream {
    let constructor = &block.constructor;
    let mut checks = TokenStream::new();
    for argument in &constructor.arguments {
        checks.extend(quote_spanned! { argument.span() => ::kubewright::runtime::reconcile::derive::extractor::<#argument>(); });
    }
    let output = &constructor.output;
    if !matches!(output, Type::ImplTrait(_)) {
        checks.extend(
            quote_spanned! { output.span() => ::kubewright::runtime::reconcile::derive::constructed::<Self, _, #output>(); },
        );
    }
    checks
}
