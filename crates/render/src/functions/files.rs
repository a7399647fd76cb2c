//! `listFiles`, `existsFile` and `readFile`: the files of a kustomization, ignored and included ones too.

use globset::GlobBuilder;
use kubewright_template::{FunctionError, FunctionSet, GoValue, Parameter, Signature};

use super::host_of::host_of;
use crate::file_map::normal_path;

const PATH: Signature = Signature::of(&[Parameter::String]);

/// Adds the functions. Paths are relative to the kustomization.
pub(super) fn add_files(functions: &mut FunctionSet) {
    functions.add("listFiles", PATH, |call| {
        let pattern = call.string(0).to_text().into_owned();
        let normal = relative(&pattern)?;
        let glob = GlobBuilder::new(&normal).literal_separator(true).build();
        let glob = glob.map_err(|error| FunctionError::new(format!("the pattern {pattern:?} is malformed: {}", error.kind())))?;
        let matcher = glob.compile_matcher();
        let files = host_of(call)?.files();
        Ok(GoValue::strings(files.keys().filter(|path| matcher.is_match(path)).map(String::as_str)))
    });
    functions.add("existsFile", PATH, |call| {
        let path = relative(&call.string(0).to_text())?;
        Ok(host_of(call)?.files().contains_key(&path).into())
    });
    functions.add("readFile", PATH, |call| {
        let path = relative(&call.string(0).to_text())?;
        let files = host_of(call)?.files();
        let content = files.get(&path).ok_or_else(|| {
            FunctionError::new(format!(
                "the file {path:?} does not exist; a file outside of the directory must be listed in includedFiles"
            ))
        })?;
        Ok(GoValue::string(content.clone()))
    });
}

fn relative(path: &str) -> Result<String, FunctionError> {
    normal_path(path)
        .ok_or_else(|| FunctionError::new(format!("the path {path:?} is absolute; paths are relative to the directory")))
}
