//! Functions by name.

use std::collections::{BTreeMap, HashMap};
use std::fmt;
use std::sync::Arc;

use super::{FunctionCall, Signature};
use crate::error::FunctionError;
use crate::value::GoValue;

type Body = dyn Fn(&mut FunctionCall<'_>) -> Result<GoValue, FunctionError> + Send + Sync;

/// A function that templates can call.
#[derive(Clone)]
pub struct TemplateFunction {
    /// The parameters.
    pub signature: Signature,
    /// True if results follow from the arguments, the engine and the host alone.
    is_repeatable: bool,
    body: Arc<Body>,
}

impl TemplateFunction {
    /// Creates a function.
    pub fn new(
        signature: Signature,
        body: impl Fn(&mut FunctionCall<'_>) -> Result<GoValue, FunctionError> + Send + Sync + 'static,
    ) -> Self {
        Self { signature, is_repeatable: false, body: Arc::new(body) }
    }

    /// Returns true if results follow from the arguments, the engine and the host alone, as [`FunctionSet::set_repeatable`] says.
    pub const fn is_repeatable(&self) -> bool {
        self.is_repeatable
    }

    /// Calls the function with arguments that fit its signature.
    pub(crate) fn call(&self, call: &mut FunctionCall<'_>) -> Result<GoValue, FunctionError> {
        (self.body)(call)
    }
}

impl fmt::Debug for TemplateFunction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.signature.fmt(f)
    }
}

/// The functions that the templates of a set can call, by name. Names that are forbidden are parse errors with a reason.
#[derive(Clone, Debug, Default)]
pub struct FunctionSet {
    functions: HashMap<&'static str, TemplateFunction, foldhash::fast::RandomState>,
    /// The methods of named map types, by the name of the type, and by their own.
    methods: BTreeMap<&'static str, BTreeMap<&'static str, TemplateFunction>>,
    forbidden: BTreeMap<&'static str, &'static str>,
}

impl FunctionSet {
    /// Creates a set without functions. Those of Go itself (`and`, `eq`, `index`, `printf`, …) belong to the language and need not be added.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a function; one of the same name is replaced, and a forbidden name is allowed.
    pub fn add(
        &mut self,
        name: &'static str,
        signature: Signature,
        body: impl Fn(&mut FunctionCall<'_>) -> Result<GoValue, FunctionError> + Send + Sync + 'static,
    ) {
        self.insert(name, TemplateFunction::new(signature, body));
    }

    /// Adds a function that exists already, as [`Self::add`] does.
    pub fn insert(&mut self, name: &'static str, function: TemplateFunction) {
        self.forbidden.remove(name);
        self.functions.insert(name, function);
    }

    /// Adds a method of a named map type. The map is the first argument of the body; the signature is that of the others.
    pub fn add_method(
        &mut self,
        type_name: &'static str,
        name: &'static str,
        signature: Signature,
        body: impl Fn(&mut FunctionCall<'_>) -> Result<GoValue, FunctionError> + Send + Sync + 'static,
    ) {
        self.methods.entry(type_name).or_default().insert(name, TemplateFunction::new(signature, body));
    }

    /// Returns the method of a named map type.
    pub(crate) fn method(&self, type_name: &str, name: &str) -> Option<&TemplateFunction> {
        self.methods.get(type_name)?.get(name)
    }

    /// Adds a second name of a function that is in the set.
    pub fn alias(&mut self, alias: &'static str, name: &str) {
        if let Some(function) = self.functions.get(name).cloned() {
            self.functions.insert(alias, function);
        }
    }

    /// Forbids a name: its use is a parse error with this text.
    pub fn forbid(&mut self, name: &'static str, reason: &'static str) {
        self.functions.remove(name);
        self.forbidden.insert(name, reason);
    }

    /// States that the results of all functions and methods that the set has so far follow from their arguments, the engine and the host alone. The output of
    /// a template that calls no others may be kept, and given to later calls of `include` with the same data in the same execution. Those that are added
    /// later are called each time.
    pub fn set_repeatable(&mut self) {
        let methods = self.methods.values_mut().flat_map(BTreeMap::values_mut);
        self.functions.values_mut().chain(methods).for_each(|function| function.is_repeatable = true);
    }

    /// Returns the function of a name.
    pub fn get(&self, name: &str) -> Option<&TemplateFunction> {
        self.functions.get(name)
    }

    /// Returns the reason for which a name is forbidden.
    pub fn forbidden(&self, name: &str) -> Option<&'static str> {
        self.forbidden.get(name).copied()
    }

    /// Returns the names, sorted.
    pub fn names(&self) -> impl Iterator<Item = &'static str> {
        let mut names: Vec<&'static str> = self.functions.keys().copied().collect();
        names.sort_unstable();
        names.into_iter()
    }
}
