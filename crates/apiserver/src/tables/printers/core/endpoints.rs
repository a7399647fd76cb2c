//! Columns of Endpoints.

use serde_json::Value;

use crate::tables::printers::row::{PrintedObject, first_of, list, or_none, plain};
use crate::tables::printers::{AGE, NAME, Printer, text};

pub(in crate::tables::printers) static ENDPOINTS: Printer = Printer {
    columns: &[NAME, text("Endpoints"), AGE],
    cells: |row| vec![row.name(), or_none(endpoints(row)).into(), row.age()],
};

fn endpoints(row: &PrintedObject<'_>) -> String {
    // Every pair of an address and a port is an endpoint, and only the first few are shown.
    const SHOWN: usize = 3;
    let (mut shown, mut count) = (Vec::new(), 0);
    for subset in row.list("/subsets") {
        let ports = list(subset, "/ports");
        let addresses: Vec<_> = list(subset, "/addresses").iter().filter_map(|address| address["ip"].as_str()).collect();
        count += addresses.len() * ports.len().max(1);
        let room = SHOWN - shown.len();
        if ports.is_empty() {
            shown.extend(addresses.iter().take(room).map(|address| (*address).to_owned()));
        }
        let pairs = ports.iter().flat_map(|port| addresses.iter().map(move |address| joined(address, &port["port"])));
        shown.extend(pairs.take(room));
    }
    first_of(shown, count)
}

fn joined(address: &str, port: &Value) -> String {
    if address.contains(':') { format!("[{address}]:{}", plain(port)) } else { format!("{address}:{}", plain(port)) }
}
