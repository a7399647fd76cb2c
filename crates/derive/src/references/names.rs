use syn::meta::ParseNestedMeta;
use syn::{Attribute, Expr, ExprLit, Field, Lit, LitStr, Result, Token, Variant};

/// The serde attributes that determine the names of a struct's fields.
#[derive(Default)]
pub(super) struct SerdeNaming {
    rename_all: Option<String>,
}

/// The JSON name of a field.
#[derive(Default)]
pub(super) struct Name {
    /// The name; `None` for a flattened field, whose own fields are placed in its parent.
    pub(super) json: Option<String>,
    /// True if the field does not appear in JSON.
    pub(super) skipped: bool,
}

impl SerdeNaming {
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

/// The serde attributes that determine the form of an enum's variants.
#[derive(Default)]
pub(super) struct VariantNames {
    rename_all: Option<String>,
    rename_all_fields: Option<String>,
    tag: Option<String>,
    content: Option<String>,
    untagged: bool,
}

/// The position of a variant in JSON.
pub(super) struct VariantPlace {
    /// The field that holds the variant; `None` if the variant's fields are placed in the parent of the enum.
    pub(super) segment: Option<String>,
    /// The serde attributes of the variant's own fields.
    pub(super) fields: SerdeNaming,
    /// True if the variant does not appear in JSON.
    pub(super) skipped: bool,
}

impl VariantNames {
    pub(super) fn of(attributes: &[Attribute]) -> Result<Self> {
        let mut names = Self::default();
        each(attributes, |meta, value| {
            for (name, target) in [
                ("rename_all", &mut names.rename_all),
                ("rename_all_fields", &mut names.rename_all_fields),
                ("tag", &mut names.tag),
                ("content", &mut names.content),
            ] {
                if meta.path.is_ident(name) {
                    target.clone_from(&value);
                }
            }
            names.untagged |= meta.path.is_ident("untagged");
        })?;
        Ok(names)
    }

    pub(super) fn place_of(&self, variant: &Variant) -> Result<VariantPlace> {
        let mut own = None;
        let mut fields = SerdeNaming { rename_all: self.rename_all_fields.clone() };
        let (mut skipped, mut untagged) = (false, self.untagged);
        each(&variant.attrs, |meta, value| {
            if meta.path.is_ident("rename") && value.is_some() {
                own = value;
            } else if meta.path.is_ident("rename_all") {
                fields.rename_all = value;
            } else if meta.path.is_ident("skip") || meta.path.is_ident("skip_deserializing") {
                skipped = true;
            } else if meta.path.is_ident("untagged") {
                untagged = true;
            }
        })?;
        let segment = match (&self.tag, &self.content) {
            _ if untagged => None,
            (Some(_), content) => content.clone(),
            (None, _) => Some(own.unwrap_or_else(|| self.rename(&variant.ident.to_string()))),
        };
        Ok(VariantPlace { segment, fields, skipped })
    }

    fn rename(&self, variant: &str) -> String {
        let words = |separator: char| {
            let mut text = String::new();
            for (place, letter) in variant.char_indices() {
                if letter.is_uppercase() && place > 0 {
                    text.push(separator);
                }
                text.extend(letter.to_lowercase());
            }
            text
        };
        match self.rename_all.as_deref() {
            Some("lowercase") => variant.to_lowercase(),
            Some("UPPERCASE") => variant.to_uppercase(),
            Some("camelCase") => {
                let mut letters = variant.chars();
                letters.next().map(|first| first.to_lowercase().chain(letters).collect()).unwrap_or_default()
            }
            Some("snake_case") => words('_'),
            Some("SCREAMING_SNAKE_CASE") => words('_').to_uppercase(),
            Some("kebab-case") => words('-'),
            Some("SCREAMING-KEBAB-CASE") => words('-').to_uppercase(),
            _ => variant.to_owned(),
        }
    }
}

pub(super) fn of_field(field: &Field, names: &SerdeNaming) -> Result<Name> {
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
