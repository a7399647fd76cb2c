//! `.component-config.yaml`: the options of a directory of templates, beside its files (KUS-2).

use kubewright_machinery::yaml;
use serde::Deserialize;
use serde_json::{Map, Value};

use crate::{InputError, RenderError};

/// The name of the file.
pub(crate) const CONFIG_FILE: &str = ".component-config.yaml";

/// The content of the file. A field that is given wins over the option of the same name.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub(super) struct ComponentConfig {
    pub(super) template_suffix: Option<String>,
    pub(super) left_template_delimiter: Option<String>,
    pub(super) right_template_delimiter: Option<String>,
    pub(super) included_files: Option<Vec<String>>,
    pub(super) included_kustomizations: Option<Vec<String>>,
    pub(super) values: Option<Map<String, Value>>,
}

impl ComponentConfig {
    /// Reads the file. `file` is its path, for errors.
    pub(super) fn read(content: &[u8], file: &str) -> Result<Self, RenderError> {
        let refuse = |problem: String| InputError::new(problem).file(file);
        let text = std::str::from_utf8(content).map_err(|_| refuse("the file is not UTF-8".to_owned()))?;
        let mut documents = yaml::documents(text).map_err(|error| {
            let line = error.location().map(|(line, _)| line);
            line.into_iter().fold(refuse(error.to_string()), InputError::line)
        })?;
        let Some(document) = documents.pop() else { return Ok(Self::default()) };
        if !documents.is_empty() {
            return Err(refuse(format!("the file has {} documents; it must be one", documents.len() + 1)).into());
        }
        serde_json::from_value(document).map_err(|error| RenderError::from(error).in_file(file))
    }
}
