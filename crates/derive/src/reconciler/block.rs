use proc_macro2::Ident;
use syn::{Attribute, Error, FnArg, ImplItem, ImplItemFn, ItemImpl, Result, ReturnType, Type, parse_quote};

use super::arguments::Arguments;
use super::hook::LeadershipHook;
use super::signature::{MethodSignature, SignatureShape};
use crate::suggestion::unknown;

/// The functions that are allowed in the block, besides the constructor.
const ALLOWED: [&str; 7] = ["reconcile", "finalize", "observe", "observe_deleted", "watches", "on_promoted", "on_demoted"];
/// The largest number of arguments of a constructor.
const MAX_ARGUMENTS: usize = 12;

/// The functions of a reconciler.
pub(super) struct Block {
    pub(super) constructor: ConstructorSignature,
    pub(super) reconcile: MethodSignature,
    pub(super) finalize: Option<MethodSignature>,
    pub(super) observe: Option<MethodSignature>,
    pub(super) observe_deleted: Option<MethodSignature>,
    /// The hooks `on_promoted` and `on_demoted`, if they are present.
    pub(super) hooks: Vec<LeadershipHook>,
    /// The function that declares further watches.
    pub(super) watches: Option<Ident>,
}

/// The parts of the constructor that the generated code needs.
pub(super) struct ConstructorSignature {
    /// The types of the arguments.
    pub(super) arguments: Vec<Type>,
    /// The type of the result; for an async constructor the output of its future.
    pub(super) output: Type,
}

impl Block {
    /// Reads the functions of a block. All errors are reported at once.
    pub(super) fn read(block: &ItemImpl, arguments: &Arguments) -> Result<Self> {
        if let Some((_, trait_, _)) = &block.trait_ {
            return Err(Error::new_spanned(
                trait_,
                "`#[reconciler]` stands on an impl block without a trait: it writes the traits",
            ));
        }
        let mut found = FoundFunctions::default();
        let mut faults = CombinedErrors::default();
        for item in &block.items {
            faults.note(match item {
                ImplItem::Fn(function) => found.add(function, &arguments.kind),
                other => Err(Error::new_spanned(other, "only functions may stand here; move this to another impl block")),
            });
        }
        if found.finalize.is_none() && !found.is_named("finalize") {
            for argument in &arguments.of_finalizers {
                let problem = format!("`{argument}` has no effect without a method `finalize`: add one, or remove the argument");
                faults.note(Err(Error::new(argument.span(), problem)));
            }
        }
        if let (Some(reconcile), Some(MethodSignature { status: Some(status), .. })) = (&found.reconcile, &found.finalize)
            && reconcile.status.is_none()
        {
            let problem =
                "`finalize` has a status, but `reconcile` has none: give both the parameter `status`, or leave it out here";
            faults.note(Err(Error::new_spanned(status, problem)));
        }
        // Missing functions are reported only without other errors, because a misspelt function is not also missing.
        if faults.is_empty() && found.constructor.is_none() {
            let problem = "a reconciler needs a constructor, whose arguments are injected: `#[inject] fn new(..) -> Self`";
            faults.note(Err(Error::new_spanned(&block.self_ty, problem)));
        }
        if faults.is_empty() && found.reconcile.is_none() {
            faults.note(Err(Error::new_spanned(&block.self_ty, "a reconciler needs a method `reconcile`")));
        }
        faults.end()?;
        found.complete().ok_or_else(|| Error::new_spanned(&block.self_ty, "a reconciler needs a constructor and `reconcile`"))
    }
}

/// Returns the block for the compiler: without the attribute `inject`, which the compiler does not know, and without clippy's lints about signatures
/// that the framework requires.
pub(super) fn as_written(mut block: ItemImpl) -> ItemImpl {
    for item in &mut block.items {
        let ImplItem::Fn(function) = item else { continue };
        if function.attrs.iter().any(is_inject) {
            function.attrs.retain(|attribute| !is_inject(attribute));
        } else {
            function.attrs.push(parse_quote!(#[allow(clippy::unused_async, clippy::unused_self)]));
        }
    }
    block
}

fn is_inject(attribute: &Attribute) -> bool {
    attribute.path().is_ident("inject")
}

/// The functions of a block that were found so far.
#[derive(Default)]
struct FoundFunctions {
    names: Vec<Ident>,
    constructor: Option<ConstructorSignature>,
    reconcile: Option<MethodSignature>,
    finalize: Option<MethodSignature>,
    observe: Option<MethodSignature>,
    observe_deleted: Option<MethodSignature>,
    hooks: Vec<LeadershipHook>,
    watches: Option<Ident>,
}

impl FoundFunctions {
    fn add(&mut self, function: &ImplItemFn, kind: &Type) -> Result<()> {
        let signature = &function.sig;
        self.names.push(signature.ident.clone());
        if let Some(attribute) =
            function.attrs.iter().find(|attribute| ["cfg", "cfg_attr"].iter().any(|name| attribute.path().is_ident(name)))
        {
            return Err(Error::new_spanned(
                attribute,
                "functions of a reconciler cannot be conditional; the whole impl block can",
            ));
        }
        if let Some(attribute) = function.attrs.iter().find(|attribute| is_inject(attribute)) {
            attribute.meta.require_path_only()?;
            let constructor = ConstructorSignature::read(function)?;
            if self.constructor.replace(constructor).is_some() {
                return Err(Error::new(
                    signature.ident.span(),
                    "a reconciler has exactly one `#[inject]` constructor; this is a second one",
                ));
            }
            return Ok(());
        }
        match signature.ident.to_string().as_str() {
            "reconcile" => self.reconcile = Some(MethodSignature::read(signature, SignatureShape::Changing, kind)?),
            "finalize" => self.finalize = Some(MethodSignature::read(signature, SignatureShape::Changing, kind)?),
            "observe" => self.observe = Some(MethodSignature::read(signature, SignatureShape::Observing, kind)?),
            "observe_deleted" => self.observe_deleted = Some(MethodSignature::read(signature, SignatureShape::Deleted, kind)?),
            "watches" => {
                if signature.receiver().is_some() || signature.asyncness.is_some() || signature.inputs.len() != 1 {
                    return Err(Error::new_spanned(signature, "expected `fn watches(triggers: &mut TriggerSet<Kind>)`"));
                }
                self.watches = Some(signature.ident.clone());
            }
            "on_promoted" | "on_demoted" => self.hooks.push(LeadershipHook::read(signature)?),
            _ => {
                let remark = "; the constructor is marked with `#[inject]`, and helpers go into another impl block";
                return Err(unknown("function of a reconciler", &signature.ident, &ALLOWED, remark));
            }
        }
        Ok(())
    }

    /// Returns true if there is a function of this name, valid or not.
    fn is_named(&self, name: &str) -> bool {
        self.names.iter().any(|found| found == name)
    }

    fn complete(self) -> Option<Block> {
        let Self { names: _, constructor, reconcile, finalize, observe, observe_deleted, hooks, watches } = self;
        Some(Block { constructor: constructor?, reconcile: reconcile?, finalize, observe, observe_deleted, hooks, watches })
    }
}

impl ConstructorSignature {
    fn read(function: &ImplItemFn) -> Result<Self> {
        let signature = &function.sig;
        if !signature.generics.params.is_empty() {
            return Err(Error::new_spanned(&signature.generics, "a constructor cannot be generic"));
        }
        let mut arguments = Vec::new();
        for input in &signature.inputs {
            match input {
                FnArg::Receiver(receiver) => {
                    return Err(Error::new_spanned(
                        receiver,
                        "a constructor makes the reconciler, so that there is no `self` yet",
                    ));
                }
                FnArg::Typed(argument) => arguments.push((*argument.ty).clone()),
            }
        }
        if let Some(first) = arguments.get(MAX_ARGUMENTS) {
            let problem = format!(
                "a constructor has at most {MAX_ARGUMENTS} arguments; combine some in a type of your own that implements `FromOperator`"
            );
            return Err(Error::new_spanned(first, problem));
        }
        match &signature.output {
            ReturnType::Type(_, output) => Ok(Self { arguments, output: (**output).clone() }),
            ReturnType::Default => {
                let problem = "a constructor returns the reconciler, `Self`, or a `Result` of it";
                Err(Error::new(signature.ident.span(), problem))
            }
        }
    }
}

/// Errors that are reported together.
#[derive(Default)]
struct CombinedErrors(Option<Error>);

impl CombinedErrors {
    fn note(&mut self, result: Result<()>) {
        let Err(fault) = result else { return };
        match &mut self.0 {
            Some(first) => first.combine(fault),
            none => *none = Some(fault),
        }
    }

    fn is_empty(&self) -> bool {
        self.0.is_none()
    }

    fn end(self) -> Result<()> {
        self.0.map_or(Ok(()), Err)
    }
}
