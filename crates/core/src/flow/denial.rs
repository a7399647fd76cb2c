//! The causes for which a server denies a request permanently, and their remedies.

use std::fmt::{self, Write as _};

const RBAC: &str = "rbac.authorization.k8s.io";

/// The cause of a denial, read from the server's text: Kubernetes distinguishes the causes of a 403 only by their texts. It displays as its remedy.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Denial {
    /// No role grants this right to the user.
    Permission(MissingRule),
    /// A Role or a binding would grant rights that the user does not hold.
    Escalation {
        /// The user that writes the Role or binding.
        user: String,
        /// The plural name of the written resource.
        resource: String,
    },
    /// An object refers to an owner whose finalizers the user may not change.
    BlockedOwner,
    /// A ResourceQuota is used up, or requires limits that the object does not set.
    Quota {
        /// The name of the quota; empty if the server does not name it.
        name: String,
    },
    /// A LimitRange of the namespace denies the request.
    LimitRange,
    /// A Pod Security standard of the namespace denies the request.
    PodSecurity {
        /// The profile and version, such as `restricted:latest`.
        profile: String,
    },
    /// An admission webhook denies the request.
    Webhook {
        /// The name of the webhook.
        name: String,
    },
    /// A ValidatingAdmissionPolicy denies the request.
    Policy {
        /// The name of the policy.
        name: String,
        /// The name of the policy's binding.
        binding: String,
    },
    /// The namespace is being deleted.
    NamespaceTerminating,
    /// The cause is none of these.
    Unknown,
}

/// The RBAC rule that a user lacks for one request.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct MissingRule {
    /// The user's name.
    pub user: String,
    /// The verb.
    pub verb: String,
    /// The API group; empty for the core group.
    pub group: String,
    /// The plural name of the resource, with the subresource if there is one.
    pub resource: String,
    /// The namespace; none for a request to all namespaces, or about an object without namespace.
    pub namespace: Option<String>,
    /// The object's name; none for collections and new objects.
    pub name: Option<String>,
}

impl Denial {
    /// Returns the cause of an answer with this status code and text; none if the answer is not a denial. Webhooks and policies choose their status
    /// codes themselves.
    pub fn of(code: u16, message: &str, namespace_terminates: bool) -> Option<Self> {
        if !matches!(code, 400..=499) || matches!(code, 404 | 409 | 429) {
            return None;
        }
        if let Some(admission) = admission(message) {
            return Some(admission);
        }
        if code != 403 {
            return None;
        }
        let (subject, told) = message.split_once(" is forbidden: ").unwrap_or(("", message));
        Some(if namespace_terminates {
            Self::NamespaceTerminating
        } else if let Some(rule) = MissingRule::read(subject, told) {
            Self::Permission(rule)
        } else if let Some(user) = escalation(told) {
            Self::Escalation { user, resource: plural(subject) }
        } else if told.starts_with("cannot set blockOwnerDeletion") {
            Self::BlockedOwner
        } else if let Some(name) = quota(told) {
            Self::Quota { name }
        } else if let Some(rest) = told.strip_prefix("violates PodSecurity ") {
            Self::PodSecurity { profile: quoted(rest).map(|(profile, _)| profile).unwrap_or_default() }
        } else if limit_range(told) {
            Self::LimitRange
        } else {
            Self::Unknown
        })
    }
}

/// Appends the remedy for its cause to a server's text.
pub fn explained(code: u16, message: &str, namespace_terminates: bool) -> String {
    match Denial::of(code, message, namespace_terminates) {
        Some(denial) => format!("{message} ({denial})"),
        None => message.to_owned(),
    }
}

impl fmt::Display for Denial {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Permission(rule) => rule.fmt(f),
            Self::Escalation { user, resource } if resource.ends_with("bindings") => write!(
                f,
                "give user {user:?} these rights, or the rule {{apiGroups: [{RBAC}], resources: [clusterroles, roles], verbs: [bind]}} \
                 with the name of the role that is bound in resourceNames"
            ),
            Self::Escalation { user, resource } => write!(
                f,
                "give user {user:?} these rights, or the rule {{apiGroups: [{RBAC}], resources: [{resource}], verbs: [escalate]}}"
            ),
            Self::BlockedOwner => f.write_str(
                "grant the verb update on the subresource finalizers of the owner's type, or render the owner reference without \
                 blockOwnerDeletion",
            ),
            Self::Quota { name } if name.is_empty() => {
                f.write_str("raise the ResourceQuota of the namespace, or delete objects that count against it")
            }
            Self::Quota { name } => {
                write!(
                    f,
                    "raise the ResourceQuota {name}, delete objects that count against it, or set the limits that it demands"
                )
            }
            Self::LimitRange => f.write_str("render resources within the LimitRange of the namespace, or change it"),
            Self::PodSecurity { profile } => write!(
                f,
                "render a security context that fulfils {profile:?}, or change the label pod-security.kubernetes.io/enforce of the namespace"
            ),
            Self::Webhook { name } => {
                write!(f, "render the object as the admission webhook {name:?} demands, or change its configuration")
            }
            Self::Policy { name, binding } => write!(
                f,
                "render the object as the ValidatingAdmissionPolicy {name:?} demands, or change it or its binding {binding:?}"
            ),
            Self::NamespaceTerminating => {
                f.write_str("the namespace is being deleted; the object is written once it exists again")
            }
            Self::Unknown => {
                f.write_str("the server names neither a missing rule nor an admission plugin: its administrator knows")
            }
        }
    }
}

impl MissingRule {
    /// Parses `User "u" cannot get resource "pods/log" in API group "" in the namespace "n"`, and the text before it: `pods "p"`.
    fn read(subject: &str, told: &str) -> Option<Self> {
        let start = told.find("User \"")?;
        let (user, rest) = quoted(&told[start + "User ".len()..])?;
        let (verb, rest) = rest.strip_prefix(" cannot ")?.split_once(" resource ")?;
        let (resource, rest) = quoted(rest)?;
        let (group, rest) = quoted(rest.strip_prefix(" in API group ")?)?;
        let namespace = rest.strip_prefix(" in the namespace ").and_then(quoted).map(|(namespace, _)| namespace);
        if verb.starts_with("impersonate-on:") {
            return Some(Self::to_act_as(user, namespace, rest));
        }
        let one = !matches!(verb, "create" | "list" | "watch" | "deletecollection");
        let name = subject.split_once(' ').and_then(|(_, name)| quoted(name)).map(|(name, _)| name).filter(|_| one);
        Some(Self { user, verb: verb.to_owned(), group, resource, namespace, name })
    }

    /// Returns the rule for impersonation. A server's answer names the impersonating user, but not the impersonated one; the client appends that: `as
    /// "system:serviceaccount:n:a"`.
    fn to_act_as(user: String, namespace: Option<String>, rest: &str) -> Self {
        let whom = rest.rsplit_once(" as ").and_then(|(_, whom)| quoted(whom)).map(|(whom, _)| whom);
        let account = whom.as_deref().and_then(|whom| whom.strip_prefix("system:serviceaccount:")?.split_once(':'));
        let (resource, namespace, name) = match (account, &whom) {
            (Some((namespace, name)), _) => ("serviceaccounts", Some(namespace.to_owned()), Some(name.to_owned())),
            (None, Some(whom)) => ("users", None, Some(whom.clone())),
            (None, None) => ("serviceaccounts", namespace, None),
        };
        Self { user, verb: "impersonate".to_owned(), group: String::new(), resource: resource.to_owned(), namespace, name }
    }

    /// Formats the rule for a Role. A client that lists objects also watches and reads them, so that the rule has all three verbs.
    fn as_role_rule(&self) -> String {
        let verbs = if matches!(self.verb.as_str(), "list" | "watch") { "get, list, watch" } else { self.verb.as_str() };
        let group = if self.group.is_empty() { "\"\"" } else { &self.group };
        let mut rule = format!("{{apiGroups: [{group}], resources: [{}], ", self.resource);
        if let Some(name) = &self.name {
            let _ = write!(rule, "resourceNames: [{name}], ");
        }
        let _ = write!(rule, "verbs: [{verbs}]}}");
        rule
    }
}

impl fmt::Display for MissingRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (user, rule) = (&self.user, self.as_role_rule());
        match &self.namespace {
            Some(namespace) => write!(f, "grant user {user:?} the rule {rule} in namespace {namespace}"),
            None => write!(f, "grant user {user:?} the rule {rule} in a ClusterRole"),
        }
    }
}

fn admission(message: &str) -> Option<Denial> {
    if let Some((_, rest)) = message.split_once("admission webhook ")
        && let Some((name, rest)) = quoted(rest)
        && rest.starts_with(" denied the request")
    {
        return Some(Denial::Webhook { name });
    }
    let (_, rest) = message.split_once("ValidatingAdmissionPolicy '")?;
    let (name, rest) = rest.split_once("' with binding '")?;
    let (binding, rest) = rest.split_once('\'')?;
    let policy = Denial::Policy { name: name.to_owned(), binding: binding.to_owned() };
    rest.starts_with(" denied request").then_some(policy)
}

/// Parses `user "u" (groups=["g"]) is attempting to grant RBAC permissions not currently held:`, which the rules follow.
fn escalation(told: &str) -> Option<String> {
    let (user, rest) = quoted(told.strip_prefix("user ")?)?;
    rest.contains(" is attempting to grant RBAC permissions not currently held").then_some(user)
}

fn quota(told: &str) -> Option<String> {
    if told.starts_with("insufficient quota to ") || told.starts_with("status unknown for quota: ") {
        return Some(told.strip_prefix("status unknown for quota: ").map(until_comma).unwrap_or_default());
    }
    let rest = told.strip_prefix("exceeded quota: ").or_else(|| told.strip_prefix("failed quota: "))?;
    Some(until_comma(rest))
}

fn until_comma(text: &str) -> String {
    text.split([',', ':']).next().unwrap_or_default().to_owned()
}

/// Recognises `maximum cpu usage per Container is 1, but limit is 2`, alone or as one of several in brackets.
fn limit_range(told: &str) -> bool {
    let told = told.trim_start_matches('[');
    let bound =
        told.strip_prefix("maximum ").or_else(|| told.strip_prefix("minimum ")).or_else(|| told.strip_prefix("memory max "));
    bound.is_some_and(|rest| rest.contains(" usage per ") || rest.contains("limit to request ratio"))
        || told.contains(" limit to request ratio per ")
}

/// Returns `roles` of `roles.rbac.authorization.k8s.io "name"`.
fn plural(subject: &str) -> String {
    subject.split(['.', ' ']).next().unwrap_or_default().to_owned()
}

/// Parses a quoted text, as Go prints it, and returns it with the rest.
fn quoted(text: &str) -> Option<(String, &str)> {
    let text = text.strip_prefix('"')?;
    let mut plain = String::new();
    let mut escaped = false;
    for (at, c) in text.char_indices() {
        match c {
            '"' if !escaped => return Some((plain, &text[at + 1..])),
            '\\' if !escaped => escaped = true,
            _ => {
                plain.push(c);
                escaped = false;
            }
        }
    }
    None
}
