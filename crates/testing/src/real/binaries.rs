//! The search for the programs of a control plane.

use std::path::{Path, PathBuf};

use super::RealError;

/// The Kubernetes version that `hack/kubernetes` builds.
const VERSION: &str = "v1.36.2";

/// Paths of the programs of a control plane.
#[derive(Clone, Debug)]
pub struct Binaries {
    /// The path of etcd.
    pub etcd: PathBuf,
    /// The path of kube-apiserver.
    pub apiserver: PathBuf,
    /// The path of kube-controller-manager.
    pub controller_manager: PathBuf,
    /// The path of kubectl, if it was found.
    pub kubectl: Option<PathBuf>,
}

impl Binaries {
    /// Searches `$KUBEBUILDER_ASSETS` and the output folder of `hack/kubernetes/build.sh`.
    pub fn find() -> Result<Self, RealError> {
        let assets = std::env::var_os("KUBEBUILDER_ASSETS").map(PathBuf::from);
        Self::find_in(&assets.into_iter().chain(build_folder()).collect::<Vec<_>>())
    }

    fn find_in(folders: &[PathBuf]) -> Result<Self, RealError> {
        let find = |name: &str| folders.iter().map(|folder| folder.join(name)).find(|path| is_program(path));
        let need = |name: &'static str| find(name).ok_or_else(|| RealError::MissingBinary { name, folders: folders.to_vec() });
        Ok(Self {
            etcd: need("etcd")?,
            apiserver: need("kube-apiserver")?,
            controller_manager: need("kube-controller-manager")?,
            kubectl: find("kubectl"),
        })
    }
}

/// Returns the output folder of `hack/kubernetes/build.sh`, by the same rule as that script.
fn build_folder() -> Option<PathBuf> {
    if let Some(folder) = std::env::var_os("KUBEWRIGHT_KUBERNETES_DIR") {
        return Some(PathBuf::from(folder));
    }
    let cache = std::env::var_os("XDG_CACHE_HOME")
        .map(PathBuf::from)
        .or_else(|| std::env::var_os("HOME").map(|home| Path::new(&home).join(".cache")))?;
    Some(cache.join("kubewright").join(format!("kubernetes-{VERSION}")))
}

fn is_program(path: &Path) -> bool {
    path.is_file()
}

#[cfg(test)]
mod tests {
    use super::*;

    // RT-8
    #[test]
    fn a_missing_binary_names_the_folders_and_the_remedy() {
        let error = Binaries::find_in(&[PathBuf::from("/nowhere")]).unwrap_err().to_string();
        assert_eq!(
            error,
            "find etcd in /nowhere: run hack/kubernetes/build.sh, or point KUBEBUILDER_ASSETS at a folder that has it"
        );
    }
}
