//! Field ownership after a write (PIPE-7): `metadata.managedFields` as clients send them and as they are stored.

use std::sync::Arc;

use kubewright_machinery::fieldset::{FieldSet, Path};
use kubewright_machinery::object::ObjectExt as _;
use kubewright_schema::coerce_managers;
use serde_json::{Value, json};

use super::update::Update;
use super::write::{Recording, WriteContext};
use super::{ObjectApi, convert, metadata, model_of};
use crate::kinds::{KindSpec, Registry};
use crate::model::Endpoint;
use crate::smd::{FieldOwnership, Managers, Type, Versions};
use crate::types::Builtin;

const MANAGED_FIELDS: &str = "managedFields";

/// The inputs of ownership for a write to an endpoint of a kind.
#[derive(Debug)]
pub(crate) struct Rules {
    versions: Served,
    api_version: String,
    subresource: String,
    reset: Arc<FieldSet>,
    blank: Arc<Value>,
}

/// The currently served versions of a resource.
#[derive(Debug)]
pub(crate) struct Served {
    registry: Registry,
    kind: Arc<KindSpec>,
}

impl Rules {
    pub(crate) fn new(api: &ObjectApi, context: &WriteContext<'_>, kind: &Arc<KindSpec>, endpoint: Endpoint<'_>) -> Self {
        let subresource = match endpoint {
            Endpoint::Main => context.subresource,
            Endpoint::Status => "status",
            Endpoint::Other(name) => name,
        };
        Self {
            versions: Served::new(api, kind),
            api_version: kind.api_version(),
            subresource: subresource.to_owned(),
            reset: match endpoint {
                Endpoint::Main => kind.derived.reset.get_or_init(|| Arc::new(reset_fields(kind, endpoint))).clone(),
                _ => Arc::new(reset_fields(kind, endpoint)),
            },
            blank: kind.derived.blank.get_or_init(|| Arc::new(blank(kind))).clone(),
        }
    }

    /// Returns an empty object of the kind.
    pub(crate) fn blank(&self) -> &Value {
        &self.blank
    }

    pub(crate) fn ownership(&self) -> FieldOwnership<'_> {
        FieldOwnership {
            versions: &self.versions,
            api_version: &self.api_version,
            subresource: &self.subresource,
            reset: &self.reset,
            blank: &self.blank,
        }
    }
}

impl Served {
    pub(crate) fn new(api: &ObjectApi, kind: &Arc<KindSpec>) -> Self {
        Self { registry: api.registry(), kind: kind.clone() }
    }

    /// Returns the kind at a version.
    pub(crate) fn kind_at(&self, api_version: &str) -> Option<&Arc<KindSpec>> {
        let (group, version) = api_version.split_once('/').unwrap_or(("", api_version));
        if self.kind.group == group && self.kind.version == version {
            return Some(&self.kind);
        }
        self.registry.kind_of(api_version, &self.kind.kind).filter(|kind| kind.storage == self.kind.storage)
    }
}

impl Versions for Served {
    fn type_at(&self, api_version: &str) -> Option<&Type> {
        self.kind_at(api_version).map(|kind| composition(kind))
    }

    fn convert(&self, object: &Value, api_version: &str) -> Value {
        let mut object = object.clone();
        if let (Some(from), Some(to)) = (self.kind_at(object.api_version()), self.kind_at(api_version)) {
            convert::to_storage(from, &mut object);
            convert::from_storage(to, &mut object);
        }
        object
    }
}

/// Removes the managers from an object that a client sent. Managers of a wrong type are refused with the text of the decoder.
pub(crate) fn take(kind: &KindSpec, object: &mut Value) -> Result<Option<Value>, String> {
    let metadata = object.get_mut("metadata").and_then(Value::as_object_mut);
    let mut sent = metadata.and_then(|metadata| metadata.remove(MANAGED_FIELDS)).filter(|managers| !managers.is_null());
    if let Some(managers) = &mut sent {
        coerce_managers(managers, metadata::within(kind)).map_err(|error| error.message)?;
    }
    Ok(sent)
}

/// Stores managers in an object, or removes the field if there are none.
pub(crate) fn put(object: &mut Value, managers: Option<Value>) {
    match managers.filter(|managers| managers.as_array().is_some_and(|entries| !entries.is_empty())) {
        Some(managers) => {
            object.metadata_mut().insert(MANAGED_FIELDS.into(), managers);
        }
        None => {
            object.metadata_mut().remove(MANAGED_FIELDS);
        }
    }
}

/// Returns the managers of a created object. `object` is in the stored form, `sent` are the managers that the client sent.
pub(crate) fn after_create(
    api: &ObjectApi,
    context: &WriteContext<'_>,
    kind: &Arc<KindSpec>,
    object: &Value,
    sent: Option<Value>,
) -> Option<Value> {
    if context.recording != Recording::Compared {
        return sent;
    }
    let rules = Rules::new(api, context, kind, Endpoint::Main);
    let known = Managers::parse(sent.as_ref()).unwrap_or_default();
    Some(rules.record(api, context, &rules.blank, object, known))
}

/// Returns the managers of a changed object. `present` is at the version of the request, `object` in the stored form.
pub(crate) fn after_update(
    api: &ObjectApi,
    context: &WriteContext<'_>,
    update: Update<'_>,
    present: &Value,
    object: &Value,
    sent: Option<Value>,
) -> Option<Value> {
    let live = present.metadata().get(MANAGED_FIELDS);
    match context.recording {
        Recording::Compared => {}
        Recording::Made => return sent,
        Recording::Kept => return live.cloned(),
    }
    let is_main = update.endpoint == Endpoint::Main && context.subresource.is_empty();
    let unchanged = sent.is_none() || sent.as_ref() == live;
    let known = match sent {
        Some(sent) if is_main && !unchanged => {
            if is_reset(&sent) {
                return None;
            }
            // Unreadable managers are ignored, as a client without knowledge of the format has damaged them.
            Managers::parse(Some(&sent)).ok().filter(|managers| !managers.is_empty())
        }
        _ => None,
    };
    let known = known.unwrap_or_else(|| Managers::parse(live).unwrap_or_default());
    // An object without managers stays so until it is applied.
    if known.is_empty() {
        return None;
    }
    Some(Rules::new(api, context, update.kind, update.endpoint).record(api, context, present, object, known))
}

impl Rules {
    fn record(&self, api: &ObjectApi, context: &WriteContext<'_>, live: &Value, object: &Value, known: Managers) -> Value {
        let now = api.clock.now_in_seconds();
        let record = |object: &Value| self.ownership().update(live, object, known, &context.manager, &now).to_value();
        if !convert::changes(&self.versions.kind, object.api_version()) {
            return record(object);
        }
        let mut object = object.clone();
        convert::from_storage(&self.versions.kind, &mut object);
        record(&object)
    }
}

/// Returns true for an empty list, or a list with one empty entry, which reset the managers (SMD-18).
fn is_reset(sent: &Value) -> bool {
    sent.as_array().is_some_and(|entries| match entries.as_slice() {
        [] => true,
        [only] => only.as_object().is_some_and(serde_json::Map::is_empty),
        _ => false,
    })
}

/// Returns true if managers differ in nothing but the times of their writes (SSA-4).
pub(crate) fn same_but_for_times(managers: &Value, others: &Value) -> bool {
    let (Some(managers), Some(others)) = (managers.as_array(), others.as_array()) else { return false };
    let same = |entry: &Value, other: &Value| {
        let (Some(entry), Some(other)) = (entry.as_object(), other.as_object()) else { return false };
        let relevant = |entry: &serde_json::Map<String, Value>| entry.len() - usize::from(entry.contains_key("time"));
        relevant(entry) == relevant(other)
            && entry.iter().all(|(field, value)| field == "time" || other.get(field) == Some(value))
    };
    // Entries are sorted by time first, so a changed order is a difference.
    managers.len() == others.len() && managers.iter().zip(others).all(|(entry, other)| same(entry, other))
}

/// Returns the composition of objects of a kind.
fn composition(kind: &KindSpec) -> &Type {
    let builtin = || Builtin::of(kind).and_then(|builtin| Type::builtin(builtin.definition()));
    match kind.custom.as_ref().map(|custom| &*custom.composition).or_else(builtin) {
        Some(type_) => type_,
        None => Type::deduced(),
    }
}

/// Returns the content that every object of the kind has, whatever was sent; its author does not own that.
fn blank(kind: &KindSpec) -> Value {
    let mut object = json!({"apiVersion": kind.api_version(), "kind": kind.kind, "metadata": {}});
    if !kind.is_custom() {
        // An object without content has no value of a wrong type.
        let _ = model_of(kind).normalise(&mut object, &mut Vec::new());
    }
    object
}

/// Returns the fields that an endpoint does not write (SMD-10).
fn reset_fields(kind: &KindSpec, endpoint: Endpoint<'_>) -> FieldSet {
    let written = match endpoint {
        Endpoint::Main => None,
        Endpoint::Status | Endpoint::Other("approval") => Some("status"),
        Endpoint::Other(_) => Some("spec"),
    };
    let kept = match endpoint {
        Endpoint::Main => kind.reset.main.as_slice(),
        Endpoint::Status => kind.reset.status.as_slice(),
        Endpoint::Other(_) => &[],
    };
    let kept = kept.iter().map(|field| Path::fields(field.members().iter().map(String::as_str)));
    let others = composition(kind).members().filter(|member| {
        written.is_some_and(|written| *member != written && !matches!(*member, "apiVersion" | "kind" | "metadata"))
    });
    kept.chain(others.map(|member| Path::fields([member]))).collect()
}
