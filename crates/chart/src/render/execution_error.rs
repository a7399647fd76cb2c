//! Errors of templates in the words of Helm.

use std::fmt::Write;

use kubewright_template::{SourcePosition, TemplateError};

use crate::compat::HelmCompat;
use crate::error::ChartError;

/// The beginning of the text of a failed function.
const CALL: &str = "error calling ";

/// Returns the error of a template. Helm 4 prints failed executions on several lines, one group per level of `include`.
pub(super) fn template_error(error: TemplateError, compat: HelmCompat) -> ChartError {
    let text = match compat {
        HelmCompat::Helm3 => None,
        HelmCompat::Helm4 => on_several_lines(&error),
    };
    ChartError::Template { text: text.unwrap_or_else(|| error.to_string()), source: Box::new(error) }
}

/// Returns the text on several lines; None if Helm 4, too, prints the error on one: that of a failed function other than `include`.
fn on_several_lines(error: &TemplateError) -> Option<String> {
    let mut text = String::new();
    let mut next = Some(error);
    while let Some(error) = next {
        let TemplateError::Execution { position, executing, node: Some(node), message, cause } = error else { return None };
        next = cause.as_deref();
        match (message.strip_prefix(CALL), next) {
            (None, _) => push_group(&mut text, position, executing, node, message),
            // The text of `tpl` stands between two errors, which Helm cannot take apart.
            (Some(call), Some(_)) if call.contains(": ") => return None,
            (Some(_), Some(_)) => push_group(&mut text, position, executing, node, &format!("{message}:")),
            (Some(call), None) => {
                let (name, reason) = call.split_once(": ")?;
                let missing = reason.strip_prefix("template: no template ")?;
                push_group(&mut text, position, executing, node, &format!("{CALL}{name}:"));
                let _ = writeln!(text, "template: no template {missing}");
            }
        }
    }
    Some(text.trim().to_owned())
}

fn push_group(text: &mut String, position: &SourcePosition, executing: &str, node: &str, message: &str) {
    let message = message.split(" template:").next().unwrap_or(message);
    let _ = writeln!(text, "{position}\n  executing \"{executing}\" at <{node}>:\n    {message}");
}

#[cfg(test)]
mod tests {
    use super::*;

    fn execution(line: usize, message: &str, cause: Option<TemplateError>) -> TemplateError {
        TemplateError::Execution {
            position: SourcePosition { template: "web/templates/a.yaml".to_owned(), line, column: 3 },
            executing: "web/templates/a.yaml".to_owned(),
            node: Some(".x".to_owned()),
            message: message.to_owned(),
            cause: cause.map(Box::new),
        }
    }

    fn text(error: TemplateError, compat: HelmCompat) -> String {
        template_error(error, compat).to_string()
    }

    #[test]
    fn helm_4_prints_one_group_per_include() {
        let inner = execution(2, "nil pointer evaluating interface {}.y", None);
        let error = execution(1, "error calling include", Some(inner));
        assert_eq!(
            text(error.clone(), HelmCompat::Helm4),
            "web/templates/a.yaml:1:3\n  executing \"web/templates/a.yaml\" at <.x>:\n    error calling include:\n\
             web/templates/a.yaml:2:3\n  executing \"web/templates/a.yaml\" at <.x>:\n    nil pointer evaluating interface {}.y"
        );
        assert_eq!(
            text(error, HelmCompat::Helm3),
            "template: web/templates/a.yaml:1:3: executing \"web/templates/a.yaml\" at <.x>: error calling include: \
             template: web/templates/a.yaml:2:3: executing \"web/templates/a.yaml\" at <.x>: nil pointer evaluating interface {}.y"
        );
    }

    #[test]
    fn failed_functions_stay_on_one_line() {
        let error = execution(1, "error calling index: index out of range: 5", None);
        assert_eq!(text(error.clone(), HelmCompat::Helm4), text(error, HelmCompat::Helm3));
    }
}
