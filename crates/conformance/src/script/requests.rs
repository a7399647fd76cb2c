//! The conversion of a step to the bytes of its request.

use base64::Engine as _;
use serde_json::{Value, json};

use super::model::{ScriptStep, User};
use super::variables::Variables;

/// The user agent of scripts.
const AGENT: &str = "probe/1";

/// A request whose variables have been replaced.
pub(crate) struct Filled {
    pub(crate) method: String,
    pub(crate) path: String,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: Vec<u8>,
    pub(crate) user: Option<User>,
}

impl Filled {
    pub(crate) fn new(step: &ScriptStep, variables: &Variables) -> Result<Self, String> {
        let body = match (&step.body, &step.raw, &step.base64, step.filler) {
            _ if step.operations.is_some() => {
                let test = json!({"op": "test", "path": "/data/a", "value": "1"});
                Value::from(vec![test; step.operations.unwrap_or_default()]).to_string().into_bytes()
            }
            (Some(body), ..) => variables.fill_value(body).to_string().into_bytes(),
            (_, Some(raw), ..) => variables.fill(raw).into_bytes(),
            (_, _, Some(base64), _) => {
                let decoded = base64::engine::general_purpose::STANDARD.decode(base64);
                decoded.map_err(|error| format!("the base64 of step {:?} is none: {error}", step.id))?
            }
            (_, _, _, Some(size)) => json!({
                "apiVersion": "v1",
                "kind": "ConfigMap",
                "metadata": {"name": "filler"},
                "data": {"k": "x".repeat(size)},
            })
            .to_string()
            .into_bytes(),
            _ => Vec::new(),
        };
        let mut headers: Vec<(String, String)> =
            step.headers.iter().map(|(name, value)| (name.to_lowercase(), variables.fill(value))).collect();
        let mut default = |name: &str, value: &str| {
            if headers.iter().all(|(known, _)| known != name) {
                headers.push((name.to_owned(), value.to_owned()));
            }
        };
        default("user-agent", AGENT);
        if !body.is_empty() {
            default("content-type", "application/json");
        }
        // A header that is given as empty is not sent.
        headers.retain(|(_, value)| !value.is_empty());
        let user = step.user.as_ref().map(|user| match user {
            User::Name(name) => User::Name(variables.fill(name)),
            User::WithGroups { name, groups } => User::WithGroups {
                name: variables.fill(name),
                groups: groups.iter().map(|group| variables.fill(group)).collect(),
            },
        });
        Ok(Self { method: step.method().to_owned(), path: variables.fill(&step.path), headers, body, user })
    }

    /// Returns the path of the collection if this request may be answered from the server's cache of it: a watch
    /// without a version, or a request for version 0.
    pub(crate) fn cached_collection(&self, is_watch: bool) -> Option<String> {
        let (path, query) = self.path.split_once('?').unwrap_or((&self.path, ""));
        let version = query.split('&').find_map(|option| option.strip_prefix("resourceVersion=")).unwrap_or_default();
        if self.method != "GET" || !(version == "0" || is_watch && version.is_empty()) {
            return None;
        }
        let parts: Vec<&str> = path.trim_start_matches('/').split('/').filter(|part| *part != "watch").collect();
        let prefix = if parts.first() == Some(&"api") { 2 } else { 3 };
        let scoped = if parts.get(prefix) == Some(&"namespaces") && parts.len() > prefix + 2 { 2 } else { 0 };
        Some(format!("/{}", parts.get(..=prefix + scoped)?.join("/")))
    }

    /// Returns the path of the cluster-scoped object that a successful request with this answer has created.
    pub(crate) fn creates(&self, code: u16, answered_name: Option<&str>) -> Option<String> {
        let path = self.path.split('?').next().unwrap_or_default();
        if code != 201 || path.contains("/namespaces/") {
            return None;
        }
        match self.method.as_str() {
            "POST" => answered_name.map(|name| format!("{path}/{name}")),
            _ => Some(path.to_owned()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn collection(path: &str, is_watch: bool) -> Option<String> {
        let step = ScriptStep { path: path.to_owned(), ..ScriptStep::default() };
        Filled::new(&step, &Variables::new("kaaaaaaa")).unwrap().cached_collection(is_watch)
    }

    // DFT-2
    #[test]
    fn requests_that_the_watch_cache_may_answer_have_a_cached_collection() {
        let maps = Some("/api/v1/namespaces/ns-kaaaaaaa/configmaps".to_owned());
        assert_eq!(collection("/api/v1/namespaces/$ns/configmaps?watch=1&labelSelector=a", true), maps);
        assert_eq!(collection("/api/v1/watch/namespaces/$ns/configmaps/a", true), maps);
        assert_eq!(collection("/api/v1/namespaces/$ns/configmaps/a?resourceVersion=0", false), maps);
        assert_eq!(collection("/api/v1/namespaces/$ns/configmaps?watch=1&resourceVersion=7", true), None);
        assert_eq!(collection("/api/v1/namespaces/$ns/configmaps/a", false), None);
        assert_eq!(collection("/api/v1/namespaces/a?resourceVersion=0", false), Some("/api/v1/namespaces".to_owned()));
        assert_eq!(collection("/apis/$group/v1/gadgets?watch=1", true), Some("/apis/kaaaaaaa.example.com/v1/gadgets".to_owned()));
    }
}
