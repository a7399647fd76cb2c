use proc_macro2::Ident;
use syn::ext::IdentExt as _;
use syn::parse::{Parse as _, ParseStream};
use syn::{Error, Expr, ExprLit, Lit, LitBool, LitInt, Path, Result, Token, Visibility};

use crate::suggestion::unknown;
use crate::text::{is_subdomain, text_or_constant};

/// The keys of settings.
const ALLOWED: [&str; 12] = [
    "name",
    "owner",
    "internal",
    "domain",
    "preset",
    "revision",
    "finalizer_form",
    "max_name_length",
    "disabled",
    "propagate",
    "reads_namespaces",
    "architecture",
];
/// The longest domain: the prefix of dependency finalizers puts `dependency.` before it, and has at most 253 characters (FZ-1).
const MAX_DOMAIN: usize = 253 - "dependency.".len();
/// The longest name of an owner, the value of a label (CT-1).
const MAX_OWNER_NAME: usize = 63;

/// The settings of a contract.
#[derive(Default)]
pub(super) struct ContractSettings {
    /// The type of the contract.
    pub(super) name: Option<(Visibility, Ident)>,
    pub(super) owner: Option<Path>,
    pub(super) internal: Option<Path>,
    pub(super) domain: Option<Expr>,
    pub(super) preset: Option<Ident>,
    pub(super) revision: Option<Ident>,
    pub(super) finalizer_form: Option<Ident>,
    pub(super) max_name_length: Option<LitInt>,
    /// The functions for methods of the contract.
    pub(super) disabled: Option<Path>,
    pub(super) propagate: Option<Path>,
    pub(super) architecture: Option<Path>,
    pub(super) reads_namespaces: Option<LitBool>,
    seen: Vec<Ident>,
}

impl ContractSettings {
    /// Parses a setting, after its visibility: `key = value;`.
    pub(super) fn parse(&mut self, visibility: Visibility, input: ParseStream<'_>) -> Result<()> {
        let key = input.call(Ident::parse_any)?;
        if self.seen.contains(&key) {
            return Err(Error::new(key.span(), format!("the setting `{key}` stands twice: remove one")));
        }
        if key != "name" && !matches!(visibility, Visibility::Inherited) {
            let problem =
                format!("`{key}` has no visibility: that of the contract stands before its name, `pub name = Platforms;`");
            return Err(Error::new_spanned(visibility, problem));
        }
        input.parse::<Token![=]>()?;
        match key.to_string().as_str() {
            "name" => self.name = Some((visibility, input.parse()?)),
            "owner" => self.owner = Some(input.parse()?),
            "internal" => self.internal = Some(input.parse()?),
            "domain" => self.domain = Some(text_or_constant(input, domain_problem)?),
            "preset" => self.preset = Some(choice(input, &["openmcp"])?),
            "revision" => self.revision = Some(choice(input, &["ReadyOnly", "SameRevision"])?),
            "finalizer_form" => {
                self.finalizer_form = Some(choice(input, &["DomainSlashKind", "KindDotDomain", "DomainDotKind"])?);
            }
            "max_name_length" => self.max_name_length = Some(max_name_length(input)?),
            "disabled" => self.disabled = Some(function(&key, input)?),
            "propagate" => self.propagate = Some(function(&key, input)?),
            "architecture" => self.architecture = Some(function(&key, input)?),
            "reads_namespaces" => self.reads_namespaces = Some(input.parse()?),
            _ => return Err(unknown("setting", &key, &ALLOWED, "")),
        }
        if !input.peek(Token![;]) {
            return Err(input.error(format!("expected `;` after the setting `{key}`")));
        }
        input.parse::<Token![;]>()?;
        self.seen.push(key);
        Ok(())
    }

    /// Returns the domain, if it is known at compile time.
    pub(super) fn known_domain(&self) -> Option<String> {
        match &self.domain {
            Some(Expr::Lit(ExprLit { lit: Lit::Str(text), .. })) => Some(text.value()),
            Some(_) => None,
            None => self.preset.is_some().then(|| "openmcp.cloud".to_owned()),
        }
    }

    /// Returns true if the domain is a part of the unqualified name of own finalizers, not the part before their slash.
    pub(super) fn has_unqualified_finalizers(&self) -> bool {
        match &self.finalizer_form {
            Some(form) => form != "DomainSlashKind",
            None => self.preset.is_some(),
        }
    }
}

/// Returns the problem of the domain of a contract (FZ-1). The rule is that of `kubewright_core::finalizer::FinalizerName::parse`.
fn domain_problem(domain: &str) -> Option<&'static str> {
    match () {
        () if !is_subdomain(domain) => {
            Some("is no DNS subdomain: lower-case letters, digits, `-` and `.`, such as \"example.com\"")
        }
        () if domain.len() > MAX_DOMAIN => {
            Some("is longer than 242 characters, so that `dependency.<domain>` is no DNS subdomain")
        }
        () => None,
    }
}

fn max_name_length(input: ParseStream<'_>) -> Result<LitInt> {
    let length = LitInt::parse(input)?;
    if (1..=MAX_OWNER_NAME).contains(&length.base10_parse::<usize>()?) {
        return Ok(length);
    }
    Err(Error::new(length.span(), format!("expected 1 to {MAX_OWNER_NAME}: the name of an owner is the value of a label")))
}

/// Parses the path of a function. A closure is rejected, because its types cannot be inferred from the method that calls it.
fn function(key: &Ident, input: ParseStream<'_>) -> Result<Path> {
    let value: Expr = input.parse()?;
    match value {
        Expr::Path(path) if path.qself.is_none() => Ok(path.path),
        other => Err(Error::new_spanned(other, format!("`{key}` is the path of a function: `{key} = hooks::{key};`"))),
    }
}

/// Parses one of the allowed names.
fn choice(input: ParseStream<'_>, allowed: &[&str]) -> Result<Ident> {
    let name = input.call(Ident::parse_any)?;
    if allowed.iter().any(|allowed| name == allowed) {
        return Ok(name);
    }
    Err(unknown("value", &name, allowed, ""))
}
