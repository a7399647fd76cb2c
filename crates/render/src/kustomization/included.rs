//! A kustomization and those that it includes (KUS-5).

use std::collections::BTreeMap;

use crate::file_map::{common_ancestor, is_within};
use crate::template_files::{FileBudget, FileSource, LoadedFiles, TemplateOptions, included_paths};
use crate::{InputError, RenderError};

/// The largest number of kustomizations of which each includes the next.
const DEEPEST_INCLUSION: usize = 50;

/// Reads the kustomization of a directory and those that it includes, by their paths in the source.
pub(super) fn load_kustomizations(
    source: &FileSource,
    directory: &str,
    options: &TemplateOptions,
) -> Result<BTreeMap<String, LoadedFiles>, RenderError> {
    let mut inclusion = Inclusion { source, budget: FileBudget::default(), chain: Vec::new(), loaded: BTreeMap::new() };
    inclusion.load(directory, options.clone())?;
    Ok(inclusion.loaded)
}

/// Returns the path of the directory in which all kustomizations lie.
pub(super) fn common_root<'a>(mut directories: impl Iterator<Item = &'a String>) -> String {
    let first = directories.next().cloned().unwrap_or_default();
    directories.fold(first, |common, directory| common_ancestor(&common, directory))
}

struct Inclusion<'a> {
    source: &'a FileSource,
    budget: FileBudget,
    /// The directories of the kustomizations of which each includes the next.
    chain: Vec<String>,
    loaded: BTreeMap<String, LoadedFiles>,
}

impl Inclusion<'_> {
    fn load(&mut self, directory: &str, options: TemplateOptions) -> Result<(), RenderError> {
        let inherited = options.inherited();
        let files = LoadedFiles::read(self.source, directory, options, &mut self.budget)?;
        let included = included_paths(self.source, directory, &files.options.included_kustomizations)?;
        self.loaded.insert(directory.to_owned(), files);
        self.chain.push(directory.to_owned());
        for path in &included {
            self.include(path, directory, &inherited)?;
        }
        self.chain.pop();
        Ok(())
    }

    fn include(&mut self, path: &str, directory: &str, options: &TemplateOptions) -> Result<(), RenderError> {
        let shown = |path: &str| format!("{:?}", self.source.shown(path));
        let refuse = |problem: String| Err(InputError::new(problem).file(self.source.shown(directory)).into());
        if let Some(start) = self.chain.iter().position(|earlier| earlier == path) {
            let chain: Vec<String> = self.chain[start..].iter().map(String::as_str).chain([path]).map(shown).collect();
            return refuse(format!("the included kustomizations are a cycle: {}; remove one of them", chain.join(" includes ")));
        }
        // Two ways to one kustomization give the same result.
        if self.loaded.contains_key(path) {
            return Ok(());
        }
        if let Some(other) = self.loaded.keys().find(|other| is_within(path, other) || is_within(other, path)) {
            let problem = "overlaps with the kustomization";
            return refuse(format!("the included kustomization {} {problem} {}; move one of them", shown(path), shown(other)));
        }
        if self.chain.len() >= DEEPEST_INCLUSION {
            return refuse(format!(
                "more than {DEEPEST_INCLUSION} kustomizations include the next; include them together instead"
            ));
        }
        self.load(path, options.clone())
    }
}
