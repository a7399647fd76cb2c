//! The options of a directory of templates.

use std::error::Error as StdError;
use std::fmt;
use std::sync::Arc;

use kubewright_template::{Delimiters, TemplateLimits};
use serde_json::{Map, Value};

use super::config::ComponentConfig;
use crate::functions::CustomFunctions;

type DecryptedFile = Result<Vec<u8>, Box<dyn StdError + Send + Sync>>;
type DecryptFile = dyn Fn(&[u8], &str) -> DecryptedFile + Send + Sync;

/// A function that decrypts files: from their content and path to the content that templates see.
#[derive(Clone)]
pub(crate) struct FileDecryptor(pub(super) Arc<DecryptFile>);

impl fmt::Debug for FileDecryptor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("FileDecryptor")
    }
}

/// The options of a directory of templates, as the author of the operator gives them. The configuration file of the directory wins over them.
#[derive(Clone, Debug, Default)]
pub(crate) struct TemplateOptions {
    pub(crate) template_suffix: String,
    pub(crate) delimiters: Delimiters,
    pub(crate) values: Map<String, Value>,
    pub(crate) included_files: Vec<String>,
    pub(crate) included_kustomizations: Vec<String>,
    pub(crate) decryptor: Option<FileDecryptor>,
    pub(crate) functions: CustomFunctions,
    pub(crate) limits: TemplateLimits,
}

impl TemplateOptions {
    pub(crate) fn decrypt_with<E: Into<Box<dyn StdError + Send + Sync>>>(
        &mut self,
        decrypt: impl Fn(&[u8], &str) -> Result<Vec<u8>, E> + Send + Sync + 'static,
    ) {
        self.decryptor = Some(FileDecryptor(Arc::new(move |content, path| decrypt(content, path).map_err(Into::into))));
    }

    /// Returns the options of an included kustomization: only those that are not about its templates are inherited.
    pub(crate) fn inherited(&self) -> Self {
        let Self { decryptor, functions, limits, .. } = self;
        Self { decryptor: decryptor.clone(), functions: functions.clone(), limits: *limits, ..Self::default() }
    }

    /// Replaces the options that a configuration file gives.
    pub(super) fn configure(&mut self, config: ComponentConfig) {
        fn settle<T>(option: &mut T, given: Option<T>) {
            if let Some(given) = given {
                *option = given;
            }
        }
        settle(&mut self.template_suffix, config.template_suffix);
        settle(&mut self.delimiters.left, config.left_template_delimiter);
        settle(&mut self.delimiters.right, config.right_template_delimiter);
        settle(&mut self.values, config.values);
        settle(&mut self.included_files, config.included_files);
        settle(&mut self.included_kustomizations, config.included_kustomizations);
        // An empty mark stands for the default, as in Go.
        let default = Delimiters::default();
        for (mark, default) in [(&mut self.delimiters.left, default.left), (&mut self.delimiters.right, default.right)] {
            if mark.is_empty() {
                *mark = default;
            }
        }
    }
}

/// The methods by which a generator with a field `options` takes the options of its templates.
macro_rules! template_option_methods {
    () => {
        /// Sets the suffix of templates, such as `.tpl`, which is not a part of the names of their outputs. Other files are copied as they are. By default
        /// it is empty, and every file is a template.
        #[must_use]
        pub fn template_suffix(mut self, suffix: impl Into<String>) -> Self {
            self.options.template_suffix = suffix.into();
            self
        }

        /// Sets the marks around actions in templates. The default is `{{` and `}}`.
        #[must_use]
        pub fn delimiters(mut self, left: impl Into<String>, right: impl Into<String>) -> Self {
            self.options.delimiters = kubewright_template::Delimiters { left: left.into(), right: right.into() };
            self
        }

        /// Sets the values that the parameters of a component are merged into: maps merge, other values replace, and a null deletes.
        #[must_use]
        pub fn values(mut self, values: serde_json::Map<String, serde_json::Value>) -> Self {
            self.options.values = values;
            self
        }

        /// Adds files outside of the directory, by their paths relative to it, which `readFile` and the other functions of files see.
        #[must_use]
        pub fn included_files(mut self, paths: impl IntoIterator<Item = impl Into<String>>) -> Self {
            self.options.included_files.extend(paths.into_iter().map(Into::into));
            self
        }

        /// Passes each file through a function before it is used, such as one that decrypts those with a certain name or content. Its arguments are the
        /// content and the path relative to the directory, which begins with `..` for an included file. Control files are read as they are.
        #[must_use]
        pub fn decryptor<F, E>(mut self, decrypt: F) -> Self
        where
            F: Fn(&[u8], &str) -> Result<Vec<u8>, E> + Send + Sync + 'static,
            E: Into<Box<dyn std::error::Error + Send + Sync>>,
        {
            self.options.decrypt_with(decrypt);
            self
        }

        /// Adds a function that templates can call. The name of a built-in function cannot be taken; that is an error when the generator is checked. The
        /// result must be determined by the arguments.
        #[must_use]
        pub fn function<F>(mut self, name: &'static str, signature: kubewright_template::Signature, body: F) -> Self
        where
            F: Fn(
                    &mut kubewright_template::FunctionCall<'_>,
                ) -> Result<kubewright_template::GoValue, kubewright_template::FunctionError>
                + Send
                + Sync
                + 'static,
        {
            self.options.functions.add(name, signature, body);
            self
        }

        /// Sets the limits of all templates of one rendering together.
        #[must_use]
        pub fn limits(mut self, limits: kubewright_template::TemplateLimits) -> Self {
            self.options.limits = limits;
            self
        }
    };
}
pub(crate) use template_option_methods;
