//! Derive macros of Kubewright.
//!
//! The macros are used through the facade crate `kubewright`, and the code they give names its paths only.

mod component;
mod conditions;
mod config;
mod references;

use proc_macro::TokenStream;
use syn::{DeriveInput, parse_macro_input};

/// Makes the resource of a spec a component.
///
/// Stands beside `#[derive(CustomResource)]` on the spec. It finds the embedded settings (`Placement`, `Policies`,
/// `Suspend`, `Requeue`, `Retry`, `Timeout`, `Reapply`, `ManagedTypes`, `Values`, and own types that implement
/// `Setting`) and references (`ConfigMapRef`, `ConfigMapKeyRef`, `SecretRef`, `SecretKeyRef`, also in options, boxes, `Arc`s, lists,
/// arrays, tuples and maps, and own structs and enums that derive `HoldsReferences`) by type and implements `Component` for the resource
/// that `CustomResource` generates. An own struct that holds references and does not derive that is passed over.
///
/// On a reference, `#[reference(fallback_keys("a", "b"))]` names keys that are tried when the reference names none, and
/// `#[reference(ignore_on_deletion)]` lets the component be deleted though the object is gone.
#[proc_macro_derive(Component, attributes(component, reference))]
pub fn derive_component(input: TokenStream) -> TokenStream {
    let input = parse_macro_input!(input as DeriveInput);
    component::expand(&input).unwrap_or_else(syn::Error::into_compile_error).into()
}

/// Makes the references in a struct or enum known where it stands in the spec of a component, under the names that serde gives its
/// fields and variants. The attributes are those of `Component`.
///
/// With `#[reference(content = Type)]` on the struct or enum itself it is a reference of its own kind: the operator's code says, by
/// implementing `Reference`, how that content is loaded.
#[proc_macro_derive(HoldsReferences, attributes(reference))]
pub fn derive_holds_references(input: TokenStream) -> TokenStream {
    let input = parse_macro_input!(input as DeriveInput);
    references::expand(&input).unwrap_or_else(syn::Error::into_compile_error).into()
}

/// Declares the conditions of a status, so that the framework completes them after each pass (`Conditioned`).
///
/// ```ignore
/// #[derive(ConditionSet, Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
/// #[conditions(ready = "Ready", dependents("DeploymentAvailable", "ServiceAvailable"), retired("PodsAvailable"))]
/// #[serde(rename_all = "camelCase", default)]
/// pub struct WebStatus {
///     pub observed_generation: Option<i64>,
///     pub conditions: Conditions,
/// }
/// ```
///
/// `ready` is for things that live on, and the default; `succeeded = "Succeeded"` is for things that run to an end.
/// `severity(ServiceAvailable = "Warning")` is written by Knative-style conditions only.
///
/// The conditions are the field `conditions`, or the one that is marked with `#[conditions(list)]`. It is a `Conditions`, or any list of
/// conditions that serde reads and writes, such as those of `k8s-openapi`. The generation that the status is of is the field
/// `observed_generation`, or the one that is marked with `#[conditions(observed_generation)]`, an `Option<i64>`; a status may do without.
#[proc_macro_derive(ConditionSet, attributes(conditions))]
pub fn derive_condition_set(input: TokenStream) -> TokenStream {
    let input = parse_macro_input!(input as DeriveInput);
    conditions::expand(&input).unwrap_or_else(syn::Error::into_compile_error).into()
}

/// Reads the fields of a struct from the keys of a ConfigMap: implements `FromConfigMap`.
///
/// On the struct, `#[config(name = "..")]` names the ConfigMap. With `optional` it may be absent, with `strict` unknown keys are errors,
/// and with `example_checksum` its key `_example` is protected by a checksum.
///
/// Each field is a key: `#[config(key = "..")]`, else the name of the field with `-` in place of `_`. `alias = ".."`, also several times,
/// is a former name of the key; `default = ".."` the text that stands for a missing key; `range = "least..=most"` bounds the value, with
/// bounds that are texts of it. A field without default is required, unless it is an `Option` or a `BTreeSet`. `prefix = "p"` on a
/// `BTreeMap<String, T>` collects the keys `p.<rest>` under `<rest>`, as far as no other field reads them.
///
/// Types of fields implement `ConfigValue`, as `String`, `bool`, numbers, `Duration`, `Quantity`, `BTreeSet<String>` and
/// `NamespacedName` do, or `FromStr`, or are an `Option` of one of those. For others `parse_with = path` names a function from `&str` to
/// a `Result` of the type of the field or of that in its option.
///
/// A default or bound that is no value of its type does not compile if the type is a primitive one; with others `from_data` fails
/// whatever the data is, so that any test of the configuration finds it.
#[proc_macro_derive(FromConfigMap, attributes(config))]
pub fn derive_from_config_map(input: TokenStream) -> TokenStream {
    let input = parse_macro_input!(input as DeriveInput);
    config::expand(&input).unwrap_or_else(syn::Error::into_compile_error).into()
}
