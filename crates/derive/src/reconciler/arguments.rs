use proc_macro2::{Ident, TokenStream};
use quote::quote_spanned;
use syn::ext::IdentExt as _;
use syn::parse::{Parse, ParseStream};
use syn::punctuated::Punctuated;
use syn::{Error, Expr, LitInt, LitStr, Path, Result, Token, Type, bracketed, parenthesized};

use crate::suggestion::unknown;
use crate::text::{
    controller_problem, duration, empty_problem, finalizer_problem, former_finalizer_problem, no_problem, text_or_constant,
};

/// The arguments of the attribute.
const ALLOWED: [&str; 15] = [
    "kind",
    "name",
    "agent",
    "finalizer",
    "legacy_finalizers",
    "finalizer_on",
    "class",
    "concurrency",
    "owns",
    "creates",
    "timeout",
    "resync",
    "defaults",
    "on_status_change",
    "resync_filter",
];
/// The arguments of `class`.
const ALLOWED_IN_CLASS: [&str; 3] = ["keys", "value", "hand_over"];

/// The arguments of `#[reconciler(..)]`.
pub(super) struct Arguments {
    /// The primary kind.
    pub(super) kind: Type,
    /// The finalizer, if its name is given.
    pub(super) finalizer: Option<Expr>,
    /// The arguments that require the method `finalize`.
    pub(super) of_finalizers: Vec<Ident>,
    /// The calls of the builder that correspond to the other arguments, in their order.
    pub(super) calls: Vec<TokenStream>,
}

impl Parse for Arguments {
    fn parse(input: ParseStream<'_>) -> Result<Self> {
        let (mut kind, mut finalizer) = (None, None);
        let (mut of_finalizers, mut calls, mut seen) = (Vec::new(), Vec::new(), Vec::new());
        while !input.is_empty() {
            let name = once(input, &mut seen)?;
            match name.to_string().as_str() {
                "kind" => kind = Some(value(&name, input, Type::parse)?),
                "finalizer" => {
                    finalizer = Some(value(&name, input, |input| text_or_constant(input, finalizer_problem))?);
                    of_finalizers.push(name);
                }
                "legacy_finalizers" => {
                    let names = value(&name, input, |input| texts(input, former_finalizer_problem))?;
                    calls.push(quote_spanned! { name.span() => .legacy_finalizers([#(#names),*]) });
                    of_finalizers.push(name);
                }
                "finalizer_on" => {
                    let on = value(&name, input, |input| choice(input, &["always", "demand"]))?;
                    if on.value() == "demand" {
                        calls.push(quote_spanned! { name.span() => .finalizer_on_demand() });
                    }
                    of_finalizers.push(name);
                }
                other => match call(other, &name, input)? {
                    Some(call) => calls.push(call),
                    None => return Err(unknown("argument", &name, &ALLOWED, "")),
                },
            }
            separator(input)?;
        }
        let kind = kind.ok_or_else(|| {
            input.error(
                "`#[reconciler]` needs the kind that it works on: `#[reconciler(kind = Widget)]`, with the type of its objects",
            )
        })?;
        Ok(Self { kind, finalizer, of_finalizers, calls })
    }
}

/// Generates the call of the builder that corresponds to an argument; none if there is no such argument.
fn call(argument: &str, name: &Ident, input: ParseStream<'_>) -> Result<Option<TokenStream>> {
    let span = name.span();
    Ok(Some(match argument {
        "name" => {
            let text = value(name, input, |input| text_or_constant(input, controller_problem))?;
            quote_spanned! { span => .named(#text) }
        }
        "agent" => {
            let text = value(name, input, |input| text_or_constant(input, empty_problem))?;
            quote_spanned! { span => .agent(#text) }
        }
        "class" => class(name, input)?,
        "concurrency" => {
            let workers: LitInt = value(name, input, LitInt::parse)?;
            if workers.base10_parse::<usize>()? == 0 {
                return Err(Error::new(workers.span(), "a controller needs at least one worker"));
            }
            quote_spanned! { span => .workers(#workers) }
        }
        "owns" | "creates" => {
            let content;
            parenthesized!(content in input);
            let types = Punctuated::<Type, Token![,]>::parse_terminated(&content)?;
            let types = types.iter();
            quote_spanned! { span => #(.#name::<#types>())* }
        }
        "timeout" | "resync" => {
            let length = duration(&value(name, input, <LitStr as Parse>::parse)?)?;
            let (seconds, nanoseconds) = (length.as_secs(), length.subsec_nanos());
            quote_spanned! { span => .#name(::core::time::Duration::new(#seconds, #nanoseconds)) }
        }
        "defaults" | "on_status_change" => quote_spanned! { span => .#name() },
        "resync_filter" => {
            let predicate: Path = value(name, input, Path::parse)?;
            quote_spanned! { span => .resync_filter(#predicate) }
        }
        _ => return Ok(None),
    }))
}

/// Parses `class(keys = [".."], value = "..", hand_over = "..")`.
fn class(name: &Ident, input: ParseStream<'_>) -> Result<TokenStream> {
    let content;
    parenthesized!(content in input);
    let (mut keys, mut wanted, mut hand_over) = (None, None, None);
    let mut seen = Vec::new();
    while !content.is_empty() {
        let argument = once(&content, &mut seen)?;
        match argument.to_string().as_str() {
            "keys" => keys = Some(value(&argument, &content, |input| texts(input, empty_problem))?),
            "value" => wanted = Some(value(&argument, &content, |input| text_or_constant(input, no_problem))?),
            "hand_over" => hand_over = Some(value(&argument, &content, |input| choice(input, &["finalize", "release"]))?),
            _ => return Err(unknown("argument of `class`", &argument, &ALLOWED_IN_CLASS, "")),
        }
        separator(&content)?;
    }
    let (Some(keys), Some(wanted)) = (keys.filter(|keys| !keys.is_empty()), wanted) else {
        let problem = "`class` needs keys of annotations and a value: `class(keys = [\"example.com/class\"], value = \"internal\")`; a value \
                       that is known only at run time is given to the builder instead";
        return Err(Error::new(name.span(), problem));
    };
    let keys = keys.iter();
    let class = quote_spanned! { name.span() => .class(&[#(#keys),*], #wanted) };
    Ok(match hand_over {
        None => class,
        Some(way) => {
            let way = Ident::new(if way.value() == "release" { "Release" } else { "Finalize" }, way.span());
            quote_spanned! { name.span() => #class.hand_over(::kubewright::core::class::HandOver::#way) }
        }
    })
}

/// Parses the name of the next argument, which must not be repeated. Names may be keywords.
fn once(input: ParseStream<'_>, seen: &mut Vec<Ident>) -> Result<Ident> {
    let name = input.call(Ident::parse_any)?;
    if seen.contains(&name) {
        return Err(Error::new(name.span(), format!("the argument `{name}` stands twice")));
    }
    seen.push(name.clone());
    Ok(name)
}

/// Parses the value after the name of an argument and `=`.
fn value<T>(name: &Ident, input: ParseStream<'_>, parse: impl FnOnce(ParseStream<'_>) -> Result<T>) -> Result<T> {
    if !input.peek(Token![=]) {
        return Err(Error::new(name.span(), format!("the argument `{name}` needs a value: `{name} = …`")));
    }
    input.parse::<Token![=]>()?;
    parse(input)
}

fn separator(input: ParseStream<'_>) -> Result<()> {
    if !input.is_empty() {
        input.parse::<Token![,]>()?;
    }
    Ok(())
}

/// Parses a list of texts in brackets.
fn texts(input: ParseStream<'_>, problem: fn(&str) -> Option<&'static str>) -> Result<Vec<Expr>> {
    let content;
    bracketed!(content in input);
    let mut texts = Vec::new();
    while !content.is_empty() {
        texts.push(text_or_constant(&content, problem)?);
        separator(&content)?;
    }
    Ok(texts)
}

/// Parses one of the allowed texts.
fn choice(input: ParseStream<'_>, allowed: &[&str]) -> Result<LitStr> {
    let text: LitStr = input.parse()?;
    if allowed.contains(&text.value().as_str()) {
        return Ok(text);
    }
    let allowed: Vec<_> = allowed.iter().map(|text| format!("{text:?}")).collect();
    Err(Error::new(text.span(), format!("{:?} is not allowed here (allowed: {})", text.value(), allowed.join(", "))))
}
