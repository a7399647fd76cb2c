//! The projection of a live object: the data that decisions need (WATCH-3).

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use jiff::Timestamp;
use kubewright_machinery::object::{GroupKind, GroupVersionKind, ObjectExt};
use serde_json::Value;

use super::claims::{self, FieldClaim};
use super::fingerprint;
use super::owner::Owner;
use super::texts::PackedTexts;
use crate::dependents::reclaim::is_claimable;
use crate::health::{self, Health, Hints, Readiness};
use crate::manifest::OperatorName;

/// The most bytes of a message that are kept.
const MESSAGE_LIMIT: usize = 256;
/// The most bytes of the list of other managers that are kept.
const MANAGERS_LIMIT: usize = 96;

/// The readiness rule of a kind (READY-7). If it returns `None`, the general rules decide.
pub type KindRule = Arc<dyn Fn(&Value) -> Option<Readiness> + Send + Sync>;

/// The input of a projection besides the object. It is the same for all components of one type.
#[derive(Clone)]
pub struct ProjectionContext {
    /// The name of the component type, which is the prefix of its marks.
    pub operator: OperatorName,
    /// The field manager of the component type's writes to dependents.
    pub field_manager: String,
    /// The managers whose fields an override takes over: exact names, or a prefix ending in `*`.
    pub reclaimed_managers: Vec<String>,
    /// The readiness rules of kinds that have their own.
    pub kind_rules: BTreeMap<GroupKind, KindRule>,
}

impl ProjectionContext {
    /// Creates the context of a component type whose field manager is its name.
    pub fn new(operator: OperatorName) -> Self {
        Self {
            field_manager: operator.as_str().to_owned(),
            operator,
            reclaimed_managers: vec!["kubectl*".to_owned()],
            kind_rules: BTreeMap::new(),
        }
    }

    pub(in crate::dependents) fn reclaims(&self, manager: &str) -> bool {
        self.reclaimed_managers.iter().any(|pattern| match pattern.strip_suffix('*') {
            Some(prefix) => manager.starts_with(prefix),
            None => pattern == manager,
        })
    }
}

impl fmt::Debug for ProjectionContext {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ProjectionContext")
            .field("operator", &self.operator)
            .field("field_manager", &self.field_manager)
            .field("reclaimed_managers", &self.reclaimed_managers)
            .field("kind_rules", &self.kind_rules.keys().collect::<Vec<_>>())
            .finish()
    }
}

/// The type that a CustomResourceDefinition or APIService serves.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServedType {
    /// The group of the type.
    pub group: Box<str>,
    /// The kind of the type; empty for an APIService.
    pub kind: Box<str>,
    /// The plural of the type; empty for an APIService.
    pub plural: Box<str>,
    /// The first served version; `None` if no version is served.
    pub version: Option<Box<str>>,
    /// True if requests for the type are answered at present.
    pub available: bool,
}

/// The leaves of our fields whose live values are maps. Few objects have such leaves.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct MapLeaves {
    /// The fingerprint in which only the presence of such leaves counts.
    pub(super) loose: Box<str>,
    pub(super) leaves: Box<[MapLeaf]>,
}

/// A leaf of our fields whose live value is a map.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct MapLeaf {
    /// The path, as canonical JSON of the array of fieldsV1 keys.
    pub(super) path: Box<str>,
    /// The digest of the value.
    pub(super) digest: Box<str>,
}

/// The data of a live object that decisions need, without its contents. Operators hold hundreds of thousands of projections.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Projection {
    /// The UID, resource version, digest, message, fingerprint and other managers, in this order.
    texts: PackedTexts<6>,
    /// The value of `metadata.generation`.
    pub generation: Option<i64>,
    /// True if the object is being deleted.
    pub terminating: bool,
    /// The values of `metadata.finalizers`.
    pub finalizers: Box<[Box<str>]>,
    /// The owner according to the marks. A store of many projections may share it between those of one owner.
    pub owner: Option<Arc<Owner>>,
    /// The health of the object.
    pub status: Health,
    /// True if the object is not ready only because its controller has not observed its generation.
    pub lagging: bool,
    /// True if our manager owns fields under another operation than Apply.
    pub reclaim_own: bool,
    /// True if a reclaimed manager owns fields.
    pub reclaim_others: bool,
    rare: Option<Box<Rare>>,
}

/// The data that only few objects have.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Rare {
    changes_at: Option<(Timestamp, Health)>,
    maps: Option<MapLeaves>,
    serves: Option<ServedType>,
    /// The text of the claims of other managers.
    claims: Box<str>,
}

impl Projection {
    /// Creates the projection of an object.
    pub fn of(live: &Value, context: &ProjectionContext) -> Self {
        let hints =
            live.annotation(&context.operator.status_hint_key()).and_then(|text| Hints::parse(text).ok()).unwrap_or_default();
        let gvk = live.gvk().unwrap_or_default();
        let rule = context.kind_rules.get(&gvk.group_kind());
        let rule = rule.map(|rule| rule.as_ref() as &health::ReadinessRule<'_>);
        let readiness = health::readiness_with(live, &hints, rule);
        let fields = fingerprint::project(live, &context.field_manager);
        let texts = [
            live.uid(),
            live.resource_version(),
            live.annotation(&context.operator.digest_key()).unwrap_or(""),
            cut(&readiness.message, MESSAGE_LIMIT),
            &fields.exact,
            &other_managers(live, &context.field_manager),
        ];
        let rare = Rare {
            changes_at: readiness.changes_at,
            maps: fields.maps,
            serves: served_type(live, &gvk),
            claims: claims::text_of(live, &context.field_manager).into(),
        };
        Self {
            texts: PackedTexts::of(texts),
            generation: live.generation(),
            terminating: live.deletion_timestamp().is_some(),
            finalizers: live.finalizers().map(Box::from).collect(),
            owner: Owner::of(live, &context.operator).map(Arc::new),
            status: readiness.status,
            lagging: readiness.lagging,
            reclaim_own: claimable(live, |manager, operation| manager == context.field_manager && operation != "Apply"),
            reclaim_others: claimable(live, |manager, _| manager != context.field_manager && context.reclaims(manager)),
            rare: (rare != Rare::default()).then(|| Box::new(rare)),
        }
    }

    /// Returns `metadata.uid`.
    pub fn uid(&self) -> &str {
        self.texts.get(0)
    }

    /// Returns `metadata.resourceVersion`.
    pub fn resource_version(&self) -> &str {
        self.texts.get(1)
    }

    /// Returns the digest annotation; empty if there is none.
    pub fn digest(&self) -> &str {
        self.texts.get(2)
    }

    /// Returns the reason why the object is not ready, at most 256 bytes.
    pub fn message(&self) -> &str {
        self.texts.get(3)
    }

    /// Returns the fingerprint of our fields (DIG-3).
    pub fn fingerprint(&self) -> &str {
        self.texts.get(4)
    }

    /// Returns the other field managers, comma separated, at most 96 bytes.
    pub fn managers(&self) -> &str {
        self.texts.get(5)
    }

    /// Returns the fields that other managers hold.
    pub(in crate::dependents) fn claims(&self) -> impl Iterator<Item = FieldClaim> {
        claims::parse(self.rare.as_ref().map_or("", |rare| &rare.claims))
    }

    /// Returns the time at which the health changes without any event, and the health from then on.
    pub fn changes_at(&self) -> Option<(Timestamp, Health)> {
        self.rare.as_ref()?.changes_at
    }

    /// Returns the type that the object serves, if it is a CustomResourceDefinition or APIService.
    pub fn serves(&self) -> Option<&ServedType> {
        self.rare.as_ref()?.serves.as_ref()
    }

    /// Returns the leaves of our fields whose live values are maps.
    pub(super) fn maps(&self) -> Option<&MapLeaves> {
        self.rare.as_ref()?.maps.as_ref()
    }

    /// Returns true if only the resource version differs.
    pub fn differs_in_version_only(&self, other: &Self) -> bool {
        [0, 2, 3, 4, 5].iter().all(|index| self.texts.get(*index) == other.texts.get(*index))
            && *other == Self { texts: other.texts.clone(), ..self.clone() }
    }

    /// Returns the owner hash of the label under our own name.
    pub fn owner_hash(&self) -> Option<&str> {
        self.owner.as_ref().filter(|owner| owner.is_under_our_name()).map(|owner| &*owner.hash)
    }

    /// Returns the name of the other operator or component type whose marks the object carries instead of ours.
    pub fn other_operator(&self) -> Option<&str> {
        self.owner.as_ref()?.operator.as_deref()
    }

    /// Returns true if the object carries the marks of this owner under our own name.
    pub fn is_owned_by(&self, hash: &str) -> bool {
        self.owner_hash() == Some(hash)
    }

    /// Returns true if a finalizer is set.
    pub fn has_finalizer(&self, finalizer: &str) -> bool {
        self.finalizers.iter().any(|present| **present == *finalizer)
    }

    /// Returns the fingerprint for an item with these empty paths: of them only the presence counts.
    pub fn fingerprint_for(&self, empty_paths: &[Vec<String>]) -> String {
        fingerprint::combined(self, empty_paths)
    }

    /// Returns the health at an instant.
    pub fn status_at(&self, now: Timestamp) -> Health {
        match self.changes_at() {
            Some((instant, status)) if now >= instant => status,
            _ => self.status,
        }
    }
}

/// Returns the managedFields entries outside of subresources.
fn entries(live: &Value) -> impl Iterator<Item = &Value> {
    let entries = live.metadata().get("managedFields").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    entries.iter().filter(|entry| entry.get("subresource").is_none())
}

/// Returns the managers of fields outside of subresources, with their operations.
fn managers(live: &Value) -> impl Iterator<Item = (&str, &str)> {
    entries(live).filter_map(manager_of)
}

fn manager_of(entry: &Value) -> Option<(&str, &str)> {
    Some((entry.get("manager")?.as_str()?, entry.get("operation")?.as_str()?))
}

/// Returns true if one of the managers that `which` selects owns more than finalizers (WRITE-6).
fn claimable(live: &Value, which: impl Fn(&str, &str) -> bool) -> bool {
    let meant = |entry: &Value| manager_of(entry).is_some_and(|(manager, operation)| which(manager, operation));
    entries(live).any(|entry| meant(entry) && is_claimable(entry))
}

fn other_managers(live: &Value, own: &str) -> String {
    let mut names: Vec<&str> = managers(live).map(|(manager, _)| manager).filter(|manager| *manager != own).collect();
    names.sort_unstable();
    names.dedup();
    cut(&names.join(", "), MANAGERS_LIMIT).to_owned()
}

fn served_type(live: &Value, gvk: &GroupVersionKind) -> Option<ServedType> {
    let text = |pointer: &str| live.pointer(pointer).and_then(Value::as_str).unwrap_or("");
    let conditions = live.pointer("/status/conditions").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    let is_true = |kind: &str| {
        let field = |condition: &Value, name: &str, value: &str| condition.get(name).and_then(Value::as_str) == Some(value);
        conditions.iter().any(|condition| field(condition, "type", kind) && field(condition, "status", "True"))
    };
    match (gvk.group.as_str(), gvk.kind.as_str()) {
        ("apiextensions.k8s.io", "CustomResourceDefinition") => {
            let served = |version: &&Value| version.get("served").and_then(Value::as_bool) == Some(true);
            let versions = live.pointer("/spec/versions").and_then(Value::as_array);
            let version = versions.and_then(|versions| versions.iter().find(served)).and_then(|version| version.get("name"));
            Some(ServedType {
                group: text("/spec/group").into(),
                kind: text("/spec/names/kind").into(),
                plural: text("/spec/names/plural").into(),
                version: version.and_then(Value::as_str).map(Box::from),
                available: is_true("Established"),
            })
        }
        ("apiregistration.k8s.io", "APIService") => Some(ServedType {
            group: text("/spec/group").into(),
            kind: "".into(),
            plural: "".into(),
            version: Some(text("/spec/version").into()),
            available: is_true("Available"),
        }),
        _ => None,
    }
}

/// Returns the longest prefix of at most `limit` bytes.
pub(crate) fn cut(text: &str, limit: usize) -> &str {
    if text.len() <= limit {
        return text;
    }
    let mut end = limit;
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}
