//! The functions of templates in kustomizations, in directories of templates, and in files of parameters.
//!
//! Modules, from low to high: `host_of`, `lookups`, `files`, `component`, `custom`.

mod component;
mod custom;
mod files;
mod host_of;
mod lookups;

pub(crate) use custom::CustomFunctions;
pub(crate) use lookups::add_lookups;

use kubewright_template::FunctionSet;
use kubewright_template::library::data::{self, DataFlavour};
use kubewright_template::library::{add_bits_and_addresses, add_durations, add_helm, add_sprig};

/// Returns the functions that need neither a component nor a cluster.
pub(crate) fn base_functions() -> FunctionSet {
    let mut functions = FunctionSet::new();
    add_sprig(&mut functions);
    add_helm(&mut functions);
    data::add(&mut functions, DataFlavour::Strict);
    add_durations(&mut functions);
    add_bits_and_addresses(&mut functions);
    functions.set_repeatable();
    functions
}

/// Returns all functions of kustomizations and directories of templates: the base set, lookups, files, and the component with its target. Their host
/// must be a [`RenderHost`](crate::host::RenderHost).
pub(crate) fn component_functions() -> FunctionSet {
    let mut functions = base_functions();
    add_lookups(&mut functions);
    files::add_files(&mut functions);
    component::add_component(&mut functions);
    functions
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_of_the_base_functions_follow_from_arguments_and_host() {
        let functions = component_functions();
        let is_repeatable = |name: &str| functions.get(name).unwrap().is_repeatable();
        assert!(base_functions().names().all(is_repeatable));
        assert!(!is_repeatable("component"), "it is called each time, as functions of the operator are");
    }
}
