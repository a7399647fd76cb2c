use proc_macro2::{Ident, Span, TokenStream};
use quote::{format_ident, quote, quote_spanned};
use syn::spanned::Spanned as _;
use syn::{Error, Index, LitStr, Result};

use super::check::check;
use super::component::{ComponentEdge, ComponentEdgeKind, ListedComponent};
use super::declaration::ContractDeclaration;
use super::settings::ContractSettings;

/// Generates the type of a contract and the implementations. Valid parts are generated beside the errors, so that no further errors about missing
/// items follow.
pub(crate) fn expand(input: TokenStream) -> TokenStream {
    match read(input) {
        Ok((declaration, errors)) => {
            let code = code(&declaration);
            let errors = errors.iter().map(Error::to_compile_error);
            quote! { #(#errors)* #code }
        }
        Err(error) => error.into_compile_error(),
    }
}

/// Parses a declaration, and returns its valid parts with the errors about the others.
pub(super) fn read(input: TokenStream) -> Result<(ContractDeclaration, Vec<Error>)> {
    let mut declaration: ContractDeclaration = syn::parse2(input)?;
    let errors = check(&mut declaration);
    Ok((declaration, errors))
}

/// Generates the code of a valid declaration.
pub(super) fn code(declaration: &ContractDeclaration) -> TokenStream {
    let contract = contract(declaration);
    let members = declaration.components.iter().map(|component| member(declaration, component));
    let conditions = declaration.components.iter().enumerate().map(|(index, component)| {
        let earlier = &declaration.components[..index];
        conditions(earlier, component)
    });
    quote! { #contract #(#members)* #(#conditions)* }
}

/// Generates the type of the contract and its terms.
fn contract(declaration: &ContractDeclaration) -> TokenStream {
    let ContractDeclaration { attributes, visibility, name, owner, settings, components } = declaration;
    let documentation = attributes.is_empty().then(|| {
        let text = format!("The contract of `{}` and its components.", super::component::name_of(owner));
        quote!(#[doc = #text])
    });
    let none = || quote!(::kubewright::contract::NoInternal);
    let internal = settings.internal.as_ref().map_or_else(none, |internal| quote!(#internal));
    let form = format_ident!("{}", if settings.preset.is_some() { "OpenmcpForm" } else { "StandardForm" });
    let format = format(declaration);
    let hooks = hooks(&declaration.settings);
    let added = components.iter().map(|component| {
        let path = &component.path;
        // The default type is the kind, which the macro does not know; the operator compares both at its start.
        let add = if component.type_.is_some() { "add" } else { "add_by_kind" };
        let add = Ident::new(add, path.span());
        quote_spanned! { path.span() => components.#add::<#path>(); }
    });
    quote! {
        #documentation
        #(#attributes)*
        #[derive(Clone, Copy, Debug)]
        #[allow(unreachable_pub)] // the visibility is that of the declaration, which may stand in a private module
        #visibility enum #name {}

        #[automatically_derived]
        impl ::kubewright::contract::Contract for #name {
            type Owner = #owner;
            type Internal = #internal;
            type Form = ::kubewright::contract::#form;

            fn format() -> ::core::result::Result<
                ::kubewright::contract::Format,
                ::kubewright::core::finalizer::InvalidFinalizerName,
            > {
                #format
            }

            fn components(components: &mut ::kubewright::contract::Components<Self>) {
                #(#added)*
            }

            #hooks
        }
    }
}

/// Generates the methods of the contract that its author gives as functions.
fn hooks(settings: &ContractSettings) -> TokenStream {
    let labels = quote!(::std::collections::BTreeMap<::std::string::String, ::std::string::String>);
    let disabled = settings.disabled.as_ref().map(|function| {
        quote! {
            fn disabled(
                owner: &Self::Owner,
                internal: ::core::option::Option<&Self::Internal>,
            ) -> ::std::vec::Vec<::kubewright::contract::ComponentType> {
                #function(owner, internal)
            }
        }
    });
    let reads = settings.reads_namespaces.as_ref().map(|reads| quote!(const READS_NAMESPACES: bool = #reads;));
    let propagate = settings.propagate.as_ref().map(|function| {
        quote! {
            fn propagate(
                owner: &Self::Owner,
                namespace: &#labels,
            ) -> ::core::result::Result<#labels, ::kubewright::core::flow::Failure> {
                #function(owner, namespace)
            }
        }
    });
    let architecture = settings.architecture.as_ref().map(|function| {
        quote! {
            fn architecture(
                component: ::kubewright::contract::ComponentType,
                internal: ::core::option::Option<&Self::Internal>,
            ) -> ::kubewright::contract::Architecture {
                #function(component, internal)
            }
        }
    });
    quote! { #reads #disabled #propagate #architecture }
}

/// Generates the method that returns the keys and names on the wire.
fn format(declaration: &ContractDeclaration) -> TokenStream {
    let settings = &declaration.settings;
    let standard = if let Some(domain) = &settings.domain {
        quote!(::kubewright::contract::Format::standard(#domain))
    } else {
        quote!(::kubewright::contract::Format::standard(<Self::Owner as ::kubewright::kube::Resource>::group(&())))
    };
    let form =
        settings.finalizer_form.as_ref().map(|form| quote!(.finalizer_form(::kubewright::core::finalizer::FinalizerForm::#form)));
    let revision = settings.revision.as_ref().map(|revision| quote!(.with_revision(::kubewright::contract::Revision::#revision)));
    let length = settings.max_name_length.as_ref().map(|length| quote!(.with_max_owner_name(#length)));
    let calls = quote!(#form #revision #length);
    match &settings.preset {
        Some(preset) => quote!(::core::result::Result::Ok(::kubewright::contract::Format::#preset() #calls)),
        None if calls.is_empty() => standard,
        None => quote!(::core::result::Result::Ok(#standard? #calls)),
    }
}

/// Generates the implementation of a component's membership in the contract, and of its edges.
fn member(declaration: &ContractDeclaration, component: &ListedComponent) -> TokenStream {
    let (contract, path) = (&declaration.name, &component.path);
    let type_ = LitStr::new(&component.type_(), path.span());
    let keep_running = component.keep_running.then(|| {
        quote!(
            const KEEP_RUNNING: bool = true;
        )
    });
    let lists: TokenStream = component.edges.iter().enumerate().filter_map(|(index, edge)| list(index, edge)).collect();
    let edges = component.edges.iter().enumerate().map(|(index, edge)| edge_type(index, edge));
    let ways = component.edges.iter().enumerate().map(|(index, edge)| way(component, index, edge));
    quote! {
        const _: () = {
            #lists

            #[automatically_derived]
            impl ::kubewright::contract::ContractMember for #path {
                type Contract = #contract;
                type Edges = (#(#edges,)*);

                const TYPE: ::kubewright::contract::ComponentType = ::kubewright::contract::ComponentType::new(#type_);
                #keep_running
            }

            #(#ways)*
        };
    }
}

/// Returns the name of the type that holds the listed conditions of an edge.
fn list_name(index: usize) -> Ident {
    format_ident!("ConditionsOf{index}")
}

fn list(index: usize, edge: &ComponentEdge) -> Option<TokenStream> {
    let conditions = edge.conditions.as_ref()?;
    let name = list_name(index);
    Some(quote! {
        #[doc(hidden)]
        #[derive(Debug)]
        #[allow(unreachable_pub)] // a public trait names it, wherever the declaration stands
        pub enum #name {}

        #[automatically_derived]
        impl ::kubewright::contract::RelevantConditions for #name {
            const TYPES: &'static [&'static str] = &[#(#conditions),*];
        }
    })
}

fn edge_type(index: usize, edge: &ComponentEdge) -> TokenStream {
    let to = &edge.to;
    let kind = match edge.kind {
        ComponentEdgeKind::Needs => "NeedsEdge",
        ComponentEdgeKind::NeedsSameRevision => "NeedsSameRevisionEdge",
        ComponentEdgeKind::OutlivedBy => "OutlivedByEdge",
    };
    let kind = Ident::new(kind, Span::call_site());
    let plain = quote_spanned! { to.span() => ::kubewright::contract::#kind<#to> };
    if edge.conditions.is_none() {
        return plain;
    }
    let list = list_name(index);
    quote!(::kubewright::contract::WithConditions<#plain, #list>)
}

/// Generates `DependsOn`, and also `Needs` if readiness is required.
fn way(component: &ListedComponent, index: usize, edge: &ComponentEdge) -> TokenStream {
    let (from, to) = (&component.path, &edge.to);
    let place = Index::from(index);
    let ready = (edge.kind != ComponentEdgeKind::OutlivedBy).then(|| {
        quote! {
            #[automatically_derived]
            impl ::kubewright::contract::Needs<#to> for #from {
                fn ready(dependencies: &::kubewright::contract::ReadyOf<Self>) -> &::std::sync::Arc<#to> {
                    &dependencies.#place
                }
            }
        }
    });
    quote! {
        #[automatically_derived]
        impl ::kubewright::contract::DependsOn<#to> for #from {
            fn maybe(dependencies: &::kubewright::contract::MaybeOf<Self>) -> ::core::option::Option<&::std::sync::Arc<#to>> {
                ::core::option::Option::as_ref(&dependencies.#place)
            }
        }

        #ready
    }
}

/// Generates the comparison of the condition types of a component with those of earlier ones, which runs at compile time (CT-2).
fn conditions(earlier: &[ListedComponent], component: &ListedComponent) -> TokenStream {
    let declared = |component: &ListedComponent| {
        let path = &component.path;
        quote_spanned! { path.span() => (
            <#path as ::kubewright::contract::ContractMember>::TYPE,
            <#path as ::kubewright::contract::ContractComponent>::CONDITIONS,
        ) }
    };
    let (own, earlier) = (declared(component), earlier.iter().map(declared));
    quote_spanned! { component.path.span() =>
        const _: () = ::kubewright::contract::check_conditions(#own, &[#(#earlier),*]);
    }
}
