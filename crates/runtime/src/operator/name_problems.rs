//! The rules for names that programs and command lines give to an operator, and for the namespaces that they name (OPR-3, OPR-4).

use kubewright_machinery::object::names::{dns_1123_label, dns_1123_subdomain};

/// The longest name of an operator and of the objects that run it, in bytes, because the name is also the value of a label.
const LONGEST: usize = 63;

/// Returns the reason why an operator, and the objects that run it, cannot have this name; None if they can.
pub(super) fn operator_name_problem(name: &str) -> Option<String> {
    let too_long = (name.len() > LONGEST).then(|| format!("must be no more than {LONGEST} bytes"));
    too_long.into_iter().chain(dns_1123_subdomain(name)).next()
}

/// Returns the reason why a namespace cannot have this name; None if it can.
pub(super) fn namespace_problem(name: &str) -> Option<String> {
    dns_1123_label(name).into_iter().next()
}
