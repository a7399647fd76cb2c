//! YAML texts of values, as the two generations of go-yaml write them.

mod node;
mod order;
mod resolve;
mod scalar;
mod writer;

use crate::value::GoValue;

/// The generation of go-yaml.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum YamlDialect {
    /// sigs.k8s.io/yaml: values pass through JSON; long texts are folded; lists in maps are not indented.
    Kubernetes,
    /// go-yaml v3 with an indentation of two blanks: values keep their Go types; texts are not folded; lists in maps are indented.
    Third,
}

/// Returns the YAML text of a value, with a line break at its end.
pub(super) fn write(value: &GoValue, dialect: YamlDialect) -> Result<String, String> {
    let node = node::YamlNode::new(value, dialect)?;
    writer::write(&node, dialect)
}
