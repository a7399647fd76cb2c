//! The capabilities of the dependents' cluster.

use serde_json::Value;

use crate::RenderError;
use crate::environment::Question;
use crate::inquiry::Inquiry;

/// The capabilities of the dependents' cluster. Only the capabilities that are asked for become inputs of the rendering.
#[derive(Clone, Copy)]
pub struct Capabilities<'a>(pub(crate) &'a Inquiry);

impl Capabilities<'_> {
    /// Returns the version of the API server.
    pub async fn version(&self) -> Result<ServerVersion, RenderError> {
        let document = self.0.ask(Question::Version).await?;
        let text = |field: &str| document.get(field).and_then(Value::as_str).unwrap_or_default();
        // Some providers write the minor version with a plus sign.
        let number = |field: &str| text(field).trim_end_matches('+').parse().ok();
        match (number("major"), number("minor")) {
            (Some(major), Some(minor)) => Ok(ServerVersion { major, minor, git_version: text("gitVersion").to_owned() }),
            _ => Err(RenderError::input(format!("the version of the server is unreadable: {document}"))),
        }
    }

    /// Returns true if an API is served: `group/version` such as `apps/v1`, or with a kind, such as `apps/v1/Deployment`; `v1` and `v1/Pod` in the
    /// core group.
    pub async fn has(&self, api: &str) -> Result<bool, RenderError> {
        Ok(*self.0.ask(Question::Serves(api.to_owned())).await? == Value::Bool(true))
    }

    /// Returns every `group/version` that is served, sorted. The whole list becomes an input of the rendering; use [`has`](Self::has) for single
    /// ones.
    pub async fn api_versions(&self) -> Result<Vec<String>, RenderError> {
        let versions = self.0.ask(Question::ApiVersions).await?;
        let versions = versions.as_array().map(Vec::as_slice).unwrap_or_default();
        Ok(versions.iter().filter_map(|version| version.as_str().map(str::to_owned)).collect())
    }
}

impl std::fmt::Debug for Capabilities<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Capabilities").finish_non_exhaustive()
    }
}

/// The version of an API server.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ServerVersion {
    /// The major version.
    pub major: u32,
    /// The minor version.
    pub minor: u32,
    /// The whole version, such as `v1.36.2`.
    pub git_version: String,
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use async_trait::async_trait;
    use serde_json::{Map, json};

    use super::*;
    use crate::environment::{Environment, Place, answer_digest};
    use crate::{RenderContext, RenderInputs};

    /// An environment with one object, which counts the questions.
    #[derive(Default)]
    struct Counting(AtomicUsize);

    #[async_trait]
    impl Environment for Counting {
        async fn answer(&self, question: &Question) -> Result<Arc<Value>, RenderError> {
            self.0.fetch_add(1, Ordering::SeqCst);
            Ok(Arc::new(match question {
                Question::Version => json!({ "major": "1", "minor": "36+", "gitVersion": "v1.36.2" }),
                Question::Serves(api) => json!(api == "apps/v1"),
                Question::Object(object) if object.place == Place::Local => json!({ "metadata": { "name": object.name } }),
                _ => Value::Null,
            }))
        }
    }

    // GEN-2
    #[tokio::test]
    async fn each_question_of_a_rendering_is_recorded_once_with_the_digest_of_its_answer() {
        let environment = Arc::new(Counting::default());
        let context = RenderContext::<()>::new((), Map::new(), RenderInputs::default()).with_environment(environment.clone());
        assert!(context.asked().is_empty());
        let version = context.capabilities().version().await.unwrap();
        assert_eq!((version.major, version.minor, version.git_version.as_str()), (1, 36, "v1.36.2"));
        assert!(context.capabilities().has("apps/v1").await.unwrap());
        assert!(!context.capabilities().has("apps/v2").await.unwrap());
        assert_eq!(context.lookup("v1", "ConfigMap", "ns", "one").await.unwrap(), None);
        // Combinators hand on a context of their own, of the same rendering.
        let same = context.with_parameters(Map::new());
        assert_eq!(same.lookup_local("v1", "ConfigMap", "ns", "one").await.unwrap().unwrap()["metadata"]["name"], "one");
        assert!(same.capabilities().has("apps/v1").await.unwrap());
        assert_eq!(environment.0.load(Ordering::SeqCst), 5);
        let asked = context.asked();
        assert_eq!(asked.len(), 5);
        assert_eq!(asked[&Question::Serves("apps/v1".to_owned())], answer_digest(&json!(true)));
    }

    #[tokio::test]
    async fn the_error_of_a_context_without_environment_names_with_environment() {
        let context = RenderContext::<()>::new((), Map::new(), RenderInputs::default());
        let error = context.capabilities().version().await.unwrap_err().to_string();
        assert!(error.contains("with_environment"), "{error}");
        assert!(context.lookup("apps/v1/x", "ConfigMap", "ns", "one").await.is_err());
    }
}
