//! The functions of the tests.

use std::sync::Arc;

use kubewright_template::FunctionSet;
use kubewright_template::library::data::{self, DataFlavour};
use kubewright_template::library::{add_helm, add_sprig};

/// Returns the functions of sprig and of Helm that need no chart.
pub(crate) fn functions() -> Arc<FunctionSet> {
    let mut functions = FunctionSet::new();
    add_sprig(&mut functions);
    add_helm(&mut functions);
    data::add(&mut functions, DataFlavour::Helm);
    // Outputs of `include` are kept, as in charts.
    functions.set_repeatable();
    Arc::new(functions)
}
