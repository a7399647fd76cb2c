use proc_macro2::{Ident, Span};
use syn::parse::{Parse, ParseStream};
use syn::{Attribute, Error, Path, Result, Token, Visibility};

use super::component::{ListedComponent, name_of};
use super::settings::ContractSettings;

/// The content of `contract! { .. }`.
pub(super) struct ContractDeclaration {
    /// The attributes of the type of the contract.
    pub(super) attributes: Vec<Attribute>,
    pub(super) visibility: Visibility,
    /// The type of the contract.
    pub(super) name: Ident,
    pub(super) owner: Path,
    pub(super) settings: ContractSettings,
    pub(super) components: Vec<ListedComponent>,
}

impl Parse for ContractDeclaration {
    fn parse(input: ParseStream<'_>) -> Result<Self> {
        let mut settings = ContractSettings::default();
        let (mut attributes, mut components) = (Vec::new(), Vec::new());
        let mut is_first = true;
        while !input.is_empty() {
            let own = input.call(Attribute::parse_outer)?;
            let visibility: Visibility = input.parse()?;
            if input.peek2(Token![=]) {
                match own.first() {
                    _ if is_first => attributes = own,
                    Some(attribute) => {
                        return Err(Error::new_spanned(attribute, "attributes of the contract stand before its first setting"));
                    }
                    None => {}
                }
                settings.parse(visibility, input)?;
            } else if matches!(visibility, Visibility::Inherited) {
                components.push(ListedComponent::parse(input, &own)?);
            } else {
                return Err(Error::new_spanned(visibility, "a component has the visibility of its own type: remove this one"));
            }
            is_first = false;
        }
        let missing = |what: &str| Error::new(Span::call_site(), what);
        let owner = settings.owner.clone().ok_or_else(|| {
            missing("`contract!` needs the kind whose objects own the components: write `owner = Platform;`, with its type")
        })?;
        if components.is_empty() {
            return Err(missing(
                "`contract!` needs components: list their types, such as `ApiServer {}` and `Landscaper { needs: [ApiServer] }`",
            ));
        }
        let (visibility, name) = settings.name.take().unwrap_or_else(|| {
            let span = owner.segments.last().map_or_else(Span::call_site, |segment| segment.ident.span());
            (Visibility::Public(Token![pub](Span::call_site())), Ident::new(&format!("{}Contract", name_of(&owner)), span))
        });
        Ok(Self { attributes, visibility, name, owner, settings, components })
    }
}
