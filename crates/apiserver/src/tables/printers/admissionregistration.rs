//! Columns of the group admissionregistration.k8s.io.

use serde_json::Value;

use super::row::{PrintedObject, list};
use super::{AGE, NAME, Printer, integer, text};

pub(super) static WEBHOOKS: Printer = Printer {
    columns: &[NAME, integer("Webhooks"), AGE],
    cells: |row| vec![row.name(), row.list("/webhooks").len().into(), row.age()],
};

pub(super) static VALIDATING_POLICY: Printer = Printer {
    columns: &[NAME, integer("Validations"), text("ParamKind"), AGE],
    cells: |row| vec![row.name(), list(row.object, "/spec/validations").len().into(), param_kind(row), row.age()],
};

pub(super) static MUTATING_POLICY: Printer = Printer {
    columns: &[NAME, integer("Mutations"), text("ParamKind"), AGE],
    cells: |row| vec![row.name(), list(row.object, "/spec/mutations").len().into(), param_kind(row), row.age()],
};

/// The columns of the bindings of validating and mutating admission policies.
pub(super) static POLICY_BINDING: Printer = Printer {
    columns: &[NAME, text("PolicyName"), text("ParamRef"), AGE],
    cells: |row| {
        let parameter = match (row.str("/spec/paramRef/namespace"), row.str("/spec/paramRef/name")) {
            _ if row.at("/spec/paramRef").is_none() => "<unset>".to_owned(),
            ("", "") => "*/*".to_owned(),
            ("", name) => format!("*/{name}"),
            (namespace, name) => format!("{namespace}/{name}"),
        };
        vec![row.name(), row.str("/spec/policyName").into(), parameter.into(), row.age()]
    },
};

fn param_kind(row: &PrintedObject<'_>) -> Value {
    match row.str("/spec/paramKind/kind") {
        "" => "<unset>".into(),
        kind => format!("{}/{kind}", row.str("/spec/paramKind/apiVersion")).into(),
    }
}
