//! Kinds related to workloads whose status a cluster maintains: claims and volumes, addresses, autoscalers, disruption budgets (STG-13).

mod addresses;
mod autoscaler;
mod claims;
mod disruption;
#[cfg(test)]
mod tests;

pub use addresses::{ingress, service};
pub use autoscaler::autoscaler;
pub use claims::{claim, volume};
pub use disruption::disruption_budget;
