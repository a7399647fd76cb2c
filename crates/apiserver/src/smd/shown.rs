//! Ownership of a field that is also shown in a view with a version of its own.

use kubewright_machinery::fieldset::{FieldSet, Path};

use super::managers::{ManagerIdentity, ManagerOperation, Managers, OwnedFieldsEntry};

/// A field of an object and the view that shows it.
#[derive(Clone)]
pub struct Shown<'a> {
    /// Returns the path of the field at a version of the object: `None` for a version that is not served, `Some(None)` for a version without the
    /// field.
    pub at: &'a dyn Fn(&str) -> Option<Option<Path>>,
    /// The version of the object at which new owners own the field.
    pub api_version: &'a str,
    /// The version of the view.
    pub view_version: &'a str,
    /// The path of the field in the view.
    pub view_path: Path,
}

impl std::fmt::Debug for Shown<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Shown")
            .field("api_version", &self.api_version)
            .field("view_path", &self.view_path)
            .finish_non_exhaustive()
    }
}

impl Managers {
    /// Returns the owners of the field, as managers of the view.
    pub fn shown(&self, shown: &Shown<'_>) -> Self {
        let owners = self.0.iter().filter_map(|(identity, entry)| {
            let path = (shown.at)(&entry.api_version)??;
            entry.fields.has(&path).then(|| {
                let fields = FieldSet::from_iter([&shown.view_path]);
                let api_version = shown.view_version.to_owned();
                let seen = ManagerIdentity {
                    api_version: if identity.operation == ManagerOperation::Update { api_version.clone() } else { String::new() },
                    ..identity.clone()
                };
                (seen, OwnedFieldsEntry { api_version, fields, time: entry.time.clone() })
            })
        });
        Self(owners.collect())
    }

    /// Returns the managers of the object after the managers of the view have become `view`. Owners of the field that are not in `view` lose it;
    /// new owners own it without a time. Entries at versions that are not served are dropped.
    ///
    /// An updater of the object never equals an updater of the view, because the version is part of an updater's identity and the versions
    /// differ.
    #[must_use]
    pub fn take_back(self, mut view: Self, shown: &Shown<'_>) -> Self {
        let mut managers = Self::default();
        for (identity, mut entry) in self.0 {
            let Some(path) = (shown.at)(&entry.api_version) else { continue };
            if let Some(path) = path.filter(|path| entry.fields.has(path))
                && view.0.remove(&identity).is_none()
            {
                entry.fields = entry.fields.difference(&FieldSet::from_iter([path]));
            }
            if !entry.fields.is_empty() {
                managers.0.insert(identity, entry);
            }
        }
        let Some(path) = (shown.at)(shown.api_version).flatten() else { return managers };
        for (identity, entry) in view.0 {
            if entry.fields.has(&shown.view_path) {
                let fields = FieldSet::from_iter([&path]);
                managers.0.insert(identity, OwnedFieldsEntry { api_version: shown.api_version.to_owned(), fields, time: None });
            }
        }
        managers
    }
}
