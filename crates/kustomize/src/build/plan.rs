//! The transformations that a kustomization asks for, in the order in which they run.

use kubewright_machinery::yaml;
use serde_json::Value;

use super::directory::Directory;
use crate::error::{BuildProblem, KustomizeError};
use crate::fields::{FieldSpec, Tables, merge_specs};
use crate::kustomization::{LabelEntry, PatchEntry, ReplacementEntry};
use crate::replace::FieldReplacement;
use crate::resource::read_resources;
use crate::transform::{NamespaceTransformer, PatchSource, Transformer};

/// A transformer with the field of the kustomization that asks for it.
type FieldTransformer = (String, Transformer);

/// Returns the transformers of the fields of a kustomization.
pub(super) fn transformers(directory: &Directory<'_>, tables: &Tables) -> Result<Vec<FieldTransformer>, KustomizeError> {
    let kustomization = &directory.kustomization;
    let mut planned: Vec<FieldTransformer> = Vec::new();
    let mut add = |field: &str, transformer: Result<Transformer, BuildProblem>| {
        let transformer = transformer.map_err(|problem| problem.in_field(&directory.file, field))?;
        planned.push((field.to_owned(), transformer));
        Ok::<(), KustomizeError>(())
    };
    if !kustomization.patches_strategic_merge.is_empty() {
        add("patchesStrategicMerge", strategic_merge(directory))?;
    }
    for (index, entry) in kustomization.patches.iter().enumerate() {
        let source = patch_source(directory, entry, true);
        add(&format!("patches[{index}]"), source.and_then(|source| source.transformer(entry)))?;
    }
    if !kustomization.namespace.is_empty() {
        let (namespace, fields) = (kustomization.namespace.clone(), tables.namespace.clone());
        let transformer = NamespaceTransformer { namespace, fields, ..NamespaceTransformer::default() };
        add("namespace", Ok(Transformer::Namespace(transformer)))?;
    }
    if !kustomization.name_prefix.is_empty() {
        let (prefix, fields) = (kustomization.name_prefix.clone(), tables.name_prefix.clone());
        add("namePrefix", Ok(Transformer::Prefix { prefix, fields }))?;
    }
    if !kustomization.name_suffix.is_empty() {
        let (suffix, fields) = (kustomization.name_suffix.clone(), tables.name_suffix.clone());
        add("nameSuffix", Ok(Transformer::Suffix { suffix, fields }))?;
    }
    for (index, entry) in kustomization.labels.iter().enumerate() {
        let fields = label_fields(entry, tables);
        let transformer = fields.map(|fields| Transformer::Labels { labels: entry.pairs.clone(), fields });
        add(&format!("labels[{index}]"), transformer)?;
    }
    if !kustomization.labels.is_empty() || !kustomization.common_labels.is_empty() {
        let (labels, fields) = (kustomization.common_labels.clone(), tables.common_labels.clone());
        add("commonLabels", Ok(Transformer::Labels { labels, fields }))?;
    }
    if !kustomization.common_annotations.is_empty() {
        let (annotations, fields) = (kustomization.common_annotations.clone(), tables.common_annotations.clone());
        add("commonAnnotations", Ok(Transformer::Annotations { annotations, fields }))?;
    }
    for (index, entry) in kustomization.patches_json6902.iter().enumerate() {
        let source = patch_source(directory, entry, false);
        add(&format!("patchesJson6902[{index}]"), source.and_then(|source| source.json_transformer(entry)))?;
    }
    for (index, replica) in kustomization.replicas.iter().enumerate() {
        let transformer = Transformer::Replicas { replica: replica.clone(), fields: tables.replicas.clone() };
        add(&format!("replicas[{index}]"), Ok(transformer))?;
    }
    for (index, image) in kustomization.images.iter().enumerate() {
        let transformer = Transformer::Image { image: image.clone(), fields: tables.images.clone() };
        add(&format!("images[{index}]"), Ok(transformer))?;
    }
    if !kustomization.replacements.is_empty() {
        add("replacements", replacements(directory).map(Transformer::Replacements))?;
    }
    Ok(planned)
}

/// Reads the patches of `patchesStrategicMerge`, of which each entry is a patch or the path of a file with patches.
fn strategic_merge(directory: &Directory<'_>) -> Result<Transformer, BuildProblem> {
    let mut patches = Vec::new();
    for entry in &directory.kustomization.patches_strategic_merge {
        match read_resources(entry.as_bytes()) {
            Ok(inline) => patches.extend(inline),
            Err(problem) if entry.contains('\n') => return Err(problem),
            Err(_) => patches.extend(read_resources(directory.load(entry)?).map_err(|problem| problem.within(entry))?),
        }
    }
    if patches.is_empty() {
        return Err(BuildProblem::new("patch appears to be empty"));
    }
    Ok(Transformer::StrategicMerge(patches))
}

/// Returns the text of a patch. `trims` is true if blanks around an inline patch do not count.
fn patch_source(directory: &Directory<'_>, entry: &PatchEntry, trims: bool) -> Result<PatchSource, BuildProblem> {
    let inline = if trims { entry.patch.trim() } else { &entry.patch };
    match (inline.is_empty(), entry.path.is_empty()) {
        (true, true) => Err(BuildProblem::new("must specify one of patch and path")),
        (false, false) => Err(BuildProblem::new("patch and path can't be set at the same time")),
        (false, true) => Ok(PatchSource { text: inline.to_owned(), path: None }),
        (true, false) => {
            let bytes = directory.load(&entry.path).map_err(|problem| problem.within("failed to get the patch file"))?;
            let text = String::from_utf8(bytes.to_vec()).map_err(|_| BuildProblem(format!("{} is not UTF-8", entry.path)))?;
            Ok(PatchSource { text, path: Some(entry.path.clone()) })
        }
    }
}

fn label_fields(entry: &LabelEntry, tables: &Tables) -> Result<Vec<FieldSpec>, BuildProblem> {
    let mut fields = entry.fields.clone();
    merge_specs(&mut fields, &tables.labels)?;
    if entry.include_selectors {
        merge_specs(&mut fields, &tables.common_labels)?;
        return Ok(fields);
    }
    if entry.include_templates {
        merge_specs(&mut fields, &tables.template_labels)?;
    }
    if entry.include_volume_claim_templates {
        merge_specs(&mut fields, &tables.volume_claim_template_labels)?;
    }
    merge_specs(&mut fields, &[FieldSpec::everywhere("metadata/labels")])?;
    Ok(fields)
}

/// Reads the replacements, of which each entry is one or the path of a file with one or a list of them.
fn replacements(directory: &Directory<'_>) -> Result<Vec<FieldReplacement>, BuildProblem> {
    let mut replacements = Vec::new();
    for entry in &directory.kustomization.replacements {
        if entry.path.is_empty() {
            replacements.push(FieldReplacement::new(entry)?);
            continue;
        }
        if entry.source.is_some() || entry.targets.is_some() {
            return Err(BuildProblem::new("cannot specify both path and inline replacement"));
        }
        let within = |problem: BuildProblem| problem.within(&entry.path);
        let text =
            std::str::from_utf8(directory.load(&entry.path)?).map_err(|_| within(BuildProblem::new("the file is not UTF-8")))?;
        let document = yaml::first_document(text).map_err(|error| within(BuildProblem(error.to_string())))?;
        let items = if let Value::Array(items) = document { items } else { vec![document] };
        for item in items {
            let read: ReplacementEntry = serde_json::from_value(item).map_err(|error| within(BuildProblem(error.to_string())))?;
            if !read.path.is_empty() {
                return Err(within(BuildProblem::new("a file of replacements cannot name another one")));
            }
            replacements.push(FieldReplacement::new(&read).map_err(within)?);
        }
    }
    Ok(replacements)
}
