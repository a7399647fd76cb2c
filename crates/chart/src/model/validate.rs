//! Rules of the metadata.

use std::collections::BTreeSet;

use kubewright_template::library::SemanticVersion;

use super::metadata::ChartMetadata;
use crate::error::ChartError;

impl ChartMetadata {
    /// Checks the metadata, and cleans its texts of characters that cannot be printed.
    pub(super) fn validate(&mut self) -> Result<(), ChartError> {
        let texts = [
            &mut self.name,
            &mut self.description,
            &mut self.home,
            &mut self.icon,
            &mut self.condition,
            &mut self.tags,
            &mut self.app_version,
            &mut self.kube_version,
        ];
        texts.into_iter().chain(&mut self.sources).chain(&mut self.keywords).for_each(clean);
        let invalid = |text: String| Err(ChartError::Metadata(text));
        let required = [("apiVersion", &self.api_version), ("name", &self.name)];
        if let Some((field, _)) = required.iter().find(|(_, text)| text.is_empty()) {
            return invalid(format!("chart.metadata.{field} is required"));
        }
        if matches!(self.name.as_str(), "." | "..") {
            return invalid(format!("chart.metadata.name {:?} is not allowed", self.name));
        }
        if self.name.contains('/') {
            return invalid(format!("chart.metadata.name {:?} is invalid", self.name));
        }
        if self.version.is_empty() {
            return invalid("chart.metadata.version is required".to_owned());
        }
        if SemanticVersion::parse(&self.version).is_err() {
            return invalid(format!("chart.metadata.version {:?} is invalid", self.version));
        }
        if !matches!(self.chart_type.as_str(), "" | "application" | "library") {
            return invalid("chart.metadata.type must be application or library".to_owned());
        }
        for maintainer in &mut self.maintainers {
            [&mut maintainer.name, &mut maintainer.email, &mut maintainer.url].into_iter().for_each(clean);
        }
        self.validate_dependencies()
    }

    fn validate_dependencies(&mut self) -> Result<(), ChartError> {
        let mut names = BTreeSet::new();
        for dependency in &mut self.dependencies {
            let texts = [&mut dependency.name, &mut dependency.version, &mut dependency.repository, &mut dependency.condition];
            texts.into_iter().chain(&mut dependency.tags).for_each(clean);
            if !dependency.alias.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-')) {
                return Err(ChartError::Metadata(format!(
                    "dependency {:?} has disallowed characters in the alias",
                    dependency.name
                )));
            }
            if !names.insert(dependency.used_name().to_owned()) {
                return Err(ChartError::Metadata(format!(
                    "more than one dependency with name or alias {:?}",
                    dependency.used_name()
                )));
            }
        }
        Ok(())
    }
}

/// Replaces white space by blanks, and removes characters that cannot be printed.
fn clean(text: &mut String) {
    if text.chars().any(|c| c.is_control() || c.is_whitespace() && c != ' ') {
        let cleaned = text.chars().map(|c| if c.is_whitespace() { ' ' } else { c }).filter(|c| !c.is_control());
        *text = cleaned.collect();
    }
}
