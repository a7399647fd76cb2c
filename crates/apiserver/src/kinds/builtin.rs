//! The built-in kinds, read from `data/kinds.toml`.

use std::sync::{Arc, LazyLock};

use kubewright_machinery::object::Scope;
use kubewright_middleware::Verb;
use serde::Deserialize;

use super::derived::Derived;
use super::generation::Generation;
use super::path::FieldPath;
use super::reset::Reset;
use super::scale::{Scale, ScaleSelector};
use super::spec::{Columns, Flags, GcDefault, KindSpec, StorageId, Subresource};
use super::verbs::Verbs;

/// Returns all built-in kinds in the order of discovery, shared by all servers of the process.
pub(super) fn kinds() -> &'static [Arc<KindSpec>] {
    &embedded().kinds
}

/// Returns the groups and versions that have an APIService.
pub(crate) fn registrations() -> &'static [GroupVersionRegistration] {
    &embedded().registrations
}

/// The content of the table of built-in kinds.
#[derive(Default)]
pub(super) struct BuiltinKinds {
    pub(super) kinds: Vec<Arc<KindSpec>>,
    registrations: Vec<GroupVersionRegistration>,
}

/// A group and version that the server registers itself.
#[derive(Clone, Debug)]
pub(crate) struct GroupVersionRegistration {
    pub(crate) group: String,
    pub(crate) version: String,
    /// The priority of the group, and of the version within the group.
    pub(crate) priority: [u32; 2],
}

fn embedded() -> &'static BuiltinKinds {
    static BUILTIN: LazyLock<BuiltinKinds> = LazyLock::new(|| {
        // The data is part of this crate; `the_table_of_built_in_kinds_is_well_formed` parses all of it.
        parse(include_str!("../../data/kinds.toml")).unwrap_or_default()
    });
    &BUILTIN
}

/// Parses the table.
pub(super) fn parse(text: &str) -> Result<BuiltinKinds, toml::de::Error> {
    let table: KindTable = toml::from_str(text)?;
    let mut builtin = BuiltinKinds::default();
    for BuiltinGroup { name, version, priority, resources } in table.group {
        builtin.kinds.extend(resources.into_iter().map(|row| Arc::new(row.into_spec(&name, &version))));
        builtin.registrations.extend(priority.map(|priority| GroupVersionRegistration { group: name, version, priority }));
    }
    Ok(builtin)
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct KindTable {
    group: Vec<BuiltinGroup>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct BuiltinGroup {
    name: String,
    version: String,
    /// The priority of the group among all groups, and of the version within the group.
    priority: Option<[u32; 2]>,
    resources: Vec<KindRow>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct KindRow {
    plural: String,
    kind: String,
    scope: Scope,
    #[serde(default)]
    short: Vec<String>,
    #[serde(default)]
    categories: Vec<String>,
    verbs: Option<Vec<VerbName>>,
    #[serde(default)]
    without: Vec<VerbName>,
    generation: Option<GenerationName>,
    #[serde(default)]
    generation_fields: Vec<String>,
    #[serde(default)]
    generation_labels: bool,
    #[serde(default)]
    generation_annotations: bool,
    #[serde(default)]
    flags: Vec<FlagName>,
    #[serde(default)]
    gc: GcDefault,
    #[serde(default)]
    subresources: Vec<SubresourceName>,
    #[serde(default)]
    fields: Vec<String>,
    #[serde(default)]
    main_keeps: Vec<String>,
    #[serde(default)]
    status_keeps: Vec<String>,
    storage: Option<String>,
    deprecated: Option<String>,
}

/// A verb by its name on the wire.
#[derive(Deserialize)]
#[serde(try_from = "String")]
struct VerbName(Verb);

impl TryFrom<String> for VerbName {
    type Error = String;

    fn try_from(name: String) -> Result<Self, String> {
        let unknown = || format!("unknown verb {name:?}; verbs are {}", Verb::ALL.map(Verb::as_str).join(", "));
        Verb::parse(&name).map(Self).ok_or_else(unknown)
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "kebab-case")]
enum GenerationName {
    OnChange,
    CreateOnly,
    ChangeOnly,
}

#[derive(PartialEq, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum FlagName {
    ConditionalUpdate,
    CreateOnUpdate,
    ReturnsDeleted,
    Graceful,
}

#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum SubresourceName {
    Status,
    Scale,
    Approval,
    Resize,
    EphemeralContainers,
    Binding,
    Eviction,
    Token,
    Finalize,
    Log,
    Attach,
    Exec,
    PortForward,
    Proxy,
}

impl SubresourceName {
    fn as_str(self) -> &'static str {
        match self {
            Self::Status => "status",
            Self::Scale => "scale",
            Self::Approval => "approval",
            Self::Resize => "resize",
            Self::EphemeralContainers => "ephemeralcontainers",
            Self::Binding => "binding",
            Self::Eviction => "eviction",
            Self::Token => "token",
            Self::Finalize => "finalize",
            Self::Log => "log",
            Self::Attach => "attach",
            Self::Exec => "exec",
            Self::PortForward => "portforward",
            Self::Proxy => "proxy",
        }
    }

    fn verbs(self) -> Verbs {
        use Verb::{Create, Delete, Get, Patch, Update};
        let verbs: &[Verb] = match self {
            Self::Status | Self::Scale | Self::Approval | Self::Resize | Self::EphemeralContainers => &[Get, Patch, Update],
            Self::Binding | Self::Eviction | Self::Token => &[Create],
            Self::Finalize => &[Update],
            Self::Log => &[Get],
            Self::Attach | Self::Exec | Self::PortForward => &[Create, Get],
            Self::Proxy => &[Create, Delete, Get, Patch, Update],
        };
        verbs.iter().copied().collect()
    }

    /// Returns group, version and kind of the subresource, or `None` if they are those of its parent.
    fn kind(self, parent: &str) -> Option<(&'static str, &'static str, &'static str)> {
        Some(match (self, parent) {
            (Self::Scale, _) => ("autoscaling", "v1", "Scale"),
            (Self::Eviction, _) => ("policy", "v1", "Eviction"),
            (Self::Token, _) => ("authentication.k8s.io", "v1", "TokenRequest"),
            (Self::Binding, _) => ("", "v1", "Binding"),
            (Self::Attach, _) => ("", "v1", "PodAttachOptions"),
            (Self::Exec, _) => ("", "v1", "PodExecOptions"),
            (Self::PortForward, _) => ("", "v1", "PodPortForwardOptions"),
            (Self::Proxy, "Pod") => ("", "v1", "PodProxyOptions"),
            (Self::Proxy, "Node") => ("", "v1", "NodeProxyOptions"),
            (Self::Proxy, "Service") => ("", "v1", "ServiceProxyOptions"),
            _ => return None,
        })
    }
}

impl KindRow {
    fn into_spec(self, group: &str, version: &str) -> KindSpec {
        let paths = |names: &[String]| names.iter().map(|name| FieldPath::new(name)).collect::<Vec<_>>();
        let mut main = paths(&self.main_keeps);
        if self.subresources.contains(&SubresourceName::Status) {
            main.push(FieldPath::new("status"));
        }
        let reset = Reset { main, status: paths(&self.status_keeps) };
        let subresources = self.subresources.iter().map(|name| {
            let (group, version, kind) = name.kind(&self.kind).unwrap_or((group, version, &self.kind));
            Subresource {
                name: name.as_str().to_owned(),
                group: group.to_owned(),
                version: version.to_owned(),
                kind: kind.to_owned(),
                verbs: name.verbs(),
            }
        });
        let subresources: Vec<_> = subresources.collect();
        let scale = self.subresources.contains(&SubresourceName::Scale).then(|| Scale {
            spec_replicas: FieldPath::new("spec.replicas"),
            status_replicas: FieldPath::new("status.replicas"),
            selector: if self.kind == "ReplicationController" {
                ScaleSelector::Labels(FieldPath::new("spec.selector"))
            } else {
                ScaleSelector::Object(FieldPath::new("spec.selector"))
            },
        });
        let verbs = match self.verbs {
            Some(verbs) => verbs.into_iter().map(|name| name.0).collect(),
            None => self.without.into_iter().map(|name| name.0).fold(Verbs::ALL, Verbs::without),
        };
        let (fields, labels, annotations) = (self.generation_fields, self.generation_labels, self.generation_annotations);
        let generation = match self.generation {
            None => Generation::Unmanaged,
            Some(GenerationName::CreateOnly) => Generation::CreateOnly,
            Some(GenerationName::OnChange) => Generation::OnChange { on_create: true, fields, labels, annotations },
            Some(GenerationName::ChangeOnly) => Generation::OnChange { on_create: false, fields, labels, annotations },
        };
        let stored = self.storage.unwrap_or_else(|| super::spec::api_version(group, version));
        let (storage_group, storage_version) = stored.split_once('/').unwrap_or(("", &stored));
        KindSpec {
            group: group.to_owned(),
            version: version.to_owned(),
            list_kind: format!("{}List", self.kind),
            singular: self.kind.to_lowercase(),
            scope: self.scope,
            verbs,
            short_names: self.short,
            categories: self.categories,
            subresources,
            flags: Flags {
                unconditional_update: !self.flags.contains(&FlagName::ConditionalUpdate),
                create_on_update: self.flags.contains(&FlagName::CreateOnUpdate),
                returns_deleted: self.flags.contains(&FlagName::ReturnsDeleted),
                graceful: self.flags.contains(&FlagName::Graceful),
            },
            generation,
            gc_default: self.gc,
            reset,
            scale,
            storage: StorageId {
                group: storage_group.to_owned(),
                plural: self.plural.clone(),
                version: storage_version.to_owned(),
            },
            field_selectors: self.fields,
            columns: Columns::Builtin,
            deprecation_warning: self.deprecated,
            custom: None,
            derived: Derived::default(),
            plural: self.plural,
            kind: self.kind,
        }
    }
}
