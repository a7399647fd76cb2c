//! Common parts of all writes: author, strictness, and the conversion of an object to its stored form.

use std::sync::Arc;

use bytes::Bytes;
use kubewright_machinery::object::{ObjectExt as _, is_nested_deeper};
use kubewright_middleware::{Identity, Status};
use serde_json::Value;

use super::warnings::Warnings;
use super::{ObjectApi, Remarks, convert, metadata, model_of, scale, size, strategy};
use crate::json::{MAX_PROBLEMS, PathPositions, holds_mark};
use crate::kinds::KindSpec;
use crate::model::{Collision, Endpoint, MAX_DEPTH, Preparation};
use crate::status::StatusExt as _;
use crate::store::{ObjectName, Snapshot, Stored};

/// The treatment of unknown and duplicate fields (REQ-7 to REQ-10). The default is that of requests over HTTP.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum FieldValidation {
    /// Drops the fields silently.
    Ignore,
    /// Drops the fields with a warning.
    #[default]
    Warn,
    /// Rejects the write.
    Strict,
}

/// The origin of `managedFields` in a write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Recording {
    /// Computed by comparing the new object with the old one.
    Compared,
    /// Made together with the new object, by an apply.
    Made,
    /// Kept, since the write changes no owner.
    Kept,
}

/// The context of a write: its author, its options and its warnings. Several writes of the same author may share a context.
#[derive(Debug)]
pub struct WriteContext<'a> {
    /// The user who writes.
    pub(crate) user: &'a Identity,
    /// True if the writer is part of the server, which needs no authorization.
    pub(crate) is_internal: bool,
    /// True if nothing may be stored (REQ-12).
    pub(crate) dry_run: bool,
    /// The strictness of field validation.
    pub(crate) validation: FieldValidation,
    /// The field manager.
    pub(crate) manager: String,
    /// The subresource that `managedFields` name; if empty, that of the endpoint.
    pub(crate) subresource: &'static str,
    /// The origin of `managedFields`.
    pub(crate) recording: Recording,
    /// Problems found while the body was read, such as duplicate fields.
    pub(crate) found: Vec<String>,
    /// The JSON text of a built-in object, since its problems are reported in the order of the text.
    pub(crate) text: Option<Bytes>,
    /// True if marks in the object replace parts that were nested too deeply to be read ([`holds_mark`]).
    pub(crate) is_cut: bool,
    /// The warnings of the answer.
    pub(crate) warnings: Warnings,
    /// The remarks on the request.
    pub(crate) remarks: Option<Arc<dyn Remarks>>,
}

/// The outcome of a create, an update, a patch or an apply.
#[derive(Debug)]
pub struct WriteOutcome {
    /// The object as the client sees it.
    pub object: Arc<Stored>,
    /// True if the object was created.
    pub created: bool,
    /// True if anything was stored.
    pub stored: bool,
}

impl<'a> WriteContext<'a> {
    /// Creates the context of a write by a user. `manager` is the field manager that `metadata.managedFields` records. The write is no dry run and
    /// drops unknown fields silently.
    pub fn new(user: &'a Identity, manager: String) -> Self {
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
            remarks: None,
        }
    }

    /// Makes the write a dry run: it has the same outcome, but nothing is stored (REQ-12).
    pub fn as_dry_run(mut self) -> Self {
        self.dry_run = true;
        self
    }

    /// Sets the treatment of unknown and duplicate fields; the default is [`FieldValidation::Ignore`].
    pub fn validating_fields(mut self, validation: FieldValidation) -> Self {
        self.validation = validation;
        self
    }

    /// Returns the warnings of the writes, without duplicates, in the form in which clients would get them.
    pub fn warnings(&self) -> impl Iterator<Item = &str> {
        self.warnings.told()
    }

    /// Reports unknown and duplicate fields in the way that the client asked for. `refuse` makes the error of a strict request.
    pub(crate) fn report(&mut self, unknown: Vec<String>, refuse: impl FnOnce(String) -> Status) -> Result<(), Status> {
        let mut found = std::mem::take(&mut self.found);
        if self.text.is_some() {
            // The real decoder of built-in types skips the content of unknown fields.
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

    /// Reduces an object to a size that can be stored; the loss of its managers is a remark (SMD-20).
    pub(crate) fn fit(&self, kind: &KindSpec, name: &ObjectName, object: &mut Value) -> Result<(), Status> {
        if !self.dry_run
            && size::fit(kind, name, object)?
            && let Some(remarks) = &self.remarks
        {
            remarks.remark("stored without managedFields: the object is too large");
        }
        Ok(())
    }

    /// Adds a warning unless the same text was added before.
    pub(crate) fn warn(&mut self, text: impl Into<String>) {
        self.warnings.add(text);
    }
}

/// Returns the field that a problem names.
fn field_of(problem: &str) -> &str {
    problem.split('"').nth(1).unwrap_or_default()
}

/// Returns true if a field lies inside another one.
fn is_inside(field: &str, outer: &str) -> bool {
    field.strip_prefix(outer).is_some_and(|rest| rest.starts_with(['.', '[']))
}

/// Sorts problems by the position of their field in the text; a duplicate field is placed at its second occurrence.
fn in_order_of(text: &[u8], problems: &mut [String]) {
    let positions = PathPositions::of(text, problems.iter().map(|problem| field_of(problem)));
    problems.sort_by_cached_key(|problem| {
        let is_again = problem.starts_with("duplicate");
        let position = if is_again { positions.second(field_of(problem)) } else { positions.first(field_of(problem)) };
        position.unwrap_or(usize::MAX)
    });
}

/// Converts an object from the form in which a client sent it to the stored form: typed, pruned, defaulted, converted. `wrong_type` and `strict` make
/// the errors, which differ between bodies and patches.
pub(crate) fn absorb(
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
    let model = model_of(kind);
    let mut unknown = Vec::new();
    metadata::normalise(object, kind, &mut unknown).map_err(&refuse)?;
    let normalised = match context.recording {
        Recording::Made => model.normalise_applied(object, &mut unknown),
        _ => model.normalise(object, &mut unknown),
    };
    normalised.map_err(|wrong| refuse(wrong.0))?;
    if !kind.is_custom() {
        // The real server reads a body that is not JSON with its members sorted.
        unknown.sort();
        if context.text.is_none() {
            unknown.truncate(MAX_PROBLEMS);
        }
    }
    // Metadata was typed before the model, so all unknown fields are known here.
    context.report(unknown, |problems| refuse(format!("strict decoding error: {problems}")))?;
    model.default(object);
    strategy::default(kind, object);
    convert::to_storage(kind, object);
    Ok(())
}

/// Returns the error for an object that is nested too deeply to be stored.
pub(crate) fn too_deep(object: &Value) -> Status {
    let (kind, name) = (object.kind(), object.name());
    let problem =
        format!("{kind} {name:?} would be stored nested deeper than {MAX_DEPTH} levels, which this server does not keep");
    Status::bad_request(problem)
}

/// Returns true if an object is nested too deeply to be stored. Managed fields are nested a few levels deeper than the fields that they describe.
fn is_too_deep(object: &Value) -> bool {
    let most = |name: &str| if name == "metadata" { MAX_DEPTH + 8 } else { MAX_DEPTH - 1 };
    object.as_object().into_iter().flatten().any(|(name, member)| is_nested_deeper(member, most(name)))
}

impl ObjectApi {
    /// Lets the kind set the fields that the server owns, then validates the object.
    pub(crate) fn prepare_and_validate(
        &self,
        context: &mut WriteContext<'_>,
        kind: &KindSpec,
        endpoint: Endpoint<'_>,
        object: &mut Value,
        stored: Option<&Value>,
        snapshot: &Snapshot,
    ) -> Result<(), Status> {
        let model = model_of(kind);
        let now = self.clock.now_in_seconds();
        let preparation = Preparation { user: context.user, snapshot, seed: &self.seed, now: &now };
        model.prepare(object, stored, &preparation);
        strategy::prepare(kind, endpoint, object, stored);
        if let Some(further_warnings) = self.options.further_warnings.filter(|_| !kind.is_custom()) {
            for warning in further_warnings(object) {
                context.warn(warning);
            }
        }
        let mut errors = metadata::validate(kind, object, stored);
        let mut warnings = Vec::new();
        errors.extend(model.validate(object, stored, endpoint, &mut warnings));
        // The notice that rules were not evaluated comes last.
        let end = errors.iter().position(kubewright_schema::is_about_rules).unwrap_or(errors.len());
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
        // All versions of a resource share the checks of their stored form.
        Err(Status::invalid(
            &kind.storage.group,
            if kind.is_custom() { object.kind() } else { &kind.kind },
            object.name(),
            &errors,
        ))
    }

    /// Returns the stored object in the version of the request, as a client would read it.
    pub(crate) fn view(&self, kind: &KindSpec, stored: &Arc<Stored>) -> Arc<Stored> {
        self.view_of(kind, stored, stored.revision())
    }

    /// Returns the same for an object whose content was written at the revision `written`.
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
