use std::collections::BTreeSet;

use syn::{Error, Field, FieldsNamed, GenericArgument, Ident, PathArguments, Result, Token, Type};

/// The settings whose JSON fields stand in the spec itself, which is what `flatten` does.
const FLATTENED: [&str; 10] =
    ["Placement", "Target", "Impersonation", "Policies", "Requeue", "Retry", "Timeout", "Reapply", "ManagedTypes", "Values"];
/// The settings that are a field of their own.
const PLAIN: [&str; 1] = ["Suspend"];

/// Refuses embedded settings that would compile but not do what they look like. All faults are reported together.
pub(super) fn check(fields: &FieldsNamed) -> Result<()> {
    let mut faults = Faults(None);
    let mut seen = BTreeSet::new();
    let mut values = None;
    for field in &fields.named {
        let flattened = is_flattened(field)?;
        if let (Some(ident), true) = (&values, flattened) {
            faults.add(Error::new_spanned(
                field,
                format!("`{ident}` collects all fields that are left over, so a flattened field must stand before it"),
            ));
        }
        let Some(setting) = setting_name(&field.ty) else {
            continue;
        };
        if !seen.insert(setting.clone()) {
            faults.add(Error::new_spanned(field, format!("`{setting}` is embedded twice; one of them would have no effect")));
        }
        if FLATTENED.contains(&setting.as_str()) && !flattened {
            faults
                .add(Error::new_spanned(field, format!("`{setting}` must be flattened into the spec: add `#[serde(flatten)]`")));
        }
        if PLAIN.contains(&setting.as_str()) && flattened {
            faults.add(Error::new_spanned(
                field,
                format!("`{setting}` is a field of its own: `#[serde(default)]` instead of `#[serde(flatten)]`"),
            ));
        }
        if setting == "Values" {
            values.clone_from(&field.ident);
        }
    }
    faults.finish()
}

/// Whether a spec with these fields can name a service account.
pub(super) fn impersonates(fields: &FieldsNamed) -> bool {
    fields.named.iter().any(|field| setting_name(&field.ty).as_deref() == Some("Impersonation"))
}

struct Faults(Option<Error>);

impl Faults {
    fn add(&mut self, fault: Error) {
        match &mut self.0 {
            Some(first) => first.combine(fault),
            None => self.0 = Some(fault),
        }
    }

    fn finish(self) -> Result<()> {
        self.0.map_or(Ok(()), Err)
    }
}

/// The name of the embedded setting that a field is, also inside an `Option`.
fn setting_name(ty: &Type) -> Option<String> {
    let Type::Path(path) = ty else { return None };
    let last = path.path.segments.last()?;
    if last.ident == "Option"
        && let PathArguments::AngleBracketed(arguments) = &last.arguments
        && let Some(GenericArgument::Type(inner)) = arguments.args.first()
    {
        return setting_name(inner);
    }
    let name = last.ident.to_string();
    let known = FLATTENED.contains(&name.as_str()) || PLAIN.contains(&name.as_str());
    (known && last.arguments.is_empty()).then_some(name)
}

fn is_flattened(field: &Field) -> Result<bool> {
    let mut flattened = false;
    for attribute in field.attrs.iter().filter(|attribute| attribute.path().is_ident("serde")) {
        attribute.parse_nested_meta(|meta| {
            flattened |= meta.path.get_ident().is_some_and(|ident: &Ident| ident == "flatten");
            if meta.input.peek(Token![=]) {
                meta.value()?.parse::<syn::Expr>()?;
            } else if meta.input.peek(syn::token::Paren) {
                let nested;
                syn::parenthesized!(nested in meta.input);
                nested.parse::<proc_macro2::TokenStream>()?;
            }
            Ok(())
        })?;
    }
    Ok(flattened)
}
