//! References by name: fields that name another resource, whose name may have changed.

use serde_json::Value;

use crate::error::BuildProblem;
use crate::fields::{Created, FieldSpec, KindPattern, NameReferences, change};
use crate::resource::{BuildResource, EffectiveNamespace, ResourceId, ResourceList, scalar_text};

/// Writes the present names, and where there is a field for it the namespaces, of resources into the fields that refer to them.
pub(crate) fn fix_references(list: &mut ResourceList, references: &[NameReferences]) -> Result<(), BuildProblem> {
    for index in 0..list.resources.len() {
        let referrer = Referrer::new(&list.resources[index]);
        let mut object = list.resources[index].object.clone();
        fix_object(&mut object, references, &referrer, list)
            .map_err(|problem| problem.within(format_args!("updating name references of {}", referrer.id)))?;
        list.resources[index].object = object;
    }
    Ok(())
}

fn fix_object(
    object: &mut Value,
    references: &[NameReferences],
    referrer: &Referrer,
    list: &ResourceList,
) -> Result<(), BuildProblem> {
    for reference in references {
        let fields = reference.referrers.iter();
        for field in fields.filter(|field| field.matches(&referrer.original.kind)) {
            let search = ReferralSearch { referrer, target: &reference.target, field, list };
            change(object, field, Created::Nothing, &mut |value| search.fix(value))?;
        }
    }
    Ok(())
}

/// The resource that has the references.
struct Referrer {
    id: ResourceId,
    original: ResourceId,
    prefixes: Vec<String>,
    suffixes: Vec<String>,
    /// The group and kind of its role, if it is a binding.
    role: Option<KindPattern>,
    /// The namespaces of its subjects, if it is a role binding.
    subject_namespaces: Vec<String>,
}

impl Referrer {
    fn new(resource: &BuildResource) -> Self {
        let role = resource.object.get("roleRef").and_then(|role| {
            let text = |name: &str| role.get(name).map(scalar_text);
            Some(KindPattern { group: text("apiGroup")?, version: String::new(), kind: text("kind")? })
        });
        let subjects =
            resource.object.get("subjects").and_then(Value::as_array).filter(|_| resource.kind_name() == "RoleBinding");
        let accounts =
            subjects.into_iter().flatten().filter(|subject| subject.get("kind").is_some_and(|kind| kind == "ServiceAccount"));
        Self {
            id: resource.id(),
            original: resource.original_id(),
            prefixes: resource.prefixes.clone(),
            suffixes: resource.suffixes.clone(),
            role,
            subject_namespaces: accounts.filter_map(|subject| Some(subject.get("namespace")?.as_str()?.to_owned())).collect(),
        }
    }

    /// Returns true if the resource may refer to another at all.
    fn can_reach(&self, other: &BuildResource) -> bool {
        let id = other.id();
        self.id.is_cluster_scoped()
            || id.is_cluster_scoped()
            || id.is_in_namespace_of(&self.id)
            || self.subject_namespaces.iter().any(|namespace| namespace == other.namespace())
    }

    /// Returns true if another resource went through the same kustomizations. Without affixes of one of both, `lenient` says whether it did.
    fn has_affixes_of(&self, other: &BuildResource, lenient: bool) -> bool {
        let agree =
            |own: &[String], others: &[String]| lenient && (own.is_empty() || others.is_empty()) || have_same_end(own, others);
        agree(&self.prefixes, &other.prefixes) && agree(&self.suffixes, &other.suffixes)
    }
}

/// Returns true if the shorter list is the end of the longer one; an empty list is only that of an empty one.
fn have_same_end(first: &[String], second: &[String]) -> bool {
    first.is_empty() == second.is_empty() && (first.ends_with(second) || second.ends_with(first))
}

/// The search for the resource that a field refers to.
struct ReferralSearch<'a> {
    referrer: &'a Referrer,
    target: &'a KindPattern,
    field: &'a FieldSpec,
    list: &'a ResourceList,
}

impl<'a> ReferralSearch<'a> {
    fn fix(&self, value: &mut Value) -> Result<(), BuildProblem> {
        match value {
            Value::Null => Ok(()),
            Value::Array(items) => items.iter_mut().try_for_each(|item| match item {
                Value::Array(_) => Err(BuildProblem::new("node must be a scalar or a map")),
                item => self.fix(item),
            }),
            Value::Object(_) => self.fix_map(value),
            scalar => self.fix_scalar(scalar),
        }
    }

    fn fix_scalar(&self, value: &mut Value) -> Result<(), BuildProblem> {
        let name = scalar_text(value);
        let identical = |first: &BuildResource, other: &BuildResource| first.name() == other.name();
        if let Some(referral) = self.select(&name, None, identical)?
            && referral.name() != name
        {
            *value = referral.name().into();
        }
        Ok(())
    }

    /// Fixes a map with a name and perhaps a namespace.
    fn fix_map(&self, value: &mut Value) -> Result<(), BuildProblem> {
        let Some(name) = value.get("name").map(scalar_text) else {
            return Err(BuildProblem::new("path config error; no 'name' field in node"));
        };
        let namespace = value.get("namespace").map(scalar_text);
        let identical =
            |first: &BuildResource, other: &BuildResource| first.name() == other.name() && first.namespace() == other.namespace();
        let Some(referral) = self.select(&name, namespace.as_deref(), identical)? else { return Ok(()) };
        if referral.name() == name && referral.namespace().is_empty() {
            return Ok(());
        }
        value["name"] = referral.name().into();
        if !referral.namespace().is_empty() {
            value["namespace"] = referral.namespace().into();
        }
        Ok(())
    }

    /// Returns the resource that had a name before. `namespace` is the one beside the name, if there is one. Several resources are an error, unless
    /// they are `identical` for the reference.
    fn select(
        &self,
        name: &str,
        namespace: Option<&str>,
        identical: impl Fn(&BuildResource, &BuildResource) -> bool,
    ) -> Result<Option<&'a BuildResource>, BuildProblem> {
        let named = self.list.resources.iter().filter(|resource| resource.has_had_name(name));
        let mut candidates: Vec<&BuildResource> = named.filter(|resource| self.referrer.can_reach(resource)).collect();
        if let Some(namespace) = namespace {
            candidates = self.in_namespace(candidates, namespace);
        }
        candidates.retain(|resource| {
            resource.previous_ids().any(|id| self.target.matches(&id.kind))
                && self.is_role_of_binding(resource)
                && self.is_near(resource)
        });
        if candidates.len() > 1 {
            candidates.retain(|resource| self.referrer.has_affixes_of(resource, true));
        }
        if candidates.len() > 1 {
            candidates.retain(|resource| self.referrer.has_affixes_of(resource, false));
        }
        let Some((first, others)) = candidates.split_first() else { return Ok(None) };
        if others.iter().all(|other| identical(first, other)) {
            return Ok(Some(first));
        }
        let ids: Vec<String> = candidates.iter().map(|resource| resource.id().to_string()).collect();
        Err(BuildProblem(format!("found multiple possible referrals for the name {name:?}: {}", ids.join(", "))))
    }

    /// Returns the candidates that were at first in a namespace or, if none of all resources was, those that are in it now.
    fn in_namespace(&self, mut candidates: Vec<&'a BuildResource>, namespace: &str) -> Vec<&'a BuildResource> {
        let is_in = |id: &ResourceId| id.effective_namespace() == EffectiveNamespace::Named(namespace);
        let mut reachable = self.list.resources.iter().filter(|resource| self.referrer.can_reach(resource));
        let was_in = reachable.any(|resource| is_in(&resource.original_id()));
        candidates.retain(|resource| is_in(&if was_in { resource.original_id() } else { resource.id() }));
        candidates
    }

    /// Returns false for a resource that is not of the kind that the `roleRef` of the binding says.
    fn is_role_of_binding(&self, resource: &BuildResource) -> bool {
        match &self.referrer.role {
            Some(role) if self.field.path.ends_with("roleRef/name") => resource.previous_ids().any(|id| role.matches(&id.kind)),
            _ => true,
        }
    }

    /// Returns true for a resource in the namespace of the referrer, without a namespace, or that may be referred to from other ones.
    fn is_near(&self, resource: &BuildResource) -> bool {
        let id = resource.id();
        self.referrer.id.is_cluster_scoped()
            || id.is_cluster_scoped()
            || resource.kind_name() == "ServiceAccount"
            || self.referrer.id.is_in_namespace_of(&id)
    }
}
