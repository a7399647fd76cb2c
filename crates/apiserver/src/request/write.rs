//! What all writes have in common: who writes, how strictly, and how an object gets into the form in which it is stored.

use bytes::Bytes;
use kubewright_machinery::object::{ObjectExt as _, is_nested_deeper};
use serde_json::Value;

use super::{
    convert,
    json::{MAX_PROBLEMS, Places, holds_mark},
    metadata, scale, size,
    warnings::Warnings,
};
use crate::{
    access::Identity,
    kinds::{Endpoint, KindSpec},
    middleware::journal::RecordNote,
    model::{self, Collision, MAX_DEPTH, Preparation},
    schema,
    server::State,
    status::Status,
    store::{ObjectName, Snapshot, Stored},
    workloads::{self, Workloads},
};
use std::sync::Arc;

/// How unknown and duplicate fields are treated (REQ-7 to REQ-10).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum FieldValidation {
    /// Dropped without a word.
    Ignore,
    /// Dropped with a warning.
    #[default]
    Warn,
    /// Refused.
    Strict,
}

/// How `managedFields` come about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Recording {
    /// By comparing the new object with the old one.
    Compared,
    /// They were made together with the new object.
    Made,
    /// The write changes no owner.
    Kept,
}

/// One write on its way.
#[derive(Debug)]
pub(crate) struct WriteContext<'a> {
    /// Who writes.
    pub(crate) user: &'a Identity,
    /// Whether the writer is a part of the server: nobody asks what it may do.
    pub(crate) is_internal: bool,
    /// Whether nothing may be stored (REQ-12).
    pub(crate) dry_run: bool,
    /// How strictly fields are checked.
    pub(crate) validation: FieldValidation,
    /// Who writes, as `managedFields` name it.
    pub(crate) manager: String,
    /// The subresource that `managedFields` name; empty for that of the endpoint.
    pub(crate) subresource: &'static str,
    /// How the ownership of fields comes about.
    pub(crate) recording: Recording,
    /// Problems found while the body was read, such as duplicate fields.
    pub(crate) found: Vec<String>,
    /// The JSON text of a built-in object: its problems are told in the order of the text.
    pub(crate) text: Option<Bytes>,
    /// Whether marks stand in the object for what was too deep to be read ([`holds_mark`]).
    pub(crate) is_cut: bool,
    /// What the client is told beside the answer.
    pub(crate) warnings: Warnings,
    /// The record of the request in the journal.
    pub(crate) note: Option<RecordNote>,
}

/// The outcome of a write.
#[derive(Debug)]
pub(crate) struct Written {
    /// The object as the client sees it.
    pub(crate) object: Arc<Stored>,
    /// Whether it is new.
    pub(crate) created: bool,
    /// Whether anything was stored.
    pub(crate) stored: bool,
}

impl<'a> WriteContext<'a> {
    /// A write by a user, through the program that `managedFields` name.
    pub(crate) fn new(user: &'a Identity, manager: String) -> Self {
        Self {
            user,
            is_internal: false,
            dry_run: false,
            validation: FieldValidation::Ignore,
            manager,
            subresource: "",
            recording: Recording::Compared,
            found: Vec::new(),
            text: None,
            is_cut: false,
            warnings: Warnings::default(),
            note: None,
        }
    }

    /// Reports unknown and duplicate fields as the client asked for. `refuse` makes the error of a strict request.
    pub(crate) fn report(&mut self, unknown: Vec<String>, refuse: impl FnOnce(String) -> Status) -> Result<(), Status> {
        let mut found = std::mem::take(&mut self.found);
        if self.text.is_some() {
            // The reader of a built-in type skips what the type does not know.
            found.retain(|problem| !unknown.iter().any(|path| is_inside(field_of(problem), path)));
        }
        found.extend(unknown.into_iter().map(|path| format!("unknown field {path:?}")));
        if let Some(text) = self.text.as_ref().filter(|_| found.len() > 1) {
            in_order_of(text, &mut found);
            found.truncate(MAX_PROBLEMS);
        }
        match self.validation {
            FieldValidation::Strict if !found.is_empty() => return Err(refuse(found.join(", "))),
            FieldValidation::Warn => {
                for warning in found {
                    self.warn(warning);
                }
            }
            FieldValidation::Strict | FieldValidation::Ignore => {}
        }
        Ok(())
    }

    /// Makes an object small enough to be stored; that it lost its managers is put on record (SMD-20).
    pub(super) fn fit(&self, kind: &KindSpec, name: &ObjectName, object: &mut Value) -> Result<(), Status> {
        if !self.dry_run
            && size::fit(kind, name, object)?
            && let Some(note) = &self.note
        {
            note.say("stored without managedFields: the object is too large");
        }
        Ok(())
    }

    /// Adds a warning, once.
    pub(crate) fn warn(&mut self, text: impl Into<String>) {
        self.warnings.add(text);
    }
}

/// The field that a problem names.
fn field_of(problem: &str) -> &str {
    problem.split('"').nth(1).unwrap_or_default()
}

/// Whether a field stands inside another one.
fn is_inside(field: &str, outer: &str) -> bool {
    field.strip_prefix(outer).is_some_and(|rest| rest.starts_with(['.', '[']))
}

/// Sorts problems by the place in the text of the field that they name; a duplicate field is one at its second occurrence.
fn in_order_of(text: &[u8], problems: &mut [String]) {
    let places = Places::of(text, problems.iter().map(|problem| field_of(problem)));
    problems.sort_by_cached_key(|problem| {
        let is_again = problem.starts_with("duplicate");
        let place = if is_again { places.second(field_of(problem)) } else { places.first(field_of(problem)) };
        place.unwrap_or(usize::MAX)
    });
}

/// Brings an object from the form in which a client sent it into the form in which it is stored: typed, pruned, defaulted, converted.
/// `wrong_type` and `strict` make the errors, which differ between bodies and patches.
pub(super) fn absorb(
    context: &mut WriteContext<'_>,
    kind: &KindSpec,
    object: &mut Value,
    refuse: impl Fn(String) -> Status,
) -> Result<(), Status> {
    if let Some(feature) = kind.custom.as_ref().and_then(|custom| custom.missing_feature) {
        let text = format!(
            "{} has validation rules, which this server was built without: enable the feature {feature:?} of kubewright-apiserver",
            kind.qualified_resource()
        );
        return Err(Status::new(501, "NotImplemented", text));
    }
    let model = model::of(kind);
    let mut unknown = Vec::new();
    metadata::normalise(object, kind, &mut unknown).map_err(&refuse)?;
    let normalised = match context.recording {
        Recording::Made => model.normalise_applied(object, &mut unknown),
        _ => model.normalise(object, &mut unknown),
    };
    normalised.map_err(|wrong| refuse(wrong.0))?;
    if !kind.is_custom() {
        // What did not come as JSON text is read with sorted members.
        unknown.sort();
        if context.text.is_none() {
            unknown.truncate(MAX_PROBLEMS);
        }
    }
    // The type's own view of metadata ends here: what it dropped there was not its business.
    context.report(unknown, |problems| refuse(format!("strict decoding error: {problems}")))?;
    model.default(object);
    super::strategy::default(kind, object);
    convert::to_storage(kind, object);
    Ok(())
}

/// The error of an object that is nested too deep to be kept.
pub(super) fn too_deep(object: &Value) -> Status {
    let (kind, name) = (object.kind(), object.name());
    let problem =
        format!("{kind} {name:?} would be stored nested deeper than {MAX_DEPTH} levels, which this server does not keep");
    Status::bad_request(problem)
}

/// Whether an object is nested too deep to be kept. Managed fields go a few levels deeper than what they tell of.
fn is_too_deep(object: &Value) -> bool {
    let most = |name: &str| if name == "metadata" { MAX_DEPTH + 8 } else { MAX_DEPTH - 1 };
    object.as_object().into_iter().flatten().any(|(name, member)| is_nested_deeper(member, most(name)))
}

impl State {
    /// Lets the kind set what the server owns, then checks everything.
    pub(super) fn prepare_and_validate(
        &self,
        context: &mut WriteContext<'_>,
        kind: &KindSpec,
        endpoint: Endpoint<'_>,
        object: &mut Value,
        stored: Option<&Value>,
        snapshot: &Snapshot,
    ) -> Result<(), Status> {
        let model = model::of(kind);
        let now = self.clock.now_in_seconds();
        let preparation = Preparation { user: context.user, snapshot, seed: &self.seed, now: &now };
        model.prepare(object, stored, &preparation);
        super::strategy::prepare(kind, endpoint, object, stored);
        if self.options.workloads != Workloads::Off && !kind.is_custom() {
            for warning in workloads::warnings(object) {
                context.warn(warning);
            }
        }
        let mut errors = metadata::validate(kind, object, stored);
        let mut warnings = Vec::new();
        errors.extend(model.validate(object, stored, endpoint, &mut warnings));
        // That rules were not evaluated is said last.
        let end = errors.iter().position(schema::is_about_rules).unwrap_or(errors.len());
        errors.splice(end..end, scale::check(kind, object));
        if endpoint == Endpoint::Main {
            match model.collision(object, stored, &errors, &preparation) {
                Some(Collision::Field(error)) => errors = vec![error],
                Some(Collision::Other(status)) => return Err(status),
                None => {}
            }
        }
        if errors.is_empty() {
            if is_too_deep(object) || context.is_cut && holds_mark(object) {
                return Err(too_deep(object));
            }
            for warning in warnings {
                context.warn(warning);
            }
            if context.recording == Recording::Made {
                model.settle_applied(object);
            }
            return Ok(());
        }
        // Versions of a resource share the checks of their stored form.
        Err(Status::invalid(
            &kind.storage.group,
            if kind.is_custom() { object.kind() } else { &kind.kind },
            object.name(),
            &errors,
        ))
    }

    /// The stored object in the version of the request, as a client would read it.
    pub(crate) fn view(&self, kind: &KindSpec, stored: &Arc<Stored>) -> Arc<Stored> {
        self.view_of(kind, stored, stored.revision())
    }

    /// The same for an object whose content was written at another revision than it has.
    pub(crate) fn view_of(&self, kind: &KindSpec, stored: &Arc<Stored>, written: u64) -> Arc<Stored> {
        let fresh = self.is_fresh(kind, written);
        if fresh && !convert::changes(kind, stored.api_version()) {
            return stored.clone();
        }
        let mut object = stored.value().clone();
        if !fresh {
            convert::refresh(kind, &mut object);
        }
        convert::from_storage(kind, &mut object);
        Arc::new(Stored::as_is(object, stored.revision()))
    }
}
