//! Functions that the author of an operator adds.

use std::fmt;
use std::sync::Arc;

use kubewright_template::{FunctionCall, FunctionError, FunctionSet, GoValue, Signature, is_language_function};

type CustomBody = dyn Fn(&mut FunctionCall<'_>) -> Result<GoValue, FunctionError> + Send + Sync;

/// Functions that the author of an operator adds to the built-in ones.
#[derive(Clone, Default)]
pub(crate) struct CustomFunctions(Vec<(&'static str, Signature, Arc<CustomBody>)>);

impl CustomFunctions {
    pub(crate) fn add(
        &mut self,
        name: &'static str,
        signature: Signature,
        body: impl Fn(&mut FunctionCall<'_>) -> Result<GoValue, FunctionError> + Send + Sync + 'static,
    ) {
        self.0.push((name, signature, Arc::new(body)));
    }

    /// Adds the functions to a set. The error is that of a name that is built in, added twice, or no name.
    pub(crate) fn add_to(&self, set: &mut FunctionSet) -> Result<(), String> {
        for (name, signature, body) in &self.0 {
            let mut characters = name.chars();
            let is_name = characters.next().is_some_and(|first| first == '_' || first.is_alphabetic())
                && characters.all(|next| next == '_' || next.is_alphanumeric());
            if !is_name {
                return Err(format!("the function {name:?} has no valid name; it must be a letter followed by letters and digits"));
            }
            if is_language_function(name) || set.get(name).is_some() || set.forbidden(name).is_some() {
                return Err(format!("the function {name:?} exists already and cannot be replaced; choose another name"));
            }
            let body = Arc::clone(body);
            set.add(name, *signature, move |call| body(call));
        }
        Ok(())
    }
}

impl fmt::Debug for CustomFunctions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.0.iter().map(|(name, ..)| name)).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::functions::component_functions;

    // TPL-4
    #[test]
    fn built_in_names_cannot_be_replaced() {
        for name in ["readFile", "toYaml", "printf", "env", "upper"] {
            let mut custom = CustomFunctions::default();
            custom.add(name, Signature::of(&[]), |_| Ok(GoValue::Nil));
            let error = custom.add_to(&mut component_functions()).unwrap_err();
            assert_eq!(error, format!("the function {name:?} exists already and cannot be replaced; choose another name"));
        }
    }

    #[test]
    fn names_are_those_that_templates_can_write_and_are_given_once() {
        let add = |names: &[&'static str]| {
            let mut custom = CustomFunctions::default();
            for name in names {
                custom.add(name, Signature::of(&[]), |_| Ok(GoValue::Nil));
            }
            custom.add_to(&mut component_functions())
        };
        assert_eq!(add(&["mine", "other_2"]), Ok(()));
        assert!(add(&["mine", "mine"]).unwrap_err().contains("exists already"));
        for name in ["", "a-b", "2a", "a b"] {
            assert!(add(&[name]).unwrap_err().contains("no valid name"), "{name}");
        }
    }
}
