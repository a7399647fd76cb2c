//! The macros of Kubewright.
//!
//! The macros are used through the facade crate `kubewright`; the generated code uses only paths of that crate.
//!
//! Modules, from low to high: `conditions`, `config`, `references`, `component`, `values`, `suggestion`, `text`, `contract`, `reconciler`.

mod component;
mod conditions;
mod config;
mod contract;
mod reconciler;
mod references;
mod suggestion;
mod text;
mod values;

use proc_macro::TokenStream;
use syn::{DeriveInput, ItemImpl, parse_macro_input};

/// Makes the resource of a spec a component.
///
/// Stands beside `#[derive(CustomResource)]` on the spec. The derive finds the embedded settings (`Placement`, `Policies`,
/// `Suspend`, `Requeue`, `Retry`, `Timeout`, `Reapply`, `ManagedTypes`, `Values`, and own types that implement
/// `Setting`) and references (`ConfigMapRef`, `ConfigMapKeyRef`, `ConfigMapBytesRef`, `ConfigMapBytesKeyRef`, `SecretRef`, `SecretKeyRef`, also in options,
/// boxes, `Arc`s, lists, arrays, tuples and maps, and own structs and enums that derive `HoldsReferences`) by type and implements `Component` for the resource
/// that `CustomResource` generates. An own struct that holds references and does not derive `HoldsReferences` is ignored.
///
/// On a reference, `#[reference(fallback_keys("a", "b"))]` names keys that are tried if the reference does not name one, and
/// `#[reference(ignore_on_deletion)]` allows the deletion of the component although the object is gone.
#[proc_macro_derive(Component, attributes(component, reference))]
pub fn derive_component(input: TokenStream) -> TokenStream {
    let input = parse_macro_input!(input as DeriveInput);
    component::expand(&input).unwrap_or_else(syn::Error::into_compile_error).into()
}

/// Finds the references in a struct or enum that is a part of the spec of a component, under the names that serde gives its fields and variants. The
/// attributes are those of `Component`.
///
/// With `#[reference(content = Type)]` on the struct or enum itself it is a reference of its own kind: the operator's code implements `Reference` for
/// it, which loads the content.
#[proc_macro_derive(HoldsReferences, attributes(reference))]
pub fn derive_holds_references(input: TokenStream) -> TokenStream {
    let input = parse_macro_input!(input as DeriveInput);
    references::expand(&input).unwrap_or_else(syn::Error::into_compile_error).into()
}

/// Makes the fields of a struct the parameters of the generator, such as the values of a chart: implements `TypedValues` and `Setting`.
///
/// ```ignore
/// #[derive(Values, Clone, Debug, Serialize, Deserialize, JsonSchema)]
/// #[serde(rename_all = "camelCase")]
/// pub struct PodinfoValues {
///     #[serde(default)]
///     pub replica_count: Option<u32>,
/// }
/// ```
///
/// The struct is the type of a field of a spec that derives `Component`, flattened or not. Fields that are `None` are absent, so that
/// the defaults of the chart hold. `HelmChart::check_values` compares the struct with a chart.
#[proc_macro_derive(Values)]
pub fn derive_values(input: TokenStream) -> TokenStream {
    let input = parse_macro_input!(input as DeriveInput);
    values::expand(&input).unwrap_or_else(syn::Error::into_compile_error).into()
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
/// `ready` is for long-running objects, and the default; `succeeded = "Succeeded"` is for objects that run to completion.
/// `severity(ServiceAvailable = "Warning")` is written by Knative-style conditions only.
///
/// The conditions are in the field `conditions`, or in the one with `#[conditions(list)]`. Its type is `Conditions`, or any list of
/// conditions that serde reads and writes, such as those of `k8s-openapi`. The generation that the status is of is in the field
/// `observed_generation`, or in the one with `#[conditions(observed_generation)]`, an `Option<i64>`; the field may be missing. The same is true of
/// `applied_generation`, the generation of the last pass that succeeded.
#[proc_macro_derive(ConditionSet, attributes(conditions))]
pub fn derive_condition_set(input: TokenStream) -> TokenStream {
    let input = parse_macro_input!(input as DeriveInput);
    conditions::expand(&input).unwrap_or_else(syn::Error::into_compile_error).into()
}

/// Reads the fields of a struct from the keys of a ConfigMap: implements `FromConfigMap`.
///
/// On the struct, `#[config(name = "..")]` names the ConfigMap. With `optional` it may be absent, with `strict` unknown keys are errors, and with
/// `example_checksum` its key `_example` is protected by a checksum.
///
/// Each field is a key: `#[config(key = "..")]`, or else the name of the field with `-` in place of `_`. `alias = ".."`, also several times, is a
/// former name of the key; `default = ".."` is the text that is used for a missing key; `range = "least..=most"` bounds the value, with bounds that
/// are texts of it. A field without default is required, unless it is an `Option` or a `BTreeSet`. `prefix = "p"` on a `BTreeMap<String, T>` collects
/// the keys `p.<rest>` under `<rest>`, unless another field reads them.
///
/// The types of fields implement `ConfigValue`, as `String`, `bool`, numbers, `Duration`, `Quantity`, `BTreeSet<String>` and `NamespacedName` do, or
/// `FromStr`, or are an `Option` of such a type. For other types `parse_with = path` names a function from `&str` to a `Result` of the type of the
/// field, or of the type in its option.
///
/// A default or bound that is not a value of its type fails to compile if the type is a primitive one; with other types `from_data` fails whatever
/// the data is, so that any test of the configuration finds it.
#[proc_macro_derive(FromConfigMap, attributes(config))]
pub fn derive_from_config_map(input: TokenStream) -> TokenStream {
    let input = parse_macro_input!(input as DeriveInput);
    config::expand(&input).unwrap_or_else(syn::Error::into_compile_error).into()
}

/// Makes a type a reconciler: implements `Reconcile`, and `Finalize`, `Observe` and `ObserveDeleted` where the impl block has their methods.
///
/// ```ignore
/// #[reconciler(kind = AddressableService, finalizer = "samples.example.com/addressable-service")]
/// impl AddressableServices {
///     #[inject]
///     fn new(services: Store<Service>) -> Self { .. }
///
///     async fn reconcile(&self, cx: &Context<AddressableService>, object: &AddressableService, status: &mut Status) -> Flow { .. }
///
///     async fn finalize(&self, cx: &Context<AddressableService>, object: &AddressableService) -> Flow { .. }
/// }
///
/// Operator::new("samples-controller").controller(AddressableServices::new)
/// ```
///
/// # Functions
///
/// Only these functions are allowed in the block; helpers belong in another one. The block itself is not changed, so that tests can call its
/// functions.
///
/// | Function | Called |
/// |---|---|
/// | `#[inject] fn new(..) -> Self` | once, to make the reconciler: sync or async, of any name, also with a `Result` of it. Its arguments are injected |
/// | `async fn reconcile(&self, cx: &Context<K>, object: &K, status: &mut S) -> Flow` | for an object that is not being deleted. Required |
/// | `async fn finalize(&self, cx: &Context<K>, object: &K, status: &mut S) -> Flow` | for an object that is being deleted and has the finalizer, which is managed because of this method |
/// | `async fn observe(&self, cx: &Context<K>, object: &K) -> Flow` | for an object whose bucket another replica leads |
/// | `async fn observe_deleted(&self, cx: &Context<K>, key: &Key) -> Flow` | on every replica, for an object that is gone |
/// | `async fn on_promoted(&self, term: &LeaderTerm) -> Result<(), BoxError>` | before this replica leads a bucket; again after an error |
/// | `async fn on_demoted(&self, term: &LeaderTerm) -> Result<(), BoxError>` | after this replica has stopped leading the bucket, and all passes have ended |
/// | `fn watches(triggers: &mut TriggerSet<K>)` | once, to declare further triggers |
///
/// The parameter `status` is optional. Without it in `reconcile` no status is written, and the framework sets no condition. With it, the
/// conditions of a status that derives `ConditionSet` are completed by the framework.
///
/// # Arguments
///
/// Instead of a text, the path of a constant is allowed, which is checked when the operator starts.
///
/// | Argument | Default | Meaning |
/// |---|---|---|
/// | `kind = T` | required | the kind of the objects; may be a type of another crate. One made by `CustomResource` brings its definition |
/// | `name = ".."` | kind in lower case | names the controller, its queue and its metrics |
/// | `agent = ".."` | `<name>-controller` | the reporter of events |
/// | `finalizer = "domain/name"` | `<group>/<operator>-<kind in lower case>` | the finalizer |
/// | `legacy_finalizers = [".."]` | none | its former names: one that is there counts as the finalizer, and is removed with it |
/// | `finalizer_on = "demand"` | `"always"` | sets the finalizer when `cx.hold()` is called, not before the first `reconcile` |
/// | `class(keys = [".."], value = "..", hand_over = "..")` | none | selects the objects whose annotation has the value; the first key that is present decides. `hand_over` is the treatment of other objects with the finalizer: `"finalize"`, the default, or `"release"` |
/// | `concurrency = 4` | 2 | the number of passes at once; `--workers` takes precedence |
/// | `owns(A, B)` | none | queues the controller owner of objects of these kinds |
/// | `creates(A, B)` | none | declares the permissions to read, create, change and delete children of these kinds |
/// | `timeout = "30s"` | none | the time that a method may take |
/// | `resync = "10h"` | `--resync` | the period after which all objects are queued again |
/// | `defaults` | off | calls `Defaulted::default_fields` of the kind on the copy of the object that `reconcile` and `finalize` are given |
/// | `on_status_change` | off | also queues objects of which only the status has changed |
/// | `resync_filter = path` | all | a predicate: selects the objects that a resync queues |
#[proc_macro_attribute]
pub fn reconciler(arguments: TokenStream, item: TokenStream) -> TokenStream {
    let block = parse_macro_input!(item as ItemImpl);
    reconciler::expand(arguments.into(), block).into()
}

/// Declares a contract: its owner, its components, and the edges between them.
///
/// ```ignore
/// contract! {
///     /// The parts of a control plane.
///     pub name = ControlPlanes;
///     owner    = ManagedControlPlane;
///     ApiServer      { keep_running }
///     Authentication { needs: [ApiServer] }
///     Landscaper     { needs: [ApiServer { same_revision }], outlived_by: [Authentication] }
/// }
/// ```
///
/// The macro defines the type of the contract and implements `Contract` for it, `ContractMember` for each component, and `DependsOn` and `Needs` for
/// each edge. The components are types of the crate, for which their author implements `ContractComponent`. All of this can also be written by hand.
///
/// # Settings
///
/// A setting is `key = value;`. Attributes before the first setting, such as documentation, apply to the type of the contract.
///
/// | Setting | Default | Meaning |
/// |---|---|---|
/// | `owner = T` | required | the kind of the owner, whose status is an `OwnerStatus` |
/// | `pub name = T` | `pub name = <Owner>Contract` | the type of the contract; its visibility must be that of the kinds, which may be private |
/// | `internal = T` | none | the kind of the internal configuration |
/// | `domain = ".."` | the API group of the owner | the domain of keys and finalizers: a text, or the path of a constant, which is checked when the operator starts |
/// | `preset = openmcp` | none | the keys, names and texts of the openmcp mcp-operator |
/// | `revision = SameRevision` | `ReadyOnly`, in the preset `SameRevision` | the generations of the owner at which needed components are ready |
/// | `finalizer_form = KindDotDomain` | `DomainSlashKind`, in the preset `KindDotDomain` | the form of own finalizers; `DomainDotKind` is the third |
/// | `max_name_length = 40` | 63, in the preset 36 | the longest name of an owner, in characters |
/// | `disabled = path` | none | the function for `Contract::disabled`: the types whose controllers ignore their components |
/// | `propagate = path` | none | the function for `Contract::propagate`: labels that all components get |
/// | `reads_namespaces = true` | `false` | if true, `propagate` gets the labels of the namespace |
/// | `architecture = path` | none | the function for `Contract::architecture`, under the preset |
///
/// # Components
///
/// A component is the type of its resource with braces, which contain these entries, separated by commas. The name of a component is the last segment
/// of its path.
///
/// | In the braces | Meaning |
/// |---|---|
/// | `needs: [A, B]` | these are ready before the component is reconciled, and outlive it; at most eight edges in all |
/// | `outlived_by: [A, B]` | these outlive the component, ready or not |
/// | `keep_running` | `apply` is still called while other components keep this one from being deleted |
/// | `type = "APIServer"` | the `<T>` of conditions and finalizers. The default is the name of the type; an operator whose component has another kind does not start |
///
/// A component in `needs` may have braces of its own: `A { same_revision, conditions: ["AReachable"] }`. With `same_revision` it is ready only if it
/// is generated from the same generations of the owner. With `conditions` only these of its declared conditions count for its readiness, besides
/// those that always do; without a list all conditions of normal polarity count.
///
/// # Errors
///
/// Components that depend on each other in a cycle, unknown or repeated ones, names that are too long, and condition types that two components
/// declare do not compile.
#[proc_macro]
pub fn contract(input: TokenStream) -> TokenStream {
    contract::expand(input.into()).into()
}
