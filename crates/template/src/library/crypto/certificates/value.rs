//! Certificates with their keys as values of templates.

use std::any::Any;

use super::TYPE_NAME;
use crate::value::{GoObject, GoValue};

/// A `sprig.certificate`: both parts as PEM.
#[derive(Debug)]
pub(super) struct CertificateValue {
    /// The certificate.
    pub(super) certificate: String,
    /// The private key.
    pub(super) key: String,
}

impl CertificateValue {
    /// Returns the certificate of a value that is one.
    pub(super) fn of(value: &GoValue) -> Option<&Self> {
        match value {
            GoValue::Object(object) => object.as_any().downcast_ref(),
            _ => None,
        }
    }
}

impl GoObject for CertificateValue {
    fn as_any(&self) -> &dyn Any {
        self
    }

    fn type_name(&self) -> &'static str {
        TYPE_NAME
    }

    fn field(&self, name: &str) -> Option<GoValue> {
        match name {
            "Cert" => Some(GoValue::string(&*self.certificate)),
            "Key" => Some(GoValue::string(&*self.key)),
            _ => None,
        }
    }

    fn field_names(&self) -> &[&'static str] {
        &["Cert", "Key"]
    }
}
