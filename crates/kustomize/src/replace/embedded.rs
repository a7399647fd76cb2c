//! Fields inside of a text that is a JSON document.

use kubewright_machinery::object::canonical_json;
use kubewright_machinery::yaml;
use serde_json::Value;

use super::path::{CreatedLeaf, look_up, visit};
use super::scalar::write;
use crate::error::BuildProblem;
use crate::kustomization::ReplacementOptions;

/// Writes a value into a field of a document that is the text of another field. Returns false if the path does not lead into such a document.
pub(super) fn write_embedded(
    object: &mut Value,
    steps: &[String],
    leaf: CreatedLeaf,
    value: &Value,
    options: Option<&ReplacementOptions>,
) -> Result<bool, BuildProblem> {
    let is_text = |end: &usize| matches!(look_up(object, &steps[..*end]), Ok(Some(Value::String(_))));
    let Some(end) = (1..steps.len()).find(is_text) else { return Ok(false) };
    let Ok(Some(Value::String(text))) = look_up(object, &steps[..end]) else { return Ok(false) };
    let text = text.clone();
    let Ok(Ok([mut document])) = yaml::documents_of_yaml_1_2(&text).map(<[Value; 1]>::try_from) else { return Ok(false) };
    let set = &mut |field: &mut Value| write(field, value, options);
    if !matches!(visit(&mut document, &steps[end..], leaf, set), Ok(1..)) {
        return Ok(false);
    }
    if !text.trim_start().starts_with(['{', '[']) {
        let path = steps.join(".");
        return Err(BuildProblem(format!(
            "{path:?} leads into a YAML document in a text, which is not supported; write that document as JSON"
        )));
    }
    let is_pretty = text.contains('\n') && text.contains("  ");
    let printed = if is_pretty {
        serde_json::to_string_pretty(&document).map_err(|error| BuildProblem(error.to_string()))?
    } else {
        canonical_json(&document)
    };
    visit(object, &steps[..end], CreatedLeaf::Nothing, &mut |field| {
        *field = printed.as_str().into();
        Ok(())
    })?;
    Ok(true)
}
