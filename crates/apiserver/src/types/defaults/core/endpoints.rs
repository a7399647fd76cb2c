//! Defaults of Endpoints.

use crate::types::edit::{Edit as _, Members, each};

/// Fills in the default protocol TCP of the ports of Endpoints.
pub(in crate::types::defaults) fn endpoints(object: &mut Members) {
    for port in each(object, "subsets").flat_map(|subset| each(subset, "ports")) {
        port.fill("protocol", "TCP");
    }
}
