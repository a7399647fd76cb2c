//! Kustomizations, built in process: from a tree of files to a list of objects, in the order and with the content of `kustomize build` 5.8.
//!
//! [`build`] reads a kustomization and all that it refers to from a [`FileTree`], and returns JSON objects. It reads no disk, no environment and no
//! network, and starts no programs; [`read_directory`] loads a directory into a tree. The same tree always gives the same objects.
//!
//! ```
//! use std::collections::BTreeMap;
//!
//! let mut files: BTreeMap<String, Vec<u8>> = BTreeMap::new();
//! files.insert("app/kustomization.yaml".into(), b"namePrefix: my-\nresources: [settings.yaml]\n".to_vec());
//! files.insert("app/settings.yaml".into(), b"apiVersion: v1\nkind: ConfigMap\nmetadata: {name: settings}\n".to_vec());
//! let objects = kubewright_kustomize::build(&files, "app")?;
//! assert_eq!(objects[0]["metadata"]["name"], "my-settings");
//! # Ok::<(), kubewright_kustomize::KustomizeError>(())
//! ```
//!
//! [`ObjectPatches`] applies patches and changes of images alone to a list of objects.
//!
//! Unsupported features are errors that name the file and the field, and are never ignored: plugins, functions in containers or programs, Helm charts,
//! remote resources, validators, `vars`, and `crds`.
//!
//! Modules, from low to high: `error`, `limits`, `path`, `tree`, `kind`, `fields`, `kustomization`, `resource`, `text_pattern`, `select`, `strategic`,
//! `generate`, `replace`, `transform`, `patch_objects`, `reference`, `build`.

mod build;
mod error;
mod fields;
mod generate;
mod kind;
mod kustomization;
mod limits;
mod patch_objects;
mod path;
mod reference;
mod replace;
mod resource;
mod select;
mod strategic;
mod text_pattern;
mod transform;
mod tree;

pub use build::{KUSTOMIZE_VERSION, build, build_within};
pub use error::KustomizeError;
pub use limits::BuildLimits;
pub use patch_objects::{ImageChange, ObjectPatch, ObjectPatches, PatchTarget};
pub use tree::{FileTree, read_directory};
