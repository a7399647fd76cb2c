use std::path::Path;

use kubewright_machinery::yaml;
use serde_json::Value;

use crate::{Generator, InputError, Manifest, RenderContext, RenderError};

/// Fixed manifests: one or many YAML documents, from files or embedded in the binary.
///
/// All documents are read and parsed once, at construction. Their errors are reported when the operator starts.
///
/// ```
/// use kubewright_render::Manifests;
///
/// let manifests = Manifests::embedded("settings.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: settings}\n");
/// ```
#[derive(Debug, Default)]
pub struct Manifests {
    manifests: Vec<Manifest>,
    /// The first error, with its file.
    fault: Option<String>,
}

impl Manifests {
    /// Creates manifests from a text, such as `include_str!("manifests.yaml")`; the name is used in messages.
    pub fn embedded(name: &str, text: &str) -> Self {
        Self::default().and_embedded(name, text)
    }

    /// Reads manifests from a file.
    pub fn file(path: impl AsRef<Path>) -> Self {
        Self::default().and_file(path)
    }

    /// Reads manifests from all files of a directory that end in `.yaml`, `.yml` or `.json`, in the order of their names. Sub-directories are not
    /// read.
    pub fn directory(path: impl AsRef<Path>) -> Self {
        let path = path.as_ref();
        let mut manifests = Self::default();
        let mut files = match std::fs::read_dir(path).and_then(Iterator::collect::<Result<Vec<_>, _>>) {
            Ok(entries) => entries.into_iter().map(|entry| entry.path()).collect::<Vec<_>>(),
            Err(error) => {
                manifests.refuse(InputError::new(error.to_string()).file(path.display().to_string()));
                Vec::new()
            }
        };
        files.sort();
        let is_manifest = |file: &Path| {
            let known = |extension| ["yaml", "yml", "json"].iter().any(|known| extension == *known);
            file.is_file() && file.extension().is_some_and(known)
        };
        files.retain(|file| is_manifest(file));
        files.into_iter().fold(manifests, Self::and_file)
    }

    /// Adds the manifests of another text.
    #[must_use]
    pub fn and_embedded(mut self, name: &str, text: &str) -> Self {
        match Self::parse(name, text) {
            Ok(more) => self.manifests.extend(more),
            Err(error) => self.refuse(error),
        }
        self
    }

    /// Adds the manifests of another file.
    #[must_use]
    pub fn and_file(mut self, path: impl AsRef<Path>) -> Self {
        let name = path.as_ref().display().to_string();
        match std::fs::read_to_string(&path) {
            Ok(text) => self.and_embedded(&name, &text),
            Err(error) => {
                self.refuse(InputError::new(error.to_string()).file(name));
                self
            }
        }
    }

    /// Parses the manifests of a text, for generators that get their text from elsewhere. Empty documents are left out.
    ///
    /// An error names the document and its line.
    pub fn parse(name: &str, text: &str) -> Result<Vec<Manifest>, RenderError> {
        let lines = yaml::document_lines(text);
        let documents = yaml::documents(text).map_err(|error| {
            let line = error.location().map(|(line, _)| line);
            let document = lines.iter().filter(|start| line.is_some_and(|line| **start <= line)).count().max(1);
            let message = InputError::new(format!("document {document}: {error}")).file(name);
            line.into_iter().fold(message, InputError::line).caused_by(error)
        })?;
        let manifest = |(index, document): (usize, Value)| {
            let refuse = |message: String| {
                let error = InputError::new(format!("document {}: {message}", index + 1)).file(name);
                lines.get(index).into_iter().fold(error, |error, line| error.line(*line))
            };
            let text = |field: &str| document.get(field).and_then(Value::as_str).filter(|text| !text.is_empty());
            if document.is_object() {
                for field in ["apiVersion", "kind"] {
                    text(field).ok_or_else(|| {
                        refuse(format!("{field} is missing; every manifest needs apiVersion, kind and metadata.name"))
                    })?;
                }
            }
            Manifest::from_json(document).map_err(|error| refuse(error.to_string()).into())
        };
        documents.into_iter().enumerate().map(manifest).collect()
    }

    fn refuse(&mut self, fault: impl ToString) {
        self.fault.get_or_insert_with(|| fault.to_string());
    }

    fn verify(&self) -> Result<(), RenderError> {
        match &self.fault {
            None => Ok(()),
            Some(fault) => Err(InputError::new(fault).into()),
        }
    }
}

impl<C: Send + Sync + 'static> Generator<C> for Manifests {
    async fn render(&self, _: &RenderContext<C>) -> Result<Vec<Manifest>, RenderError> {
        self.verify()?;
        Ok(self.manifests.clone())
    }

    fn check(&self) -> Result<(), RenderError> {
        self.verify()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fault(text: &str) -> String {
        Manifests::parse("a.yaml", text).unwrap_err().to_string()
    }

    #[test]
    fn documents_become_manifests_and_empty_ones_are_left_out() {
        let text = "---\n# nothing\n---\napiVersion: v1\nkind: ConfigMap\n---\n---\napiVersion: v1\nkind: Secret\n";
        assert_eq!(Manifests::parse("a.yaml", text).unwrap().len(), 2);
    }

    #[test]
    fn an_invalid_manifest_is_an_error_that_names_document_and_line() {
        let good = "apiVersion: v1\nkind: ConfigMap\n";
        assert_eq!(
            fault(&format!("{good}---\n# a comment\napiVersion: v1\nmetadata: {{}}\n")),
            "a.yaml:5: document 2: kind is missing; every manifest needs apiVersion, kind and metadata.name"
        );
        assert_eq!(
            fault(&format!("{good}---\n- a\n")),
            "a.yaml:4: document 2: a manifest must be a JSON object, but this is a list"
        );
        let broken = fault(&format!("{good}---\n{good}---\na: [1\nb: 2\n"));
        assert!(
            broken.starts_with("a.yaml:8: document 3: read YAML: ") || broken.starts_with("a.yaml:7: document 3: read YAML: "),
            "{broken}"
        );
    }

    #[test]
    fn the_first_fault_is_reported_when_the_operator_starts() {
        let manifests = Manifests::embedded("a.yaml", "kind: ConfigMap").and_embedded("b.yaml", "- a");
        let error = Generator::<()>::check(&manifests).unwrap_err().to_string();
        assert!(error.starts_with("a.yaml:1: document 1: apiVersion is missing"), "{error}");
    }
}
