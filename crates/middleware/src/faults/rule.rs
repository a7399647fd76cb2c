//! The matcher and the quota of a fault rule.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;

use super::action::{FaultAction, Predicate};
use super::{Faults, RuleHandle};
use crate::status::Status;
use crate::target::{RequestTarget, ResourceTarget};
use crate::verb::Verb;

/// A request, as rules see it.
pub(super) struct Seen<'a> {
    pub(super) target: &'a RequestTarget,
    pub(super) user: Option<&'a str>,
    pub(super) user_agent: &'a str,
    /// The body as JSON, present only if some rule needs it.
    pub(super) body: Option<&'a Value>,
}

/// The conditions on a request; a condition that is not set matches any request.
#[derive(Clone, Default)]
pub(super) struct Matcher {
    pub(super) verbs: Option<Vec<Verb>>,
    resource: Option<(String, String)>,
    version: Option<String>,
    subresource: Option<String>,
    namespace: Option<String>,
    name: Option<String>,
    user: Option<String>,
    user_agent: Option<String>,
    body: Option<Predicate>,
}

impl Matcher {
    /// Returns true if the rule is about one user.
    pub(super) fn names_user(&self) -> bool {
        self.user.is_some()
    }

    /// Returns a key of the request's object.
    pub(super) fn object_of(seen: &Seen<'_>) -> String {
        seen.target.resource().map_or_else(String::new, |target| {
            format!("{}/{}/{}/{}", target.group, target.resource, target.namespace, name_of(target, seen))
        })
    }

    pub(super) fn reads_body(&self) -> bool {
        self.body.is_some()
    }

    pub(super) fn matches(&self, seen: &Seen<'_>) -> bool {
        let Some(target) = seen.target.resource() else {
            // A request for no resource is matched only by rules without conditions on the resource.
            return self.verbs.is_none()
                && self.resource.is_none()
                && self.subresource.is_none()
                && self.namespace.is_none()
                && self.name.is_none()
                && self.body.is_none()
                && self.matches_client(seen);
        };
        let name = name_of(target, seen);
        self.verbs.as_ref().is_none_or(|verbs| verbs.contains(&target.verb))
            && self.resource.as_ref().is_none_or(|(group, resource)| *group == target.group && *resource == target.resource)
            && self.version.as_ref().is_none_or(|version| *version == target.version)
            && self.subresource.as_ref().is_none_or(|subresource| *subresource == target.subresource)
            && self.namespace.as_ref().is_none_or(|namespace| *namespace == target.namespace)
            && self.name.as_deref().is_none_or(|wanted| wanted == name)
            && self.matches_client(seen)
            && self.body.as_ref().is_none_or(|holds| seen.body.is_some_and(|body| holds(body)))
    }

    /// Returns true if the body is needed to decide about this request.
    pub(super) fn needs_body(&self, target: &RequestTarget) -> bool {
        self.reads_body() || (self.name.is_some() && target.verb() == Some(Verb::Create))
    }

    fn matches_client(&self, seen: &Seen<'_>) -> bool {
        self.user.as_deref().is_none_or(|user| seen.user == Some(user))
            && self.user_agent.as_deref().is_none_or(|agent| seen.user_agent.starts_with(agent))
    }
}

/// Returns the name of the request's object. A create has it in the body, not in the URL.
fn name_of<'a>(target: &'a ResourceTarget, seen: &'a Seen<'_>) -> &'a str {
    match (target.name.as_str(), target.verb) {
        ("", Verb::Create) => seen.body.and_then(|body| body.pointer("/metadata/name")?.as_str()).unwrap_or_default(),
        (name, _) => name,
    }
}

/// A rule under construction. It takes effect with its last call, which sets its action.
#[must_use = "a rule takes effect when it is told what to do, for instance by respond()"]
pub struct RuleBuilder {
    faults: Faults,
    pub(super) matcher: Matcher,
    pub(super) quota: Quota,
}

/// The limits on how often a rule acts on matching requests.
#[derive(Clone, Copy, Debug)]
pub(super) struct Quota {
    pub(super) skip: u64,
    pub(super) times: u64,
    pub(super) probability: f64,
    /// The maximum number of actions on one object.
    pub(super) per_object: u64,
}

impl RuleBuilder {
    pub(super) fn new(faults: Faults, verbs: Option<Vec<Verb>>) -> Self {
        let quota = Quota { skip: 0, times: u64::MAX, probability: 1.0, per_object: u64::MAX };
        Self { faults, matcher: Matcher { verbs, ..Matcher::default() }, quota }
    }

    /// Restricts the rule to this resource, by its group (empty for the core group) and plural name.
    pub fn of(mut self, group: &str, resource: &str) -> Self {
        self.matcher.resource = Some((group.to_owned(), resource.to_owned()));
        self
    }

    /// Restricts the rule to this version of the API group.
    pub fn version(mut self, version: &str) -> Self {
        self.matcher.version = Some(version.to_owned());
        self
    }

    /// Restricts the rule to this subresource; an empty name means the objects themselves.
    pub fn subresource(mut self, subresource: &str) -> Self {
        self.matcher.subresource = Some(subresource.to_owned());
        self
    }

    /// Restricts the rule to this namespace.
    pub fn in_namespace(mut self, namespace: &str) -> Self {
        self.matcher.namespace = Some(namespace.to_owned());
        self
    }

    /// Restricts the rule to the object with this name; a create matches if its body has the name.
    pub fn named(mut self, name: &str) -> Self {
        self.matcher.name = Some(name.to_owned());
        self
    }

    /// Restricts the rule to clients whose user agent starts with this text.
    pub fn by_user_agent(mut self, prefix: &str) -> Self {
        self.matcher.user_agent = Some(prefix.to_owned());
        self
    }

    /// Restricts the rule to this user.
    pub fn by_user(mut self, user: &str) -> Self {
        self.matcher.user = Some(user.to_owned());
        self
    }

    /// Restricts the rule to requests with a JSON body for which the predicate holds.
    pub fn with_body(mut self, predicate: impl Fn(&Value) -> bool + Send + Sync + 'static) -> Self {
        self.matcher.body = Some(Arc::new(predicate));
        self
    }

    /// Limits the rule to this number of requests.
    pub fn times(mut self, times: u64) -> Self {
        self.quota.times = times;
        self
    }

    /// Limits the rule to this number of requests per object.
    pub fn times_per_object(mut self, times: u64) -> Self {
        self.quota.per_object = times;
        self
    }

    /// Lets this many matching requests pass first.
    pub fn after(mut self, requests: u64) -> Self {
        self.quota.skip = requests;
        self
    }

    /// Makes the rule act on a matching request with this probability, between 0 and 1, drawn from the seed.
    pub fn with_probability(mut self, probability: f64) -> Self {
        self.quota.probability = probability;
        self
    }

    /// Answers with this failure; the request is never handled.
    pub fn respond(self, status: Status) -> RuleHandle {
        self.finish(FaultAction::Respond(status))
    }

    /// Lets the request be handled, and then answers with this failure.
    pub fn respond_after(self, status: Status) -> RuleHandle {
        self.finish(FaultAction::RespondAfter(status))
    }

    /// Delays the request on the clock before it is handled.
    pub fn delay(self, delay: Duration) -> RuleHandle {
        self.finish(FaultAction::Delay(delay))
    }

    /// Breaks the connection before the request is handled.
    pub fn drop_before(self) -> RuleHandle {
        self.finish(FaultAction::DropBefore)
    }

    /// Breaks the connection after the request is handled: a write happened, and the client does not know.
    pub fn drop_after(self) -> RuleHandle {
        self.finish(FaultAction::DropAfter)
    }

    /// Ends a watch after this number of events, as a restarting server does. For rules on [`Verb::Watch`].
    pub fn cut_watch(self, events: u64) -> RuleHandle {
        self.finish(FaultAction::CutWatch(events))
    }

    /// Ends a watch after this time. For rules on [`Verb::Watch`].
    pub fn cut_watch_after(self, time: Duration) -> RuleHandle {
        self.finish(FaultAction::CutWatchAfter(time))
    }

    /// Lets a watch fall silent after this number of events, without closing it. For rules on [`Verb::Watch`].
    pub fn hang_watch(self, events: u64) -> RuleHandle {
        self.finish(FaultAction::HangWatch(events))
    }

    /// Answers a watch with the in-band error that its version is too old. For rules on [`Verb::Watch`].
    pub fn expire_watch(self) -> RuleHandle {
        self.finish(FaultAction::ExpireWatch)
    }

    /// Changes the JSON body of the request.
    pub fn edit_request(self, edit: impl Fn(&mut Value) + Send + Sync + 'static) -> RuleHandle {
        self.finish(FaultAction::EditRequest(Arc::new(edit)))
    }

    /// Changes the JSON body of the answer. Streams pass unchanged.
    pub fn edit_response(self, edit: impl Fn(&mut Value) + Send + Sync + 'static) -> RuleHandle {
        self.finish(FaultAction::EditResponse(Arc::new(edit)))
    }

    fn finish(self, action: FaultAction) -> RuleHandle {
        self.faults.add(self.matcher, self.quota, action)
    }
}

impl fmt::Debug for RuleBuilder {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("RuleBuilder").field("quota", &self.quota).finish_non_exhaustive()
    }
}
