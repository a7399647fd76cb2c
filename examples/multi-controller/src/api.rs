//! The kinds.

use kubewright::prelude::*;

/// The annotation of accesses that names the operator that grants them.
pub const CLASS_KEY: &str = "teams.demo.kubewright.dev/class";
/// The class of the accesses that this operator grants.
pub const CLASS: &str = "role-binding";

/// People who work together.
#[derive(CustomResource, Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[kube(group = "teams.demo.kubewright.dev", version = "v1alpha1", kind = "Team", namespaced, status = "TeamStatus")]
#[kube(derive = "Default")]
#[serde(rename_all = "camelCase")]
pub struct TeamSpec {
    /// The names of its users.
    #[serde(default)]
    pub members: Vec<String>,
}

/// The state of a team.
#[derive(ConditionSet, Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct TeamStatus {
    /// The generation that the status is of.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub observed_generation: Option<i64>,
    /// Whether the team has all that it needs.
    pub conditions: Conditions,
    /// The service account for the automation of the team.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub service_account: Option<String>,
}

/// Gives a team a role in the namespace of the access.
#[derive(CustomResource, Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[kube(group = "teams.demo.kubewright.dev", version = "v1alpha1", kind = "Access", plural = "accesses", namespaced)]
#[kube(status = "AccessStatus", derive = "Default")]
#[serde(rename_all = "camelCase")]
pub struct AccessSpec {
    /// The name of a team of the same namespace.
    pub team: String,
    /// The name of a cluster role.
    pub role: String,
    /// For how many seconds after its creation there is the access; for ever by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ttl_seconds: Option<u32>,
}

/// Whether an access is granted.
#[derive(ConditionSet, Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct AccessStatus {
    /// The generation that the status is of.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub observed_generation: Option<i64>,
    /// Whether the team has the role.
    pub conditions: Conditions,
}

/// Asks for a report about its namespace.
#[derive(CustomResource, Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[kube(group = "teams.demo.kubewright.dev", version = "v1alpha1", kind = "Report", namespaced, status = "ReportStatus")]
#[kube(derive = "Default")]
pub struct ReportSpec {}

/// The report.
#[derive(ConditionSet, Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct ReportStatus {
    /// The generation that the status is of.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub observed_generation: Option<i64>,
    /// Whether the report is there.
    pub conditions: Conditions,
    /// The number of teams.
    pub teams: usize,
    /// The number of different users in them.
    pub members: usize,
    /// The names of the accesses that are granted.
    pub granted: Vec<String>,
    /// The names of those that are not, or not yet.
    pub waiting: Vec<String>,
}
