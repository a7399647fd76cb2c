//! The functions of templates in kustomizations, in directories of templates, and in files of parameters.

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
    functions
}
