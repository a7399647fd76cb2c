//! The tables of fields: the defaults, and the ones of `configurations`.

use std::sync::{Arc, LazyLock};

use kubewright_machinery::yaml;
use serde::Deserialize;
use serde_json::Value;

use super::spec::{FieldSpec, KindPattern, merge_specs};
use crate::error::BuildProblem;

/// The default tables, sorted. They are JSON, which is read in a tenth of the time of YAML: every build needs them.
const DEFAULT_TABLES: &str = include_str!("../../data/fields.json");

static DEFAULTS: LazyLock<Arc<Tables>> = LazyLock::new(|| {
    // A test reads the committed tables. With broken ones, a build would change no fields but would still run.
    Arc::new(serde_json::from_str(DEFAULT_TABLES).unwrap_or_default())
});

/// The fields that each transformation changes.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default, rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Tables {
    pub(crate) name_prefix: Vec<FieldSpec>,
    pub(crate) name_suffix: Vec<FieldSpec>,
    pub(crate) namespace: Vec<FieldSpec>,
    pub(crate) common_labels: Vec<FieldSpec>,
    pub(crate) labels: Vec<FieldSpec>,
    pub(crate) template_labels: Vec<FieldSpec>,
    pub(crate) volume_claim_template_labels: Vec<FieldSpec>,
    pub(crate) common_annotations: Vec<FieldSpec>,
    pub(crate) images: Vec<FieldSpec>,
    pub(crate) replicas: Vec<FieldSpec>,
    pub(crate) name_reference: Vec<NameReferences>,
    /// The fields in which `vars` are replaced. Without `vars`, which are not supported, nothing is.
    var_reference: Vec<FieldSpec>,
}

/// The fields that refer to objects of a kind by their name.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(from = "WrittenReferences")]
pub(crate) struct NameReferences {
    /// The kinds that are referred to.
    pub(crate) target: KindPattern,
    pub(crate) referrers: Vec<FieldSpec>,
}

/// References as configurations have them.
#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct WrittenReferences {
    group: String,
    version: String,
    kind: String,
    #[serde(rename = "fieldSpecs")]
    referrers: Vec<FieldSpec>,
}

impl From<WrittenReferences> for NameReferences {
    fn from(written: WrittenReferences) -> Self {
        let WrittenReferences { group, version, kind, referrers } = written;
        Self { target: KindPattern { group, version, kind }, referrers }
    }
}

impl Tables {
    pub(crate) fn defaults() -> &'static Arc<Self> {
        &DEFAULTS
    }

    /// Reads a file of `configurations`.
    pub(crate) fn read(text: &str) -> Result<Self, BuildProblem> {
        let mut tables: Self = match yaml::first_document(text).map_err(|error| BuildProblem(error.to_string()))? {
            Value::Null => Self::default(),
            value => serde_json::from_value(value).map_err(|error| BuildProblem(error.to_string()))?,
        };
        tables.sort();
        Ok(tables)
    }

    /// Adds the fields of shared tables, as [`merge`](Self::merge) does. The defaults alone, which most kustomizations have, stay shared.
    pub(crate) fn merge_shared(tables: &mut Arc<Self>, other: &Arc<Self>) -> Result<(), BuildProblem> {
        let defaults = Self::defaults();
        if Arc::ptr_eq(other, defaults) {
            if Arc::ptr_eq(tables, defaults) {
                return Ok(());
            }
            if **tables == Self::default() {
                *tables = Arc::clone(defaults);
                return Ok(());
            }
        }
        Arc::make_mut(tables).merge(other)
    }

    /// Adds the fields of other tables. A field that is there for some kinds hides the same one for all kinds.
    pub(crate) fn merge(&mut self, other: &Self) -> Result<(), BuildProblem> {
        merge_specs(&mut self.name_prefix, &other.name_prefix)?;
        merge_specs(&mut self.name_suffix, &other.name_suffix)?;
        merge_specs(&mut self.namespace, &other.namespace)?;
        merge_specs(&mut self.common_labels, &other.common_labels)?;
        merge_specs(&mut self.labels, &other.labels)?;
        merge_specs(&mut self.template_labels, &other.template_labels)?;
        merge_specs(&mut self.volume_claim_template_labels, &other.volume_claim_template_labels)?;
        merge_specs(&mut self.common_annotations, &other.common_annotations)?;
        merge_specs(&mut self.images, &other.images)?;
        merge_specs(&mut self.replicas, &other.replicas)?;
        merge_specs(&mut self.var_reference, &other.var_reference)?;
        for references in &other.name_reference {
            match self.name_reference.iter_mut().find(|known| known.target == references.target) {
                Some(known) => merge_specs(&mut known.referrers, &references.referrers)?,
                None => self.name_reference.push(references.clone()),
            }
        }
        self.sort();
        Ok(())
    }

    /// Sorts all tables, which decides which fields hide others.
    fn sort(&mut self) {
        let tables = [
            &mut self.name_prefix,
            &mut self.name_suffix,
            &mut self.namespace,
            &mut self.common_labels,
            &mut self.labels,
            &mut self.template_labels,
            &mut self.volume_claim_template_labels,
            &mut self.common_annotations,
            &mut self.images,
            &mut self.replicas,
            &mut self.var_reference,
        ];
        for table in tables {
            table.sort_by_cached_key(|field| field.kinds.sort_key());
        }
        self.name_reference.sort_by_cached_key(|references| references.target.sort_key());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_defaults_can_be_read_and_are_sorted() {
        assert_eq!(&Tables::read(DEFAULT_TABLES).unwrap(), &**Tables::defaults());
        assert_eq!(Tables::defaults().name_reference.len(), 16);
    }

    #[test]
    fn defaults_stay_as_they_are_if_they_are_merged_with_nothing_or_with_themselves() {
        for mut tables in [Tables::default(), Tables::clone(Tables::defaults())] {
            let mut shared = Arc::new(tables.clone());
            tables.merge(Tables::defaults()).unwrap();
            Tables::merge_shared(&mut shared, Tables::defaults()).unwrap();
            assert_eq!((&tables, &shared), (&**Tables::defaults(), Tables::defaults()));
        }
    }

    #[test]
    fn configurations_add_fields_once() {
        let mut tables = Tables::clone(Tables::defaults());
        let added = "nameReference: [{kind: ConfigMap, version: v1, fieldSpecs: [{path: spec/map, kind: Widget}]}]";
        tables.merge(&Tables::read(added).unwrap()).unwrap();
        assert_eq!(tables.name_reference.len(), 16);
        assert!(tables.name_reference.iter().any(|known| known.referrers.iter().any(|spec| spec.path == "spec/map")));
    }

    #[test]
    fn a_field_of_some_kinds_hides_that_of_all_kinds() {
        let mut own = Tables::clone(Tables::defaults());
        own.merge(&Tables::read("namePrefix: [{path: metadata/name, kind: Widget}]").unwrap()).unwrap();
        let mut tables = Tables::default();
        tables.merge(&own).unwrap();
        assert_eq!(tables.name_prefix.iter().map(FieldSpec::kind).collect::<Vec<_>>(), ["Widget"]);
    }

    #[test]
    fn unknown_fields_of_configurations_are_refused() {
        assert!(Tables::read("nameRef: []").unwrap_err().0.contains("nameRef"));
    }
}
