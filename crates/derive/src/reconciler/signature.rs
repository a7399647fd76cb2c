use proc_macro2::{Ident, Span};
use quote::{ToTokens, quote};
use syn::spanned::Spanned as _;
use syn::{Error, FnArg, GenericParam, PatType, Result, Signature, Type, TypeReference};

/// The shape of a method's signature.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum SignatureShape {
    /// The shape of `reconcile` and `finalize`.
    Changing,
    /// The shape of `observe`.
    Observing,
    /// The shape of `observe_deleted`.
    Deleted,
}

/// The parts of a method that the generated code needs.
pub(super) struct MethodSignature {
    pub(super) name: Ident,
    /// The spans of its first two parameters.
    pub(super) spans: [Span; 2],
    /// The type of its status, if it has that parameter.
    pub(super) status: Option<Type>,
    /// The span of its result.
    pub(super) output: Span,
}

impl MethodSignature {
    /// Checks the form of a method. Its types are checked by the compiler.
    pub(super) fn read(signature: &Signature, shape: SignatureShape, kind: &Type) -> Result<Self> {
        let fault = |at: &dyn ToTokens, problem: &str| {
            Err(Error::new_spanned(at, format!("{problem}; {}", expected(&signature.ident, shape, kind))))
        };
        if signature.asyncness.is_none() {
            return fault(&signature.fn_token, &format!("`{}` must be async", signature.ident));
        }
        if let Some(parameter) =
            signature.generics.params.iter().find(|parameter| !matches!(parameter, GenericParam::Lifetime(_)))
        {
            return fault(parameter, &format!("`{}` cannot be generic", signature.ident));
        }
        let mut inputs = signature.inputs.iter();
        match inputs.next() {
            Some(FnArg::Receiver(receiver)) if receiver.reference.is_some() && receiver.mutability.is_none() => {}
            Some(other) => return fault(other, &format!("`{}` must take `&self`", signature.ident)),
            None => return fault(&signature.ident, &format!("`{}` must take `&self`", signature.ident)),
        }
        let parameters: Vec<&PatType> = inputs
            .filter_map(|input| match input {
                FnArg::Typed(typed) => Some(typed),
                FnArg::Receiver(_) => None,
            })
            .collect();
        let names = if shape == SignatureShape::Deleted { ["cx", "key"] } else { ["cx", "object"] };
        let mut spans = [Span::call_site(); 2];
        for (place, name) in names.into_iter().enumerate() {
            match parameters.get(place).map(|parameter| (&*parameter.ty, reference(&parameter.ty))) {
                Some((ty, Some(TypeReference { mutability: None, .. }))) => spans[place] = ty.span(),
                Some((ty, Some(_))) => return fault(ty, &format!("`{name}` cannot be changed")),
                Some((ty, None)) => return fault(ty, &format!("`{name}` must be a reference")),
                None => return fault(&signature.ident, &format!("the parameter `{name}` of `{}` is missing", signature.ident)),
            }
        }
        let status = match parameters.get(2).map(|parameter| (&*parameter.ty, reference(&parameter.ty))) {
            None => None,
            Some((ty, _)) if shape != SignatureShape::Changing => {
                return fault(ty, &format!("`{}` has no status", signature.ident));
            }
            Some((_, Some(TypeReference { mutability: Some(_), elem, .. }))) => Some((**elem).clone()),
            Some((ty, _)) => return fault(ty, "`status` must be a mutable reference"),
        };
        if let Some(further) = parameters.get(3) {
            return fault(further, "there is no further parameter; dependencies are injected into the constructor");
        }
        let output = match &signature.output {
            syn::ReturnType::Default => signature.ident.span(),
            syn::ReturnType::Type(_, output) => output.span(),
        };
        Ok(Self { name: signature.ident.clone(), spans, status, output })
    }
}

/// Returns the reference that a type consists of. Types from a `macro_rules` macro are wrapped in a group.
fn reference(ty: &Type) -> Option<&TypeReference> {
    match ty {
        Type::Reference(reference) => Some(reference),
        Type::Paren(inner) => reference(&inner.elem),
        Type::Group(inner) => reference(&inner.elem),
        _ => None,
    }
}

fn expected(name: &Ident, shape: SignatureShape, kind: &Type) -> String {
    let kind = quote!(#kind).to_string().replace(' ', "");
    let (rest, remark) = match shape {
        SignatureShape::Changing => (format!("object: &{kind}, status: &mut Status"), " (`status` may be left out)"),
        SignatureShape::Observing => (format!("object: &{kind}"), ""),
        SignatureShape::Deleted => ("key: &Key".to_owned(), ""),
    };
    format!("expected `async fn {name}(&self, cx: &Context<{kind}>, {rest}) -> Flow`{remark}")
}
