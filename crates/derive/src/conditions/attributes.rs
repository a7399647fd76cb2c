use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use syn::ext::IdentExt as _;
use syn::meta::ParseNestedMeta;
use syn::punctuated::Punctuated;
use syn::{Attribute, Error, Ident, LitStr, Result, Token};

const ALLOWED: &str = "allowed: `ready = \"Ready\"` or `succeeded = \"Succeeded\"`, `dependents(\"A\", ..)`, `retired(\"Old\", ..)`, \
                       `severity(A = \"Warning\", ..)`";
const SEVERITIES: [&str; 3] = ["Error", "Warning", "Info"];

/// The arguments of `#[conditions(..)]` on a status.
#[derive(Default)]
pub(super) struct Declaration {
    batch: bool,
    dependents: Vec<LitStr>,
    retired: Vec<LitStr>,
    severities: Vec<(String, Ident)>,
}

impl Declaration {
    pub(super) fn of(attributes: &[Attribute]) -> Result<Self> {
        let mut declaration = Self::default();
        let mut seen: Vec<&str> = Vec::new();
        for attribute in attributes.iter().filter(|attribute| attribute.path().is_ident("conditions")) {
            attribute.parse_nested_meta(|meta| {
                let argument = declaration.read(&meta)?;
                if seen.contains(&argument) {
                    return Err(meta.error(format!("{argument} is declared twice")));
                }
                seen.push(argument);
                Ok(())
            })?;
        }
        declaration.check()?;
        Ok(declaration)
    }

    /// Reads one argument, and returns its subject.
    fn read(&mut self, meta: &ParseNestedMeta<'_>) -> Result<&'static str> {
        match meta.path.get_ident().map(ToString::to_string).as_deref() {
            Some("ready") => {
                top(meta, "ready", "Ready")?;
                Ok("the top-level condition")
            }
            Some("succeeded") => {
                top(meta, "succeeded", "Succeeded")?;
                self.batch = true;
                Ok("the top-level condition")
            }
            Some("dependents") => {
                self.dependents = types(meta)?;
                Ok("`dependents`")
            }
            Some("retired") => {
                self.retired = types(meta)?;
                Ok("`retired`")
            }
            Some("severity") => {
                self.severities = severities(meta)?;
                Ok("`severity`")
            }
            _ => Err(meta.error(format!("unknown; {ALLOWED}"))),
        }
    }

    fn check(&self) -> Result<()> {
        let top = if self.batch { "Succeeded" } else { "Ready" };
        if let Some(stalled) = self.dependents.iter().find(|dependent| dependent.value() == "Stalled") {
            return Err(Error::new_spanned(stalled, "`Stalled` is set and removed by the framework, and cannot be a dependent"));
        }
        let is_declared = |type_: &str| type_ == top || self.dependents.iter().any(|dependent| dependent.value() == type_);
        match self.retired.iter().find(|retired| is_declared(&retired.value())) {
            Some(retired) => Err(Error::new_spanned(retired, "a condition cannot be both declared and retired")),
            None => Ok(()),
        }
    }
}

impl ToTokens for Declaration {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        let set = quote! { ::kubewright::core::condition::ConditionSet };
        let (dependents, retired) = (&self.dependents, &self.retired);
        tokens.extend(if self.batch {
            quote! { #set::batch([#(#dependents),*]) }
        } else {
            quote! { #set::living([#(#dependents),*]) }
        });
        if !retired.is_empty() {
            tokens.extend(quote! { .retired([#(#retired),*]) });
        }
        for (type_, severity) in &self.severities {
            tokens.extend(quote! { .severity(#type_, ::kubewright::core::condition::Severity::#severity) });
        }
    }
}

/// Reads the name of the top-level condition, which is optional because it can have only one value.
fn top(meta: &ParseNestedMeta<'_>, argument: &str, name: &str) -> Result<()> {
    if !meta.input.peek(Token![=]) {
        return Ok(());
    }
    let given: LitStr = meta.value()?.parse()?;
    if given.value() == name {
        return Ok(());
    }
    let found = given.value();
    Err(Error::new_spanned(given, format!("the top-level condition is named `{name}`, not `{found}`: `{argument} = \"{name}\"`")))
}

fn types(meta: &ParseNestedMeta<'_>) -> Result<Vec<LitStr>> {
    let types;
    syn::parenthesized!(types in meta.input);
    let types = Punctuated::<LitStr, Token![,]>::parse_terminated(&types)?;
    match types.iter().find(|type_| !is_type(&type_.value())) {
        Some(type_) => Err(Error::new_spanned(type_, "the type of a condition has letters, digits, `_`, `.` and `-` only")),
        None => Ok(types.into_iter().collect()),
    }
}

fn is_type(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '-'))
}

fn severities(meta: &ParseNestedMeta<'_>) -> Result<Vec<(String, Ident)>> {
    let mut severities: Vec<(String, Ident)> = Vec::new();
    meta.parse_nested_meta(|entry| {
        let type_ = entry.path.require_ident()?.unraw().to_string();
        let severity: LitStr = entry.value()?.parse()?;
        if !SEVERITIES.contains(&severity.value().as_str()) {
            return Err(Error::new_spanned(severity, "a severity is `\"Error\"`, `\"Warning\"` or `\"Info\"`"));
        }
        if severities.iter().any(|(known, _)| *known == type_) {
            return Err(entry.error(format!("the severity of `{type_}` is declared twice")));
        }
        severities.push((type_, Ident::new(&severity.value(), severity.span())));
        Ok(())
    })?;
    Ok(severities)
}
