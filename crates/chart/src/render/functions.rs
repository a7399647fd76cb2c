//! The functions of charts.

use kubewright_template::library::data::{self, DataFlavour};
use kubewright_template::library::{add_durations, add_helm, add_sprig};
use kubewright_template::{FunctionError, FunctionSet, GoValue, Parameter, Signature};

use crate::compat::HelmCompat;
use crate::host::chart_host;
use crate::scope::add_values_methods;
use crate::values::empty_table;

const FOUR_TEXTS: Signature = Signature::of(&[Parameter::String; 4]);

/// Returns the functions that charts can use.
pub(super) fn chart_functions(compat: HelmCompat) -> FunctionSet {
    let mut functions = FunctionSet::new();
    add_sprig(&mut functions);
    add_helm(&mut functions);
    data::add(&mut functions, DataFlavour::Helm);
    match compat {
        HelmCompat::Helm4 => add_durations(&mut functions),
        HelmCompat::Helm3 => {
            functions.forbid("mustToYaml", "function \"mustToYaml\" not defined");
            functions.forbid("mustToToml", "function \"mustToToml\" not defined");
        }
    }
    // Helm asks no name servers either, unless a flag allows it.
    functions.add("getHostByName", Signature::of(&[Parameter::String]), |_| Ok("".into()));
    functions.add("lookup", FOUR_TEXTS, |call| {
        let [api_version, kind, namespace, name] = [0, 1, 2, 3].map(|index| call.string(index).to_text().into_owned());
        let Some(host) = chart_host(call.host) else { return Ok(empty_table().into()) };
        match host.lookup(&api_version, &kind, &namespace, &name) {
            Ok(Some(found)) => Ok(GoValue::with_integers(&found)),
            Ok(None) => Ok(empty_table().into()),
            Err(error) => Err(FunctionError::new(error)),
        }
    });
    add_values_methods(&mut functions, compat);
    functions.set_repeatable();
    functions
}
