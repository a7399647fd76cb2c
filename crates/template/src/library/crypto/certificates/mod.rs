//! Functions of keys and certificates.

use crate::error::FunctionError;
use crate::function::{FunctionSet, Parameter, Signature};

/// The functions with their parameters.
const FUNCTIONS: [(&str, Signature); 8] = [
    ("genPrivateKey", Signature::of(&[Parameter::String])),
    ("buildCustomCert", Signature::of(&[Parameter::String, Parameter::String])),
    ("genCA", Signature::of(&[Parameter::String, Parameter::Int])),
    ("genCAWithKey", Signature::of(&[Parameter::String, Parameter::Int, Parameter::String])),
    ("genSelfSignedCert", Signature::of(&[Parameter::String, Parameter::List, Parameter::List, Parameter::Int])),
    (
        "genSelfSignedCertWithKey",
        Signature::of(&[Parameter::String, Parameter::List, Parameter::List, Parameter::Int, Parameter::String]),
    ),
    (
        "genSignedCert",
        Signature::of(&[
            Parameter::String,
            Parameter::List,
            Parameter::List,
            Parameter::Int,
            Parameter::Object("sprig.certificate"),
        ]),
    ),
    (
        "genSignedCertWithKey",
        Signature::of(&[
            Parameter::String,
            Parameter::List,
            Parameter::List,
            Parameter::Int,
            Parameter::Object("sprig.certificate"),
            Parameter::String,
        ]),
    ),
];

/// Adds the functions.
pub(super) fn add(functions: &mut FunctionSet) {
    for (name, signature) in FUNCTIONS {
        functions.add(name, signature, move |_| {
            Err(FunctionError::new(format!("{name} needs the cargo feature `certificates` of kubewright-template")))
        });
    }
}
