use syn::{DeriveInput, Error, LitStr, Result};

use super::names;

const ALLOWED: &str = "allowed on a configuration: `name = \"..\"`, `optional`, `strict`, `example_checksum`";

/// The arguments of `#[config(..)]` on the struct.
pub(super) struct Container {
    pub(super) name: LitStr,
    pub(super) optional: bool,
    pub(super) strict: bool,
    pub(super) example_checksum: bool,
}

impl Container {
    pub(super) fn of(input: &DeriveInput) -> Result<Self> {
        let (mut name, mut optional, mut strict, mut example_checksum) = (None, false, false, false);
        for attribute in input.attrs.iter().filter(|attribute| attribute.path().is_ident("config")) {
            attribute.parse_nested_meta(|meta| {
                let twice = if meta.path.is_ident("name") {
                    name.replace(meta.value()?.parse::<LitStr>()?).is_some()
                } else if meta.path.is_ident("optional") {
                    std::mem::replace(&mut optional, true)
                } else if meta.path.is_ident("strict") {
                    std::mem::replace(&mut strict, true)
                } else if meta.path.is_ident("example_checksum") {
                    std::mem::replace(&mut example_checksum, true)
                } else {
                    return Err(meta.error(format!("unknown; {ALLOWED}")));
                };
                if twice { Err(meta.error("given twice")) } else { Ok(()) }
            })?;
        }
        let Some(name) = name else {
            let message = "a configuration needs the name of its ConfigMap: `#[config(name = \"..\")]`";
            return Err(Error::new_spanned(&input.ident, message));
        };
        names::check_name(&name)?;
        Ok(Self { name, optional, strict, example_checksum })
    }
}
