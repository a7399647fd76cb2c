//! Columns of the group discovery.k8s.io.

use super::row::{first, list, plain};
use super::{AGE, NAME, Printer, text};

pub(super) static ENDPOINT_SLICE: Printer = Printer {
    columns: &[NAME, text("AddressType"), text("Ports"), text("Endpoints"), AGE],
    cells: |row| {
        let ports = row.list("/ports").iter().map(|port| port.get("port").map_or_else(|| "*".to_owned(), plain)).collect();
        let addresses = row.list("/endpoints").iter().flat_map(|endpoint| list(endpoint, "/addresses")).map(plain).collect();
        let unset = |text: String| {
            if text.is_empty() { "<unset>".to_owned() } else { text }
        };
        vec![
            row.name(),
            row.str("/addressType").into(),
            unset(first(ports, 3)).into(),
            unset(first(addresses, 3)).into(),
            row.age(),
        ]
    },
};
