//! `#[derive(ConditionSet)]`.

mod attributes;
mod fields;
#[cfg(test)]
mod tests;

use attributes::Declaration;
use fields::StatusFields;
use proc_macro2::TokenStream;
use quote::{format_ident, quote, quote_spanned};
use syn::spanned::Spanned as _;
use syn::{Data, DeriveInput, Error, Fields, Ident, Result, Type};

/// Generates the implementation of `Conditioned` for a status.
pub(crate) fn expand(input: &DeriveInput) -> Result<TokenStream> {
    let Data::Struct(data) = &input.data else {
        return Err(Error::new_spanned(&input.ident, "`ConditionSet` can only be derived for the struct that is a status"));
    };
    let Fields::Named(named) = &data.fields else {
        return Err(Error::new_spanned(&input.ident, "a status with conditions must have named fields"));
    };
    if !input.generics.params.is_empty() {
        return Err(Error::new_spanned(&input.generics, "a status with conditions cannot be generic"));
    }
    let declaration = Declaration::of(&input.attrs)?;
    let fields = StatusFields::of(&input.ident, named)?;

    let (status, list) = (&input.ident, fields.list);
    let observed_generation = fields
        .observed_generation
        .map(|field| accessors(field, &format_ident!("observed_generation"), &format_ident!("set_observed_generation")));
    let applied_generation = fields
        .applied_generation
        .map(|field| accessors(field, &format_ident!("applied_generation"), &format_ident!("set_applied_generation")));
    Ok(quote! {
        #[automatically_derived]
        impl ::kubewright::core::condition::Conditioned for #status {
            fn condition_set() -> ::kubewright::core::condition::ConditionSet {
                #declaration
            }

            fn conditions(&self) -> ::std::vec::Vec<::kubewright::core::condition::Condition> {
                #[allow(unused_imports)]
                use ::kubewright::core::condition::derive::ReadsList as _;
                ::kubewright::core::condition::derive::StatusField(&self.#list).read()
            }

            fn set_conditions(
                &mut self,
                conditions: ::std::vec::Vec<::kubewright::core::condition::Condition>,
            ) -> ::core::result::Result<(), ::kubewright::core::condition::ConditionsError> {
                #[allow(unused_imports)]
                use ::kubewright::core::condition::derive::WritesList as _;
                ::kubewright::core::condition::derive::StatusField(&mut self.#list).write(conditions)
            }

            fn begin_pass(
                &mut self,
                manager: ::kubewright::core::condition::ConditionManager,
            ) -> ::core::option::Option<::kubewright::core::condition::ConditionManager> {
                #[allow(unused_imports)]
                use ::kubewright::core::condition::derive::WritesList as _;
                ::kubewright::core::condition::derive::StatusField(&mut self.#list).begin(manager)
            }

            fn take_manager(&mut self) -> ::core::option::Option<::kubewright::core::condition::ConditionManager> {
                #[allow(unused_imports)]
                use ::kubewright::core::condition::derive::WritesList as _;
                ::kubewright::core::condition::derive::StatusField(&mut self.#list).take()
            }

            #observed_generation

            #applied_generation
        }
    })
}

/// Generates the methods that read and write a generation in the status.
fn accessors((field, ty): (&Ident, &Type), getter: &Ident, setter: &Ident) -> TokenStream {
    // The span makes an error about another type point to the field.
    let read = quote_spanned! { ty.span() => let generation: &::core::option::Option<i64> = &self.#field; };
    let write = quote_spanned! { ty.span() => let field: &mut ::core::option::Option<i64> = &mut self.#field; };
    quote! {
        fn #getter(&self) -> ::core::option::Option<i64> {
            #read
            *generation
        }

        fn #setter(&mut self, generation: ::core::option::Option<i64>) {
            #write
            *field = generation;
        }
    }
}
