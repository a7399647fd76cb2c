use syn::meta::ParseNestedMeta;
use syn::{Attribute, Expr, ExprLit, Field, Lit, LitStr, Result, Token};

/// How serde names the fields of a struct.
#[derive(Default)]
pub(super) struct Names {
    rename_all: Option<String>,
}

/// The JSON name of a field.
#[derive(Default)]
pub(super) struct Name {
    /// `None` for a flattened field, whose own fields stand in its parent.
    pub(super) json: Option<String>,
    /// It does not appear in JSON.
    pub(super) skipped: bool,
}

impl Names {
    pub(super) fn of(attributes: &[Attribute]) -> Result<Self> {
        let mut names = Self::default();
        each(attributes, |meta, value| {
            if meta.path.is_ident("rename_all") {
                names.rename_all = value;
            }
        })?;
        Ok(names)
    }

    fn rename(&self, field: &str) -> String {
        let words: Vec<&str> = field.split('_').filter(|word| !word.is_empty()).collect();
        let joined = |separator: &str| words.join(separator);
        match self.rename_all.as_deref() {
            Some("camelCase") => {
                words.iter().enumerate().map(|(n, word)| if n == 0 { (*word).to_owned() } else { title(word) }).collect()
            }
            Some("PascalCase") => words.iter().map(|word| title(word)).collect(),
            Some("kebab-case") => joined("-"),
            Some("SCREAMING-KEBAB-CASE") => joined("-").to_uppercase(),
            Some("SCREAMING_SNAKE_CASE" | "UPPERCASE") => field.to_uppercase(),
            _ => field.to_owned(),
        }
    }
}

pub(super) fn of_field(field: &Field, names: &Names) -> Result<Name> {
    let ident = field.ident.as_ref().map(ToString::to_string).unwrap_or_default();
    let mut name = Name { json: Some(names.rename(ident.trim_start_matches("r#"))), skipped: false };
    each(&field.attrs, |meta, value| {
        if meta.path.is_ident("rename") && value.is_some() {
            name.json = value;
        } else if meta.path.is_ident("flatten") {
            name.json = None;
        } else if meta.path.is_ident("skip") || meta.path.is_ident("skip_deserializing") {
            name.skipped = true;
        }
    })?;
    Ok(name)
}

/// Calls `see` with each item of the serde attributes and the text that it is set to. `rename(deserialize = "a")` counts as
/// `rename = "a"`.
fn each(attributes: &[Attribute], mut see: impl FnMut(&ParseNestedMeta<'_>, Option<String>)) -> Result<()> {
    for attribute in attributes.iter().filter(|attribute| attribute.path().is_ident("serde")) {
        attribute.parse_nested_meta(|meta| {
            let mut value = None;
            if meta.input.peek(Token![=]) {
                if let Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) = meta.value()?.parse::<Expr>()? {
                    value = Some(text.value());
                }
            } else if meta.input.peek(syn::token::Paren) {
                meta.parse_nested_meta(|inner| {
                    let text = inner.value()?.parse::<LitStr>()?.value();
                    if inner.path.is_ident("deserialize") {
                        value = Some(text);
                    }
                    Ok(())
                })?;
            }
            see(&meta, value);
            Ok(())
        })?;
    }
    Ok(())
}

fn title(word: &str) -> String {
    let mut letters = word.chars();
    letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
}
