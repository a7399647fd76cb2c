//! The compiled templates of one directory.

use std::collections::BTreeMap;
use std::sync::Arc;

use kubewright_machinery::patch::merge_patch;
use kubewright_template::{ExecutionUsage, FunctionSet, GoValue, TemplateSet};
use serde_json::Value;

use super::loaded::LoadedFiles;
use crate::file_map::{FileMap, entry_path};
use crate::host::RenderHost;
use crate::template_error::template_error;
use crate::{InputError, RenderError};

/// The text of an absent value, which is removed from every output.
const NO_VALUE: &str = "<no value>";

/// The templates and other files of one directory. They can be rendered by several threads at once.
#[derive(Debug)]
pub(crate) struct CompiledFiles {
    /// The path by which errors name the directory; empty for none.
    shown: String,
    set: TemplateSet,
    /// The names of the templates that have to be executed, by the paths of their outputs.
    templates: BTreeMap<String, String>,
    /// The other files: those that are no templates, and those that print themselves.
    copies: FileMap,
    readable: Arc<FileMap>,
    values: Value,
}

/// One rendering, in which several directories share limits and randomness.
pub(crate) struct TemplateRun<'a> {
    pub(crate) host: &'a RenderHost,
    pub(crate) usage: ExecutionUsage,
    /// The parameters of the component, an object.
    pub(crate) parameters: &'a Value,
}

impl CompiledFiles {
    /// Compiles the templates of a directory. Errors name the directory by `shown`.
    pub(crate) fn compile(files: LoadedFiles, functions: &Arc<FunctionSet>, shown: &str) -> Result<Self, RenderError> {
        let LoadedFiles { options, active, readable } = files;
        let mut set = TemplateSet::new(Arc::clone(functions), options.delimiters.clone());
        let (mut templates, mut copies) = (BTreeMap::new(), FileMap::new());
        for (path, content) in active {
            let refuse = |problem: String| InputError::new(problem).file(entry_path(shown, &path));
            let Some(output) = path.strip_suffix(options.template_suffix.as_str()) else {
                insert_output(&mut copies, &templates, &path, content).map_err(refuse)?;
                continue;
            };
            if output.is_empty() || output.ends_with('/') {
                return Err(refuse("the file has no name besides the suffix of templates".to_owned()).into());
            }
            let left = options.delimiters.left.as_str();
            let is_plain = match std::str::from_utf8(&content) {
                Ok(text) => {
                    let added = set.add(&path, text);
                    added.map_err(|error| template_error(&error, |template| entry_path(shown, template)))?;
                    !text.contains(left) && !text.contains(NO_VALUE)
                }
                Err(_) if content.windows(left.len()).any(|bytes| bytes == left.as_bytes()) => {
                    let remedy = "set a suffix of templates that the file does not have, or list it in .component-ignore";
                    return Err(refuse(format!("the file is no template, because it is not UTF-8; {remedy}")).into());
                }
                Err(_) => true,
            };
            if is_plain {
                insert_output(&mut copies, &templates, output, content).map_err(refuse)?;
            } else if copies.contains_key(output) || templates.contains_key(output) {
                return Err(refuse(format!("the output {output:?} is that of another file, too")).into());
            } else {
                templates.insert(output.to_owned(), path);
            }
        }
        let values = Value::Object(options.values);
        Ok(Self { shown: shown.to_owned(), set, templates, copies, readable, values })
    }

    /// Returns the text by which errors name a file of the directory.
    pub(crate) fn shown(&self, path: &str) -> String {
        entry_path(&self.shown, path)
    }

    /// Renders the files and returns them by the paths of their outputs.
    pub(crate) fn render(&self, run: &mut TemplateRun<'_>) -> Result<FileMap, RenderError> {
        let mut outputs = self.copies.clone();
        let mut values = self.values.clone();
        merge_patch(&mut values, run.parameters);
        run.host.set_files(&self.readable);
        for (output, template) in &self.templates {
            // Each template gets data of its own: functions such as `set` change them.
            let data = GoValue::from(&values);
            let rendered = self.set.execute_within(template, &data, run.host, &mut run.usage);
            let rendered = rendered.map_err(|error| template_error(&error, |template| self.shown(template)))?;
            outputs.insert(output.clone(), rendered.as_bytes().into());
        }
        Ok(outputs)
    }
}

fn insert_output(
    copies: &mut FileMap,
    templates: &BTreeMap<String, String>,
    output: &str,
    content: Arc<[u8]>,
) -> Result<(), String> {
    if templates.contains_key(output) || copies.insert(output.to_owned(), content).is_some() {
        return Err(format!("the output {output:?} is that of another file, too"));
    }
    Ok(())
}
