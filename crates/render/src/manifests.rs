use std::path::Path;

use kubewright_machinery::yaml;
use serde_json::Value;

use crate::{Generator, InputError, Manifest, RenderContext, RenderError};

/// Fixed manifests: one or many YAML documents, from files or embedded in the binary.
///
/// Everything is read and parsed once, at construction. What is wrong with it is reported when the operator starts.
///
/// ```
/// use kubewright_render::Manifests;
///
/// let manifests = Manifests::embedded("settings.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: settings}\n");
/// ```
#[derive(Debug, Default)]
pub struct Manifests {
    manifests: Vec<Manifest>,
    fault: Option<Fault>,
}

#[derive(Clone, Debug)]
struct Fault {
    file: String,
    message: String,
}

impl Manifests {
    /// Manifests from a text, such as `include_str!("manifests.yaml")`; the name stands in messages.
    pub fn embedded(name: &str, text: &str) -> Self {
        Self::default().and_embedded(name, text)
    }

    /// Manifests from a file.
    pub fn file(path: impl AsRef<Path>) -> Self {
        Self::default().and_file(path)
    }

    /// Manifests from all files of a directory that end in `.yaml`, `.yml` or `.json`, in the order of their names.
    /// Sub-directories are not read.
    pub fn directory(path: impl AsRef<Path>) -> Self {
        let path = path.as_ref();
        let mut manifests = Self::default();
        let mut files = match std::fs::read_dir(path).and_then(Iterator::collect::<Result<Vec<_>, _>>) {
            Ok(entries) => entries.into_iter().map(|entry| entry.path()).collect::<Vec<_>>(),
            Err(error) => {
                manifests.refuse(&path.display().to_string(), error.to_string());
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
            Err(RenderError::Input(error)) => self.refuse(name, error.to_string()),
            Err(error) => self.refuse(name, error.to_string()),
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
                self.refuse(&name, error.to_string());
                self
            }
        }
    }

    /// The manifests of a text, for generators that get their text from elsewhere. Empty documents are left out.
    pub fn parse(name: &str, text: &str) -> Result<Vec<Manifest>, RenderError> {
        let documents = yaml::documents(text).map_err(|error| InputError::new(error.to_string()).file(name).caused_by(error))?;
        let manifest = |(index, document): (usize, Value)| {
            Manifest::from_json(document)
                .map_err(|error| InputError::new(format!("document {}: {error}", index + 1)).file(name).into())
        };
        let filled = |(_, document): &(usize, Value)| !document.is_null();
        documents.into_iter().enumerate().filter(filled).map(manifest).collect()
    }

    fn refuse(&mut self, file: &str, message: String) {
        let message = message.strip_prefix(&format!("{file}: ")).map(str::to_owned).unwrap_or(message);
        self.fault.get_or_insert_with(|| Fault { file: file.to_owned(), message });
    }

    fn verify(&self) -> Result<(), RenderError> {
        match &self.fault {
            None => Ok(()),
            Some(fault) => Err(InputError::new(&fault.message).file(&fault.file).into()),
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
