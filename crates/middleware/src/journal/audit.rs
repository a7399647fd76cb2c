//! Export of the journal as events of an audit log, audit.k8s.io/v1 (JRN-4).

use jiff::{SignedDuration, Timestamp};
use serde_json::{Value, json};

use super::{Outcome, Record, Records};
use crate::target::{RequestTarget, ResourceTarget};

impl Records {
    /// Returns one JSON line per request, as an API server with an audit policy writes them: level `Request` where the journal kept bodies, else
    /// `Metadata`.
    ///
    /// ```
    /// # use kubewright_middleware::{Clock, Journal};
    /// let journal = Journal::new(Clock::system());
    /// let lines = journal.all().audit();
    /// assert!(lines.is_empty());
    /// ```
    pub fn audit(&self) -> String {
        self.iter().fold(String::new(), |mut lines, record| {
            lines.push_str(&record.audit_event().to_string());
            lines.push('\n');
            lines
        })
    }
}

impl Record {
    /// Returns the request as an `Event` of audit.k8s.io/v1.
    pub fn audit_event(&self) -> Value {
        let mut event = json!({
            "kind": "Event",
            "apiVersion": "audit.k8s.io/v1",
            "level": if self.body.is_some() { "Request" } else { "Metadata" },
            // A request without an answer has no audit id, so its number is used.
            "auditID": self.audit_id.clone().unwrap_or_else(|| format!("00000000-0000-4000-8000-{:012x}", self.number)),
            "stage": if self.outcome == Outcome::Running { "RequestReceived" } else { "ResponseComplete" },
            "requestURI": self.uri(),
            "verb": self.verb(),
            "user": {},
            "requestReceivedTimestamp": micro(self.time),
            "stageTimestamp": micro(self.answered_at()),
        });
        if let Some(user) = &self.user {
            event["user"]["username"] = user.as_str().into();
        }
        if !self.user_agent.is_empty() {
            event["userAgent"] = self.user_agent.as_str().into();
        }
        if let Some(target) = self.target.resource() {
            event["objectRef"] = reference(target);
        }
        if let Some(code) = self.status() {
            event["responseStatus"] = json!({"metadata": {}, "code": code});
            if let Some(reason) = &self.reason {
                event["responseStatus"]["reason"] = reason.as_str().into();
            }
        }
        if let Some(body) = &self.body {
            event["requestObject"] = body.clone();
        }
        if let Some(note) = &self.note {
            event["annotations"] = json!({"kubewright.dev/note": note});
        }
        event
    }

    fn answered_at(&self) -> Timestamp {
        let latency = SignedDuration::try_from(self.latency.unwrap_or_default()).unwrap_or_default();
        self.time.checked_add(latency).unwrap_or(self.time)
    }

    /// Returns the verb of a resource request, or the method of another request in lower case.
    fn verb(&self) -> String {
        match &*self.target {
            RequestTarget::Resource(target) => target.verb.to_string(),
            RequestTarget::Other { method, .. } => method.to_ascii_lowercase(),
        }
    }

    fn uri(&self) -> String {
        let path = match &*self.target {
            RequestTarget::Resource(target) => target.path(),
            RequestTarget::Other { path, .. } => path.clone(),
        };
        if self.query.is_empty() { path } else { format!("{path}?{}", self.query) }
    }
}

impl ResourceTarget {
    /// Returns the URL path that addresses the resource.
    pub fn path(&self) -> String {
        let mut path = if self.group.is_empty() { "/api".to_owned() } else { format!("/apis/{}", self.group) };
        let namespace = if self.namespace.is_empty() || self.resource == "namespaces" {
            Vec::new()
        } else {
            vec!["namespaces", &self.namespace]
        };
        let rest = [self.resource.as_str(), &self.name, &self.subresource];
        for part in [self.version.as_str()].into_iter().chain(namespace).chain(rest).filter(|part| !part.is_empty()) {
            path.push('/');
            path.push_str(part);
        }
        path
    }
}

fn reference(target: &ResourceTarget) -> Value {
    let mut reference = json!({"resource": target.resource, "apiVersion": target.version});
    for (field, value) in [
        ("apiGroup", &target.group),
        ("namespace", &target.namespace),
        ("name", &target.name),
        ("subresource", &target.subresource),
    ] {
        if !value.is_empty() {
            reference[field] = value.as_str().into();
        }
    }
    reference
}

/// Prints a time with six digits of a second, as audit logs do.
fn micro(time: Timestamp) -> String {
    format!("{time:.6}")
}
