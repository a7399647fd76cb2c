//! Columns of role bindings, admission webhooks and admission policies.

use serde_json::Value;

use super::row::{PrintedObject, list};
use super::{AGE, NAME, Printer, integer, text, wide};

pub(super) static BINDING: Printer = Printer {
    columns: &[NAME, text("Role"), AGE, wide("Users"), wide("Groups"), wide("ServiceAccounts")],
    cells: |row| {
        let role = format!("{}/{}", row.str("/roleRef/kind"), row.str("/roleRef/name"));
        vec![row.name(), role.into(), row.age(), subjects(row, "User"), subjects(row, "Group"), subjects(row, "ServiceAccount")]
    },
};

fn subjects(row: &PrintedObject<'_>, kind: &str) -> Value {
    let name = |subject: &Value| {
        let text = |field: &str| subject[field].as_str().unwrap_or_default().to_owned();
        if kind == "ServiceAccount" { format!("{}/{}", text("namespace"), text("name")) } else { text("name") }
    };
    let subjects = row.list("/subjects").iter().filter(|subject| subject["kind"] == kind);
    subjects.map(name).collect::<Vec<_>>().join(", ").into()
}

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

fn param_kind(row: &PrintedObject<'_>) -> Value {
    match row.str("/spec/paramKind/kind") {
        "" => "<unset>".into(),
        kind => format!("{}/{kind}", row.str("/spec/paramKind/apiVersion")).into(),
    }
}
