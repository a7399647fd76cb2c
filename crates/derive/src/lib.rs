//! Derive macros of Kubewright.
//!
//! The macros are used through the facade crate `kubewright`, and the code they give names its paths only.

mod component;

use proc_macro::TokenStream;
use syn::{DeriveInput, parse_macro_input};

/// Makes the resource of a spec a component.
///
/// Stands beside `#[derive(CustomResource)]` on the spec. It finds the embedded settings (`Placement`, `Policies`,
/// `Suspend`, `Requeue`, `Retry`, `Timeout`, `Reapply`, `ManagedTypes`, `Values`, and own types that implement
/// `Setting`) by type and implements `Component` for the resource that `CustomResource` generates.
#[proc_macro_derive(Component, attributes(component))]
pub fn derive_component(input: TokenStream) -> TokenStream {
    let input = parse_macro_input!(input as DeriveInput);
    component::expand(&input).unwrap_or_else(syn::Error::into_compile_error).into()
}
