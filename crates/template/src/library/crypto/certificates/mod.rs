//! Functions of keys and certificates. They need the cargo feature `certificates`; without it, their calls fail with an error that says so.

#[cfg(feature = "certificates")]
mod certificate;
#[cfg(feature = "certificates")]
mod functions;
#[cfg(feature = "certificates")]
mod generator;
#[cfg(feature = "certificates")]
mod key;
#[cfg(feature = "certificates")]
mod pem;
#[cfg(feature = "certificates")]
#[cfg(test)]
mod tests;
#[cfg(feature = "certificates")]
mod value;

use crate::error::FunctionError;
use crate::function::{FunctionCall, FunctionSet, Parameter, Signature};
use crate::value::GoValue;

/// The name of the type of certificates with their keys.
const TYPE_NAME: &str = "sprig.certificate";
const TEXT: Parameter = Parameter::String;
const LIST: Parameter = Parameter::List;
const DAYS: Parameter = Parameter::Int;
const AUTHORITY: Parameter = Parameter::Object(TYPE_NAME);

/// The functions with their parameters.
const FUNCTIONS: [(&str, Signature); 8] = [
    ("genPrivateKey", Signature::of(&[TEXT])),
    ("buildCustomCert", Signature::of(&[TEXT, TEXT])),
    ("genCA", Signature::of(&[TEXT, DAYS])),
    ("genCAWithKey", Signature::of(&[TEXT, DAYS, TEXT])),
    ("genSelfSignedCert", Signature::of(&[TEXT, LIST, LIST, DAYS])),
    ("genSelfSignedCertWithKey", Signature::of(&[TEXT, LIST, LIST, DAYS, TEXT])),
    ("genSignedCert", Signature::of(&[TEXT, LIST, LIST, DAYS, AUTHORITY])),
    ("genSignedCertWithKey", Signature::of(&[TEXT, LIST, LIST, DAYS, AUTHORITY, TEXT])),
];

/// Adds the functions.
pub(super) fn add(functions: &mut FunctionSet) {
    for (name, signature) in FUNCTIONS {
        functions.add(name, signature, move |call| called(name, call));
    }
}

#[cfg(feature = "certificates")]
fn called(name: &str, call: &mut FunctionCall<'_>) -> Result<GoValue, FunctionError> {
    functions::call(name, call).map_err(FunctionError::new)
}

#[cfg(not(feature = "certificates"))]
fn called(name: &str, _: &mut FunctionCall<'_>) -> Result<GoValue, FunctionError> {
    Err(FunctionError::new(format!(
        "{name} is not available: kubewright-template was built without its cargo feature `certificates`"
    )))
}
