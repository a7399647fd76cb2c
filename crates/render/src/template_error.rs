//! Errors of templates as errors of a rendering (GEN-4, TPL-1).

use kubewright_template::TemplateError;

use crate::InputError;

/// Returns the error of a template with its file and line. The text goes on with the column, from 1, and ends with the chain of includes. `file` gives the
/// path of the file with the text of a template.
pub(crate) fn template_error(error: &TemplateError, file: impl Fn(&str) -> String) -> InputError {
    let text = error.to_string();
    let (template, line, column, place) = match error {
        TemplateError::Parse { template, line, .. } => (template, *line, None, format!("parse error at ({template}:{line}): ")),
        TemplateError::Failed { position, .. } => {
            (&position.template, position.line, Some(position.column), format!("execution error at ({position}): "))
        }
        TemplateError::Execution { position, .. } | TemplateError::Limit { position: Some(position), .. } => {
            (&position.template, position.line, Some(position.column), format!("template: {position}: "))
        }
        _ => return InputError::new(text),
    };
    let message = text.strip_prefix(&place).unwrap_or(&text);
    let message = column.map_or_else(|| message.to_owned(), |column| format!("column {}: {message}", column + 1));
    InputError::new(message).file(file(template)).line(line as u64)
}
