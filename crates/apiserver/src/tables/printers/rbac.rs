//! Columns of the group rbac.authorization.k8s.io.

use serde_json::Value;

use super::row::PrintedObject;
use super::{AGE, NAME, Printer, text, wide};

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
