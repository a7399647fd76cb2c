//! The checks of the cluster before anything is started.

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use futures::future::join_all;
use futures::{StreamExt as _, stream};
use kubewright_machinery::object::GroupVersionKind;
use parking_lot::Mutex;
use semver::{Prerelease, Version};
use serde_json::{Value, json};

use super::options::OperatorOptions;
use super::patience::ask;
use super::{Declarations, OperatorError, OperatorPhase, Rule};
use crate::cluster::{ApiError, ApiRequest, ApiResource, Cluster};

/// The interval at which missing kinds and permissions are checked again.
const AGAIN: Duration = Duration::from_secs(2);
/// The interval at which missing kinds and permissions are logged.
const REMIND: Duration = Duration::from_secs(60);
/// The number of concurrent access reviews.
const PARALLEL: usize = 8;

/// The oldest Kubernetes version that an operator runs on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MinimumVersion(Version);

/// The error of a text that is not a version.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is not a version; write it like v1.34.0")]
pub struct InvalidVersion(String);

impl Default for MinimumVersion {
    fn default() -> Self {
        Self::at_least(Version::new(1, 34, 0))
    }
}

impl MinimumVersion {
    /// Creates a minimum that, without a pre-release part, accepts all builds of its patch level, including those of vendors.
    fn at_least(mut version: Version) -> Self {
        if version.pre.is_empty() {
            version.pre = Prerelease::new("0").unwrap_or(Prerelease::EMPTY);
        }
        Self(version)
    }

    fn accepts(&self, found: &Version) -> bool {
        found.cmp_precedence(&self.0).is_ge()
    }
}

impl FromStr for MinimumVersion {
    type Err = InvalidVersion;

    fn from_str(text: &str) -> Result<Self, InvalidVersion> {
        parse(text).map(Self::at_least).ok_or_else(|| InvalidVersion(text.to_owned()))
    }
}

impl fmt::Display for MinimumVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Version { major, minor, patch, pre, .. } = &self.0;
        write!(f, "v{major}.{minor}.{patch}")?;
        if pre.as_str() == "0" { Ok(()) } else { write!(f, "-{pre}") }
    }
}

fn parse(text: &str) -> Option<Version> {
    Version::parse(text.strip_prefix('v').unwrap_or(text)).ok()
}

/// The checks of one start.
pub(super) struct Preflight<'a> {
    cluster: &'a Cluster,
    declarations: &'a Declarations,
    options: &'a OperatorOptions,
    /// The kinds and permissions that were missing at the last check.
    last: Mutex<Option<OperatorError>>,
}

/// Kinds that are not served, and permissions that are denied.
#[derive(Debug, Default, PartialEq, Eq)]
struct PreflightGaps {
    kinds: Vec<String>,
    denied: Vec<String>,
}

impl<'a> Preflight<'a> {
    pub(super) fn new(cluster: &'a Cluster, declarations: &'a Declarations, options: &'a OperatorOptions) -> Self {
        Self { cluster, declarations, options, last: Mutex::default() }
    }

    /// Waits until the cluster passes the checks. Missing kinds and permissions may be added until the deadline, because CRDs and roles are often installed
    /// together with the operator.
    pub(super) async fn check(&self) -> Result<(), OperatorError> {
        let Some(limit) = self.options.startup_timeout else { return self.passed().await };
        // A server that accepts a request and does not answer would delay the checks beyond their time limit.
        let in_time = self.cluster.clock().limit(limit, self.passed()).await;
        in_time.unwrap_or_else(|_| {
            let culprits = vec!["the API server's answers about its version, kinds and permissions".to_owned()];
            let silent = OperatorError::Timeout { phase: OperatorPhase::Preflight, limit, culprits };
            Err(self.last.lock().take().unwrap_or(silent))
        })
    }

    async fn passed(&self) -> Result<(), OperatorError> {
        let clock = self.cluster.clock();
        let started = clock.moment();
        self.version().await?;
        let mut told = None;
        loop {
            let missing = self.missing().await?;
            if missing == PreflightGaps::default() {
                return Ok(());
            }
            let now = clock.moment();
            let error = OperatorError::Preflight { kinds: missing.kinds, denied: missing.denied };
            if self.options.startup_timeout.is_some_and(|limit| now.since(started) + AGAIN > limit) {
                return Err(error);
            }
            if told.is_none_or(|told| now.since(told) >= REMIND) {
                tracing::warn!("the operator cannot {error}; it looks again every {AGAIN:?}");
                told = Some(now);
            }
            *self.last.lock() = Some(error);
            clock.sleep(AGAIN).await;
            self.cluster.discovery().invalidate();
        }
    }

    async fn version(&self) -> Result<(), OperatorError> {
        let answer = ask(self.cluster, &ApiRequest::raw("/version"), self.options.startup_timeout).await.map_err(|source| {
            if source.is_unanswered() { OperatorError::Unreachable { source } } else { OperatorError::Refused { source } }
        })?;
        let found = answer.get("gitVersion").and_then(Value::as_str).unwrap_or_default();
        let Some(version) = parse(found) else {
            return Err(OperatorError::UnreadableVersion { found: found.to_owned() });
        };
        let minimum = &self.options.minimum_version;
        if !minimum.accepts(&version) {
            return Err(OperatorError::TooOld { found: found.to_owned(), minimum: minimum.to_string() });
        }
        tracing::debug!(version = found, "the cluster answers");
        Ok(())
    }

    async fn missing(&self) -> Result<PreflightGaps, OperatorError> {
        let mut missing = PreflightGaps::default();
        let kinds: Vec<_> = self.declarations.kinds().collect();
        // The kinds are resolved together, so that missing ones share one read of the types.
        let found = join_all(kinds.iter().map(|gvk| self.cluster.discovery().resolve_gvk(gvk))).await;
        for (gvk, found) in kinds.into_iter().zip(found) {
            match found {
                Ok(Some(_)) => {}
                Ok(None) => missing.kinds.push(format!("{} {}", gvk.api_version(), gvk.kind)),
                // The next round asks again; the server is known to answer at all.
                Err(error) if error.is_transient() => {
                    missing.kinds.push(format!("{} {} ({error})", gvk.api_version(), gvk.kind));
                }
                Err(source) => return Err(OperatorError::Refused { source }),
            }
        }
        missing.denied = self.denied().await;
        Ok(missing)
    }

    /// Returns the declared permissions that the server denies.
    async fn denied(&self) -> Vec<String> {
        let mut questions = Vec::new();
        for rule in self.declarations.rules() {
            // A rule for some names is reviewed for each of them: a role that lists the names denies the review without a name.
            let names = if rule.names.is_empty() { vec![String::new()] } else { rule.names.iter().cloned().collect() };
            for verb in rule.verbs.clone() {
                questions.extend(names.iter().map(|name| AccessQuestion {
                    rule: rule.clone(),
                    verb: verb.clone(),
                    name: name.clone(),
                }));
            }
        }
        let asked = questions.into_iter().map(|question| {
            let cluster = self.cluster.clone();
            async move {
                let answer = allowed(&cluster, &question).await;
                (question, answer)
            }
        });
        let mut answers = stream::iter(asked).buffered(PARALLEL);
        let mut denied = Vec::new();
        let mut narrowed = Narrowed::default();
        while let Some((question, answer)) = answers.next().await {
            match answer {
                Ok(true) => {}
                Ok(false) => {
                    if !narrowed.allows(self.cluster, &question).await {
                        denied.push(question.to_string());
                    }
                }
                // A server without authorization does not serve access reviews.
                Err(error) if error.is_not_found() => return Vec::new(),
                Err(error) if error.is_forbidden() => {
                    tracing::warn!(%error, "the server does not list the operator's permissions; their check is skipped");
                    return Vec::new();
                }
                // A server that does not answer one review is not asked further ones; the next round asks again.
                Err(error) => {
                    denied.push(format!("{question} ({error})"));
                    break;
                }
            }
        }
        denied
    }
}

/// An access review for the operator itself. It displays as the denied permission.
struct AccessQuestion {
    rule: Rule,
    verb: String,
    /// The name of the object; empty for all.
    name: String,
}

impl fmt::Display for AccessQuestion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { rule, verb, name } = self;
        write!(f, "cannot {verb} {}", rule.resource)?;
        if !rule.group.is_empty() {
            write!(f, ".{}", rule.group)?;
        }
        if !name.is_empty() {
            write!(f, " {name:?}")?;
        }
        rule.namespace.as_ref().map_or(Ok(()), |namespace| write!(f, " in namespace {namespace}"))
    }
}

async fn allowed(cluster: &Cluster, question: &AccessQuestion) -> Result<bool, ApiError> {
    let AccessQuestion { rule, verb, name } = question;
    let (resource, subresource) = rule.resource.split_once('/').unwrap_or((&rule.resource, ""));
    let review = json!({
        "apiVersion": "authorization.k8s.io/v1",
        "kind": "SelfSubjectAccessReview",
        "spec": {"resourceAttributes": {
            "group": rule.group, "resource": resource, "subresource": subresource, "verb": verb, "name": name,
            "namespace": rule.namespace.as_deref().unwrap_or_default(),
        }},
    });
    let answer = cluster.send(&ApiRequest::create(&access_reviews(), &review)).await?;
    Ok(answer.pointer("/status/allowed").and_then(Value::as_bool).unwrap_or(false))
}

/// The rules that the operator has in namespaces, read when a review is denied: the roles may list the names of this cluster's objects, which only the author
/// of the roles knows.
#[derive(Default)]
struct Narrowed(BTreeMap<String, Vec<Value>>);

impl Narrowed {
    /// Returns true if some rule permits the request for some names. Creating, and reading or watching a collection, has no name.
    async fn allows(&mut self, cluster: &Cluster, question: &AccessQuestion) -> bool {
        let AccessQuestion { rule, verb, name } = question;
        if !name.is_empty() || matches!(verb.as_str(), "create" | "list" | "watch" | "deletecollection" | "*") {
            return false;
        }
        // The rules of cluster roles apply in every namespace, so any namespace shows them.
        let namespace = rule.namespace.as_deref().unwrap_or("default");
        if !self.0.contains_key(namespace) {
            let rules = rules_in(cluster, namespace).await.unwrap_or_default();
            self.0.insert(namespace.to_owned(), rules);
        }
        let holds = |granted: &Value, field: &str, wanted: &str| {
            let listed = granted[field].as_array().into_iter().flatten().filter_map(Value::as_str);
            listed.into_iter().any(|one| one == "*" || one == wanted)
        };
        let rules = self.0.get(namespace).into_iter().flatten();
        rules.into_iter().any(|granted| {
            let has_names = granted["resourceNames"].as_array().is_some_and(|names| !names.is_empty());
            has_names
                && holds(granted, "verbs", verb)
                && holds(granted, "apiGroups", &rule.group)
                && holds(granted, "resources", &rule.resource)
        })
    }
}

async fn rules_in(cluster: &Cluster, namespace: &str) -> Result<Vec<Value>, ApiError> {
    let gvk = GroupVersionKind::new("authorization.k8s.io", "v1", "SelfSubjectRulesReview");
    let reviews = ApiResource::known(&gvk, "selfsubjectrulesreviews", false);
    let review = json!({
        "apiVersion": "authorization.k8s.io/v1", "kind": "SelfSubjectRulesReview", "spec": {"namespace": namespace},
    });
    let mut answer = cluster.send(&ApiRequest::create(&reviews, &review)).await?;
    let rules = answer.pointer_mut("/status/resourceRules").map(Value::take);
    Ok(rules.and_then(|rules| rules.as_array().cloned()).unwrap_or_default())
}

fn access_reviews() -> ApiResource {
    let gvk = GroupVersionKind::new("authorization.k8s.io", "v1", "SelfSubjectAccessReview");
    ApiResource::known(&gvk, "selfsubjectaccessreviews", false)
}

#[cfg(test)]
mod tests {
    use super::*;

    // CHK-1
    #[test]
    fn vendor_builds_of_the_minimum_are_good_enough() {
        let minimum: MinimumVersion = "v1.34.0".parse().unwrap();
        for (found, accepted) in
            [("v1.34.0", true), ("v1.34.0-gke.1", true), ("v1.36.2+k3s1", true), ("v1.34.0-alpha.1", true), ("v1.33.9", false)]
        {
            assert_eq!(minimum.accepts(&parse(found).unwrap()), accepted, "{found}");
        }
        assert_eq!(minimum.to_string(), "v1.34.0");
        let strict: MinimumVersion = "1.35.0-rc.1".parse().unwrap();
        assert!(!strict.accepts(&parse("v1.35.0-beta.0").unwrap()));
        assert_eq!(strict.to_string(), "v1.35.0-rc.1");
        assert!("one".parse::<MinimumVersion>().is_err());
    }

    // CHK-3
    #[test]
    fn denied_permissions_are_described() {
        let told = |rule: Rule, verb: &str, name: &str| {
            AccessQuestion { rule, verb: verb.to_owned(), name: name.to_owned() }.to_string()
        };
        assert_eq!(
            told(Rule::new("apps", "deployments/status", &["patch"]), "patch", ""),
            "cannot patch deployments/status.apps"
        );
        let accounts = Rule::new("", "serviceaccounts", &[]).in_namespace("x");
        assert_eq!(told(accounts, "impersonate", "deployer"), "cannot impersonate serviceaccounts \"deployer\" in namespace x");
    }
}
