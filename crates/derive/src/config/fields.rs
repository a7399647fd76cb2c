use proc_macro2::{Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::ext::IdentExt as _;
use syn::spanned::Spanned as _;
use syn::{Error, Field, GenericArgument, Ident, LitStr, Path, PathArguments, Result, Type};

use super::literals;

const ALLOWED: &str = "allowed on a field: `key = \"..\"`, `alias = \"..\"`, `default = \"..\"`, `range = \"least..=most\"`, \
                       `prefix = \"..\"`, `parse_with = path`";

/// A field of a configuration.
pub(super) struct ConfigField {
    pub(super) ident: Ident,
    pub(super) source: Source,
    /// The type of one value; for a prefix that of the values of the map.
    ty: Type,
    default: Option<LitStr>,
    range: Option<LitStr>,
    parse_with: Option<Path>,
}

/// The source of the value of a field.
pub(super) enum Source {
    /// A key and its former names.
    Key { name: LitStr, aliases: Vec<LitStr> },
    /// The keys with a prefix.
    Prefix(LitStr),
}

/// The arguments of `#[config(..)]` on a field.
#[derive(Default)]
struct ConfigAttributes {
    key: Option<LitStr>,
    aliases: Vec<LitStr>,
    default: Option<LitStr>,
    range: Option<LitStr>,
    prefix: Option<LitStr>,
    parse_with: Option<Path>,
}

impl ConfigAttributes {
    fn of(field: &Field) -> Result<Self> {
        let mut given = Self::default();
        for attribute in field.attrs.iter().filter(|attribute| attribute.path().is_ident("config")) {
            attribute.parse_nested_meta(|meta| {
                if meta.path.is_ident("alias") {
                    given.aliases.push(meta.value()?.parse()?);
                    return Ok(());
                }
                let twice = if meta.path.is_ident("parse_with") {
                    given.parse_with.replace(meta.value()?.parse()?).is_some()
                } else {
                    let texts = [
                        ("key", &mut given.key),
                        ("default", &mut given.default),
                        ("range", &mut given.range),
                        ("prefix", &mut given.prefix),
                    ];
                    let Some((_, text)) = texts.into_iter().find(|(name, _)| meta.path.is_ident(name)) else {
                        return Err(meta.error(format!("unknown; {ALLOWED}")));
                    };
                    text.replace(meta.value()?.parse()?).is_some()
                };
                if twice { Err(meta.error("given twice")) } else { Ok(()) }
            })?;
        }
        Ok(given)
    }
}

impl ConfigField {
    pub(super) fn of(field: &Field) -> Result<Self> {
        let Some(ident) = field.ident.clone() else {
            return Err(Error::new_spanned(field, "a configuration must have named fields: each is a key"));
        };
        let ConfigAttributes { key, aliases, default, range, prefix, parse_with } = ConfigAttributes::of(field)?;
        let (source, ty) = match prefix {
            None => {
                let name = key.unwrap_or_else(|| LitStr::new(&ident.unraw().to_string().replace('_', "-"), ident.span()));
                (Source::Key { name, aliases }, field.ty.clone())
            }
            Some(prefix) => {
                if let Some(other) = key.iter().chain(&aliases).chain(&default).next() {
                    return Err(Error::new_spanned(other, "a field with `prefix` has no `key`, `alias` or `default`"));
                }
                let Some(value) = value_of_map(&field.ty) else {
                    let message = "`prefix` collects keys in a map: the field must be a `BTreeMap<String, T>`";
                    return Err(Error::new_spanned(&field.ty, message));
                };
                (Source::Prefix(prefix), value.clone())
            }
        };
        let field = Self { ident, source, ty, default, range, parse_with };
        field.check()?;
        Ok(field)
    }

    pub(super) fn is_prefix(&self) -> bool {
        matches!(self.source, Source::Prefix(_))
    }

    /// Generates the expression that reads the field.
    pub(super) fn read(&self, reader: &Ident) -> TokenStream {
        let Self { ty, parse_with, .. } = self;
        let probe = quote_spanned! { ty.span() => (&&&&::kubewright::core::config::derive::ValueProbe::<#ty>::NEW) };
        // Hygiene, because the user's function may have the same name as the variable.
        let text = Ident::new("text", Span::mixed_site());
        let parser = match parse_with {
            None => quote_spanned! { ty.span() => #probe.parser() },
            Some(path) => quote_spanned! { path.span() =>
                ::kubewright::core::config::Parser::<#ty>::new(
                    |#text| ::kubewright::core::config::derive::parsed(#path(#text)),
                    #probe.absent(),
                )
            },
        };
        let default = self.default.iter();
        let range = self.range.iter().map(|range| quote_spanned! { range.span() => .range(#range) });
        let (method, name, aliases): (_, _, &[LitStr]) = match &self.source {
            Source::Key { name, aliases } => (quote!(read), name, aliases),
            Source::Prefix(prefix) => (quote!(collect), prefix, &[]),
        };
        quote! {
            #reader.#method(
                &::kubewright::core::config::Field::<#ty>::parsed_by(#name, #parser)
                    #( .alias(#aliases) )* #( .default(#default) )* #( #range )*
            )
        }
    }

    /// Checks the attributes for errors that can be found at compile time.
    fn check(&self) -> Result<()> {
        let mut texts: Vec<(&LitStr, String)> = self.default.iter().map(|text| (text, text.value())).collect();
        if let Some(range) = &self.range {
            let form = "a range has the form `least..=most`; one of the bounds may be missing, and `..` excludes the upper one";
            let text = range.value();
            let Some((least, most)) = text.split_once("..") else { return Err(Error::new_spanned(range, form)) };
            let bounds = [least.trim(), most.strip_prefix('=').unwrap_or(most).trim()];
            let lacks_bound = most.starts_with('=') && bounds[1].is_empty();
            if lacks_bound || bounds.iter().all(|bound| bound.is_empty()) {
                return Err(Error::new_spanned(range, form));
            }
            texts.extend(bounds.into_iter().filter(|bound| !bound.is_empty()).map(|bound| (range, bound.to_owned())));
        }
        if self.parse_with.is_some() {
            return Ok(());
        }
        for (literal, text) in texts {
            if let Some(fault) = literals::fault(&self.ty, text.trim()) {
                return Err(Error::new_spanned(literal, fault));
            }
        }
        Ok(())
    }
}

/// Returns the type of the values of a `BTreeMap`.
fn value_of_map(ty: &Type) -> Option<&Type> {
    let Type::Path(path) = ty else { return None };
    let last = path.path.segments.last().filter(|segment| segment.ident == "BTreeMap")?;
    let PathArguments::AngleBracketed(given) = &last.arguments else { return None };
    match given.args.iter().collect::<Vec<_>>()[..] {
        [GenericArgument::Type(_), GenericArgument::Type(value)] => Some(value),
        _ => None,
    }
}
