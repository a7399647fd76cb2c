use proc_macro2::Ident;
use syn::ext::IdentExt as _;
use syn::parse::ParseStream;
use syn::spanned::Spanned as _;
use syn::{Attribute, Error, LitStr, Path, Result, Token, braced, bracketed};

use crate::suggestion::unknown;

/// The keys in the braces of a component.
const ALLOWED: [&str; 4] = ["keep_running", "needs", "outlived_by", "type"];
/// The keys in the braces of a needed component.
const ALLOWED_ON_NEEDS: [&str; 2] = ["same_revision", "conditions"];

/// A component of the list.
pub(super) struct ListedComponent {
    /// The type of the resource.
    pub(super) path: Path,
    pub(super) keep_running: bool,
    /// The type on the wire, if it is given.
    pub(super) type_: Option<LitStr>,
    /// The edges in the order in which they are written.
    pub(super) edges: Vec<ComponentEdge>,
}

/// An edge to a component that is depended on.
pub(super) struct ComponentEdge {
    pub(super) to: Path,
    pub(super) kind: ComponentEdgeKind,
    /// The conditions that count for the readiness, if they are listed.
    pub(super) conditions: Option<Vec<LitStr>>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum ComponentEdgeKind {
    Needs,
    NeedsSameRevision,
    OutlivedBy,
}

impl ListedComponent {
    /// Parses a component after its attributes.
    pub(super) fn parse(input: ParseStream<'_>, attributes: &[Attribute]) -> Result<Self> {
        if let Some(attribute) = attributes.iter().find(|attribute| !attribute.path().is_ident("doc")) {
            return Err(Error::new(attribute.span(), "a component has no attributes but its documentation: remove this one"));
        }
        let path = named_path(input)?;
        if !input.peek(syn::token::Brace) {
            let name = name_of(&path);
            let problem = format!("expected a component, `{name} {{ needs: [..] }}`, or a setting, `{name} = ..;`");
            return Err(Error::new(path.span(), problem));
        }
        let content;
        braced!(content in input);
        let mut component = Self { path, keep_running: false, type_: None, edges: Vec::new() };
        let mut seen = Vec::new();
        while !content.is_empty() {
            let key = once(&content, &mut seen)?;
            match key.to_string().as_str() {
                "keep_running" => component.keep_running = true,
                "needs" => component.edges.extend(list(&key, &content, needed)?),
                "outlived_by" => component.edges.extend(list(&key, &content, outliving)?),
                "type" => component.type_ = Some(after_equals(&key, &content)?),
                _ => return Err(unknown("key of a component", &key, &ALLOWED, "")),
            }
            separator(&content)?;
        }
        Ok(component)
    }

    /// Returns the name by which edges refer to the component.
    pub(super) fn name(&self) -> String {
        name_of(&self.path)
    }

    /// Returns the type on the wire.
    pub(super) fn type_(&self) -> String {
        self.type_.as_ref().map_or_else(|| self.name(), LitStr::value)
    }
}

impl ComponentEdge {
    /// Returns the name of the component that is depended on.
    pub(super) fn target(&self) -> String {
        name_of(&self.to)
    }
}

/// Returns the last segment of a path.
pub(super) fn name_of(path: &Path) -> String {
    path.segments.last().map(|segment| segment.ident.unraw().to_string()).unwrap_or_default()
}

/// Parses a path without generic arguments.
fn named_path(input: ParseStream<'_>) -> Result<Path> {
    input.call(Path::parse_mod_style)
}

/// Parses `ApiServer`, or `ApiServer { same_revision, conditions: [".."] }`.
fn needed(input: ParseStream<'_>) -> Result<ComponentEdge> {
    let mut edge = ComponentEdge { to: named_path(input)?, kind: ComponentEdgeKind::Needs, conditions: None };
    if !input.peek(syn::token::Brace) {
        return Ok(edge);
    }
    let content;
    braced!(content in input);
    let mut seen = Vec::new();
    while !content.is_empty() {
        let key = once(&content, &mut seen)?;
        match key.to_string().as_str() {
            "same_revision" => edge.kind = ComponentEdgeKind::NeedsSameRevision,
            "conditions" => edge.conditions = Some(list(&key, &content, <LitStr as syn::parse::Parse>::parse)?),
            _ => return Err(unknown("key of a needed component", &key, &ALLOWED_ON_NEEDS, "")),
        }
        separator(&content)?;
    }
    Ok(edge)
}

/// Parses a component that only outlives another.
fn outliving(input: ParseStream<'_>) -> Result<ComponentEdge> {
    let to = named_path(input)?;
    if input.peek(syn::token::Brace) {
        let name = name_of(&to);
        let problem =
            format!("`outlived_by` asks nothing about readiness: write `{name}` alone, or list it in `needs: [{name} {{ .. }}]`");
        return Err(input.error(problem));
    }
    Ok(ComponentEdge { to, kind: ComponentEdgeKind::OutlivedBy, conditions: None })
}

/// Parses the name of the next key, which must not be repeated. Names may be keywords.
fn once(input: ParseStream<'_>, seen: &mut Vec<Ident>) -> Result<Ident> {
    let key = input.call(Ident::parse_any)?;
    if seen.contains(&key) {
        return Err(Error::new(key.span(), format!("`{key}` stands twice: join them, or remove one")));
    }
    seen.push(key.clone());
    Ok(key)
}

/// Parses the list in brackets after a key and `:`.
fn list<T>(key: &Ident, input: ParseStream<'_>, item: fn(ParseStream<'_>) -> Result<T>) -> Result<Vec<T>> {
    if !(input.peek(Token![:]) && input.peek2(syn::token::Bracket)) {
        return Err(Error::new(key.span(), format!("`{key}` needs a list: `{key}: [..]`")));
    }
    input.parse::<Token![:]>()?;
    let content;
    bracketed!(content in input);
    let mut items = Vec::new();
    while !content.is_empty() {
        items.push(item(&content)?);
        separator(&content)?;
    }
    Ok(items)
}

fn after_equals(key: &Ident, input: ParseStream<'_>) -> Result<LitStr> {
    if !(input.peek(Token![=]) && input.peek2(LitStr)) {
        return Err(Error::new(key.span(), format!("`{key}` needs a text: `{key} = \"APIServer\"`")));
    }
    input.parse::<Token![=]>()?;
    input.parse()
}

fn separator(input: ParseStream<'_>) -> Result<()> {
    if !input.is_empty() {
        input.parse::<Token![,]>()?;
    }
    Ok(())
}
