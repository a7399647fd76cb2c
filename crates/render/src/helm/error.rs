//! Errors of charts as errors of a rendering (GEN-4).

use kubewright_chart::ChartError;

use crate::template_error::template_error;
use crate::{InputError, RenderError};

/// Returns the error of a chart, with the file and the line that are at fault.
pub(super) fn render_error(error: &ChartError) -> RenderError {
    match error {
        ChartError::Read { path, source } => InputError::new(source.to_string()).file(path.display().to_string()),
        ChartError::File { file, message } => InputError::new(message).file(file),
        ChartError::Template { source, .. } => template_error(source, str::to_owned),
        ChartError::Document { file, index, message } => {
            InputError::new(format!("document {} is no YAML of a Kubernetes object: {message}", index + 1)).file(file)
        }
        other => InputError::new(other.to_string()),
    }
    .into()
}

#[cfg(test)]
mod tests {
    use kubewright_template::{SourcePosition, TemplateError};

    use super::*;

    fn position(column: usize) -> SourcePosition {
        SourcePosition { template: "web/templates/a.yaml".to_owned(), line: 3, column }
    }

    fn text(source: TemplateError) -> String {
        render_error(&ChartError::Template { text: "of Helm".to_owned(), source: Box::new(source) }).to_string()
    }

    // GEN-4, TPL-1
    #[test]
    fn errors_of_templates_name_file_line_column_and_the_chain_of_includes() {
        let inner = TemplateError::Execution {
            position: SourcePosition { template: "web/templates/_b.tpl".to_owned(), line: 7, column: 2 },
            executing: "web.name".to_owned(),
            node: Some(".x".to_owned()),
            message: "nil pointer evaluating interface {}.x".to_owned(),
            cause: None,
        };
        let outer = TemplateError::Execution {
            position: position(4),
            executing: "web/templates/a.yaml".to_owned(),
            node: Some("include \"web.name\" .".to_owned()),
            message: "error calling include".to_owned(),
            cause: Some(Box::new(inner)),
        };
        assert_eq!(
            text(outer),
            "web/templates/a.yaml:3: column 5: executing \"web/templates/a.yaml\" at <include \"web.name\" .>: error calling include: \
             template: web/templates/_b.tpl:7:2: executing \"web.name\" at <.x>: nil pointer evaluating interface {}.x"
        );
    }

    #[test]
    fn errors_for_the_user_and_of_parsing_name_their_place() {
        let failed = TemplateError::Failed { position: position(0), message: "a host is needed".to_owned() };
        assert_eq!(text(failed), "web/templates/a.yaml:3: column 1: a host is needed");
        let parse =
            TemplateError::Parse { template: "a".to_owned(), line: 2, message: "template: a:2: unexpected {{end}}".to_owned() };
        assert_eq!(text(parse), "a:2: unexpected {{end}}");
    }

    #[test]
    fn errors_of_documents_count_from_one() {
        let error = ChartError::Document { file: "web/templates/a.yaml".to_owned(), index: 1, message: "a tab".to_owned() };
        let expected = "web/templates/a.yaml: document 2 is no YAML of a Kubernetes object: a tab";
        assert_eq!(render_error(&error).to_string(), expected);
    }
}
