//! Functions that an operator adds to its templates (TPL-4).

use kubewright_template::{FunctionCall, FunctionError, FunctionSet, GoValue, Signature, TemplateFunction, is_reserved_name};

/// The functions that an operator adds to those of a generator. A name that is taken already is a fault, which the generator reports when it is checked:
/// a built-in function with another meaning would make a chart differ from what its author tested.
#[derive(Clone, Debug, Default)]
pub(crate) struct CustomFunctions {
    functions: Vec<(&'static str, TemplateFunction)>,
}

impl CustomFunctions {
    pub(crate) fn add(
        &mut self,
        name: &'static str,
        signature: Signature,
        body: impl Fn(&mut FunctionCall<'_>) -> Result<GoValue, FunctionError> + Send + Sync + 'static,
    ) {
        self.functions.push((name, TemplateFunction::new(signature, body)));
    }

    /// Adds the functions to a set that has all built-in ones. The error names the first function that cannot be added.
    pub(crate) fn add_to(&self, set: &mut FunctionSet) -> Result<(), String> {
        for (name, function) in &self.functions {
            let problem = if set.get(name).is_some() || set.forbidden(name).is_some() {
                "is a function of templates already"
            } else if is_reserved_name(name) {
                "is a word of the template language, or no name of letters, digits and underscores"
            } else {
                set.insert(name, function.clone());
                continue;
            };
            return Err(format!("the function {name:?} of the operator cannot be added: it {problem}; give it another name"));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use kubewright_template::library::add_sprig;

    use super::*;

    fn added(names: &[&'static str]) -> Result<FunctionSet, String> {
        let mut set = FunctionSet::new();
        add_sprig(&mut set);
        let mut custom = CustomFunctions::default();
        for name in names {
            custom.add(name, Signature::of(&[]), |_| Ok("x".into()));
        }
        custom.add_to(&mut set).map(|()| set)
    }

    // TPL-4
    #[test]
    fn a_function_with_a_new_name_is_added() {
        let set = added(&["region", "_zone2"]).unwrap();
        assert!(set.get("region").is_some() && set.get("_zone2").is_some());
    }

    // TPL-4
    #[test]
    fn built_in_functions_cannot_be_replaced() {
        for name in ["upper", "env", "printf", "and", "if", "true", "nil", "", "a-b", "1a"] {
            let error = added(&[name]).unwrap_err();
            assert!(error.contains(&format!("{name:?}")) && error.ends_with("give it another name"), "{error}");
        }
        assert!(added(&["region", "region"]).unwrap_err().contains("a function of templates already"));
    }
}
