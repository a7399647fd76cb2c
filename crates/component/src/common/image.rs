use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The image of a container. Every field may be absent, so that the generator's own image can be the default of each.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ImageSpec {
    /// The registry and the repository, such as `registry.example.com/web`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1))]
    pub repository: Option<String>,
    /// The tag.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1))]
    pub tag: Option<String>,
    /// When the image is pulled.
    #[serde(default)]
    pub pull_policy: ImagePullPolicy,
    /// The name of a Secret with the credentials of the registry.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pull_secret: Option<String>,
}

/// When the image of a container is pulled.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[schemars(inline)]
#[non_exhaustive]
pub enum ImagePullPolicy {
    /// Before each start of the container.
    Always,
    /// Never: it must be on the node.
    Never,
    /// If it is not on the node.
    #[default]
    IfNotPresent,
}
