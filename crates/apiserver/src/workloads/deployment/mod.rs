//! Deployments: one ReplicaSet per revision of the template, replaced step by step (STG-7).

mod history;
mod revisions;
mod rollout;
mod status;
#[cfg(test)]
mod tests;

pub(super) use rollout::plan;
pub(super) use status::max_unavailable;
