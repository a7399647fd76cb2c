use syn::{Error, Field, FieldsNamed, Ident, Result, Type};

/// The fields of a status that the framework fills.
pub(super) struct StatusFields<'a> {
    /// The field with the conditions.
    pub(super) list: &'a Ident,
    /// The generation that the status is of, with its type.
    pub(super) observed_generation: Option<(&'a Ident, &'a Type)>,
    /// The generation of the last pass that succeeded, with its type.
    pub(super) applied_generation: Option<(&'a Ident, &'a Type)>,
}

/// The argument of `#[conditions(..)]` on a field.
#[derive(Clone, Copy, PartialEq, Eq)]
enum StatusFieldRole {
    List,
    ObservedGeneration,
    AppliedGeneration,
}

impl StatusFieldRole {
    /// Returns the argument that marks a field.
    fn argument(self) -> &'static str {
        match self {
            Self::List => "list",
            Self::ObservedGeneration => "observed_generation",
            Self::AppliedGeneration => "applied_generation",
        }
    }

    /// Returns the name of a field that needs no attribute.
    fn name(self) -> &'static str {
        match self {
            Self::List => "conditions",
            Self::ObservedGeneration => "observed_generation",
            Self::AppliedGeneration => "applied_generation",
        }
    }
}

impl<'a> StatusFields<'a> {
    pub(super) fn of(status: &Ident, fields: &'a FieldsNamed) -> Result<Self> {
        let missing = "the status has no field `conditions`: add `pub conditions: Conditions`, or mark the field that holds them with \
                       `#[conditions(list)]`";
        let list = find(fields, StatusFieldRole::List)?.ok_or_else(|| Error::new_spanned(status, missing))?;
        let observed_generation = find(fields, StatusFieldRole::ObservedGeneration)?;
        Ok(Self { list: list.0, observed_generation, applied_generation: find(fields, StatusFieldRole::AppliedGeneration)? })
    }
}

/// Returns the field with the attribute of a role, or else the field with its default name.
fn find(fields: &FieldsNamed, role: StatusFieldRole) -> Result<Option<(&Ident, &Type)>> {
    let (mut marked, mut named) = (None, None);
    for field in &fields.named {
        let Some(ident) = &field.ident else { continue };
        if roles(field)?.contains(&role) && marked.replace((ident, &field.ty)).is_some() {
            let twice = format!("`#[conditions({})]` marks two fields; only one can be filled", role.argument());
            return Err(Error::new_spanned(field, twice));
        }
        if ident == role.name() {
            named = Some((ident, &field.ty));
        }
    }
    Ok(marked.or(named))
}

fn roles(field: &Field) -> Result<Vec<StatusFieldRole>> {
    let mut roles = Vec::new();
    for attribute in field.attrs.iter().filter(|attribute| attribute.path().is_ident("conditions")) {
        attribute.parse_nested_meta(|meta| {
            let all = [StatusFieldRole::List, StatusFieldRole::ObservedGeneration, StatusFieldRole::AppliedGeneration];
            let role = all.into_iter().find(|role| meta.path.is_ident(role.argument()));
            let Some(role) = role else {
                return Err(meta.error("unknown on a field; allowed: `list`, `observed_generation`, `applied_generation`"));
            };
            if !roles.is_empty() {
                return Err(meta.error("a field is marked once"));
            }
            roles.push(role);
            Ok(())
        })?;
    }
    Ok(roles)
}
